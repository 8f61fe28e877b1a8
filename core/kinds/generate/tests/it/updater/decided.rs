//! Tests which Operators are updated, which Operators wait, and the reasons.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_generate::updater::{
    Answer, Catalogs, Change, Decision, Move, Observation, Outcome, Owners, Phase, Question,
    Reason, SeenOperator, decide, parse,
};
use rstest::rstest;
use serde_json::{Value, json};

/// Returns an observation of the Operators `rope` and `ferry`. Both are ready at 1.0.0, and the
/// rule for both is `latest`.
fn harbor(more: &Value) -> Observation {
    let install = json!([{"name": "rope"}, {"name": "ferry"}]);
    let mut configuration = json!({"operators": {"install": install}});
    for (name, value) in more.as_object().into_iter().flatten() {
        configuration[name] = value.clone();
    }
    Observation {
        configuration: parse(&configuration).map(Some),
        operators: vec![ready("ferry"), ready("rope")],
        catalogs: Catalogs::Whole,
        answers: BTreeMap::new(),
    }
}

fn ready(name: &str) -> SeenOperator {
    SeenOperator {
        name: name.to_owned(),
        package: name.to_owned(),
        document: Value::Null,
        version: "1.0.0".to_owned(),
        installed: Some("1.0.0".to_owned()),
        phase: Phase::Ready,
        owners: Owners::default(),
        generation: Some(1),
        condition: None,
    }
}

fn change(name: &str, version: &str) -> Change {
    Change {
        name: name.to_owned(),
        version: version.to_owned(),
        previous: "1.0.0".to_owned(),
        between: Vec::new(),
    }
}

fn question(wishes: &[&str]) -> Question {
    wishes.iter().map(|&wish| wish.to_owned()).collect()
}

fn both() -> Question {
    question(&["rope@latest", "ferry@latest"])
}

/// Decides, answers each question from this list, and returns the result.
fn done(mut observed: Observation, answers: &[(Question, Answer)]) -> Outcome {
    for _ in 0..8 {
        match decide(&observed) {
            Decision::Done(outcome) => return outcome,
            Decision::Asks(asks) => {
                for ask in asks {
                    let known = answers.iter().find(|(question, _)| *question == ask);
                    let (question, answer) =
                        known.unwrap_or_else(|| panic!("no answer to {ask:?}"));
                    observed.answers.insert(question.clone(), answer.clone());
                }
            }
        }
    }
    panic!("too many questions");
}

fn moves(outcome: &Outcome) -> Vec<String> {
    let moves = outcome.moves.iter();
    moves
        .map(|Move { name, version, .. }| format!("{name} {version}"))
        .collect()
}

fn reasons(outcome: &Outcome) -> Vec<String> {
    let said = outcome.said.iter();
    said.map(|(name, said)| format!("{name} {}", said.reason))
        .collect()
}

fn changes(of: &[(&str, &str)]) -> Answer {
    let changes = of.iter().map(|(name, version)| change(name, version));
    Answer::Changes {
        changes: changes.collect(),
        warnings: Vec::new(),
    }
}

#[test]
fn parallel_updates_all_operators_at_once() {
    let answer = changes(&[("ferry", "1.1.0"), ("rope", "2.0.0")]);
    let outcome = done(harbor(&json!({})), &[(both(), answer)]);
    assert_eq!(moves(&outcome), ["rope 2.0.0", "ferry 1.1.0"]);
    assert_eq!(reasons(&outcome), ["ferry Updating", "rope Updating"]);
    let said = &outcome.said["rope"].message;
    assert_eq!(said, "it goes from 1.0.0 to 2.0.0, by latest");
}

#[test]
fn serial_updates_one_operator_at_a_time() {
    let answers = [
        (question(&["rope@latest"]), changes(&[("rope", "2.0.0")])),
        (question(&["ferry@latest"]), changes(&[("ferry", "1.1.0")])),
    ];
    let mut observed = harbor(&json!({"mode": "Serial"}));
    let outcome = done(observed.clone(), &answers);
    assert_eq!(moves(&outcome), ["rope 2.0.0"]);
    assert_eq!(reasons(&outcome), ["ferry WaitsForTurn", "rope Updating"]);
    let said = &outcome.said["ferry"].message;
    assert_eq!(said, "it would go from 1.0.0 to 1.1.0, once rope is ready");
    observed.operators[1].version = "2.0.0".to_owned();
    observed.operators[1].phase = Phase::Waits("applying".to_owned());
    let outcome = done(observed.clone(), &answers);
    assert_eq!(moves(&outcome), [""; 0]);
    assert_eq!(reasons(&outcome), ["ferry WaitsForTurn", "rope Updating"]);
    observed.operators[1] = SeenOperator {
        version: "2.0.0".to_owned(),
        installed: Some("2.0.0".to_owned()),
        ..ready("rope")
    };
    let answers = [
        (question(&["rope@latest"]), changes(&[])),
        answers[1].clone(),
    ];
    let outcome = done(observed, &answers);
    assert_eq!(moves(&outcome), ["ferry 1.1.0"]);
    assert_eq!(reasons(&outcome), ["ferry Updating", "rope UpToDate"]);
}

/// In mode Serial, updates wait for an Operator that is being updated, even if it comes later in
/// the list. An Operator that has failed does not wait, because the Operator that is being updated
/// may depend on it.
#[rstest]
#[case::working_operator_waits(Phase::Ready, &[], "WaitsForTurn")]
#[case::failed_operator_does_not_wait(Phase::Failed("it is stuck".to_owned()), &["rope 2.0.0"], "Updating")]
fn serial_waits_for_operator_in_progress(
    #[case] rope: Phase,
    #[case] expected: &[&str],
    #[case] reason: &str,
) {
    let answers = [
        (question(&["rope@latest"]), changes(&[("rope", "2.0.0")])),
        (question(&["ferry@latest"]), changes(&[])),
    ];
    let mut observed = harbor(&json!({"mode": "Serial"}));
    observed.operators[0].version = "1.1.0".to_owned();
    observed.operators[0].phase = Phase::Waits("applying".to_owned());
    observed.operators[1].phase = rope;
    let outcome = done(observed, &answers);
    assert_eq!(moves(&outcome), expected);
    assert_eq!(
        reasons(&outcome),
        ["ferry Updating".to_owned(), format!("rope {reason}")]
    );
}

#[test]
fn rejected_update_blocks_all_in_parallel_and_one_in_serial() {
    let refused = Answer::Refused(vec!["no catalog has package rope".to_owned()]);
    let outcome = done(harbor(&json!({})), &[(both(), refused.clone())]);
    assert_eq!(moves(&outcome), [""; 0]);
    assert_eq!(reasons(&outcome), ["ferry Refused", "rope Refused"]);
    let said = &outcome.said["ferry"].message;
    assert!(
        said.ends_with("in mode Serial, each operator is upgraded by itself"),
        "{said}"
    );
    let answers = [
        (question(&["rope@latest"]), refused),
        (question(&["ferry@latest"]), changes(&[("ferry", "1.1.0")])),
    ];
    let outcome = done(harbor(&json!({"mode": "Serial"})), &answers);
    assert_eq!(moves(&outcome), ["ferry 1.1.0"]);
    assert_eq!(reasons(&outcome), ["ferry Updating", "rope Refused"]);
}

#[rstest]
#[case::parallel("Parallel")]
#[case::serial("Serial")]
fn dry_run_reports_updates_without_writing(#[case] mode: &str) {
    let answers = [
        (both(), changes(&[("rope", "2.0.0")])),
        (question(&["rope@latest"]), changes(&[("rope", "2.0.0")])),
        (question(&["ferry@latest"]), changes(&[])),
    ];
    let outcome = done(harbor(&json!({"mode": mode, "dryRun": true})), &answers);
    assert_eq!(moves(&outcome), [""; 0]);
    assert_eq!(reasons(&outcome), ["ferry UpToDate", "rope DryRun"]);
}

#[rstest]
#[case::broken(Catalogs::Broken(vec!["demo is stale".to_owned()]), "CatalogBroken")]
#[case::unavailable(Catalogs::Unknown("nobody answers".to_owned()), "ResolverUnavailable")]
fn updates_nothing_while_catalogs_are_broken_or_unavailable(
    #[case] catalogs: Catalogs,
    #[case] reason: &str,
) {
    let observed = Observation {
        catalogs,
        ..harbor(&json!({}))
    };
    let outcome = done(observed, &[]);
    assert_eq!(moves(&outcome), [""; 0]);
    let expected = ["ferry", "rope"].map(|name| format!("{name} {reason}"));
    assert_eq!(reasons(&outcome), expected);
}

#[test]
fn keeps_version_managed_by_another_client() {
    let mut observed = harbor(&json!({}));
    observed.operators[1].owners = written_by(&["argocd"], None);
    let alone = question(&["ferry@latest"]);
    let outcome = done(observed, &[(alone, changes(&[("ferry", "1.1.0")]))]);
    assert_eq!(moves(&outcome), ["ferry 1.1.0"]);
    assert_eq!(
        reasons(&outcome),
        ["ferry Updating", "rope VersionManagedElsewhere"]
    );
}

fn written_by(managers: &[&str], source: Option<&str>) -> Owners {
    Owners {
        managers: managers.iter().map(|&it| it.to_owned()).collect(),
        source: source.map(str::to_owned),
    }
}

/// Returns the result for the Operator rope with these owners. With `takes_over`, the updater may
/// take over the version.
fn taken_over(owners: Owners, takes_over: bool) -> Outcome {
    let install = json!([{"name": "rope", "takeOver": takes_over}]);
    let mut observed = harbor(&json!({"operators": {"install": install}}));
    observed.operators[1].owners = owners;
    let answer = changes(&[("rope", "1.1.0")]);
    done(observed, &[(question(&["rope@latest"]), answer)])
}

#[test]
fn takes_over_version_written_by_user_only_if_configured() {
    let by_hand = || written_by(&["kubectl-edit", "portolan"], None);
    let outcome = taken_over(by_hand(), true);
    let takes_from = ["kubectl-edit", "portolan"].map(str::to_owned).into();
    let expected = Move {
        name: "rope".to_owned(),
        version: "1.1.0".to_owned(),
        takes_from,
    };
    assert_eq!(outcome.moves, [expected]);
    assert_eq!(
        outcome.said["rope"].message,
        "it goes from 1.0.0 to 1.1.0, by latest; the updater takes over the field spec.version \
         from kubectl-edit and \
         portolan"
    );

    let outcome = taken_over(by_hand(), false);
    assert_eq!(outcome.moves, []);
    assert_eq!(
        outcome.said["rope"].message,
        "spec.version is written by kubectl-edit and portolan; to let the updater write \
         spec.version, add takeOver: true to the entry in ConfigMap portolan-updater"
    );
}

#[rstest]
#[case::argo_cd(&["argocd-controller"], None)]
#[case::flux(&["kustomize-controller"], None)]
#[case::flux_with_helm(&["helm-controller"], None)]
#[case::helm(&["helm"], None)]
#[case::kubectl_plugin(&["kubectl-argo"], None)]
#[case::controller(&["a-controller"], None)]
#[case::controller_without_a_name(&[""], None)]
#[case::controller_beside_a_user(&["argocd-controller", "kubectl-edit"], None)]
#[case::tool_with_the_field_manager_of_kubectl(&["kubectl-client-side-apply"], Some("Argo CD applies the Operator"))]
fn never_takes_over_the_version_of_a_controller(
    #[case] managers: &[&str],
    #[case] source: Option<&str>,
) {
    for takes_over in [true, false] {
        let outcome = taken_over(written_by(managers, source), takes_over);
        assert_eq!(outcome.moves, []);
        assert_eq!(reasons(&outcome), ["rope VersionManagedElsewhere"]);
        let message = &outcome.said["rope"].message;
        assert!(
            message.contains("to let the updater write spec.version"),
            "{message}"
        );
    }
}

#[test]
fn uses_no_force_if_the_version_has_no_owner() {
    let outcome = taken_over(written_by(&[], Some("Flux applies the Operator")), true);
    let takes_from: Vec<_> = outcome.moves.iter().map(|it| &it.takes_from).collect();
    assert_eq!(takes_from, [&BTreeSet::new()]);
}

#[test]
fn unrequested_operators_are_not_created_or_updated() {
    let mut new = change("buoy", "1.0.0");
    new.previous.clear();
    let answer = Answer::Changes {
        changes: vec![new, change("ferry", "1.1.0")],
        warnings: Vec::new(),
    };
    let outcome = done(harbor(&json!({})), &[(both(), answer)]);
    assert_eq!(moves(&outcome), [""; 0]);
    assert_eq!(reasons(&outcome), ["ferry NeedsOthers", "rope UpToDate"]);
    let said = &outcome.said["ferry"].message;
    assert!(
        said.starts_with("1.1.0 is available, but needs buoy 1.0.0: "),
        "{said}"
    );
}

#[rstest]
#[case::no_newer_version(&[], &[], "ferry UpdateFailed")]
#[case::newer_version(&[("ferry", "1.2.0")], &["ferry 1.2.0"], "ferry Updating")]
fn failed_version_is_replaced_only_by_a_newer_version(
    #[case] answer: &[(&str, &str)],
    #[case] moved: &[&str],
    #[case] reason: &str,
) {
    let mut observed = harbor(&json!({}));
    observed.operators[0].version = "1.1.0".to_owned();
    observed.operators[0].phase = Phase::Failed("it crashes".to_owned());
    let outcome = done(observed, &[(both(), changes(answer))]);
    assert_eq!(moves(&outcome), moved);
    assert_eq!(reasons(&outcome), [reason, "rope UpToDate"]);
}

#[test]
fn reports_why_a_newer_version_is_not_available() {
    let answer = Answer::Changes {
        changes: Vec::new(),
        warnings: vec!["rope does not get 2.0.0: ferry needs 1.0.0".to_owned()],
    };
    let outcome = done(harbor(&json!({})), &[(both(), answer)]);
    let said = &outcome.said["rope"].message;
    let expected = "1.0.0 is the newest version that latest allows; rope does not get 2.0.0: ferry \
                    needs 1.0.0";
    assert_eq!(said, expected);
}

#[test]
fn does_not_write_the_version_that_is_already_installed() {
    let mut observed = harbor(&json!({}));
    observed.operators[0].version.clear();
    let outcome = done(observed, &[(both(), changes(&[("ferry", "1.0.0")]))]);
    assert_eq!(moves(&outcome), [""; 0]);
    assert_eq!(reasons(&outcome), ["ferry UpToDate", "rope UpToDate"]);
}

#[test]
fn invalid_configuration_is_reported_on_previously_selected_operators() {
    let mut observed = harbor(&json!({"mode": "Both"}));
    assert_eq!(done(observed.clone(), &[]), Outcome::default());
    observed.operators[0].condition = Some(portolan_core_generate::updater::condition(
        &portolan_core_generate::updater::OperatorReport {
            reason: Reason::UpToDate,
            message: String::new(),
        },
        &ready("ferry"),
        Some(1),
        jiff::Timestamp::UNIX_EPOCH,
    ));
    let outcome = done(observed, &[]);
    assert_eq!(moves(&outcome), [""; 0]);
    assert_eq!(reasons(&outcome), ["ferry ConfigurationInvalid"]);
}

#[test]
fn updates_nothing_without_a_configuration() {
    let observed = Observation {
        configuration: Ok(None),
        ..harbor(&json!({}))
    };
    assert_eq!(done(observed, &[]), Outcome::default());
}

#[test]
fn named_entry_overrides_wildcard_and_never_excludes() {
    let install = json!([
        {"name": "*", "version": "latest-y-stream"},
        {"name": "rope", "version": "never"},
        {"name": "buoy"},
    ]);
    let observed = harbor(&json!({"operators": {"install": install}}));
    let asked = question(&["ferry@latest-minor"]);
    let outcome = done(observed, &[(asked, changes(&[]))]);
    assert_eq!(reasons(&outcome), ["ferry UpToDate"]);
    assert_eq!(outcome.absent, ["buoy"]);
}
