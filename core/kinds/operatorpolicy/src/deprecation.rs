//! The condition about deprecations. It covers the package, its channel and its bundles.

#[cfg(test)]
mod tests;

use portolan_api::{ConditionType, Effect, Reason};

use crate::case::{Case, DesiredSubscription};
use crate::contribution::Contribution;
use crate::desired::{Condition, Status};
use crate::phrase::{clause, listed};
use crate::{Answer, Offer};

const TYPE: ConditionType = ConditionType::NoDeprecations;

/// Judges if the Subscription's catalog deprecates the package, the channel or a bundle. Returns an
/// empty contribution if the controller did not query the resolver, or if the resolver does not
/// find the package.
pub(crate) fn judge(case: &Case<'_>, wanted: &DesiredSubscription) -> Contribution {
    let offer = match &case.answers.offer {
        Answer::Found(offer) => offer,
        Answer::Unavailable(unavailable) => return Contribution::default().keep(TYPE, unavailable),
        Answer::NotAsked | Answer::NotFound(_) => return Contribution::default(),
    };
    if let Some(why) = of_other_catalog(offer, wanted) {
        return Contribution::default().keep(TYPE, why);
    }
    let condition = match deprecated(case, wanted, offer) {
        Some((reason, message)) => Condition {
            violates: case.intent.effects.deprecations_present == Effect::NonCompliant,
            ..Condition::new(TYPE, Status::False, reason, message)
        },
        None => Condition::good(TYPE, Reason::Recommended, supported(case, wanted)),
    };
    Contribution::of(condition)
}

/// Returns a sentence that nothing is deprecated. The sentence names the checked objects: the
/// package, the channel, and the installed and next bundles.
fn supported(case: &Case<'_>, wanted: &DesiredSubscription) -> String {
    let (package, channel) = (&case.intent.subscription.package, &wanted.channel);
    let status = case.subscription().map(|each| &each.status);
    let bundles = status.map(|each| [&each.installed_csv, &each.current_csv]);
    let mut bundles: Vec<_> = bundles.into_iter().flatten().collect();
    bundles.retain(|bundle| !bundle.is_empty());
    bundles.dedup();
    let bundles = bundles.into_iter().map(|bundle| format!("bundle {bundle}"));
    let start = [format!("Package {package}"), format!("channel {channel}")];
    let all: Vec<_> = start.into_iter().chain(bundles).collect();
    format!("{} are not deprecated", listed(&all))
}

/// Returns the reason to ignore an offer from another catalog than the policy requires. Returns
/// None if the offer comes from the required catalog. Several catalogs can contain the same
/// package.
pub(crate) fn of_other_catalog(offer: &Offer, wanted: &DesiredSubscription) -> Option<String> {
    let catalog = format!("{}/{}", wanted.source_namespace, wanted.source);
    let is_foreign = offer.catalog != catalog;
    is_foreign.then(|| {
        format!(
            "the resolver reports catalog {}, but the policy requires {catalog}",
            offer.catalog
        )
    })
}

/// Returns the first deprecation of the package, the channel or a bundle. Returns None if nothing
/// is deprecated.
fn deprecated(
    case: &Case<'_>,
    wanted: &DesiredSubscription,
    offer: &Offer,
) -> Option<(Reason, String)> {
    let package = &case.intent.subscription.package;
    let told = |reason, name: String, why: &Option<String>| {
        let why = clause(why.as_deref()?);
        let claim = format!("{name} is deprecated");
        Some(match why.as_str() {
            "" => (reason, claim),
            why => (reason, format!("{claim}: {why}")),
        })
    };
    let channel = || {
        let named = wanted.channel.as_str();
        let channel = offer.channels.iter().find(|each| each.name == named)?;
        let name = format!("Channel {named} of package {package}");
        told(Reason::ChannelDeprecated, name, &channel.deprecation)
    };
    let bundle = |name: &String| {
        let bundle = offer.bundles.iter().find(|each| each.name == *name)?;
        let called = format!("Bundle {name}");
        told(Reason::BundleDeprecated, called, &bundle.deprecation)
    };
    let name = format!("Package {package}");
    told(Reason::PackageDeprecated, name, &offer.deprecation)
        .or_else(channel)
        .or_else(|| {
            let status = &case.subscription()?.status;
            let mut bundles = [&status.installed_csv, &status.current_csv].into_iter();
            bundles.find_map(bundle)
        })
}
