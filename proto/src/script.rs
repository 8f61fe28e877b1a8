//! Converts the procedures of a diagnosis to shell scripts.

use crate::diagnosis::v1::step::Action;
use crate::diagnosis::v1::{Procedure, Step};

// === impl Procedure ===

impl Procedure {
    /// Returns the lines of a shell script. Each step is one command or one manifest. A step runs
    /// only if the previous step succeeds.
    ///
    /// The comments of all steps come first. An interactive zsh would run `#` as a command, and a
    /// comment between two steps would break the chain of steps. A procedure with one step has no
    /// comment if the title has the same text.
    pub fn script(&self) -> Vec<String> {
        let (comments, mut commands): (Vec<_>, Vec<_>) = self.numbered().unzip();
        if let Some((_, all_but_last)) = commands.split_last_mut() {
            for line in all_but_last.iter_mut().filter_map(|lines| lines.last_mut()) {
                line.push_str(" &&");
            }
        }
        let comments = comments.into_iter().flatten();
        comments.chain(commands.into_iter().flatten()).collect()
    }

    /// Returns the comment and the lines of each step, for users who run one step at a time.
    pub fn scripts(&self) -> Vec<Vec<String>> {
        let steps = self.numbered();
        let lines = steps.map(|(comment, lines)| comment.into_iter().chain(lines).collect());
        lines.collect()
    }

    /// Returns the comment and the lines of each step.
    fn numbered(&self) -> impl Iterator<Item = (Option<String>, Vec<String>)> {
        let title = self.title.trim_end_matches('.');
        let is_alone = self.steps.len() == 1;
        let steps = self.steps.iter().enumerate();
        steps.map(move |(at, step)| {
            let text = inert(&step.comment);
            let comment = if !is_alone {
                Some(format!("# {}. {text}", at + 1))
            } else if step.comment == title {
                None
            } else {
                Some(format!("# {text}"))
            };
            (comment, step.script())
        })
    }
}

/// Removes the characters that have a meaning in a shell. A shell that does not support comments
/// would otherwise interpret them.
fn inert(comment: &str) -> String {
    let is_active = |c: char| r#"'"`$\;&|<>(){}[]*?!#~="#.contains(c) || c.is_control();
    comment.replace(is_active, "")
}

// === impl Step ===

impl Step {
    /// Returns the lines of this step for a shell, without its comment.
    pub fn script(&self) -> Vec<String> {
        match &self.action {
            Some(Action::Command(command)) => vec![command.clone()],
            Some(Action::Manifest(manifest)) => {
                // Uses printf instead of a here-document, so that users can indent all lines. YAML
                // can be indented as a whole, but the end of a here-document cannot.
                let manifest = manifest.replace('\'', r"'\''");
                let lines = manifest.trim_end().lines().map(str::to_owned);
                let all = std::iter::once(r"printf '%s\n' '".to_owned()).chain(lines);
                all.chain(["' | kubectl apply -f -".to_owned()]).collect()
            }
            None => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(comment: &str, action: Action) -> Step {
        Step {
            comment: comment.to_owned(),
            action: Some(action),
        }
    }

    #[test]
    fn scripts_number_steps_and_stop_at_a_failure() {
        let get = Action::Command("kubectl get a".to_owned());
        let manifest = Action::Manifest("kind: A\nname: it's\n".to_owned());
        let procedure = Procedure {
            title: "Do both.".to_owned(),
            steps: vec![step("Save it", get), step("Create it", manifest)],
            ..Procedure::default()
        };
        let expected = [
            "# 1. Save it",
            "# 2. Create it",
            "kubectl get a &&",
            r"printf '%s\n' '",
            "kind: A",
            r"name: it'\''s",
            "' | kubectl apply -f -",
        ];
        assert_eq!(procedure.script(), expected);
        let sizes: Vec<_> = procedure.scripts().iter().map(Vec::len).collect();
        assert_eq!(sizes, [2, 5]);
    }

    #[test]
    fn comments_do_nothing_in_a_shell_that_runs_them() {
        let show = |comment| step(comment, Action::Command("kubectl get a".to_owned()));
        let procedure = Procedure {
            steps: vec![
                show("Show it's `a`; rm -rf \"$HOME\" & (b) > c"),
                show("Wait"),
            ],
            ..Procedure::default()
        };
        let expected = ["# 1. Show its a rm -rf HOME  b  c", "# 2. Wait"];
        assert_eq!(procedure.script()[..2], expected);
    }

    #[test]
    fn script_repeats_no_title() {
        let get = || Action::Command("kubectl get a".to_owned());
        let procedure = |title: &str| Procedure {
            title: title.to_owned(),
            steps: vec![step("Show it", get())],
            ..Procedure::default()
        };
        assert_eq!(procedure("Show it.").script(), ["kubectl get a"]);
        let expected = ["# Show it", "kubectl get a"];
        assert_eq!(procedure("After that.").script(), expected);
    }
}
