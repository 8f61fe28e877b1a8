//! The label that components carry.

use std::collections::BTreeSet;

use portolan_core_olm::{COMPONENT, cut_component};

/// The key of the label of the Operator with this name, cut as OLM cuts it (v0.46).
pub fn label_key(operator: &str) -> String {
    format!("{}{}", COMPONENT.name(), cut_component(operator))
}

/// Returns the part behind the slash of each label of components among the keys of labels.
pub fn suffixes<'k>(keys: impl IntoIterator<Item = &'k str>) -> BTreeSet<String> {
    let keys = keys.into_iter();
    let suffixes = keys.filter_map(|key| key.strip_prefix(COMPONENT.name()));
    suffixes.map(str::to_owned).collect()
}
