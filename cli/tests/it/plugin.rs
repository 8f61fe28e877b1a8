//! Tests of the program as a kubectl plugin. The program is a plugin if its file name is that of
//! the plugin.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use insta::assert_snapshot;
use portolan_kit::TempFolder;
use rstest::rstest;

use crate::program::{FERRY, command, portolan, run, transcript};

/// A folder with operators of other installers than OLM v0.
const INSTALLERS: &str = "cli/tests/fixtures/installers";
/// The flag for a command that reads this folder as a world.
const OF_INSTALLERS: &str = "--world=cli/tests/fixtures/installers";

/// A folder in PATH with the symbolic links that users create for the plugin.
struct Links(TempFolder);

impl Links {
    fn make() -> Self {
        let folder = TempFolder::empty();
        for name in ["kubectl-operator", "kubectl_complete-operator", "portolan"] {
            let link = symlink(env!("CARGO_BIN_EXE_portolan"), folder.join(name));
            link.expect("a link");
        }
        Self(folder)
    }

    fn called(&self, name: &str, words: &[&str]) -> Command {
        let mut command = command(self.0.join(name));
        command.args(words);
        command
    }

    fn plugin(&self, line: &str) -> Command {
        let words: Vec<_> = line.split_whitespace().collect();
        self.called("kubectl-operator", &words)
    }
}

#[rstest]
#[case::all("--help")]
#[case::with_a_usage_of_its_own("upgrades --help")]
#[case::by_the_name_of_others("list --help")]
fn help_uses_command_name_of_plugin(#[case] line: &str) {
    let name = format!("plugin_{}", line.replace(['-', ' '], ""));
    assert_snapshot!(name, transcript(&mut Links::make().plugin(line)));
}

/// Each example in the help must be a valid command, because users copy it.
#[test]
fn help_mentions_only_plugin_name() {
    let links = Links::make();
    let all = String::from_utf8(run(&mut links.plugin("--help")).stdout).expect("text");
    let commands = all.split_once("\n\nOptions:\n").expect("options").0;
    let names = commands
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let mut read = 0;
    for name in names.filter_map(|line| line.split_whitespace().next()) {
        let help = transcript(&mut links.plugin(&format!("{name} --help")));
        assert!(!help.contains("portolan "), "{name}: {help}");
        assert!(help.contains(&format!("kubectl operator {name}")), "{help}");
        read += 1;
    }
    assert!(read > 10, "{all}");
}

#[test]
fn plugin_and_program_give_same_output() {
    let world = "--world deploy/demo";
    let links = Links::make();
    for (plugin, program) in [
        ("list", "health"),
        ("upgrades", "upgrades"),
        ("diagnose", "diagnose"),
    ] {
        let output = transcript(&mut links.plugin(&format!("{plugin} {world}")));
        assert_eq!(
            output,
            transcript(&mut portolan(&format!("{program} {world}")))
        );
    }
}

#[test]
fn plugin_accepts_options_before_the_command() {
    let links = Links::make();
    let after = transcript(&mut links.plugin("list -n harbor --world deploy/demo"));
    let before = transcript(&mut links.plugin("-n harbor list --world deploy/demo"));
    assert_eq!(before, after);
}

/// For completion, kubectl passes the words after the name of the plugin, and reads one completion
/// from each line.
#[rstest]
#[case::a_command(&["di"], "diagnose\tDiagnose operators: the cause, the object at fault, and the fix\n:4\n")]
#[case::a_command_after_options(&["-n", "harbor", "di"], "diagnose\tDiagnose operators: the cause, the object at fault, and the fix\n:4\n")]
#[case::a_nested_command_after_options(&["plan", "-o", "json", "stat"], "status\tShow the status \
    of InstallPlans: a table of all plans, or a tree of one plan\n:4\n")]
#[case::a_channel_of_a_version(&["path", "ferry@1.2.0", "--catalog", FERRY, "--from", "ferry.v1.1"], "ferry.v1.1.0\n:4\n")]
#[case::its_other_name(&["lis"], "list\tShow the health of all operators and catalogs, or the \
    details of one operator or catalog\n:4\n")]
#[case::a_value(&["diagnose", "-o", "w"], "wide\tLike table, without truncation\n:4\n")]
#[case::a_package(&["packages", "--catalog", FERRY, "fer"], "ferry\n:4\n")]
#[case::a_request(&["resolve", "--catalog", FERRY, "f"], "ferry\n:4\n")]
#[case::a_request_of_a_route(&["route", "--catalog", FERRY, "f"], "ferry\n:4\n")]
#[case::a_bundle(&["path", "ferry", "--catalog", FERRY, "--from", "ferry.v1.1"], "ferry.v1.1.0\n:4\n")]
#[case::a_namespace(&["upgrades", "--world=deploy/demo", "-n", "tu"], "tugs\n:4\n")]
#[case::a_destination(&["path", "ferry", "--catalog", FERRY, "--to", "ferry.v1.1"], "ferry.v1.1.0\n:4\n")]
#[case::a_word_for_a_destination(&["path", "ferry", "--catalog", FERRY, "--to", "latest-p"], "latest-patch\n:4\n")]
#[case::an_operator(&["diagnose", "--world", "deploy/demo", "fer"], "ferry\n:4\n")]
#[case::an_operator_of_a_namespace(&["health", "--world", "deploy/demo", "tugs/"], "tugs/tug\n:4\n")]
#[case::an_own_operator(&["update", "--world=deploy/demo", "cra"], "crane\n:4\n")]
#[case::operator_by_kind(&["explain", "--world", "deploy/demo", "operator/cra"], "operator/crane\n:4\n")]
#[case::policy(&["explain", "--world", "deploy/demo", "policies/tu"], "policies/tug\n:4\n")]
#[case::policy_by_kind(&["diagnose", "--world", "deploy/demo", "operatorpolicy/tu"], "operatorpolicy/tug\n:4\n")]
#[case::install(&["approve", OF_INSTALLERS, "install/f"], "install/fleet\n:4\n")]
#[case::install_without_kind(&["approve", OF_INSTALLERS, "fl"], "fleet\n:4\n")]
#[case::extension(&["health", "--world", INSTALLERS, "extension/l"], "extension/light\n:4\n")]
#[case::plan(&["diagnose", "--world", INSTALLERS, "plan/cr"], "plan/crane-1\n:4\n")]
#[case::plan_of_olm(&["approve", "--world=deploy/demo", "installplan/install-h"], "installplan/install-hq7vd\n:4\n")]
#[case::unsupported_kind(&["approve", OF_INSTALLERS, "extension/l"], ":0\n")]
#[case::nothing_from_unreachable_server(&["packages", "--server", "http://127.0.0.1:1", "fer"], ":0\n")]
#[case::servers_are_not_offered(&["serv"], ":0\n")]
#[case::a_former_name_is_not_offered(&["webho"], ":0\n")]
#[case::nothing_is_known(&["diagnose", "ferr"], ":0\n")]
fn completes_words_for_kubectl(#[case] words: &[&str], #[case] answer: &str) {
    let links = Links::make();
    let output = run(&mut links.called("kubectl_complete-operator", words));
    assert_eq!(String::from_utf8_lossy(&output.stdout), answer);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn completes_contexts_of_kubeconfig() {
    let links = Links::make();
    let file = links.0.join("kubeconfig");
    let text = "apiVersion: v1\nkind: Config\ncontexts:\n- name: harbor\n  context: {cluster: a, \
                user: b}\n- name: lights\n  context: {cluster: a, user: b}\n";
    fs::write(&file, text).expect("a file");
    for words in [
        ["health", "--context", "ha"].as_slice(),
        &["--context", "ha"],
    ] {
        let mut asked = links.called("kubectl_complete-operator", words);
        let output = run(asked.env("KUBECONFIG", &file));
        assert_eq!(String::from_utf8_lossy(&output.stdout), "harbor\n:4\n");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

#[rstest]
#[case::the_program("portolan", "expl", "explain")]
#[case::the_plugin("kubectl-operator", "lis", "list")]
fn completes_words_in_bash(#[case] name: &str, #[case] begun: &str, #[case] whole: &str) {
    let links = Links::make();
    let path = links.0.display();
    let function = format!("_clap_complete_{}", name.replace('-', "_"));
    let script = format!(
        "PATH={path}:$PATH; source <({name} completion bash); COMP_WORDS=({name} {begun}); \
         COMP_CWORD=1; COMP_TYPE=9; {function} {name} {begun} {name}; echo \"${{COMPREPLY[@]}}\""
    );
    let mut bash = command("bash");
    let output = run(bash.args(["-c", &script]));
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        stdout.trim(),
        whole,
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[rstest]
#[case::zsh("zsh", "#compdef portolan")]
#[case::fish("fish", "complete --keep-order --exclusive --command portolan")]
fn prints_completion_scripts_of_other_shells(#[case] shell: &str, #[case] wanted: &str) {
    let output = transcript(&mut portolan(&format!("completion {shell}")));
    assert!(output.contains(wanted), "{output}");
    assert!(output.contains("PORTOLAN_COMPLETE"), "{output}");
}

/// An argument without a path is the name of a policy. An argument that looks like a path is a
/// file.
#[test]
fn explains_policy_by_name() {
    let world = "--world deploy/demo";
    let by_name = transcript(&mut portolan(&format!("explain ferry {world}")));
    let whole_name = transcript(&mut portolan(&format!("explain policies/ferry {world}")));
    assert_eq!(by_name, whole_name);
    let both = transcript(&mut portolan(&format!("explain ferry tug {world} -o json")));
    assert_eq!(both.matches("\"changes\"").count(), 2, "{both}");
    for (word, refusal) in [
        (
            "ferri",
            "error: OperatorPolicy ferri not found in any namespace; did you mean policies/ferry?",
        ),
        (
            "ferry.yaml",
            "error: cannot read ferry.yaml: no such file or folder",
        ),
        ("a/b/c", "error: cannot read a/b/c: no such file or folder"),
    ] {
        let output = transcript(&mut portolan(&format!("explain {word} {world}")));
        assert!(output.contains(refusal), "{output}");
        assert!(output.ends_with("[exit 2]"), "{output}");
    }
    let folder = TempFolder::empty();
    fs::write(folder.join("ferry"), "nothing: here\n").expect("a file");
    let mut beside = portolan("explain ferry");
    beside.current_dir(&folder);
    beside.args([
        "--world",
        concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/demo"),
    ]);
    let output = transcript(&mut beside);
    assert!(output.contains("ferry:1: it has no apiVersion"), "{output}");
}
