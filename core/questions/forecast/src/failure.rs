//! The reason why OLM cannot resolve a namespace: the text of OLM, and an explanation by Portolan.

mod blame;
mod reason;

use std::collections::BTreeSet;
use std::fmt;

use portolan_core_names::{BundleName, CatalogName, ChannelName, PackageName};

pub(crate) use self::blame::blames;
pub use self::blame::{Blame, Culprit};
pub use self::reason::{BundleId, Missing, Origin, Reason};

/// The forecast that OLM cannot resolve a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The error that OLM reports in the condition `ResolutionFailed` of every Subscription.
    pub refusal: Unresolvable,
    /// The objects that block the whole namespace, each with a remedy.
    pub blames: Vec<Blame>,
}

/// The error that OLM reports. `Display` formats the same text as OLM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unresolvable {
    /// The constraints contradict each other. Contains a minimal set of reasons, sorted by text:
    /// without any one of these reasons, this set would not be contradictory. If several such sets
    /// exist, OLM reports one of them arbitrarily.
    Unsatisfiable(Vec<Reason>),
    /// An object is unusable, and OLM retries the resolution forever. Contains at least one
    /// obstacle.
    Errors(Vec<Hindrance>),
}

/// An obstacle that makes the resolution fail.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hindrance {
    /// A catalog that is visible in the namespace cannot be queried. OLM fails even if no
    /// Subscription uses this catalog.
    Catalog {
        /// The catalog that cannot be queried.
        name: CatalogName,
        /// The reason why the catalog cannot be queried.
        why: String,
    },
    /// OLM cannot order the entries of a channel.
    Channel {
        /// The package. None if the package of an installed operator is unknown.
        package: Option<PackageName>,
        /// The channel. None for installed operators.
        channel: Option<ChannelName>,
        /// The defect of the channel.
        shape: Shape,
    },
    /// OLM cannot parse a requirement of a bundle. The text of this error differs from OLM's text.
    Requirement {
        /// The bundle with the requirement.
        bundle: BundleId,
        /// The reason why OLM cannot parse the requirement.
        what: String,
    },
}

/// A defect of a channel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// The channel has no head, because every entry is replaced or skipped.
    NoHead,
    /// The `replaces` fields form a cycle: following them from the head leads back to an earlier
    /// entry.
    Cycle {
        /// The head of the channel.
        head: BundleName,
    },
    /// The channel has several heads. Contains the first and the last entry of each head's chain.
    /// None stands for a chain whose entries are all skipped.
    Chains(Vec<Option<(BundleName, BundleName)>>),
}

// === impl Unresolvable ===

impl Unresolvable {
    /// Returns the reason of the condition that OLM sets.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Unsatisfiable(_) => "ConstraintsNotSatisfiable",
            Self::Errors(_) => "ErrorPreventedResolution",
        }
    }
}

impl fmt::Display for Unresolvable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (opening, texts, closing) = match self {
            Self::Unsatisfiable(reasons) => {
                let texts: Vec<_> = reasons.iter().map(ToString::to_string).collect();
                ("constraints not satisfiable: ", texts, "")
            }
            Self::Errors(hindrances) => {
                let mut seen = BTreeSet::new();
                let texts = hindrances.iter().map(ToString::to_string);
                let texts: Vec<_> = texts.filter(|text| seen.insert(text.clone())).collect();
                match texts.len() {
                    1 => ("", texts, ""),
                    _ => ("[", texts, "]"),
                }
            }
        };
        write!(f, "{opening}{}{closing}", texts.join(", "))
    }
}

// === impl Hindrance ===

impl fmt::Display for Hindrance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Catalog { name, why } => write!(f, "error using catalogsource {name}: {why}"),
            Self::Channel {
                package,
                channel,
                shape,
            } => {
                let channel = channel.as_ref().map_or("", ChannelName::as_str);
                let package = package.as_ref().map_or("", PackageName::as_str);
                let place = format!("in channel {channel:?} of package {package:?}");
                shape.write(f, &place)
            }
            Self::Requirement { bundle, what } => write!(f, "bundle {}: {what}", bundle.bundle),
        }
    }
}

// === impl Shape ===

impl Shape {
    fn write(&self, f: &mut fmt::Formatter<'_>, place: &str) -> fmt::Result {
        match self {
            Self::NoHead => write!(
                f,
                "no channel heads (entries not replaced by another entry) found {place}"
            ),
            Self::Cycle { head } => {
                let head = head.as_str();
                let opening = "a cycle exists in the chain of replacement beginning with";
                write!(f, "{opening} {head:?} {place}")
            }
            Self::Chains(chains) => {
                let texts: Vec<_> = chains.iter().map(chain).collect();
                write!(
                    f,
                    "a unique replacement chain within a channel is required to determine the \
                     relative order between channel entries, but {} replacement chains were \
                     found {place}: {}",
                    chains.len(),
                    texts.join(", ")
                )
            }
        }
    }
}

fn chain(ends: &Option<(BundleName, BundleName)>) -> String {
    match ends {
        None => "[]".to_owned(),
        Some((first, last)) if first == last => first.to_string(),
        Some((first, last)) => format!("{first}...{last}"),
    }
}
