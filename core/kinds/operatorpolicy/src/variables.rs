//! Prepares the environment variables of a config for messages, without values of Secrets.

use std::collections::BTreeMap;

use serde_json::Value;

/// The text that replaces a value that may come from a Secret.
const NOT_SHOWN: &str = "(not shown)";

/// Returns the current and the wanted config for display. For each variable in `secret`, the text
/// in `secret` replaces the wanted value. A current value that equals the wanted value is shown in
/// the same way. Any other current value is hidden, because it may come from a Secret.
#[must_use]
pub fn hidden(
    found: Option<&Value>,
    wanted: Option<&Value>,
    secret: &BTreeMap<String, String>,
) -> (Option<Value>, Option<Value>) {
    let values = values(wanted);
    let shown_found = found.cloned().map(|config| {
        with_values(config, |name, value| {
            let is_wanted = values.get(name).is_some_and(|wanted| *wanted == value);
            match secret.get(name) {
                Some(mark) if is_wanted => mark.clone().into(),
                None if is_wanted => value.clone(),
                Some(_) | None => NOT_SHOWN.into(),
            }
        })
    });
    let shown_wanted = wanted.cloned().map(|config| {
        with_values(config, |name, value| match secret.get(name) {
            Some(mark) => mark.clone().into(),
            None => value.clone(),
        })
    });
    (shown_found, shown_wanted)
}

/// Returns the values of the environment variables in a config, by name.
fn values(config: Option<&Value>) -> BTreeMap<&str, &Value> {
    let variables = config.and_then(|config| config.get("env"));
    let variables = variables.and_then(Value::as_array).into_iter().flatten();
    let named =
        variables.filter_map(|each| Some((each.get("name")?.as_str()?, each.get("value")?)));
    named.collect()
}

fn with_values(mut config: Value, shown: impl Fn(&str, &Value) -> Value) -> Value {
    let variables = config.get_mut("env").and_then(Value::as_array_mut);
    for variable in variables.into_iter().flatten() {
        let name = variable["name"].as_str().unwrap_or_default().to_owned();
        if let Some(value) = variable.get_mut("value") {
            *value = shown(&name, value);
        }
    }
    config
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn config(value: &str) -> Value {
        json!({"env": [{"name": "TOKEN", "value": value}, {"name": "REF", "valueFrom": {}}], "x": 1})
    }

    #[rstest]
    #[case::equal_values("a", "a", "<Secret>", "<Secret>")]
    #[case::different_values("a", "b", NOT_SHOWN, "<Secret>")]
    fn hides_values_from_a_secret(
        #[case] found: &str,
        #[case] wanted: &str,
        #[case] shown_found: &str,
        #[case] shown_wanted: &str,
    ) {
        let secret = [("TOKEN".to_owned(), "<Secret>".to_owned())].into();
        let shown = hidden(Some(&config(found)), Some(&config(wanted)), &secret);
        assert_eq!(
            shown,
            (Some(config(shown_found)), Some(config(shown_wanted)))
        );
    }

    /// The previous template may be another template than the current one, so its value is hidden.
    #[rstest]
    #[case::value_has_changed(Some("b"), NOT_SHOWN)]
    #[case::variable_was_removed(None, NOT_SHOWN)]
    #[case::value_is_unchanged(Some("a"), "a")]
    fn hides_previous_value_of_changed_template(#[case] wanted: Option<&str>, #[case] shown: &str) {
        let wanted = wanted.map(config);
        let (found, same) = hidden(Some(&config("a")), wanted.as_ref(), &BTreeMap::new());
        assert_eq!((found, same), (Some(config(shown)), wanted));
    }
}
