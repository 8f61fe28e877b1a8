//! Texts for a status that end with a command. The command is also returned as a separate field.

use std::collections::BTreeSet;

use portolan_core_names::text::{one_line, shell_word};

use super::{GROUP, Remedy};

/// The maximum length of the list of accepted bundles in a command.
const LONGEST_LIST: usize = 2000;

/// A text that ends with a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remedied {
    /// The message, followed by the command.
    pub text: String,
    pub remedy: Remedy,
}

impl Remedied {
    /// Joins a message and a command with `link` and a colon.
    fn new(said: &str, link: &str, command: String) -> Self {
        Self {
            text: format!("{said}{link}: {command}"),
            remedy: Remedy {
                message: one_line(said),
                command,
            },
        }
    }
}

/// Returns a text with a command that sets an annotation of an Operator.
pub fn annotating(said: &str, operator: &str, annotation: (&str, &str)) -> Remedied {
    Remedied::new(said, "", annotate(operator, annotation))
}

fn annotate(operator: &str, (annotation, value): (&str, &str)) -> String {
    let value = shell_word(&format!("{annotation}={value}"));
    format!("kubectl annotate --overwrite operators.{GROUP} {operator} {value}")
}

/// Returns the list of accepted bundles with one more bundle, for a command. Returns None if the
/// list is too long for a command.
pub fn accepting(accepted: &BTreeSet<String>, bundle: &str) -> Option<String> {
    let mut all: BTreeSet<&str> = accepted.iter().map(String::as_str).collect();
    all.insert(bundle);
    let list = all.into_iter().collect::<Vec<_>>().join(",");
    (list.len() <= LONGEST_LIST).then_some(list)
}

/// Returns a text with a command that sets an annotation of an Operator, so that it accepts the
/// changes that the message describes.
pub fn annotating_if_meant(said: &str, operator: &str, annotation: (&str, &str)) -> Remedied {
    Remedied::new(said, "; to accept this", annotate(operator, annotation))
}

/// Returns a text about objects of other owners, with a command that lets an InstallPlan adopt
/// these objects.
pub fn adopting(said: &str, (namespace, plan): (&str, &str)) -> Remedied {
    let command = format!(
        "kubectl -n {namespace} patch installplans.plans.portolan.dev {plan} --type=merge -p \
         '{{\"spec\":{{\"collisions\":\"Adopt\"}}}}'"
    );
    Remedied::new(
        said,
        "; to take over the objects with all their fields",
        command,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_bundle_to_the_list_of_accepted_bundles() {
        let mut accepted = BTreeSet::new();
        assert_eq!(
            accepting(&accepted, "ferry.v2").as_deref(),
            Some("ferry.v2")
        );
        accepted.insert("ferry.v1".to_owned());
        let both = accepting(&accepted, "ferry.v2");
        assert_eq!(both.as_deref(), Some("ferry.v1,ferry.v2"));
        accepted.insert("f".repeat(LONGEST_LIST));
        assert_eq!(accepting(&accepted, "ferry.v2"), None);
    }

    /// A value that another program wrote is quoted in the command.
    #[test]
    fn command_quotes_value_for_the_shell() {
        let said = annotating("said", "ferry", ("a.example/b", "x; $(y)"));
        let command = said.remedy.command;
        assert!(
            command.ends_with(" ferry 'a.example/b=x; $(y)'"),
            "{command}"
        );
    }

    #[test]
    fn command_is_in_the_message_and_in_its_own_field() {
        let annotation = ("a.example/b", "ferry.v1");
        let line = "kubectl annotate --overwrite operators.operators.operatorframework.io ferry \
                    a.example/b=ferry.v1";
        let asked = annotating("approval is required", "ferry", annotation);
        assert_eq!(asked.text, format!("approval is required: {line}"));
        let meant = annotating_if_meant("it goes", "ferry", annotation);
        assert_eq!(meant.text, format!("it goes; to accept this: {line}"));
        let taken = adopting("it is theirs", ("harbor", "ferry-1"));
        assert!(
            taken
                .text
                .starts_with("it is theirs; to take over the objects")
        );
        for (told, message) in [
            (&asked, "approval is required"),
            (&meant, "it goes"),
            (&taken, "it is theirs"),
        ] {
            assert_eq!(told.remedy.message, message);
            assert!(told.text.ends_with(&told.remedy.command));
        }
    }
}
