//! The changes of an InstallPlan that are reported as events.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::plan::{ConditionType, InstallPlan, Reason, Status};
use portolan_api::status::ConditionTypes;
use portolan_core_install::Event;
use portolan_runtime::{News, entered, reference};

use crate::write::{API_VERSION, KIND};

/// Returns the events for the conditions that differ from the previous status. Some changes have no
/// event.
pub(crate) fn news(
    plan: &InstallPlan,
    before: &Status,
    after: &Status,
    now: Timestamp,
) -> Vec<News> {
    let new = entered(&before.conditions, &after.conditions);
    let told = new.filter(|condition| is_reported(condition));
    told.map(|condition| News::of_condition(about(plan), condition, is_warning(condition), now))
        .collect()
}

/// Returns the event that a decision requires.
pub(crate) fn event_news(plan: &InstallPlan, event: Event, now: Timestamp) -> News {
    let Event {
        is_warning,
        reason,
        message,
    } = event;
    News {
        about: about(plan),
        related: None,
        is_warning,
        reason: reason.as_str().to_owned(),
        action: "Reconcile".to_owned(),
        message,
        at: now,
        mark: "deletion".to_owned(),
    }
}

/// Returns true if a change of this condition causes an event. Events report failures and the final
/// success. Waiting is only visible in the status.
fn is_reported(condition: &Condition) -> bool {
    match condition.status.as_str() {
        "True" => match ConditionType::of(condition) {
            Some(ConditionType::Applied | ConditionType::Ready | ConditionType::Drifted) => true,
            Some(ConditionType::Valid | ConditionType::Permitted | ConditionType::Replaced)
            | None => false,
        },
        "False" => [
            Reason::SpecInvalid,
            Reason::ManifestInvalid,
            Reason::OrderInvalid,
            Reason::ManifestsChanged,
            Reason::DryRunRejected,
            Reason::PermissionMissing,
            Reason::ServiceAccountMissing,
            Reason::NamespaceNotEnabled,
            Reason::StageDeadlineExceeded,
            Reason::JobFailed,
            Reason::SelectionTooLarge,
            Reason::ObjectNotOwned,
            Reason::FieldConflict,
            Reason::WriteRejected,
            Reason::MembersFailed,
        ]
        .iter()
        .any(|reason| condition.reason == reason.as_str()),
        _ => false,
    }
}

/// Returns true if the condition reports a problem. Drifted reports a problem if it is True. All
/// other conditions report a problem if they are False.
fn is_warning(condition: &Condition) -> bool {
    let is_drift = ConditionType::of(condition) == Some(ConditionType::Drifted);
    (condition.status == "True") == is_drift
}

fn about(plan: &InstallPlan) -> ObjectReference {
    reference(API_VERSION, KIND, &plan.metadata)
}
