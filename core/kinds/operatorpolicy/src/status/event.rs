//! Decides whether a change of the status triggers an event.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition as StatusCondition;
use portolan_api::{ConditionType, OperatorPolicyStatus};

use super::conditions::lasting;
use crate::desired::NAMESPACE_FOUND;

#[cfg(test)]
mod tests;

/// The characters that Kubernetes uses in the random part of Pod names. There are no vowels and no
/// characters that look alike.
const RANDOM: &str = "bcdfghjklmnpqrstvwxz2456789";
const RANDOM_LENGTH: usize = 5;

/// Returns true if a change of the status triggers an event. Changes of conditions copied from OLM
/// trigger no event. A short outage of a service triggers no event, because it changes only the
/// status.
pub(super) fn deserves_event(status: &OperatorPolicyStatus, before: &OperatorPolicyStatus) -> bool {
    before.compliant.is_none()
        // A status is partial while services do not respond. The first complete status after it
        // needs an event.
        || (is_partial(before) && !is_partial(status))
        || status.observed_generation != before.observed_generation
        || !words(status).eq(words(before))
}

/// Returns true if a status is partial: for its generation, it contains only the namespace.
fn is_partial(before: &OperatorPolicyStatus) -> bool {
    let mut related = before.related_objects.iter();
    related.any(|related| related.reason.as_deref() == Some(NAMESPACE_FOUND))
}

/// Returns the type, status, reason and message of each condition, without values that change
/// continuously. The message of the Compliant condition is empty, because it repeats the other
/// messages.
fn words(status: &OperatorPolicyStatus) -> impl Iterator<Item = ([&str; 3], Cow<'_, str>)> {
    status.conditions.iter().filter_map(|each| {
        let type_ = ConditionType::parse(&each.type_)?;
        Some((
            [&*each.type_, &each.status, &each.reason],
            message(type_, each),
        ))
    })
}

fn message(type_: ConditionType, condition: &StatusCondition) -> Cow<'_, str> {
    let known = lasting(&condition.message);
    match type_ {
        ConditionType::Compliant => Cow::Borrowed(""),
        ConditionType::DeploymentCompliant | ConditionType::DeploymentsAvailable => {
            Cow::Owned(uncounted(known))
        }
        ConditionType::ValidPolicySpec
        | ConditionType::OperatorGroupCompliant
        | ConditionType::SubscriptionCompliant
        | ConditionType::InstallPlanCompliant
        | ConditionType::ClusterServiceVersionCompliant
        | ConditionType::CustomResourceDefinitionCompliant
        | ConditionType::CatalogSourcesUnhealthy
        | ConditionType::NoDeprecations
        | ConditionType::MinorChannelUpgradeAvailable => Cow::Borrowed(known),
    }
}

/// Replaces numbers and Pod names in a message about Deployments. Both change often during a
/// rollout or a failure.
fn uncounted(sentence: &str) -> String {
    let words = sentence.split_whitespace().map(|word| {
        let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        if bare.contains(|letter: char| letter.is_ascii_digit()) || is_of_pod(bare) {
            "#"
        } else {
            // The singular and the plural of a word count as equal.
            word.trim_end_matches('s')
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn is_of_pod(word: &str) -> bool {
    let end = word.rsplit_once('-').map_or("", |(_, end)| end);
    end.len() == RANDOM_LENGTH && end.chars().all(|letter| RANDOM.contains(letter))
}
