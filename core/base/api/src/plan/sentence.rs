//! Sentences of a status that programs act on: how each is written, and how it is found again in what was said.

use super::ENABLED;

const IN_CLUSTER: &str = "in the cluster: ";
const IN_NAMESPACE: &str = "in namespace ";
const LIES_IN: &str = "lies in the namespace ";
const NOT_THERE: &str = ", which is not there";
const BELONGS_TO: &str = "belongs to ";
const HELD_BY: &str = "held by ";

/// A rule in JSON, behind where it is to hold.
pub fn placed_rule(namespace: Option<&str>, rule: &str) -> String {
    match namespace {
        Some(namespace) => format!("{IN_NAMESPACE}{namespace}: {rule}"),
        None => format!("{IN_CLUSTER}{rule}"),
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
    use super::*;

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
