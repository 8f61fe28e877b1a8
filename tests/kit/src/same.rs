//! Assertions that compare whole values.

/// Panics with a line-by-line diff if two values differ.
///
/// The values must implement `PartialEq` and `Debug`. `assert_same!(json: a, b)` instead compares
/// the values as JSON with sorted keys.
///
/// ```
/// use portolan_kit::assert_same;
/// use serde_json::json;
///
/// assert_same!(vec![1, 2], [1, 2]);
/// assert_same!(json: json!({"b": 1, "a": 2}), json!({"a": 2, "b": 1}));
/// ```
#[macro_export]
macro_rules! assert_same {
    (json: $actual:expr, $expected:expr $(,)?) => {
        $crate::similar_asserts::assert_eq!(
            actual: $crate::sorted_json(&$actual),
            expected: $crate::sorted_json(&$expected)
        )
    };
    ($actual:expr, $expected:expr $(,)?) => {
        $crate::similar_asserts::assert_eq!(actual: $actual, expected: $expected)
    };
}

/// Returns a value as JSON with sorted keys. Each field is on its own line.
///
/// # Panics
/// Panics if the value has no JSON form, such as a map with keys that are not text.
pub fn sorted_json(value: &impl serde::Serialize) -> String {
    let mut value = serde_json::to_value(value).expect("a compared value must have a JSON form");
    // The order must be set here: another crate may enable the feature of serde_json that keeps the
    // insertion order of keys.
    value.sort_all_objects();
    format!("{value:#}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn equal_values_pass() {
        assert_same!(vec!["a"], ["a"]);
        assert_same!(json: json!({"b": [1], "a": null}), json!({"a": null, "b": [1]}));
    }

    #[test]
    #[should_panic(expected = "assertion failed")]
    fn different_values_fail() {
        assert_same!(vec!["a"], ["b"]);
    }

    #[test]
    #[should_panic(expected = "\"a\": 2")]
    fn different_json_shows_the_line() {
        assert_same!(json: json!({"a": 1}), json!({"a": 2}));
    }
}
