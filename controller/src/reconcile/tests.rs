use portolan_api::ConditionType;
use portolan_core_operatorpolicy::Condition;
use portolan_runtime::Mismatch;
use rstest::rstest;

use super::*;

fn policy() -> Arc<OperatorPolicy> {
    let mut policy = OperatorPolicy::new("ferry", serde_json::json!({}).into());
    policy.metadata.namespace = Some("west".to_owned());
    policy.metadata.resource_version = Some("7".to_owned());
    Arc::new(policy)
}

fn group(before: Option<&str>, after: &str) -> PendingWrite {
    PendingWrite {
        kind: "OperatorGroup".to_owned(),
        namespace: Some("harbor".to_owned()),
        name: "harbor".to_owned(),
        before: before.map(str::to_owned),
        after: Expected::Version(after.to_owned()),
    }
}

fn done(pending: Option<PendingWrite>) -> WrittenStep {
    WrittenStep {
        outcome: StepOutcome::Done { uid: None },
        pending,
        policy: None,
    }
}

fn refused() -> WrittenStep {
    WrittenStep {
        outcome: StepOutcome::Refused("no".to_owned()),
        pending: None,
        policy: None,
    }
}

fn changed() -> WrittenStep {
    WrittenStep {
        outcome: StepOutcome::Overtaken("it was changed in the meantime".to_owned()),
        ..refused()
    }
}

#[test]
fn status_conflict_is_not_a_failure() {
    let changed = WriteFailure::Conflict(Mismatch::Changed(
        "it was changed in the \
     meantime"
            .to_owned(),
    ));
    let expected = ReconcileOutcome {
        has_conflict: true,
        ..ReconcileOutcome::default()
    };
    assert_eq!(
        super::outcome(Vec::new(), Err(changed), &policy()),
        expected
    );
}

/// Returns the outcome of these writes.
fn outcome(pending: Vec<PendingWrite>, has_acted: bool, failure: Option<&str>) -> ReconcileOutcome {
    ReconcileOutcome {
        pending,
        has_acted,
        failure: failure.map(str::to_owned),
        ..ReconcileOutcome::default()
    }
}

#[rstest]
#[case::nothing(vec![], None,outcome(vec![], false, None))]
#[case::status_write(vec![], Some("8"),outcome(vec![pending_status(&policy(), "8".to_owned())], false, None))]
#[case::object_write(
    vec![done(Some(group(None, "1")))], None,outcome(vec![group(None, "1")], true, None)
)]
#[case::object_without_a_change(
    vec![done(Some(group(Some("1"), "1")))],
    None,
   outcome(vec![group(Some("1"), "1")], false, None)
)]
#[case::written_object_and_rejected_object(
    vec![done(Some(group(None, "1"))), refused()],
    Some("8"),
   outcome(vec![group(None, "1"), pending_status(&policy(), "8".to_owned())], true, Some("no"))
)]
#[case::object_changed_by_another_client_in_between(
    vec![done(Some(group(None, "1"))), changed()],
    None,
    ReconcileOutcome { has_conflict: true, ..outcome(vec![group(None, "1")], true, None) }
)]
fn reconcile_outcome_lists_its_writes(
    #[case] written: Vec<WrittenStep>,
    #[case] version: Option<&str>,
    #[case] expected: ReconcileOutcome,
) {
    let version = Ok(version.map(str::to_owned));
    assert_eq!(super::outcome(written, version, &policy()), expected);
}

fn step(action: Action) -> Step {
    Step {
        action,
        type_: ConditionType::ValidPolicySpec,
        done: Condition {
            type_: ConditionType::ValidPolicySpec,
            status: portolan_core_operatorpolicy::Status::True,
            reason: portolan_core_operatorpolicy::ConditionReason::Ours(
                portolan_api::Reason::PolicyValidated,
            ),
            message: String::new(),
            violates: false,
            since: None,
        },
        related: Vec::new(),
    }
}

#[rstest]
#[case::released_in_deletion(true, Action::RemoveFinalizer, done(None), true)]
#[case::released_without_deletion(false, Action::RemoveFinalizer, done(None), false)]
#[case::held(true, Action::AddFinalizer, done(None), false)]
#[case::not_released(true, Action::RemoveFinalizer, refused(), false)]
fn policy_is_released_only_after_its_finalizer_is_removed(
    #[case] is_leaving: bool,
    #[case] action: Action,
    #[case] written: WrittenStep,
    #[case] is_so: bool,
) {
    let mut policy = (*policy()).clone();
    let now = k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(Timestamp::UNIX_EPOCH);
    policy.metadata.deletion_timestamp = is_leaving.then_some(now);
    assert_eq!(is_let_go(&policy, &[step(action)], &[written]), is_so);
}

/// An approval is reported after it is done. The state before the approval sends no event, so it
/// must not be in the history.
#[test]
fn history_has_only_lines_of_events() {
    let renderer = StatusRenderer {
        history: 10,
        now: || Timestamp::UNIX_EPOCH,
    };
    let plan = portolan_core_operatorpolicy::Target {
        api_version: "operators.coreos.com/v1alpha1",
        kind: "InstallPlan",
        namespace: Some("harbor".to_owned()),
        name: "install-1".to_owned(),
        uid: "1".to_owned(),
        resource_version: "1".to_owned(),
    };
    let condition = |message: &str| Condition {
        message: message.to_owned(),
        ..step(Action::AddFinalizer).done
    };
    let desired = Desired {
        report: Report {
            conditions: vec![condition("it waits")],
            ..Report::default()
        },
        steps: vec![Step {
            done: condition("it was approved"),
            ..step(Action::Approve(plan))
        }],
        ..Desired::default()
    };
    let policy = policy();
    let early = renderer.render(&desired.report, &policy, &OperatorPolicyStatus::default());
    let reported = renderer.updates(&desired, early, &[done(None)], &policy);
    let events = reported.iter().filter_map(|update| update.event.clone());
    let events: Vec<_> = events.map(|event| Some(event.message)).collect();
    let last = reported.last().expect("an update");
    let history = last.status.history.iter().rev();
    let history: Vec<_> = history.map(|line| line.message.clone()).collect();
    assert_eq!((history.len(), history), (1, events));
}
