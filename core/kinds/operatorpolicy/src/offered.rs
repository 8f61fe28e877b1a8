//! Checks that the catalog, package, channel and bundle that the policy names exist.
//!
//! An object that the resolver does not list is missing only if the resolver has read the catalog
//! and can still read it. If the catalog is unread or unavailable, the object may exist.

#[cfg(test)]
mod tests;

use std::fmt::Display;

use portolan_core_names::text::some;
use portolan_core_names::{Consent, nearest};
use portolan_core_olm::CatalogSource;

use crate::case::{Case, DesiredSubscription};
use crate::{Answer, Bundle, CatalogSight, Offer};

/// The maximum number of missing bundles that a message names.
const MOST_NAMED: usize = 3;

/// Returns a message if the wanted catalog, package, channel or starting bundle does not exist. The
/// message does not end with a period.
pub(crate) fn lacking(case: &Case<'_>, wanted: &DesiredSubscription) -> Option<String> {
    let catalog = format!("{}/{}", wanted.source_namespace, wanted.source);
    match (&case.answers.sight, &case.answers.offer) {
        (CatalogSight::Absent { near }, _) if is_absent(case, wanted) => Some(format!(
            "CatalogSource {catalog} not found{}",
            meant(near.as_ref())
        )),
        (CatalogSight::Current, Answer::NotFound(sentence)) => Some(sentence.clone()),
        (CatalogSight::Current, Answer::Found(offer)) if offer.catalog == catalog => {
            no_channel(case, wanted, offer).or_else(|| no_start(case, wanted, offer))
        }
        (CatalogSight::Unclear | CatalogSight::Current | CatalogSight::Absent { .. }, _) => None,
    }
}

/// Returns true if the cluster has no such CatalogSource, even if the resolver still reports it.
/// Returns false while observed objects may be stale, because the CatalogSource may exist.
fn is_absent(case: &Case<'_>, wanted: &DesiredSubscription) -> bool {
    let is_it = |each: &CatalogSource| {
        each.metadata.name.as_deref() == Some(wanted.source.as_str())
            && each.metadata.namespace.as_deref() == Some(wanted.source_namespace.as_str())
    };
    let mut seen = case.namespace.catalogs.iter();
    case.observed.stale.is_empty() && !seen.any(|each| is_it(each))
}

fn no_channel(case: &Case<'_>, wanted: &DesiredSubscription, offer: &Offer) -> Option<String> {
    let channel = wanted.channel.as_str();
    let names: Vec<&str> = offer
        .channels
        .iter()
        .map(|each| each.name.as_str())
        .collect();
    if names.contains(&channel) {
        return None;
    }
    let hint = match (nearest(channel, names.iter()), names.as_slice()) {
        (Some(near), _) => meant(Some(near)),
        (None, []) => "; the package has no channels".to_owned(),
        (None, names) => format!("; existing channels: {}", names.join(", ")),
    };
    Some(format!(
        "package {} has no channel {channel} in {}{hint}",
        case.intent.subscription.package, offer.catalog
    ))
}

/// Returns the message about a `startingCSV` that the channel does not contain. OLM uses
/// `startingCSV` only before the first installation.
fn no_start(case: &Case<'_>, wanted: &DesiredSubscription, offer: &Offer) -> Option<String> {
    let start = case.intent.subscription.starting_csv.as_ref()?;
    let present = case.subscription();
    if present.is_some_and(|present| !present.status.installed_csv.is_empty()) {
        return None;
    }
    let channel = wanted.channel.as_str();
    let is_listed = |bundle: &&Bundle| bundle.channels.iter().any(|name| name == channel);
    let listed = offer.bundles.iter().filter(is_listed);
    let names: Vec<&str> = listed.map(|bundle| bundle.name.as_str()).collect();
    if names.contains(&start.as_str()) {
        return None;
    }
    Some(format!(
        "channel {channel} of package {} has no bundle {start} in {}, which \
         spec.subscription.startingCSV names{}",
        case.intent.subscription.package,
        offer.catalog,
        meant(nearest(start.as_str(), names.iter()))
    ))
}

/// Returns the end of a sentence that names the allowed bundles that the package does not contain,
/// and suggests the most similar existing name.
pub(crate) fn unknown_bundles(case: &Case<'_>, offer: &Offer) -> String {
    let names: Vec<&str> = offer
        .bundles
        .iter()
        .map(|each| each.name.as_str())
        .collect();
    let allowed = case
        .intent
        .consents
        .iter()
        .filter_map(|consent| match consent {
            Consent::Bundle(name) => Some(name.as_str()),
            Consent::Any | Consent::Range(_, _) => None,
        });
    let unknown: Vec<_> = allowed.filter(|name| !names.contains(name)).collect();
    let Some(first) = unknown.first() else {
        return String::new();
    };
    format!(
        "; package {} has no bundle {}{}",
        case.intent.subscription.package,
        some(MOST_NAMED, &unknown),
        meant(nearest(first, names.iter()))
    )
}

fn meant(near: Option<impl Display>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean {near}?"))
}
