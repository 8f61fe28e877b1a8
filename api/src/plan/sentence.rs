//! Sentences of a status that programs act on: how each is written, and how it is found again in what was said.

use serde_json::{Deserializer, Value};

use super::ENABLED;

const LACKS: &str = " lacks rules, ";
const IN_CLUSTER: &str = "in the cluster: ";
const IN_NAMESPACE: &str = "in namespace ";
const BETWEEN_RULES: &str = "; ";
const LIES_IN: &str = "lies in the namespace ";
const NOT_THERE: &str = ", which is not there";
const BELONGS_TO: &str = "belongs to ";
const HELD_BY: &str = "held by ";

/// A rule of a role, and the namespace that it is to hold in; None for the whole cluster.
pub type PlacedRule = (Option<String>, Value);

/// A rule in JSON, behind where it is to hold.
pub fn placed_rule(namespace: Option<&str>, rule: &str) -> String {
    match namespace {
        Some(namespace) => format!("{IN_NAMESPACE}{namespace}: {rule}"),
        None => format!("{IN_CLUSTER}{rule}"),
    }
}

/// That a ServiceAccount lacks rules, each as of [`placed_rule`].
pub fn lacks_rules(account: &str, rules: &[String]) -> String {
    format!(
        "the ServiceAccount {account}{LACKS}{}",
        rules.join(BETWEEN_RULES)
    )
}

/// The rules that are lacking; None where none are named, or one was cut off.
pub fn lacking_rules(said: &str) -> Option<Vec<PlacedRule>> {
    let (_, mut text) = said.split_once(LACKS)?;
    let mut found = Vec::new();
    loop {
        let (place, rest) = if let Some(rest) = text.strip_prefix(IN_CLUSTER) {
            (None, rest)
        } else {
            let (place, rest) = text.strip_prefix(IN_NAMESPACE)?.split_once(": ")?;
            (Some(place.to_owned()), rest)
        };
        let mut rules = Deserializer::from_str(rest).into_iter::<Value>();
        found.push((place, rules.next()?.ok()?));
        match rest[rules.byte_offset()..].strip_prefix(BETWEEN_RULES) {
            Some(more) => text = more,
            // What follows the rules is a sentence of its own.
            None => return Some(found),
        }
    }
}

/// That plans of a namespace may not act as its ServiceAccounts.
pub fn lacks_label() -> String {
    format!(
        "plans of this namespace may not act as its ServiceAccounts; label the namespace {}=true",
        ENABLED.name()
    )
}

/// Whether the label of a namespace is missing, and not the binding of the controller.
pub fn is_label_lacking(said: &str) -> bool {
    said.contains(ENABLED.name())
}

/// That an object lies in a namespace that is not there.
pub fn lies_in_missing(namespace: &str) -> String {
    format!("{LIES_IN}{namespace}{NOT_THERE}")
}

/// The namespace that is not there.
pub fn missing_namespace(said: &str) -> Option<&str> {
    let (_, behind) = said.split_once(LIES_IN)?;
    let (namespace, _) = behind.split_once(NOT_THERE)?;
    Some(namespace)
}

/// That an object belongs to somebody.
pub fn belongs_to(owner: &str) -> String {
    format!("{BELONGS_TO}{owner}")
}

/// Whether an object belongs to somebody.
pub fn is_claimed(said: &str) -> bool {
    said.contains(BELONGS_TO)
}

/// That finalizers hold an object that is being deleted.
pub fn held_by(finalizers: &str) -> String {
    format!("{HELD_BY}{finalizers}")
}

/// Whether finalizers hold an object.
pub fn is_held(said: &str) -> bool {
    said.contains(HELD_BY)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn rule() -> impl Strategy<Value = PlacedRule> {
        let text = "[ -~]{0,12}";
        let verbs = proptest::collection::vec(text, 1..4);
        let place = proptest::option::of("[a-z][a-z0-9-]{0,9}");
        (place, text, verbs).prop_map(|(place, resource, verbs)| {
            let rule = json!({"apiGroups": [""], "resources": [resource], "verbs": verbs});
            (place, rule)
        })
    }

    proptest! {
        #[test]
        fn rules_are_found_as_they_were_written(
            rules in proptest::collection::vec(rule(), 1..5),
            behind in prop_oneof![Just(""), Just(". The rights are too many to be asked for")],
        ) {
            let written = rules.iter();
            let written = written.map(|(place, rule)| placed_rule(place.as_deref(), &rule.to_string()));
            let said = lacks_rules("installer", &written.collect::<Vec<_>>());
            prop_assert_eq!(lacking_rules(&format!("{said}{behind}")), Some(rules));
        }
    }

    #[test]
    fn rules_that_are_cut_off_are_none() {
        let rule = placed_rule(None, r#"{"verbs":["get"]}"#);
        let said = lacks_rules("installer", &[rule.clone(), rule]);
        assert_eq!(lacking_rules(&said[..said.len() - 3]), None);
        assert_eq!(lacking_rules("it may do all that it needs"), None);
    }

    #[test]
    fn what_is_written_is_found() {
        let said = format!("ConfigMap pier/a {}", lies_in_missing("pier"));
        assert_eq!(missing_namespace(&said), Some("pier"));
        assert_eq!(missing_namespace("a lies in the namespace pier"), None);
        let said = format!("a is there already, and {}", belongs_to("the Foo bar"));
        assert!(is_claimed(&said) && !is_claimed("a is there already"));
        let said = format!("is being deleted, {}", held_by("a/b"));
        assert!(is_held(&said) && !is_held("is being deleted"));
        assert!(is_label_lacking(&lacks_label()));
    }
}
