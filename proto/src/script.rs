//! The shell scripts of procedures.

use crate::diagnosis::v1::step::Action;
use crate::diagnosis::v1::{Procedure, Step};

// === impl Procedure ===

impl Procedure {
    /// Returns the lines for a shell. Each step is one command or one manifest, below a comment with
    /// its number, and runs only if the step before it succeeds. The only step of a procedure has no
    /// comment if the title says the same.
    pub fn script(&self) -> Vec<String> {
        let mut scripts = self.scripts();
        if let Some((_, all_but_last)) = scripts.split_last_mut() {
            for line in all_but_last.iter_mut().filter_map(|lines| lines.last_mut()) {
                line.push_str(" &&");
            }
        }
        scripts.concat()
    }

    /// Returns the lines of each step, to run one step at a time.
    pub fn scripts(&self) -> Vec<Vec<String>> {
        let title = self.title.trim_end_matches('.');
        let is_alone = self.steps.len() == 1;
        let steps = self.steps.iter().enumerate();
        let scripts = steps.map(|(at, step)| {
            let comment = if !is_alone {
                Some(format!("# {}. {}", at + 1, step.comment))
            } else if step.comment == title {
                None
            } else {
                Some(format!("# {}", step.comment))
            };
            comment.into_iter().chain(step.script()).collect()
        });
        scripts.collect()
    }
}

// === impl Step ===

impl Step {
    /// Returns the lines for a shell, without the comment.
    pub fn script(&self) -> Vec<String> {
        match &self.action {
            Some(Action::Command(command)) => vec![command.clone()],
            Some(Action::Manifest(manifest)) => {
                // YAML may stand further to the right as a whole; the end of a here-document may
                // not.
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
            "kubectl get a &&",
            "# 2. Create it",
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
