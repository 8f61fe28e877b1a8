//! Sentences of a status that end with a command: how each is written, and how it is read without the command.

use std::collections::BTreeSet;

use portolan_core_names::text::shell_word;

use super::GROUP;

/// The most characters of a list of accepted bundles that a command writes.
const LONGEST_LIST: usize = 2000;
const COMMAND: &str = ": kubectl ";
const IF_MEANT: &str = "; if that is meant";

/// A sentence, and by which annotation of an Operator somebody lets it go on.
pub fn annotating(said: &str, operator: &str, (annotation, value): (&str, &str)) -> String {
    let value = shell_word(&format!("{annotation}={value}"));
    format!("{said}{COMMAND}annotate --overwrite operators.{GROUP} {operator} {value}")
}

/// Returns the list of accepted bundles with one more. None if it is too long for a command.
pub fn accepting(accepted: &BTreeSet<String>, bundle: &str) -> Option<String> {
    let mut all: BTreeSet<&str> = accepted.iter().map(String::as_str).collect();
    all.insert(bundle);
    let list = all.into_iter().collect::<Vec<_>>().join(",");
    (list.len() <= LONGEST_LIST).then_some(list)
}

/// The same where nobody is asked to.
pub fn annotating_if_meant(said: &str, operator: &str, annotation: (&str, &str)) -> String {
    annotating(&format!("{said}{IF_MEANT}"), operator, annotation)
}

/// A sentence about objects of others, and how an InstallPlan of an Operator takes them over.
pub fn adopting(said: &str, (namespace, plan): (&str, &str)) -> String {
    format!(
        "{said}; to take them over with their fields{COMMAND}-n {namespace} patch installplans.plans.portolan.dev {plan} \
         --type=merge -p '{{\"spec\":{{\"collisions\":\"Adopt\"}}}}'"
    )
}

/// The sentence without its command.
pub fn without_command(said: &str) -> &str {
    let said = said.split_once(COMMAND).map_or(said, |(said, _)| said);
    said.strip_suffix(IF_MEANT).unwrap_or(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted_bundles_stay_in_the_list() {
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

    /// Others may write the annotation that a command repeats.
    #[test]
    fn value_is_one_word_of_a_shell() {
        let said = annotating("said", "ferry", ("a.example/b", "x; $(y)"));
        assert!(said.ends_with(" ferry 'a.example/b=x; $(y)'"), "{said}");
    }

    #[test]
    fn a_command_is_written_and_left_out() {
        let annotation = ("a.example/b", "ferry.v1");
        let asked = annotating("somebody has to", "ferry", annotation);
        let line = "kubectl annotate --overwrite operators.operators.operatorframework.io ferry \
                    a.example/b=ferry.v1";
        assert_eq!(asked, format!("somebody has to: {line}"));
        let meant = annotating_if_meant("it goes", "ferry", annotation);
        assert_eq!(meant, format!("it goes; if that is meant: {line}"));
        for (told, said) in [(asked, "somebody has to"), (meant, "it goes")] {
            assert_eq!(without_command(&told), said);
        }
        assert_eq!(without_command("it goes on"), "it goes on");
    }
}
