//! Draws trees of lines.

use super::{Page, Span};

/// A line of a tree, and the branches below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Branch {
    /// The spans of the line. They are separated by blanks.
    pub(crate) line: Vec<Span>,
    pub(crate) below: Vec<Branch>,
}

// === impl Branch ===

impl Branch {
    /// Returns a branch without branches below it.
    pub(crate) fn leaf<const N: usize>(line: [Span; N]) -> Self {
        Self {
            line: line.to_vec(),
            below: Vec::new(),
        }
    }
}

/// Draws branches below the previous line.
pub(super) fn draw(page: &mut Page, branches: &[Branch]) {
    grow(page, "", branches);
}

fn grow(page: &mut Page, trunk: &str, branches: &[Branch]) {
    for (at, Branch { line, below }) in branches.iter().enumerate() {
        let (fork, beside) = if at + 1 < branches.len() {
            ("├── ", "│   ")
        } else {
            ("└── ", "    ")
        };
        page.behind(&format!("{trunk}{fork}"), line.iter().cloned());
        grow(page, &format!("{trunk}{beside}"), below);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn branch(line: &str, below: Vec<Branch>) -> Branch {
        Branch {
            line: vec![line.into()],
            below,
        }
    }

    #[test]
    fn draws_vertical_lines_down_to_the_last_branch() {
        let leaf = |name| branch(name, Vec::new());
        let inner = branch("b", vec![leaf("c"), branch("d", vec![leaf("e")])]);
        let mut page = Page::default();
        page.text_line("a");
        draw(&mut page, &[inner.clone(), inner]);
        let drawn = "a
├── b
│   ├── c
│   └── d
│       └── e
└── b
    ├── c
    └── d
        └── e
";
        assert_eq!(page.into_text(), drawn);
    }
}
