//! Makes a complete module from the text of a rule.

use crate::rego::RuleFault;

/// The path of the package that all rules belong to.
pub(crate) const PACKAGE: &str = "data.portolan.policy";
/// The lines that are added before the text of a rule.
const HEAD: &str = "package portolan.policy\nimport rego.v1\n";
/// The number of lines in [`HEAD`].
pub(crate) const HEAD_LINES: u64 = 2;

/// The syntax to which the current byte of the text belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Code,
    /// A string, quoted by this byte.
    Quoted(u8),
    Comment,
}

/// The maximum nesting depth of brackets. It limits the recursion of the parser.
const DEEPEST: usize = 24;
/// The maximum nesting depth of braces and square brackets. They are ambiguous, so the engine tries
/// several alternatives at each level.
const DEEPEST_BRACES: usize = 10;

/// Returns the complete module. Rego permits semicolons only inside a rule, so a semicolon between
/// rules becomes a space. This makes it possible to write several rules on one line. The positions
/// do not change.
///
/// # Errors
/// Returns an error if brackets are nested too deeply, or if the text contains a NUL character.
pub(crate) fn module(text: &str) -> Result<String, RuleFault> {
    let mut bytes = text.as_bytes().to_vec();
    let (mut part, mut open, mut is_escaped) = (Part::Code, Vec::new(), false);
    let (mut line, mut column) = (1, 0);
    for byte in &mut bytes {
        (line, column) = if *byte == b'\n' {
            (line + 1, 0)
        } else {
            (line, column + 1)
        };
        part = next(part, *byte, is_escaped);
        is_escaped = part == Part::Quoted(b'"') && *byte == b'\\' && !is_escaped;
        if part == Part::Code {
            match *byte {
                bracket @ (b'{' | b'[' | b'(') => open.push(bracket),
                b'}' | b']' | b')' => drop(open.pop()),
                b';' if open.is_empty() => *byte = b' ',
                _ => {}
            }
        }
        if let Some(message) = ends_text(*byte).or_else(|| too_deep(&open)) {
            return Err(RuleFault {
                line,
                column,
                message,
            });
        }
    }
    // All changes replace an ASCII byte by another ASCII byte, so the text is still valid UTF-8.
    Ok(format!("{HEAD}{}\n", String::from_utf8_lossy(&bytes)))
}

/// Returns the error message for a NUL character. The engine would ignore all text after it,
/// although users see more rules there.
fn ends_text(byte: u8) -> Option<String> {
    (byte == 0).then(|| "contains a NUL character".to_owned())
}

/// Returns the error message if brackets are nested too deeply.
fn too_deep(open: &[u8]) -> Option<String> {
    let braces = open.iter().filter(|bracket| **bracket != b'(').count();
    if open.len() > DEEPEST {
        Some(format!("has more than {DEEPEST} nested brackets"))
    } else if braces > DEEPEST_BRACES {
        Some(format!(
            "has more than {DEEPEST_BRACES} nested braces and square brackets"
        ))
    } else {
        None
    }
}

fn next(part: Part, byte: u8, is_escaped: bool) -> Part {
    match (part, byte) {
        (Part::Code, quote @ (b'"' | b'`')) => Part::Quoted(quote),
        (Part::Code, b'#') => Part::Comment,
        (Part::Comment, b'\n') => Part::Code,
        (Part::Quoted(quote), byte) if byte == quote && !is_escaped => Part::Code,
        (part, _) => part,
    }
}
