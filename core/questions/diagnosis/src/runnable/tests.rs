use proptest::prelude::*;
use rstest::rstest;

use portolan_core_names::text::shell_word;

use super::*;

fn words(line: &str) -> Option<Vec<String>> {
    match Runnable::parse(line, 1_700_000_000)? {
        Runnable::Kubectl(run) => Some(run.arguments.into_iter().chain(run.saved_to).collect()),
        Runnable::Portolan(run) => Some(run.arguments),
        Runnable::Pause(seconds) => Some(vec![seconds.to_string()]),
    }
}

#[rstest]
#[case::plain("kubectl get pods/a -n demo", &["get", "pods/a", "-n", "demo"])]
#[case::quoted(r#"kubectl patch a/b -p '{"a":"b c"}'"#, &["patch", "a/b", "-p", r#"{"a":"b c"}"#])]
#[case::with_a_quote(r"kubectl get 'a'\''b'", &["get", "a'b"])]
#[case::with_the_time(r#"kubectl annotate a/b x="$(date +%s)""#, &["annotate", "a/b", "x=1700000000"])]
#[case::saved("kubectl get a/b -o yaml > b.yaml", &["get", "a/b", "-o", "yaml", "b.yaml"])]
#[case::pause("sleep 5", &["5"])]
#[case::of_this_program("portolan install crds", &["install", "crds"])]
fn splits_line_into_words(#[case] line: &str, #[case] expected: &[&str]) {
    let expected: Vec<_> = expected.iter().map(|word| (*word).to_owned()).collect();
    assert_eq!(words(line), Some(expected));
}

#[rstest]
#[case::pipe("kubectl get a | kubectl apply -f -")]
#[case::chain("kubectl get a && kubectl get b")]
#[case::substitution("kubectl get $(rm a)")]
#[case::substitution_in_quotes("kubectl get \"$(rm a)\"")]
#[case::variable("kubectl get \"$HOME\"")]
#[case::glob("kubectl get *")]
#[case::unclosed_quote("kubectl get 'a")]
#[case::two_files("kubectl get a > b > c")]
#[case::other_program("rm a")]
#[case::empty_line("")]
#[case::no_verb("kubectl")]
#[case::no_subcommand("portolan")]
#[case::saved_output_of_this_program("portolan install crds > a")]
fn rejects_line_that_needs_a_shell(#[case] line: &str) {
    assert_eq!(words(line), None);
}

#[rstest]
#[case::patch("kubectl patch a/b -p x", Some("patch a/b -p x --dry-run=server"))]
#[case::delete("kubectl delete a/b", Some("delete a/b --dry-run=server"))]
#[case::reading_verb("kubectl get a/b", None)]
#[case::verb_without_dry_run("kubectl rollout resume a/b", None)]
fn dry_run_is_the_same_run_with_a_flag(#[case] line: &str, #[case] expected: Option<&str>) {
    let Some(Runnable::Kubectl(run)) = Runnable::parse(line, 0) else {
        panic!("{line} must be a run of kubectl");
    };
    let tried = run.dry_run().map(|run| run.arguments.join(" "));
    assert_eq!(tried.as_deref(), expected);
}

#[rstest]
#[case::install("portolan install crds", Some("install crds --dry-run"))]
#[case::reading_command("portolan route a", None)]
fn dry_run_of_this_program_has_its_flag(#[case] line: &str, #[case] expected: Option<&str>) {
    let Some(Runnable::Portolan(run)) = Runnable::parse(line, 0) else {
        panic!("{line} must be a run of this program");
    };
    let tried = run.dry_run().map(|run| run.arguments.join(" "));
    assert_eq!(tried.as_deref(), expected);
}

proptest! {
    /// A word that Portolan prints is parsed as one argument, whatever characters it contains.
    #[test]
    fn printed_word_is_one_argument(word in "\\PC{0,20}") {
        let line = format!("kubectl get {}", shell_word(&word));
        let read = words(&line);
        // `shell_word` replaces characters that are unsafe in a terminal.
        let printed = shell_word(&word);
        if printed == word || printed == format!("'{word}'") {
            prop_assert_eq!(read, Some(vec!["get".to_owned(), word]));
        } else {
            prop_assert_eq!(read.map(|it| it.len()), Some(2));
        }
    }
}
