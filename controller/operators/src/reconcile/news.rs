//! The changes of an Operator that are reported as events.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::operator::{AdoptionStep, ConditionType, Operator, Reason, Status};
use portolan_api::status::ConditionTypes;
use portolan_runtime::{News, entered, reference};

use super::{KIND, api_version};

/// Returns the events for the differences between two statuses. Some differences have no event.
pub(super) fn news(
    operator: &Operator,
    before: &Status,
    after: &Status,
    now: Timestamp,
) -> Vec<News> {
    let new = entered(&before.conditions, &after.conditions);
    let told = new.filter(|condition| is_reported(condition));
    let mut news: Vec<_> = told
        .map(|condition| News::of_condition(about(operator), condition, is_warning(condition), now))
        .collect();
    news.extend(adoption(operator, before, after, now));
    let available = &after.versions.available;
    if !available.is_empty() && *available != before.versions.available {
        news.push(News {
            about: about(operator),
            related: None,
            is_warning: false,
            reason: ConditionType::UpgradeAvailable.as_str().to_owned(),
            action: "Reconcile".to_owned(),
            message: format!("the catalog has higher versions: {}", available.join(", ")),
            at: now,
            mark: available.join(" "),
        });
    }
    news
}

/// Returns an event if the adoption of objects has progressed.
fn adoption(operator: &Operator, before: &Status, after: &Status, now: Timestamp) -> Option<News> {
    let adoption = after.adoption.as_ref()?;
    let was = before.adoption.as_ref().map(|adoption| adoption.step);
    let csv = format!(
        "ClusterServiceVersion {}/{}",
        adoption.namespace, adoption.cluster_service_version
    );
    let message = match adoption.step {
        AdoptionStep::Beside => format!("it is applied beside {csv}"),
        AdoptionStep::Leaving => format!("{csv} is deleted"),
        AdoptionStep::Adopted => format!("it was taken over from {csv}"),
        AdoptionStep::Unknown => return None,
    };
    (was != Some(adoption.step)).then(|| News {
        about: about(operator),
        related: None,
        is_warning: false,
        reason: Reason::Adopting.as_str().to_owned(),
        action: "Reconcile".to_owned(),
        mark: message.clone(),
        message,
        at: now,
    })
}

/// Returns true if a change of this condition causes an event. Higher versions and missing
/// dependencies have separate events.
fn is_reported(condition: &Condition) -> bool {
    let waits = [
        Reason::Adopting,
        Reason::Checking,
        Reason::NotReady,
        Reason::NotInstalled,
    ];
    let is_silent = match ConditionType::of(condition) {
        Some(ConditionType::UpgradeAvailable | ConditionType::DependenciesMet) => true,
        Some(ConditionType::Ready | ConditionType::Installing | ConditionType::Deprecated)
        | None => false,
    };
    !is_silent && !waits.iter().any(|it| it.as_str() == condition.reason)
}

fn is_warning(condition: &Condition) -> bool {
    let fine = [
        Reason::Installed,
        Reason::UpToDate,
        Reason::Frozen,
        Reason::Applying,
        Reason::Settling,
        Reason::WaitingForOtherOperators,
        Reason::ApprovalRequired,
        Reason::TimeRestricted,
        Reason::Deleting,
    ];
    !fine.iter().any(|it| it.as_str() == condition.reason)
}

fn about(operator: &Operator) -> ObjectReference {
    reference(&api_version(), KIND, &operator.metadata)
}
