//! The label of components.

use std::collections::BTreeSet;

use portolan_core_olm::{COMPONENT, cut_component};

/// Returns the label key of the Operator with this name. Long names are truncated in the same way
/// as by OLM (v0.46).
pub fn label_key(operator: &str) -> String {
    format!("{}{}", COMPONENT.name(), cut_component(operator))
}

/// Returns the part after the slash of each component label key.
pub fn suffixes<'k>(keys: impl IntoIterator<Item = &'k str>) -> BTreeSet<String> {
    let keys = keys.into_iter();
    let suffixes = keys.filter_map(|key| key.strip_prefix(COMPONENT.name()));
    suffixes.map(str::to_owned).collect()
}
