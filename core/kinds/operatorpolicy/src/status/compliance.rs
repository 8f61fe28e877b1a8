//! Decides whether a policy is Compliant or NonCompliant, and builds the message that explains the
//! decision.

use std::cmp::Reverse;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition as StatusCondition, Time};
use portolan_api::status::find;
use portolan_api::{Compliance, ConditionType, Form, OperatorPolicy, OperatorPolicyStatus, Reason};

use super::conditions::lasting;
use crate::desired::{Condition, ConditionReason, Report, Status};
use crate::phrase::{cut, on_one_line, uncapitalized};

/// The maximum length of the message of a compliance event.
const LONGEST: usize = 4096;

/// The maximum length of the text of one condition in a message, so that one condition does not
/// hide all others.
const LONGEST_PART: usize = 1024;

/// The decision about the compliance of a policy, with its message and its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PolicyVerdict {
    pub(super) is_compliant: bool,
    pub(super) message: String,
    reason: String,
}

pub(super) fn judge(
    conditions: &[(Condition, StatusCondition)],
    report: &Report,
    policy: &OperatorPolicy,
    before: &OperatorPolicyStatus,
) -> PolicyVerdict {
    let is_reported = |type_: &ConditionType| {
        conditions
            .iter()
            .any(|(condition, _)| condition.type_ == *type_)
    };
    let mut required = ConditionType::ALL.iter().filter(|each| each.is_required());
    let is_whole = required.all(is_reported);
    let is_compliant = is_whole && !conditions.iter().any(|(condition, _)| condition.violates);
    let word = if is_compliant {
        Reason::Compliant
    } else {
        Reason::NonCompliant
    };
    let reason = match policy.form() {
        Form::Established => word.to_string(),
        Form::Design => cause(conditions, report, before).unwrap_or_else(|| {
            let whole = find(&before.conditions, ConditionType::Compliant);
            whole.map_or_else(|| word.to_string(), |before| before.reason.clone())
        }),
    };
    PolicyVerdict {
        is_compliant,
        message: cut(
            format!("{word}; {}", parts(conditions, report).join("; ")),
            LONGEST,
        ),
        reason,
    }
}

/// Returns the texts of the message without duplicates. Violations come first. Within each group,
/// the condition that changed last is first.
fn parts(conditions: &[(Condition, StatusCondition)], report: &Report) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut add = |text: &str| {
        let part = cut(uncapitalized(&on_one_line(text)), LONGEST_PART);
        if !parts.contains(&part) {
            parts.push(part);
        }
    };
    let mut reasons: Vec<&str> = Vec::new();
    for condition in in_message(conditions) {
        let kept = report
            .kept
            .iter()
            .find(|(kept, _)| *kept == condition.type_);
        match kept {
            // The reason why newer facts are missing is added only once, at the end of the message.
            Some((_, why)) if condition.message != *why => {
                add(&format!("{} (last known)", lasting(&condition.message)));
                reasons.push(why);
            }
            Some(_) | None => add(&condition.message),
        }
    }
    reasons.into_iter().for_each(&mut add);
    parts
}

/// Returns the conditions in the order of the message. Violations come first. Within each group,
/// the condition that changed last is first. Times in a status are in whole seconds, so fractions
/// of a second must not affect the order.
fn sorted(conditions: &[(Condition, StatusCondition)]) -> Vec<&(Condition, StatusCondition)> {
    let mut sorted: Vec<_> = conditions.iter().collect();
    sorted.sort_by_key(|(condition, shown)| {
        let changed = shown.last_transition_time.0.as_second();
        (!condition.violates, Reverse(changed))
    });
    sorted
}

/// Returns the conditions that the message describes, in the order of the message. If the policy is
/// invalid, returns only the condition about its validity.
fn in_message(conditions: &[(Condition, StatusCondition)]) -> Vec<&Condition> {
    let sorted = sorted(conditions);
    let all = || sorted.iter().map(|(condition, _)| condition);
    let is_unknown = |condition: &Condition| {
        condition.reason == ConditionReason::Ours(Reason::InvalidPolicySpec)
    };
    let others_unknown = all()
        .filter(|condition| condition.type_ != ConditionType::ValidPolicySpec)
        .all(is_unknown);
    let is_invalid = all().any(|condition| {
        condition.type_ == ConditionType::ValidPolicySpec && condition.status != Status::True
    });
    let belongs = |condition: &&Condition| match condition.type_ {
        ConditionType::ValidPolicySpec => true,
        _ if is_invalid && others_unknown => false,
        ConditionType::NoDeprecations | ConditionType::MinorChannelUpgradeAvailable => {
            condition.violates
        }
        // In the design form, the message already contains DeploymentCompliant, which has the same
        // content.
        ConditionType::DeploymentsAvailable => false,
        ConditionType::Compliant => false,
        ConditionType::OperatorGroupCompliant
        | ConditionType::SubscriptionCompliant
        | ConditionType::InstallPlanCompliant
        | ConditionType::ClusterServiceVersionCompliant
        | ConditionType::CustomResourceDefinitionCompliant
        | ConditionType::DeploymentCompliant
        | ConditionType::CatalogSourcesUnhealthy => true,
    };
    all()
        .filter(belongs)
        .filter(|condition| !condition.message.is_empty())
        .collect()
}

/// Returns the reason for the Compliant condition. Returns None if the previous reason stays.
///
/// If conditions violate the policy, the result is the reason of a violating condition that changed
/// now. If no such condition changed, the previous reason stays as long as its condition violates
/// the policy. Otherwise, the result is the reason of the violating condition that changed last. If
/// no condition violates the policy, the result is the reason of a condition that changed now.
fn cause(
    conditions: &[(Condition, StatusCondition)],
    report: &Report,
    before: &OperatorPolicyStatus,
) -> Option<String> {
    let counts = |(condition, _): &&(Condition, StatusCondition)| {
        condition.type_ != ConditionType::DeploymentCompliant || !has_design(report)
    };
    let is_kept = |type_: ConditionType| report.kept.iter().any(|(kept, _)| *kept == type_);
    let has_changed = |(condition, shown): &&(Condition, StatusCondition)| {
        let old = find(&before.conditions, condition.type_);
        let is_same =
            old.is_some_and(|old| old.status == shown.status && old.reason == shown.reason);
        !is_same && !is_kept(condition.type_)
    };
    let whole = find(&before.conditions, ConditionType::Compliant);
    let told = whole.map(|whole| whole.reason.as_str());
    let all = || conditions.iter().filter(counts);
    let sorted = sorted(conditions);
    let violating = || {
        let sorted = sorted.iter().copied().filter(counts);
        sorted.filter(|(condition, _)| condition.violates)
    };
    let cause = violating().find(has_changed).or_else(|| {
        let first = violating().next();
        first.or_else(|| all().rfind(has_changed))
    })?;
    let stays = !has_changed(&cause) && violating().any(|each| Some(&*shown_reason(each)) == told);
    (!stays).then(|| shown_reason(cause))
}

/// Returns the reason of a condition in the words of the Compliant condition.
fn shown_reason((_, shown): &(Condition, StatusCondition)) -> String {
    match shown.reason.as_str() {
        "InstallPlanRequiresApproval" => Reason::UpgradeAvailable.to_string(),
        reason => reason.to_owned(),
    }
}

/// Returns true if the report contains the condition DeploymentsAvailable, which only the design
/// form has.
fn has_design(report: &Report) -> bool {
    let mut conditions = report.conditions.iter();
    conditions.any(|condition| condition.type_ == ConditionType::DeploymentsAvailable)
}

// === impl PolicyVerdict ===

impl PolicyVerdict {
    pub(super) fn compliant(&self, policy: &OperatorPolicy) -> Compliance {
        match (
            policy.metadata.deletion_timestamp.is_some(),
            self.is_compliant,
        ) {
            (true, _) => Compliance::Terminating,
            (false, true) => Compliance::Compliant,
            (false, false) => Compliance::NonCompliant,
        }
    }

    pub(super) fn condition(&self, now: Timestamp) -> StatusCondition {
        let status = if self.is_compliant {
            Status::True
        } else {
            Status::False
        };
        StatusCondition {
            type_: ConditionType::Compliant.as_str().to_owned(),
            status: status.as_str().to_owned(),
            reason: self.reason.clone(),
            message: self.message.clone(),
            last_transition_time: Time(now),
            observed_generation: None,
        }
    }
}
