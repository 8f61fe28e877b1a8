//! Builds the conditions of a status: new conditions, kept conditions, and conditions copied from
//! OLM.
//!
//! A client with write permission for the status of a Subscription can write any text there. The
//! API server rejects a whole status because of one invalid condition, and etcd rejects a status
//! that is too large. Therefore, conditions of OLM are validated and truncated.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition as StatusCondition, Time};
use portolan_api::status::find;
use portolan_api::{
    Compliance, ConditionType, Effect, Intent, OperatorPolicy, OperatorPolicyStatus, Reason,
};

use super::OVERTAKEN;
use crate::desired::{Condition, ConditionReason, Report, Status};
use crate::phrase::{cut, uncapitalized};
use crate::words;

/// The maximum length of a condition message, in characters.
const LONGEST: usize = 32_768;
/// The text in a message before the reason why newer facts are missing.
const LAST_KNOWN: &str = " (last known, as ";

/// The condition types of OLM v0, without the type that policies also have. Conditions of these
/// types are copied before other conditions.
const OF_OLM: [&str; 10] = [
    "BundleDeprecated",
    "BundleUnpackFailed",
    "BundleUnpacking",
    "ChannelDeprecated",
    "Deprecated",
    "InstallPlanFailed",
    "InstallPlanMissing",
    "InstallPlanPending",
    "PackageDeprecated",
    "ResolutionFailed",
];
/// The maximum number of conditions that are copied from a Subscription.
const MOST_OF_OLM: usize = 20;
/// The maximum length of the message of a copied condition, in bytes.
const LONGEST_OF_OLM: usize = 4096;

/// Returns each condition of the policy, and its form in the status. The result includes the kept
/// conditions.
pub(super) fn conditions(
    report: &Report,
    policy: &OperatorPolicy,
    before: &OperatorPolicyStatus,
    now: Timestamp,
) -> Vec<(Condition, StatusCondition)> {
    let kept = report
        .kept
        .iter()
        .map(|(type_, why)| kept(*type_, why, policy, before));
    let mut conditions: Vec<_> = report
        .conditions
        .iter()
        .cloned()
        .chain(kept)
        .map(|condition| {
            let shown = shown(&condition, before, now);
            (condition, shown)
        })
        .collect();
    conditions.sort_by_key(|(condition, _)| condition.type_);
    conditions.dedup_by_key(|(condition, _)| condition.type_);
    conditions
}

fn shown(condition: &Condition, before: &OperatorPolicyStatus, now: Timestamp) -> StatusCondition {
    let reason = match &condition.reason {
        ConditionReason::Ours(reason) => reason.as_str(),
        ConditionReason::Olm(word) => words::reason(word),
    };
    let shown = StatusCondition {
        type_: condition.type_.as_str().to_owned(),
        status: condition.status.as_str().to_owned(),
        reason: reason.to_owned(),
        message: cut(uncapitalized(&condition.message), LONGEST),
        last_transition_time: Time(condition.since.unwrap_or(now)),
        observed_generation: None,
    };
    timed(shown, before, now)
}

/// Keeps the previous transition time if status, reason and message are unchanged. If the previous
/// time is in the future, it comes from another clock, and the current time replaces it.
fn timed(
    mut condition: StatusCondition,
    before: &OperatorPolicyStatus,
    now: Timestamp,
) -> StatusCondition {
    let same = before.conditions.iter().find(|old| {
        old.type_ == condition.type_
            && old.status == condition.status
            && old.reason == condition.reason
            && old.message == condition.message
    });
    if let Some(same) = same {
        condition.last_transition_time = Time(same.last_transition_time.0.min(now));
    }
    condition
}

/// Returns all conditions of the status, sorted by type: the conditions of the policy, the
/// Compliant condition, and the conditions of OLM.
pub(super) fn status_conditions(
    conditions: Vec<(Condition, StatusCondition)>,
    whole: StatusCondition,
    report: &Report,
    before: &OperatorPolicyStatus,
    now: Timestamp,
) -> Vec<StatusCondition> {
    let mut all: Vec<_> = conditions.into_iter().map(|(_, shown)| shown).collect();
    let olm = conditions_of_olm(&report.olm, now).into_iter();
    all.extend(
        [whole]
            .into_iter()
            .chain(olm)
            .map(|each| timed(each, before, now)),
    );
    all.sort_by(|a, b| a.type_.cmp(&b.type_));
    all.dedup_by(|a, b| a.type_ == b.type_);
    all
}

/// Returns the previous condition. Its message now ends with the reason why newer facts are
/// missing.
fn kept(
    type_: ConditionType,
    why: &str,
    policy: &OperatorPolicy,
    before: &OperatorPolicyStatus,
) -> Condition {
    let previous = find(&before.conditions, type_);
    let never = Reason::NotChecked.as_str();
    let Some(previous) = previous.filter(|previous| previous.reason != never) else {
        return Condition::new(type_, Status::Unknown, Reason::NotChecked, why);
    };
    let message = format!("{}{LAST_KNOWN}{why})", lasting(&previous.message));
    let status = Status::parse(&previous.status);
    Condition {
        type_,
        status,
        reason: ConditionReason::Olm(previous.reason.clone()),
        message,
        violates: status != Status::good(type_) && counted(type_, policy, before),
        since: waits_since(previous),
    }
}

/// Returns the transition time of a condition if the wait for OLM is measured from this time. This
/// time must not change while newer facts are missing. Returns None for other conditions.
fn waits_since(previous: &StatusCondition) -> Option<Timestamp> {
    let waits = [Reason::InstallPlanApproved, Reason::NoInstallPlansFound];
    let is_waiting = waits.iter().any(|each| each.as_str() == previous.reason);
    is_waiting.then_some(previous.last_transition_time.0)
}

/// Returns true if a kept condition in a bad state makes the policy NonCompliant. For some
/// condition types, this depends on the settings of the policy and on its previous compliance.
fn counted(type_: ConditionType, policy: &OperatorPolicy, before: &OperatorPolicyStatus) -> bool {
    let counts = |effect: fn(&Intent) -> Effect| {
        let intent = Intent::parse(policy);
        intent.map_or(true, |intent| effect(&intent) == Effect::NonCompliant)
    };
    let was_compliant = before.compliant == Some(Compliance::Compliant);
    let may_count = match type_ {
        ConditionType::NoDeprecations => counts(|it| it.effects.deprecations_present),
        ConditionType::DeploymentsAvailable => counts(|it| it.effects.deployments_unavailable),
        ConditionType::CatalogSourcesUnhealthy => counts(|it| it.effects.catalog_source_unhealthy),
        // A policy can allow an upgrade in progress. The condition then counts only if the policy
        // was not Compliant before.
        ConditionType::ClusterServiceVersionCompliant => {
            return counts(|it| it.effects.upgrades_progressing) || !was_compliant;
        }
        ConditionType::Compliant
        | ConditionType::ValidPolicySpec
        | ConditionType::OperatorGroupCompliant
        | ConditionType::SubscriptionCompliant
        | ConditionType::InstallPlanCompliant
        | ConditionType::CustomResourceDefinitionCompliant
        | ConditionType::DeploymentCompliant
        | ConditionType::MinorChannelUpgradeAvailable => return true,
    };
    may_count && !was_compliant
}

/// Returns the lasting part of a message. Omits the reason why facts are missing, and the text
/// about a conflict.
pub(super) fn lasting(message: &str) -> &str {
    let end = [LAST_KNOWN, OVERTAKEN].map(|mark| message.find(mark));
    let end = end.into_iter().flatten().min();
    end.map_or(message, |end| &message[..end])
}

/// Returns the conditions copied from OLM, sorted by type. Omits condition types that the policy
/// also has, and conditions that are invalid in a status.
fn conditions_of_olm(olm: &[portolan_core_olm::Condition], now: Timestamp) -> Vec<StatusCondition> {
    let mut taken: Vec<_> = olm.iter().filter(|each| is_taken(&each.r#type)).collect();
    taken.sort_by_key(|each| (!OF_OLM.contains(&each.r#type.as_str()), &each.r#type));
    taken.dedup_by_key(|each| &each.r#type);
    taken.truncate(MOST_OF_OLM);
    taken.sort_by_key(|each| &each.r#type);
    taken
        .into_iter()
        .map(|each| condition_of_olm(each, now))
        .collect()
}

fn is_taken(name: &str) -> bool {
    words::is_type(name) && ConditionType::parse(name).is_none()
}

fn condition_of_olm(olm: &portolan_core_olm::Condition, now: Timestamp) -> StatusCondition {
    StatusCondition {
        type_: olm.r#type.clone(),
        status: Status::parse(&olm.status).as_str().to_owned(),
        reason: words::reason(&olm.reason).to_owned(),
        message: cut(olm.message.clone(), LONGEST_OF_OLM),
        last_transition_time: olm.last_transition_time.clone().unwrap_or(Time(now)),
        observed_generation: None,
    }
}
