//! The versions that a waiting InstallPlan would install.

use super::Relevant;
use crate::case::Case;
use crate::phrase::listed;
use crate::{Answer, Bundle};

/// Returns a sentence that names each version that the InstallPlan would install, with its channel.
pub(super) fn sentence(relevant: &Relevant<'_>) -> String {
    let channel = channel(relevant.case, relevant.lead());
    let lead = relevant.lead();
    let head = match (relevant.installed(), channel) {
        ("", None) => format!("{lead} waits to be installed"),
        ("", Some(channel)) => format!("{lead} of the {channel} channel waits to be installed"),
        (_, None) => format!("An upgrade to {lead} is available"),
        (_, Some(channel)) => {
            format!("An upgrade to {lead} is available on the {channel} channel")
        }
    };
    let rest = relevant.rest().into_iter();
    let rest: Vec<_> = rest.map(|name| with_channel(relevant.case, name)).collect();
    let whole = match rest.as_slice() {
        [] => head,
        rest => format!("{head}, together with {}", listed(rest)),
    };
    match relevant.needed_by {
        None => whole,
        Some(by) => format!("{whole}; {by} requires it"),
    }
}

fn with_channel(case: &Case<'_>, bundle: &str) -> String {
    match channel(case, bundle) {
        Some(channel) => format!("{bundle} of the {channel} channel"),
        None => bundle.to_owned(),
    }
}

/// Returns the channel of the Subscription whose `currentCSV` is the bundle. Returns None if no
/// such Subscription exists, or if the catalog contains the bundle only in other channels.
pub(crate) fn channel<'a>(case: &Case<'a>, bundle: &str) -> Option<&'a str> {
    let mut all = case.namespace.subscriptions.iter();
    let subscription = all.find(|each| each.status.current_csv == bundle)?;
    let named = subscription.spec.channel.as_str();
    let is_own =
        subscription.metadata.name.as_deref() == Some(case.intent.subscription.package.as_str());
    match (&case.answers.offer, named) {
        (Answer::Found(offer), "") if is_own => Some(offer.default_channel.as_str()),
        (_, named) => Some(named),
    }
    .filter(|channel| !channel.is_empty() && !is_elsewhere(case, bundle, channel))
}

fn is_elsewhere(case: &Case<'_>, bundle: &str, channel: &str) -> bool {
    let offered = found_answer(&case.answers.offer).map(|offer| offer.bundles.as_slice());
    let mut offered = offered.unwrap_or_default().iter();
    offered.any(|each| each.name == bundle && !each.channels.iter().any(|each| each == channel))
}

/// Returns the version of a bundle from its ClusterServiceVersion, its InstallPlan or its catalog.
/// Empty if the version is unknown.
pub(crate) fn version(case: &Case<'_>, bundle: &str) -> String {
    let installed = case.csv(bundle).map(|csv| csv.spec.version.as_str());
    let planned = found_answer(&case.answers.reviews).and_then(|reviews| {
        let mut bundles = reviews.iter().flat_map(|review| &review.bundles);
        let found = bundles.find(|each| each.name == bundle && !each.version.is_empty());
        found.map(|found| found.version.as_str())
    });
    let route = found_answer(&case.answers.route);
    let known = |bundles: &'_ [Bundle]| {
        let found = bundles.iter().find(|each| each.name == bundle);
        found.map(|found| found.version.clone())
    };
    let installed = installed.filter(|version| !version.is_empty());
    let from_route =
        || route.and_then(|route| known(&route.reachable).or_else(|| known(&route.walk)));
    let from_offer = || found_answer(&case.answers.offer).and_then(|offer| known(&offer.bundles));
    let nearest = installed.or(planned).map(str::to_owned);
    nearest
        .or_else(from_route)
        .or_else(from_offer)
        .unwrap_or_default()
}

fn found_answer<T>(answer: &Answer<T>) -> Option<&T> {
    match answer {
        Answer::Found(answer) => Some(answer),
        Answer::NotAsked | Answer::NotFound(_) | Answer::Unavailable(_) => None,
    }
}
