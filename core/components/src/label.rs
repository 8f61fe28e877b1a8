//! The label that components carry.

use std::collections::BTreeSet;

use portolan_core_olm::{COMPONENT, LONGEST_COMPONENT};

/// The key of the label of the Operator with this name, cut as OLM cuts it (v0.46).
pub fn label_key(operator: &str) -> String {
    format!("{}{}", COMPONENT.name(), suffix(operator))
}

/// What stands behind the slash: OLM cuts off what is too long, and signs that then would be last.
pub fn suffix(operator: &str) -> &str {
    match operator.get(..LONGEST_COMPONENT) {
        Some(cut) if operator.len() > LONGEST_COMPONENT => cut.trim_end_matches(['.', '_', '-']),
        Some(_) | None => operator,
    }
}

/// What stands behind the slash of each label of components among the keys of labels.
pub fn suffixes<'k>(keys: impl IntoIterator<Item = &'k str>) -> BTreeSet<String> {
    let keys = keys.into_iter();
    let suffixes = keys.filter_map(|key| key.strip_prefix(COMPONENT.name()));
    suffixes.map(str::to_owned).collect()
}
