//! Which catalog a package comes from.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::nearest;
use portolan_core_names::text::listed;

/// The catalogs that have a package, by package.
pub type Offers = BTreeMap<String, Vec<Offer>>;

/// A catalog that has a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offer {
    /// The name, with its namespace if it has one.
    pub catalog: String,
    pub priority: i32,
    /// The channels of the package; None where nobody has asked for them.
    pub channels: Option<BTreeSet<String>>,
}

/// The catalog of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    Catalog(String),
    /// None has it.
    None,
    /// Several have it, and none comes first.
    Ambiguous(String),
    /// It has no such channel.
    UnknownChannel(String),
}

impl Choice {
    /// The catalog with the highest priority, if it is only one.
    pub fn of(offers: &Offers, package: &str, channels: &BTreeSet<String>) -> Self {
        let all = offers.get(package).map(Vec::as_slice).unwrap_or_default();
        let Some(highest) = all.iter().map(|offer| offer.priority).max() else {
            return Self::None;
        };
        let first: Vec<_> = all
            .iter()
            .filter(|offer| offer.priority == highest)
            .collect();
        let [only] = first[..] else {
            let names = first.iter().map(|offer| &offer.catalog);
            return Self::Ambiguous(format!(
                "{} have the package with the same priority; give one of them a higher one",
                listed(names)
            ));
        };
        let Some(known) = &only.channels else {
            return Self::Catalog(only.catalog.clone());
        };
        match channels.difference(known).next() {
            Some(unknown) => {
                let hint = match nearest(unknown.as_str(), known.iter()) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("it has {}", listed(known)),
                };
                Self::UnknownChannel(format!(
                    "catalog {} has no channel {unknown} of the package; {hint}",
                    only.catalog
                ))
            }
            None => Self::Catalog(only.catalog.clone()),
        }
    }
}
