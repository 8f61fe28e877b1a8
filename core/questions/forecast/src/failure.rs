//! The reason why OLM cannot resolve a namespace: OLM's text, and an explanation.

mod blame;
mod reason;

use std::collections::BTreeSet;
use std::fmt;

use portolan_core_names::{BundleName, CatalogName, ChannelName, PackageName};

pub(crate) use self::blame::blames;
pub use self::blame::{Blame, Culprit};
pub use self::reason::{BundleId, Missing, Origin, Reason};

/// A namespace that OLM cannot resolve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The error that OLM reports as the condition `ResolutionFailed` of every Subscription.
    pub refusal: Unresolvable,
    /// The objects that block the whole namespace, with remedies.
    pub blames: Vec<Blame>,
}

/// The error that OLM reports. `Display` formats OLM's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unresolvable {
    /// The constraints contradict each other. Contains the reasons, sorted by text. Without any one
    /// of these reasons, the contradiction would disappear. If several such sets exist, OLM reports
    /// an arbitrary set.
    Unsatisfiable(Vec<Reason>),
    /// An object is unusable, and OLM retries forever. Contains at least one obstacle.
    Errors(Vec<Hindrance>),
}

/// An obstacle to the resolution.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hindrance {
    /// A catalog that is visible in the namespace cannot be queried. OLM fails even if no
    /// Subscription uses this catalog.
    Catalog {
        /// The catalog.
        name: CatalogName,
        /// The reason.
        why: String,
    },
    /// The entries of a channel cannot be ordered. The channel is None for installed operators.
    Channel {
        /// The package.
        package: Option<PackageName>,
        /// The channel.
        channel: Option<ChannelName>,
        /// The defect of the channel.
        shape: Shape,
    },
    /// OLM cannot parse a requirement. The text differs from OLM's text.
    Requirement {
        /// The bundle with the requirement.
        bundle: BundleId,
        /// The requirement, and the reason why it cannot be parsed.
        what: String,
    },
}

/// A defect of a channel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// Every entry is replaced or skipped.
    NoHead,
    /// Following `replaces` from the head returns to an earlier entry.
    Cycle {
        /// The head.
        head: BundleName,
    },
    /// The channel has several heads. Contains the first and last entry of each chain, and None for
    /// a chain whose entries are all skipped.
    Chains(Vec<Option<(BundleName, BundleName)>>),
}

// === impl Unresolvable ===

impl Unresolvable {
    /// Returns the reason of the condition.
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
