//! Whose fields are whose.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use serde_json::Map;

/// The name under which the established controller of policies writes.
pub const ESTABLISHED: &str = "config-policy-controller";

/// Whether an entry of the managed fields of an object owns the field at the end of these names.
pub fn owns<N: AsRef<str>>(entry: &ManagedFieldsEntry, path: &[N]) -> bool {
    let Some(fields) = &entry.fields_v1 else {
        return false;
    };
    let mut fields = &fields.0;
    for (depth, name) in path.iter().enumerate() {
        match fields.get(format!("f:{}", name.as_ref())) {
            Some(below) => fields = below,
            // Who owns a field and nothing in it owns all of it.
            None => return depth > 0 && fields.as_object().is_some_and(Map::is_empty),
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::it_names_the_field(&["spec", "channel"], true)]
    #[case::it_owns_all_that_is_above(&["spec", "config", "env"], true)]
    #[case::it_names_another_field(&["spec", "source"], false)]
    #[case::it_names_nothing_there(&["metadata", "labels"], false)]
    fn an_entry_owns_a_field(#[case] path: &[&str], #[case] expected: bool) {
        let fields = json!({"f:spec": {"f:channel": {}, "f:config": {}}});
        let entry = json!({"manager": "olm", "operation": "Update", "fieldsV1": fields});
        let entry = serde_json::from_value(entry).expect("an entry");
        assert_eq!(owns(&entry, path), expected);
    }
}
