//! What was said of a matter before, where nobody can say it anew.

use portolan_api::{
    Compliance, ConditionType, Effect, Intent, OperatorPolicy, OperatorPolicyStatus, Reason,
};

use super::OVERTAKEN;
use crate::desired::{Condition, ConditionReason, Status};

/// Stands before the reason why something is not known anew.
const LAST_KNOWN: &str = " (last known, as ";

/// What was said of a matter before, and why nothing newer is.
pub(super) fn condition(
    type_: ConditionType,
    why: &str,
    policy: &OperatorPolicy,
    before: &OperatorPolicyStatus,
) -> Condition {
    let mut conditions = before.conditions.iter();
    let previous = conditions.find(|condition| condition.type_ == type_.as_str());
    let never = Reason::NotAsked.as_str();
    let Some(previous) = previous.filter(|previous| previous.reason != never) else {
        return Condition::new(type_, Status::Unknown, Reason::NotAsked, why);
    };
    let message = format!("{}{LAST_KNOWN}{why})", lasting(&previous.message));
    let status = Status::parse(&previous.status);
    Condition {
        type_,
        status,
        reason: ConditionReason::Olm(previous.reason.clone()),
        message,
        violates: status != Status::good(type_) && counted(type_, policy, before),
        since: None,
    }
}

/// Whether a matter that is not as it should be makes the policy NonCompliant. The status of some
/// does not tell; the whole did, and the policy does.
fn counted(type_: ConditionType, policy: &OperatorPolicy, before: &OperatorPolicyStatus) -> bool {
    let counts = |effect: fn(&Intent) -> Effect| {
        let intent = Intent::parse(policy);
        intent.map_or(true, |intent| effect(&intent) == Effect::NonCompliant)
    };
    let may_count = match type_ {
        ConditionType::NoDeprecations => true,
        ConditionType::DeploymentsAvailable => counts(|it| it.effects.deployments_unavailable),
        ConditionType::CatalogSourcesUnhealthy => counts(|it| it.effects.catalog_source_unhealthy),
        ConditionType::Compliant
        | ConditionType::ValidPolicySpec
        | ConditionType::OperatorGroupCompliant
        | ConditionType::SubscriptionCompliant
        | ConditionType::InstallPlanCompliant
        | ConditionType::ClusterServiceVersionCompliant
        | ConditionType::CustomResourceDefinitionCompliant
        | ConditionType::DeploymentCompliant
        | ConditionType::MinorChannelUpgradeAvailable => return true,
    };
    may_count && before.compliant != Some(Compliance::Compliant)
}

/// What a message says that does not pass by itself.
pub(super) fn lasting(message: &str) -> &str {
    let end = [LAST_KNOWN, OVERTAKEN].map(|mark| message.find(mark));
    let end = end.into_iter().flatten().min();
    end.map_or(message, |end| &message[..end])
}
