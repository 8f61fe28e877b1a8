//! Collects the reasons why the resolution of a namespace fails. The reasons come from the forecast
//! or from messages of OLM.

use portolan_core_forecast::{BundleId, Failure, Hindrance, Missing, Origin, Reason, Unresolvable};

/// One reason in a forecast or in a message of OLM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Clause {
    /// A Subscription refers to a missing catalog, package, channel or bundle.
    Nothing {
        subscription: String,
        lacking: Lacking,
    },
    /// Only these bundles can satisfy a Subscription.
    Wants {
        subscription: String,
        bundles: Vec<String>,
    },
    /// A Subscription exists. OLM must install a bundle for it.
    Exists { subscription: String },
    /// A bundle has a requirement. `what` contains the words of OLM.
    Needs { bundle: String, what: String },
    /// No Subscription refers to the ClusterServiceVersion.
    Unreferenced { csv: String },
    /// The bundle has the property `olm.deprecated`, so OLM does not install it.
    Forbidden { bundle: String },
    /// A namespace can have only one operator of the package.
    OnePackage { package: String },
    /// A namespace can have only one operator that provides the API.
    OneProvider { api: String },
    /// OLM cannot query a catalog. The name has the form `namespace/name`.
    Catalog { catalog: String, why: String },
    /// OLM cannot process a channel or a requirement in a catalog.
    Unusable {
        what: String,
        /// The package. Empty if it is unknown.
        package: String,
        /// The bundle. Empty for a channel.
        bundle: String,
        /// The catalog in the form `namespace/name`. Empty if it is unknown.
        catalog: String,
    },
}

/// The kind of object that is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lacking {
    Catalog,
    Package,
    Channel,
    Start,
}

/// Returns the reasons of a forecast that predicts a failure.
pub(crate) fn of_failure(failure: &Failure) -> Vec<Clause> {
    match &failure.refusal {
        Unresolvable::Unsatisfiable(reasons) => reasons.iter().filter_map(of_reason).collect(),
        Unresolvable::Errors(hindrances) => hindrances.iter().map(of_hindrance).collect(),
    }
}

/// Converts the reasons of the forecast that block an upgrade.
pub(crate) fn of_reasons(reasons: &[Reason]) -> Vec<Clause> {
    reasons.iter().filter_map(of_reason).collect()
}

fn of_reason(reason: &Reason) -> Option<Clause> {
    Some(match reason {
        Reason::SubscriptionExists { subscription } => Clause::Exists {
            subscription: subscription.clone(),
        },
        Reason::NothingFound {
            subscription,
            missing,
        } => Clause::Nothing {
            subscription: subscription.clone(),
            lacking: match missing {
                Missing::Catalog(_) => Lacking::Catalog,
                Missing::Package(_) => Lacking::Package,
                Missing::Channel { .. } => Lacking::Channel,
                Missing::Start { .. } => Lacking::Start,
            },
        },
        Reason::SubscriptionRequires {
            subscription,
            choices,
        } => Clause::Wants {
            subscription: subscription.clone(),
            bundles: choices.iter().map(named).collect(),
        },
        Reason::BundleRequires {
            bundle,
            requirement,
        } => Clause::Needs {
            bundle: bundle.to_string(),
            what: requirement.clone(),
        },
        Reason::Unreferenced { csv } => Clause::Unreferenced {
            csv: csv.to_string(),
        },
        Reason::Deprecated { bundle } => Clause::Forbidden {
            bundle: named(bundle),
        },
        Reason::OnePackage { package, .. } => Clause::OnePackage {
            package: package.to_string(),
        },
        Reason::OneProvider { api, .. } => Clause::OneProvider {
            api: format!("{} ({}/{})", api.kind, api.group, api.version),
        },
        Reason::Conflict { .. } => return None,
    })
}

fn named(id: &BundleId) -> String {
    id.bundle.to_string()
}

fn of_hindrance(hindrance: &Hindrance) -> Clause {
    match hindrance {
        Hindrance::Catalog { name, why } => Clause::Catalog {
            catalog: name.to_string(),
            why: why.clone(),
        },
        Hindrance::Channel { package, .. } => Clause::Unusable {
            what: hindrance.to_string(),
            package: package
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
            bundle: String::new(),
            catalog: String::new(),
        },
        Hindrance::Requirement { bundle, what } => Clause::Unusable {
            what: format!("{}: {what}", bundle.bundle),
            package: String::new(),
            bundle: bundle.bundle.to_string(),
            catalog: match &bundle.origin {
                Origin::Offered { catalog, .. } => catalog.to_string(),
                Origin::Installed(_) => String::new(),
            },
        },
    }
}

/// The text before the list of reasons in a message of OLM.
const UNSATISFIABLE: &str = "constraints not satisfiable: ";
/// The text before the name of a failing catalog in a message of OLM.
const CATALOG: &str = "error using catalogsource ";

/// Parses the reasons in a condition message of OLM (v0.46). Ignores unknown text.
pub(crate) fn of_words(text: &str) -> Vec<Clause> {
    if let Some((_, rest)) = text.split_once(UNSATISFIABLE) {
        return of_causes(rest);
    }
    let errors = text.split(CATALOG).skip(1);
    let catalogs = errors.filter_map(|error| {
        let (catalog, why) = error.split_once(": ")?;
        Some(Clause::Catalog {
            catalog: catalog.to_owned(),
            why: why.trim_end_matches([',', ' ', ']']).to_owned(),
        })
    });
    let mut said: Vec<Clause> = catalogs.collect();
    let is_channel = text.contains("replacement chain")
        || text.contains("channel heads")
        || text.contains("cycle exists");
    if said.is_empty() && is_channel {
        said.push(Clause::Unusable {
            what: text.to_owned(),
            package: between(text, "of package \"", "\"")
                .unwrap_or_default()
                .to_owned(),
            bundle: String::new(),
            catalog: String::new(),
        });
    }
    said
}

fn of_causes(text: &str) -> Vec<Clause> {
    let mut all: Vec<Clause> = Vec::new();
    for piece in text.split(", ") {
        match of_cause(piece) {
            Some(said) => all.push(said),
            None => {
                if let Some(Clause::Wants { bundles, .. }) = all.last_mut() {
                    bundles.extend(listed(piece));
                }
            }
        }
    }
    all
}

fn of_cause(piece: &str) -> Option<Clause> {
    if let Some(rest) = piece.strip_prefix("no operators found ") {
        let (what, subscription) = rest.rsplit_once("referenced by subscription ")?;
        let lacking = match what.split(' ').next()? {
            "from" => Lacking::Catalog,
            "with" => Lacking::Start,
            "in" if what.starts_with("in channel ") => Lacking::Channel,
            "in" => Lacking::Package,
            _ => return None,
        };
        let subscription = subscription.to_owned();
        return Some(Clause::Nothing {
            subscription,
            lacking,
        });
    }
    if let Some(rest) = piece.strip_prefix("clusterserviceversion ") {
        let csv = rest.strip_suffix(" exists and is not referenced by a subscription")?;
        return Some(Clause::Unreferenced {
            csv: csv.to_owned(),
        });
    }
    if let Some(rest) = piece.strip_prefix("subscription ") {
        return of_subscription(rest);
    }
    if let Some(rest) = piece.strip_prefix("bundle ") {
        return of_bundle(rest);
    }
    if let Some((_, package)) = piece.split_once(" originate from package ") {
        let package = package.to_owned();
        return Some(Clause::OnePackage { package });
    }
    let (_, api) = piece.split_once(" provide ")?;
    Some(Clause::OneProvider {
        api: api.to_owned(),
    })
}

fn of_subscription(rest: &str) -> Option<Clause> {
    if let Some(subscription) = rest.strip_suffix(" exists") {
        let subscription = subscription.to_owned();
        return Some(Clause::Exists { subscription });
    }
    let (subscription, wanted) = rest.split_once(" requires ")?;
    let wanted = wanted.strip_prefix("at least one of ").unwrap_or(wanted);
    Some(Clause::Wants {
        subscription: subscription.to_owned(),
        bundles: listed(wanted),
    })
}

fn of_bundle(rest: &str) -> Option<Clause> {
    if let Some(bundle) = rest.strip_suffix(" is deprecated") {
        let bundle = last(bundle);
        return Some(Clause::Forbidden { bundle });
    }
    let (bundle, what) = rest.split_once(" requires an operator ")?;
    Some(Clause::Needs {
        bundle: bundle.to_owned(),
        what: what.to_owned(),
    })
}

/// Parses the names of bundles from a list such as `a/b/c/d or a/b/c/e`. The name is the last part.
fn listed(text: &str) -> Vec<String> {
    let ids = text.split(" or ").flat_map(|ids| ids.split(" and "));
    ids.map(last).collect()
}

fn last(id: &str) -> String {
    let name = id.rsplit('/').next().unwrap_or(id);
    name.to_owned()
}

fn between<'a>(text: &'a str, before: &str, behind: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    Some(rest.split_once(behind)?.0)
}

/// Parses the package and the version range of a requirement such as `with package: dock and with
/// version in range: >=2.0.0`. Returns None for other requirements.
pub(crate) fn package_of(what: &str) -> Option<(&str, &str)> {
    let rest = what.strip_prefix("with package: ")?;
    rest.split_once(" and with version in range: ")
}
