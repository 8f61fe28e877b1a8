//! The writes that the controller would make. Each write has the object before and after the write.

use std::collections::BTreeMap;

use portolan_core_names::{Gvk, ObjectRef};
use portolan_core_operatorpolicy::{Action, Step, Target, hidden};
use serde_json::{Value, json};

use crate::write::compile;

/// The path of the config in a Subscription. OLM passes this config to the operator.
const CONFIG: &str = "/spec/config";

/// A write that the controller would make.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The kind of change.
    pub verb: Verb,
    /// The object that would be written. None for the policy itself.
    pub object: Option<ObjectRef<Gvk>>,
    /// The type of the condition because of which the change is made.
    pub about: &'static str,
    action: Action,
    /// The values of secret environment variables, each with the text that is shown instead.
    secret: BTreeMap<String, String>,
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// An object is created.
    Create,
    /// Fields of an object are changed.
    Change,
    /// An InstallPlan is approved.
    Approve,
    /// An object is deleted.
    Delete,
    /// Portolan's finalizer is added to the policy, so that the policy is not deleted before its
    /// operator is removed.
    AddFinalizer,
    /// Portolan's finalizer is removed from the policy.
    RemoveFinalizer,
    /// The list of objects to remove is written into the status of the policy.
    WriteStatus,
}

// === impl Verb ===

impl Verb {
    /// Returns the name of the change, as an imperative.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Change => "change",
            Self::Approve => "approve",
            Self::Delete => "delete",
            Self::AddFinalizer => "hold",
            Self::RemoveFinalizer => "release",
            Self::WriteStatus => "record",
        }
    }
}

// === impl Change ===

impl Change {
    pub(super) fn of(step: &Step, secret: &BTreeMap<String, String>) -> Self {
        let (verb, object) = match &step.action {
            Action::Create(manifest) => (Verb::Create, Some(ObjectRef::versioned(manifest))),
            Action::Apply(manifest) => (Verb::Change, Some(ObjectRef::versioned(manifest))),
            Action::Replace { object, .. } => (Verb::Change, Some(target(object))),
            Action::Approve(plan) => (Verb::Approve, Some(target(plan))),
            Action::AdoptCsv { subscription, .. } => (Verb::Change, Some(target(subscription))),
            Action::Delete { object, .. } => (Verb::Delete, Some(target(object))),
            Action::AddFinalizer => (Verb::AddFinalizer, None),
            Action::RemoveFinalizer => (Verb::RemoveFinalizer, None),
            Action::WriteStatus => (Verb::WriteStatus, None),
        };
        Self {
            verb,
            object,
            about: step.type_.as_str(),
            action: step.action.clone(),
            secret: secret.clone(),
        }
    }

    /// Returns the object before and after the write. Secret values are hidden.
    pub fn shown(&self, before: Option<&Value>) -> (Option<Value>, Option<Value>) {
        let after = self.after(before);
        let config = |object: Option<&Value>| object?.pointer(CONFIG).cloned();
        let configs = [config(before), config(after.as_ref())];
        let (found, wanted) = hidden(configs[0].as_ref(), configs[1].as_ref(), &self.secret);
        let with = |object: Option<Value>, config: Option<Value>| {
            let mut object = object?;
            if let (Some(place), Some(config)) = (object.pointer_mut(CONFIG), config) {
                *place = config;
            }
            Some(object)
        };
        (with(before.cloned(), found), with(after, wanted))
    }

    /// Returns the expected object after the write. Returns None if the write deletes the object.
    /// `before` is the current object. Ignores fields that the API server adds.
    pub fn after(&self, before: Option<&Value>) -> Option<Value> {
        match compile(&self.action) {
            Ok(Some(write)) => write.after(before),
            Ok(None) | Err(_) => Some(before.cloned().unwrap_or_else(|| json!({}))),
        }
    }
}

fn target(target: &Target) -> ObjectRef<Gvk> {
    let kind = Gvk::new(target.api_version, target.kind);
    ObjectRef::new(kind, target.namespace.as_deref(), &target.name)
}

#[cfg(test)]
mod tests {
    use portolan_api::{ConditionType, Reason};
    use portolan_core_operatorpolicy::{Condition, ConditionReason, Status};
    use rstest::rstest;

    use super::*;

    fn change(action: Action) -> Change {
        let step = Step {
            action,
            type_: ConditionType::SubscriptionCompliant,
            done: Condition {
                type_: ConditionType::SubscriptionCompliant,
                status: Status::True,
                reason: ConditionReason::Ours(Reason::SubscriptionMatches),
                message: String::new(),
                violates: false,
                since: None,
            },
            related: Vec::new(),
        };
        let secret = [("TOKEN".to_owned(), "<Secret harbor/key token>".to_owned())];
        Change::of(&step, &secret.into())
    }

    fn ferry() -> Target {
        Target {
            api_version: "operators.coreos.com/v1alpha1",
            kind: "Subscription",
            namespace: Some("harbor".to_owned()),
            name: "ferry".to_owned(),
            uid: "1".to_owned(),
            resource_version: "7".to_owned(),
        }
    }

    fn replaced(field: &str, value: Option<Value>) -> Action {
        Action::Replace {
            object: ferry(),
            field: field.to_owned(),
            value,
        }
    }

    #[rstest]
    #[case::owned_fields(
        Action::Apply(json!({
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "Subscription",
            "metadata": {"name": "ferry", "uid": "1", "resourceVersion": "7", "labels": {"b": "c"}},
            "spec": {"channel": "fast"},
        })),
        json!({
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "Subscription",
            "metadata": {"name": "ferry", "uid": "1", "labels": {"a": "b", "b": "c"}},
            "spec": {"channel": "fast", "config": {"env": []}},
        })
    )]
    #[case::replaced_field(
        replaced("/spec/config", Some(json!({"x": 1}))),
        json!({
            "metadata": {"name": "ferry", "uid": "1", "labels": {"a": "b"}},
            "spec": {"channel": "stable", "config": {"x": 1}},
        })
    )]
    #[case::removed_field(
        replaced("/spec/config", None),
        json!({
            "metadata": {"name": "ferry", "uid": "1", "labels": {"a": "b"}},
            "spec": {"channel": "stable"},
        })
    )]
    #[case::field_of_a_missing_parent(
        replaced("/a/b~1c", Some(json!(1))),
        json!({
            "metadata": {"name": "ferry", "uid": "1", "labels": {"a": "b"}},
            "spec": {"channel": "stable", "config": {"env": []}},
            "a": {"b/c": 1},
        })
    )]
    fn preview_applies_the_write_to_the_object(#[case] action: Action, #[case] expected: Value) {
        let before = json!({
            "metadata": {"name": "ferry", "uid": "1", "labels": {"a": "b"}},
            "spec": {"channel": "stable", "config": {"env": []}},
        });
        assert_eq!(change(action).after(Some(&before)), Some(expected));
    }

    #[test]
    fn secret_values_are_not_shown() {
        let config = |value: &str| json!({"env": [{"name": "TOKEN", "value": value}]});
        let object =
            |value: &str| json!({"metadata": {"name": "ferry"}, "spec": {"config": config(value)}});
        let change = change(replaced("/spec/config", Some(config("hunter2"))));
        assert_eq!(
            change.shown(Some(&object("hunter1"))),
            (
                Some(object("(not shown)")),
                Some(object("<Secret harbor/key token>"))
            )
        );
        assert_eq!(
            change.after(Some(&object("hunter1"))),
            Some(object("hunter2"))
        );
    }

    #[test]
    fn preview_shows_created_manifest_and_removes_deleted_object() {
        let made = json!({
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "Subscription",
            "metadata": {"name": "ferry"},
        });
        assert_eq!(change(Action::Create(made.clone())).after(None), Some(made));
        let gone = Action::Delete {
            object: ferry(),
            is_orphaning: false,
        };
        assert_eq!(change(gone).after(Some(&json!({"a": 1}))), None);
    }

    #[test]
    fn change_names_its_object() {
        let approved = change(Action::Approve(ferry()));
        let kind = Gvk::new("operators.coreos.com/v1alpha1", "Subscription");
        let expected = ObjectRef::new(kind, "harbor", "ferry");
        assert_eq!(
            (approved.verb, approved.object),
            (Verb::Approve, Some(expected))
        );
    }
}
