//! Sentences of a status that end with a command: how each is written, and how it is read without the command.

use super::GROUP;

const COMMAND: &str = ": kubectl ";
const IF_MEANT: &str = "; if that is meant";

/// A sentence, and by which annotation of an Operator somebody lets it go on.
pub fn annotating(said: &str, operator: &str, (annotation, value): (&str, &str)) -> String {
    format!("{said}{COMMAND}annotate --overwrite operators.{GROUP} {operator} {annotation}={value}")
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
