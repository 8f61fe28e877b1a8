//! Checks which bundles of its own package a policy allows.

use portolan_api::{Form, Intent};
use portolan_core_names::{BundleName, Consent, Version};

use crate::Offer;

/// Returns true if the policy allows the bundle of its own package. `version` is empty if the
/// version is unknown.
pub(crate) fn allows(intent: &Intent, bundle: &str, version: &str) -> bool {
    let version = Version::parse(version).ok();
    let package = &intent.subscription.package;
    let covers = |bundle: &BundleName| {
        let mut consents = intent.consents.iter();
        consents.any(|consent| consent.covers(bundle, package, version.as_ref()))
    };
    match BundleName::parse(bundle) {
        Ok(bundle) => covers(&bundle),
        Err(_) => intent.consents.contains(&Consent::Any),
    }
}

/// Returns the newest bundle of a channel that the policy allows and whose name is valid.
pub fn newest_allowed<'o>(intent: &Intent, offer: &'o Offer, channel: &str) -> Option<&'o str> {
    let mut bundles = offer.bundles.iter().filter(|bundle| {
        let mut channels = bundle.channels.iter();
        channels.any(|name| name == channel) && BundleName::parse(&bundle.name).is_ok()
    });
    let newest = bundles.find(|bundle| allows(intent, &bundle.name, &bundle.version));
    newest.map(|bundle| bundle.name.as_str())
}

/// Returns true if [`allows`] gives a reliable result for this version. A version range cannot be
/// compared with an unknown version.
pub(crate) fn is_certain(intent: &Intent, version: &str) -> bool {
    let is_range = |consent: &Consent| match consent {
        Consent::Range(_, _) => true,
        Consent::Any | Consent::Bundle(_) => false,
    };
    Version::parse(version).is_ok() || !intent.consents.iter().any(is_range)
}

/// Returns the policy field that lists the allowed bundles.
pub(crate) fn field(intent: &Intent) -> &'static str {
    match intent.form {
        Form::Design => "spec.allowedCSVs",
        Form::Established => "spec.versions",
    }
}
