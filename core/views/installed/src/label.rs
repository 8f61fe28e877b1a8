//! The labels of Installed objects.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use portolan_core_olm::COPIED_FROM;
use sha2::{Digest, Sha256};

use crate::original::{Csv, Subscription};

/// The label with the name of the ClusterServiceVersion.
pub const CSV: &str = "operators.coreos.com/csv";
/// The label with the name of the Subscription. An operator without a Subscription does not have
/// it.
pub const SUBSCRIPTION: &str = "operators.coreos.com/sub";
/// The label with which OLM finds the objects that it created. An Installed must not have it.
const MANAGED: &str = "olm.managed";

/// The maximum length of the value of a label.
const LONGEST: usize = 63;
/// The number of bytes that are kept from a name that is too long.
const KEPT: usize = LONGEST - 1 - 2 * HASHED;
/// The number of bytes of the hash that is added to a name that is too long.
const HASHED: usize = 5;

/// Returns a name as a label value. If the name is too long, it is truncated, and a hash of the
/// whole name is added. The whole name of an operator is in `metadata.name`.
///
/// ```
/// use portolan_core_installed::label_value;
///
/// assert_eq!(label_value("ferry.v1.0.0"), "ferry.v1.0.0");
/// assert_eq!(label_value(&"f".repeat(64)).len(), 63);
/// ```
pub fn label_value(name: &str) -> String {
    let Some(kept) = name.get(..KEPT).filter(|_| name.len() > LONGEST) else {
        return name.to_owned();
    };
    let mut value = kept.to_owned();
    value.push('-');
    for byte in &Sha256::digest(name)[..HASHED] {
        // Writing to a String cannot fail.
        let _ = write!(value, "{byte:02x}");
    }
    value
}

/// Returns the labels of an operator's Installed objects: the labels of its Subscription and of its
/// ClusterServiceVersion, and labels with the names of both. Labels of the ClusterServiceVersion
/// take precedence.
pub(crate) fn labels(csv: &Csv, subscription: Option<&Subscription>) -> BTreeMap<String, String> {
    let mut labels = subscription.map(|subscription| subscription.labels.clone());
    let labels_of_all = labels.get_or_insert_default();
    labels_of_all.extend(csv.labels.clone());
    labels_of_all.remove(MANAGED);
    labels_of_all.remove(COPIED_FROM.name());
    labels_of_all.insert(CSV.to_owned(), label_value(&csv.key.name));
    match subscription {
        Some(Subscription { key, .. }) => {
            labels_of_all.insert(SUBSCRIPTION.to_owned(), label_value(&key.name));
        }
        // The ClusterServiceVersion may have this label, but the operator has no Subscription.
        None => {
            labels_of_all.remove(SUBSCRIPTION);
        }
    }
    labels.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::as_long_as_may_be(&"a".repeat(63), &"a".repeat(63))]
    #[case::too_long(
        "a-ferry-with-a-name-that-goes-on-and-on-across-the-whole-of-the-harbor.v1.0.0",
        "a-ferry-with-a-name-that-goes-on-and-on-across-the-w-febc4ba875"
    )]
    fn long_name_is_truncated_to_a_valid_label_value(#[case] name: &str, #[case] value: &str) {
        assert_eq!(label_value(name), value);
    }

    #[test]
    fn truncated_names_with_same_prefix_have_different_label_values() {
        let [one, other] = ["a", "b"].map(|end| label_value(&("x".repeat(70) + end)));
        assert_ne!(one, other);
    }
}
