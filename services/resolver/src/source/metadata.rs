//! What people see of a ClusterServiceVersion, in one form wherever it was read.

use serde_json::Value;

/// The value of an `olm.csv.metadata` with its keys sorted, without those that say nothing: opm
/// writes some of them whether or not the author did.
pub(super) fn plain(json: &str) -> String {
    match serde_json::from_str(json) {
        Ok(Value::Object(all)) => {
            let said = all.into_iter().filter(|(_, value)| !is_empty(value));
            Value::Object(said.collect()).to_string()
        }
        // The reader of catalogs takes nothing else for metadata.
        Ok(_) | Err(_) => json.to_owned(),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(_) | Value::Number(_) => false,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    #[rstest]
    #[case::what_says_nothing_is_left_out(
        r#"{"provider": {}, "links": [], "displayName": "", "labels": null, "maturity": "alpha"}"#,
        r#"{"maturity":"alpha"}"#
    )]
    #[case::what_is_below_stays(
        r#"{"provider": {"url": "", "name": "x"}, "keywords": [""]}"#,
        r#"{"keywords":[""],"provider":{"name":"x","url":""}}"#
    )]
    #[case::nothing(" { } ", "{}")]
    #[case::no_metadata("[]", "[]")]
    fn metadata_in_one_form(#[case] written: &str, #[case] plain: &str) {
        assert_eq!(super::plain(written), plain);
    }
}
