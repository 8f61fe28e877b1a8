use portolan_core_diagnosis::PortolanRun;
use portolan_proto::diagnosis::v1::Remedy;
use rstest::rstest;

use super::walk::Terminal;
use super::*;

/// A terminal for tests. Records all output and commands, and answers each confirmation from a
/// script.
#[derive(Default)]
struct Script {
    log: Vec<String>,
    /// The number of steps that the user confirms. The user declines the next step.
    confirmed: usize,
    /// The commands that fail. Each entry is the beginning of a command.
    failing: &'static str,
}

impl Terminal for Script {
    fn show(&mut self, text: &str) -> Result<(), Failure> {
        self.log
            .push(text.lines().nth(1).unwrap_or_default().to_owned());
        Ok(())
    }

    fn is_confirmed(&mut self) -> Result<bool, Failure> {
        self.log.push("?".to_owned());
        let is_confirmed = self.confirmed > 0;
        self.confirmed = self.confirmed.saturating_sub(1);
        Ok(is_confirmed)
    }

    async fn kubectl(&mut self, run: &KubectlRun, input: Option<&str>) -> Result<bool, Failure> {
        let input = input.map_or_else(String::new, |input| format!(" < {input}"));
        let line = run.arguments.join(" ") + &input;
        let is_failing = !self.failing.is_empty() && line.starts_with(self.failing);
        self.log.push(line);
        Ok(!is_failing)
    }

    async fn portolan(&mut self, run: &PortolanRun) -> Result<bool, Failure> {
        self.log
            .push(format!("portolan {}", run.arguments.join(" ")));
        Ok(true)
    }

    async fn pause(&mut self, seconds: u64) {
        self.log.push(format!("pause {seconds}"));
    }
}

fn step(comment: &str, action: Action) -> Step {
    Step {
        comment: comment.to_owned(),
        action: Some(action),
    }
}

fn command(comment: &str, line: &str) -> Step {
    step(comment, Action::Command(line.to_owned()))
}

fn fix(steps: Vec<Step>) -> Procedure {
    Procedure {
        title: "Delete it.".to_owned(),
        steps,
        ..Procedure::default()
    }
}

fn deletion() -> Procedure {
    fix(vec![
        command("Save it", "kubectl get a/b -o yaml > b.yaml"),
        command("Delete it", "kubectl delete a/b"),
        command("Wait", "sleep 5"),
        step("Apply another", Action::Manifest("{}\n".to_owned())),
    ])
}

fn diagnosis(name: &str, fix: Option<Procedure>, decide: Vec<Procedure>) -> OperatorDiagnosis {
    let remedy = Remedy {
        fix,
        decide,
        ..Remedy::default()
    };
    OperatorDiagnosis {
        subject: Some(portolan_proto::basis::v1::ObjectRef {
            name: name.to_owned(),
            ..Default::default()
        }),
        state: State::Stuck.into(),
        cause: Some(Cause {
            remedy: Some(remedy),
            ..Cause::default()
        }),
        ..OperatorDiagnosis::default()
    }
}

#[rstest]
#[case::all(9, "", Ended::Done, &[
    "Step 1 of 4: Save it", "?", "get a/b -o yaml",
    "Step 2 of 4: Delete it", "delete a/b --dry-run=server", "?", "delete a/b",
    "Step 3 of 4: Wait", "?", "pause 5",
    "Step 4 of 4: Apply another", "apply -f - --dry-run=server < {}\n", "?", "apply -f - < {}\n",
])]
#[case::none_confirmed(0, "", Ended::Declined(1), &["Step 1 of 4: Save it", "?"])]
#[case::backup_fails(9, "get", Ended::Failed(1), &[
    "Step 1 of 4: Save it", "?", "get a/b -o yaml",
])]
#[case::server_refuses(9, "delete a/b --dry", Ended::Refused(2), &[
    "Step 1 of 4: Save it", "?", "get a/b -o yaml",
    "Step 2 of 4: Delete it", "delete a/b --dry-run=server",
])]
#[tokio::test]
async fn steps_run_in_order_until_one_step_fails(
    #[case] confirmed: usize,
    #[case] failing: &'static str,
    #[case] ended: Ended,
    #[case] log: &[&str],
) {
    let steps = planned(&deletion(), 0).expect("steps");
    let mut script = Script {
        confirmed,
        failing,
        ..Script::default()
    };
    assert_eq!(walk(&steps, &mut script).await.expect("an end"), ended);
    assert_eq!(script.log, log);
}

/// The manifest that `--apply` shows equals the manifest that `diagnose` prints.
#[test]
fn apply_shows_the_same_manifest_as_diagnose() {
    let manifest = step("Create it", Action::Manifest("kind: A\n".to_owned()));
    let printed = manifest.script().join("\n");
    let [shown] = planned(&fix(vec![manifest]), 0)
        .expect("a step")
        .try_into()
        .expect("one step");
    assert_eq!(shown.text, printed);
}

#[tokio::test]
async fn command_of_this_program_is_dry_run_before_it_runs() {
    let fix = fix(vec![command("Upgrade them", "portolan install crds")]);
    let steps = planned(&fix, 0).expect("steps");
    let mut script = Script {
        confirmed: 9,
        ..Script::default()
    };
    assert_eq!(
        walk(&steps, &mut script).await.expect("an end"),
        Ended::Done
    );
    let log = [
        "Step 1 of 1: Upgrade them",
        "portolan install crds --dry-run",
        "?",
        "portolan install crds",
    ];
    assert_eq!(script.log, log);
}

#[test]
fn shell_step_is_refused_before_any_step_runs() {
    let fix = fix(vec![
        command("Delete it", "kubectl delete a/b"),
        command("Copy it", "kubectl get a | kubectl apply -f -"),
    ]);
    let failure = planned(&fix, 0).expect_err("a pipe");
    let expected = "this step cannot be run automatically; run the command manually: Copy it: kubectl get a | kubectl apply -f -";
    assert_eq!(failure.message(), expected);
}

#[test]
fn only_one_fix_is_applied() {
    let decide = vec![deletion()];
    let one = [
        diagnosis("a", None, decide),
        diagnosis("b", Some(deletion()), Vec::new()),
    ];
    let found = only_fix(&one).expect("one fix");
    assert_eq!(found.map(|(_, fix)| fix), Some(&deletion()));
    assert_eq!(only_fix(&one[..1]).expect("no fix"), None);
    let two = ["a", "b"].map(|name| diagnosis(name, Some(deletion()), Vec::new()));
    let failure = only_fix(&two).expect_err("two fixes");
    let expected = "several objects have a fix; select one object, such as a or b";
    assert_eq!(failure.message(), expected);
}

#[rstest]
#[case::done(
    Ended::Done,
    "All steps are done. Run the command without --apply to check the result."
)]
#[case::declined(Ended::Declined(1), "Stopped before step 1. Nothing was changed.")]
#[case::refused(
    Ended::Refused(3),
    "The API server rejected step 3. Steps 1 to 2 of 4 are done."
)]
fn final_message_counts_completed_steps(#[case] ended: Ended, #[case] expected: &str) {
    assert_eq!(ended.message(4), expected);
}
