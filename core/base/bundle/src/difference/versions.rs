//! Computes the added and removed versions of a CRD.

use std::collections::BTreeSet;
use std::fmt;

use portolan_core_names::text::{Instead, harmless};
use serde_json::Value as Json;

use super::crd::{served, versions};
use crate::typed::shortened;

/// The changes of the versions of a CRD.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Versions {
    /// The versions that only the new CRD serves.
    pub added: Vec<String>,
    /// The versions that only the old CRD serves.
    pub removed: Vec<String>,
    /// The new storage version. None if it is unchanged.
    pub stored: Option<String>,
}

/// Returns the changes of the versions. Returns None if nothing changes.
pub(super) fn changed(old: &Json, new: &Json) -> Option<Versions> {
    let names = |crd| -> BTreeSet<String> {
        let served = served(crd).into_iter();
        served.map(|(name, _)| name.to_owned()).collect()
    };
    let (before, after) = (names(old), names(new));
    let changed = Versions {
        added: after.difference(&before).cloned().collect(),
        removed: before.difference(&after).cloned().collect(),
        stored: stored(new).filter(|name| stored(old).as_ref() != Some(name)),
    };
    Some(changed).filter(|changed| *changed != Versions::default())
}

fn stored(crd: &Json) -> Option<String> {
    let mut versions = versions(crd).into_iter();
    let stored = versions.find(|(_, version)| version["storage"] == true);
    stored.map(|(name, _)| name.to_owned())
}

/// Formats the changes, such as `v1beta1 is added, v1alpha1 is removed, v1beta1 is stored`.
impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            added,
            removed,
            stored,
        } = self;
        let said = |names: &[String], verb: &str| -> Vec<String> {
            let names = names.iter().map(|name| shortened(name));
            names.map(|name| format!("{name} {verb}")).collect()
        };
        let stored = stored.as_slice();
        let parts = [
            said(added, "is added"),
            said(removed, "is removed"),
            said(stored, "is stored"),
        ];
        // The author of the CRD chose these names, so harmful characters are escaped.
        f.write_str(&harmless(&parts.concat().join(", "), Instead::Escape))
    }
}
