//! Selects the catalog from which a package is installed.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::operator::Intent;
use portolan_core_names::nearest;
use portolan_core_names::text::listed;

/// The catalogs that contain each package.
pub type Offers = BTreeMap<String, Vec<Offer>>;

/// A catalog that contains a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offer {
    /// The name of the catalog, with its namespace if it has one.
    pub catalog: String,
    pub priority: i32,
    pub labels: BTreeMap<String, String>,
    /// The channels of the package. None if they were not requested.
    pub channels: Option<BTreeSet<String>>,
}

/// The catalog of a package, or the reason why no catalog can be selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    Catalog(String),
    /// No catalog contains the package.
    None,
    /// The Operator accepts none of the catalogs that contain the package. The text is the message
    /// for the user.
    NotSelected(String),
    /// Several catalogs with the same priority contain the package. The text is the message for the
    /// user.
    Ambiguous(String),
    /// The package does not have the requested channel. The text is the message for the user.
    UnknownChannel(String),
}

impl Choice {
    fn nothing_of(offers: &[Offer]) -> Self {
        if offers.is_empty() {
            return Self::None;
        }
        let names = offers.iter().map(|offer| &offer.catalog);
        let verb = if offers.len() == 1 { "has" } else { "have" };
        Self::NotSelected(format!(
            "{} {verb} the package, but spec.catalogSelector selects none of these catalogs",
            listed(names)
        ))
    }

    /// Selects the catalog with the highest priority among the catalogs that the Operator accepts.
    /// The result contains the reason if there is no such catalog, or if several catalogs have this
    /// priority.
    pub fn of(offers: &Offers, package: &str, intent: Option<&Intent>) -> Self {
        let all = offers.get(package).map(Vec::as_slice).unwrap_or_default();
        let mut taken: Vec<_> = all.iter().collect();
        taken.retain(|offer| intent.is_none_or(|intent| intent.may_come_from(&offer.labels)));
        let Some(highest) = taken.iter().map(|offer| offer.priority).max() else {
            return Self::nothing_of(all);
        };
        let first: Vec<_> = taken
            .into_iter()
            .filter(|offer| offer.priority == highest)
            .collect();
        let channels: BTreeSet<_> = intent.map(Intent::channel_names).unwrap_or_default();
        let [only] = first[..] else {
            let names = first.iter().map(|offer| &offer.catalog);
            return Self::Ambiguous(format!(
                "{} have the package with the same priority; give one of the catalogs a higher \
                 priority",
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
                    None => format!("existing channels: {}", listed(known)),
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
