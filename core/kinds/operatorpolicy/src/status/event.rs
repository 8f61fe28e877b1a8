//! The decision whether a status change triggers an event.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition as StatusCondition;
use portolan_api::{ConditionType, OperatorPolicyStatus};

use super::conditions::lasting;
use crate::desired::NAMESPACE_FOUND;

#[cfg(test)]
mod tests;

/// The characters of random Pod names. Vowels and similar characters are missing.
const RANDOM: &str = "bcdfghjklmnpqrstvwxz2456789";
const RANDOM_LENGTH: usize = 5;

/// Returns true if a status change triggers an event. Changes of OLM's conditions trigger no event.
/// A short outage of a service triggers no event either, because the status reports it.
pub(super) fn deserves_event(status: &OperatorPolicyStatus, before: &OperatorPolicyStatus) -> bool {
    before.compliant.is_none()
        // While the services do not respond, the status stays partial.
        || (is_partial(before) && !is_partial(status))
        || status.observed_generation != before.observed_generation
        || !words(status).eq(words(before))
}

/// Returns true if the status contains only the namespace for its generation. Such a status
/// triggers no event.
fn is_partial(before: &OperatorPolicyStatus) -> bool {
    let mut related = before.related_objects.iter();
    related.any(|related| related.reason.as_deref() == Some(NAMESPACE_FOUND))
}

/// Returns each condition without values that change continuously. Omits the message of the
/// Compliant condition, because it repeats the other messages.
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

/// Removes counts and Pod names from a message about Deployments. They change often during a
/// rollout or a failure.
fn uncounted(sentence: &str) -> String {
    let words = sentence.split_whitespace().map(|word| {
        let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        if bare.contains(|letter: char| letter.is_ascii_digit()) || is_of_pod(bare) {
            "#"
        } else {
            // Singular and plural count as the same text.
            word.trim_end_matches('s')
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn is_of_pod(word: &str) -> bool {
    let end = word.rsplit_once('-').map_or("", |(_, end)| end);
    end.len() == RANDOM_LENGTH && end.chars().all(|letter| RANDOM.contains(letter))
}
