//! The label that marks the components of an Operator.

use std::collections::BTreeSet;

use portolan_core_olm::{COMPONENT, cut_component};

/// Returns the label key of the Operator with this name. Long names are truncated as OLM (v0.46)
/// truncates them.
pub fn label_key(operator: &str) -> String {
    format!("{}{}", COMPONENT.name(), cut_component(operator))
}

/// Returns the part after the slash of each key that is a component label.
pub fn suffixes<'k>(keys: impl IntoIterator<Item = &'k str>) -> BTreeSet<String> {
    let keys = keys.into_iter();
    let suffixes = keys.filter_map(|key| key.strip_prefix(COMPONENT.name()));
    suffixes.map(str::to_owned).collect()
}
