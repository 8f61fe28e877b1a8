//! Finds the objects that block the resolution of a namespace.

use portolan_core_names::{BundleName, CatalogName};

use super::{BundleId, Hindrance, Missing, Origin, Reason, Unresolvable};
use crate::entries::EntryTable;
use crate::state::State;
use crate::{Phase, Source};

/// An object that blocks the resolution of a whole namespace, with an explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blame {
    /// The object that blocks the namespace.
    pub culprit: Culprit,
    /// The defect of the object, as a sentence.
    pub why: String,
    /// The remedy, as a sentence.
    pub remedy: String,
}

/// The kind and name of an object that blocks a namespace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Culprit {
    /// A Subscription of the namespace, by name.
    Subscription(String),
    /// A ClusterServiceVersion of the namespace.
    Csv(BundleName),
    /// A CatalogSource, as `namespace/name`.
    Catalog(CatalogName),
    /// A bundle of a catalog.
    Bundle(BundleId),
}

/// Returns the objects that block the namespace, without duplicates. The order is the order in
/// which OLM reports the problems.
pub(crate) fn blames(
    refusal: &Unresolvable,
    state: &State<'_>,
    table: &EntryTable<'_>,
    sources: &[Source<'_>],
) -> Vec<Blame> {
    let mut blames: Vec<Blame> = match refusal {
        Unresolvable::Unsatisfiable(reasons) => {
            let blames = reasons.iter();
            let blames = blames.filter_map(|each| of_reason(each, reasons, state, sources));
            blames.collect()
        }
        Unresolvable::Errors(hindrances) => {
            let blames = hindrances.iter();
            blames
                .filter_map(|each| of_hindrance(each, state, table))
                .collect()
        }
    };
    let mut seen = Vec::new();
    blames.retain(|blame| {
        let is_new = !seen.contains(blame);
        seen.push(blame.clone());
        is_new
    });
    blames
}

fn of_reason(
    reason: &Reason,
    all: &[Reason],
    state: &State<'_>,
    sources: &[Source<'_>],
) -> Option<Blame> {
    match reason {
        Reason::NothingFound {
            subscription,
            missing,
        } => Some(of_missing(subscription, missing, state, sources)),
        Reason::BundleRequires {
            bundle,
            requirement,
        } => Some(of_requirement(bundle, requirement, all)),
        Reason::Unreferenced { csv } => Some(of_unreferenced(csv, state)),
        Reason::Deprecated { bundle } => Some(Blame {
            culprit: culprit(bundle),
            why: format!(
                "The property olm.deprecated prevents the installation of {}.",
                bundle.bundle
            ),
            remedy: "Choose a channel or a startingCSV that leads to another bundle.".to_owned(),
        }),
        Reason::SubscriptionRequires { subscription, .. } => {
            let what = all.iter().find_map(Reason::contested)?;
            Some(of_rivalry(subscription, &what))
        }
        Reason::SubscriptionExists { .. }
        | Reason::Conflict { .. }
        | Reason::OnePackage { .. }
        | Reason::OneProvider { .. } => None,
    }
}

fn culprit(bundle: &BundleId) -> Culprit {
    match bundle.origin {
        Origin::Installed(_) => Culprit::Csv(bundle.bundle.clone()),
        Origin::Offered { .. } => Culprit::Bundle(bundle.clone()),
    }
}

fn of_missing(
    subscription: &str,
    missing: &Missing,
    state: &State<'_>,
    sources: &[Source<'_>],
) -> Blame {
    let blame = |why: String, remedy: &str| Blame {
        culprit: Culprit::Subscription(subscription.to_owned()),
        why,
        remedy: remedy.to_owned(),
    };
    match missing {
        Missing::Catalog(catalog) => {
            let is_there = sources.iter().any(|source| source.name == *catalog);
            let is_near = catalog.namespace() == Some(state.name());
            let why = match (is_there, is_near) {
                (false, _) => {
                    format!("The Subscription names catalog {catalog}, which does not exist.")
                }
                (true, true) => {
                    format!("The Subscription names catalog {catalog}, which is empty.")
                }
                (true, false) => format!(
                    "The Subscription names catalog {catalog}, which is empty or not visible in \
                     namespace {}.",
                    state.name()
                ),
            };
            blame(
                why,
                "Correct spec.source and spec.sourceNamespace, or delete the Subscription.",
            )
        }
        Missing::Package(package) => blame(
            format!("The catalog of the Subscription has no package {package}."),
            "Correct spec.name or spec.source, or delete the Subscription.",
        ),
        Missing::Channel { package, channel } => blame(
            format!(
                "Package {package} has no channel {channel} in the catalog of the \
                     Subscription."
            ),
            "Correct spec.channel, or delete the Subscription.",
        ),
        Missing::Start { start, .. } => blame(
            format!(
                "The channel of the Subscription has no bundle {start}, which is its \
                     startingCSV."
            ),
            "Correct or remove spec.startingCSV.",
        ),
    }
}

fn of_requirement(bundle: &BundleName, requirement: &str, all: &[Reason]) -> Blame {
    let named = all.iter().flat_map(Reason::bundles);
    let mut named = named.filter(|id| id.bundle == *bundle);
    let is_installed =
        |reason: &Reason| matches!(reason, Reason::Unreferenced { csv } if csv == bundle);
    let culprit = match named.next() {
        Some(id) if !all.iter().any(is_installed) => culprit(id),
        _ => Culprit::Csv(bundle.clone()),
    };
    Blame {
        culprit,
        why: format!(
            "{bundle} requires an operator {requirement}, but no visible catalog has such an \
             operator that can be installed together with the other operators."
        ),
        remedy: "Make a catalog with the required operator visible in the namespace, or choose \
                 another bundle."
            .to_owned(),
    }
}

fn of_unreferenced(csv: &BundleName, state: &State<'_>) -> Blame {
    let culprit = Culprit::Csv(csv.clone());
    match state.successor(csv) {
        Some(next) if next.phase == Phase::Failed => Blame {
            culprit: Culprit::Csv(next.name.clone()),
            why: format!(
                "{} has failed while it was replacing {csv}, so {csv} is kept.",
                next.name
            ),
            remedy: format!(
                "Repair {}, or delete this ClusterServiceVersion and its \
                             Subscription.",
                next.name
            ),
        },
        Some(next) => Blame {
            culprit,
            why: format!(
                "{} is replacing {csv} and is in phase {}. OLM resolves nothing until OLM has \
                 deleted {csv}.",
                next.name, next.phase
            ),
            remedy: format!("Wait until {} has succeeded.", next.name),
        },
        None => Blame {
            culprit,
            why: format!(
                "{csv} is installed, but no Subscription names this ClusterServiceVersion in \
                 status.installedCSV."
            ),
            remedy: format!("Delete the ClusterServiceVersion {csv}; OLM does not adopt it."),
        },
    }
}

fn of_rivalry(subscription: &str, what: &str) -> Blame {
    Blame {
        culprit: Culprit::Subscription(subscription.to_owned()),
        why: format!(
            "The Subscription requires {what}, but a namespace can have only one such operator."
        ),
        remedy: "Keep only one of these operators, or move the other operator to another \
                 namespace."
            .to_owned(),
    }
}

fn of_hindrance(hindrance: &Hindrance, state: &State<'_>, table: &EntryTable<'_>) -> Option<Blame> {
    Some(match hindrance {
        Hindrance::Catalog { name, why } => {
            let users = state
                .subscriptions
                .iter()
                .filter(|each| each.catalog == *name);
            let users = match users.count() {
                0 => "no Subscription of the namespace names this catalog".to_owned(),
                users => format!("{users} Subscriptions of the namespace name this catalog"),
            };
            Blame {
                culprit: Culprit::Catalog(name.clone()),
                why: format!(
                    "The catalog does not answer ({why}). OLM queries all visible catalogs, and \
                     {users}."
                ),
                remedy: format!("Repair or delete the CatalogSource {name}."),
            }
        }
        Hindrance::Channel {
            package, channel, ..
        } => {
            let entry = table.entries.iter().find(|entry| {
                entry.package() == package.as_ref() && entry.channel == channel.as_ref()
            });
            let id = entry.map(|entry| table.id(entry));
            let culprit = id.map(|id| match id.origin {
                Origin::Offered { catalog, .. } => Culprit::Catalog(catalog),
                Origin::Installed(_) => Culprit::Csv(id.bundle),
            });
            Blame {
                culprit: culprit?,
                why: "OLM cannot put the entries of the channel in one order.".to_owned(),
                remedy: "Correct the channel in the catalog, or select another channel in the \
                         Subscription."
                    .to_owned(),
            }
        }
        Hindrance::Requirement { bundle, what } => Blame {
            culprit: culprit(bundle),
            why: format!(
                "{} has a requirement that cannot be read: {what}.",
                bundle.bundle
            ),
            remedy: "Correct the bundle in its catalog.".to_owned(),
        },
    })
}
