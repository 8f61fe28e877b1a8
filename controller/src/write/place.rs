//! Where an object is.

use kube::api::{ApiResource, DynamicObject};
use kube::core::GroupVersionKind;
use kube::{Api, Client};
use portolan_core_operatorpolicy::{Action, Outcome, Target};
use serde_json::Value;

use super::contest::Object;
use super::trail;
use portolan_runtime::{Expected, PendingWrite};

/// Where an object is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) namespace: Option<String>,
    pub(super) name: String,
}

// === impl Place ===

impl Place {
    /// Where the object of a manifest is.
    pub(super) fn of(manifest: &Value) -> Result<Self, Outcome> {
        let text = |pointer| manifest.pointer(pointer).and_then(Value::as_str);
        let text = |pointer| text(pointer).map(str::to_owned);
        let nameless = || Outcome::Refused(format!("a manifest has no name: {manifest}"));
        Ok(Self {
            api_version: text("/apiVersion").ok_or_else(nameless)?,
            kind: text("/kind").ok_or_else(nameless)?,
            namespace: text("/metadata/namespace"),
            name: text("/metadata/name").ok_or_else(nameless)?,
        })
    }

    pub(super) fn api(&self, client: Client) -> Api<DynamicObject> {
        let (group, version) = self
            .api_version
            .split_once('/')
            .unwrap_or(("", &self.api_version));
        let kind = GroupVersionKind::gvk(group, version, &self.kind);
        let resource = ApiResource::from_gvk(&kind);
        match &self.namespace {
            Some(namespace) => Api::namespaced_with(client, namespace, &resource),
            None => Api::all_with(client, &resource),
        }
    }

    pub(super) fn key(&self) -> trail::Key {
        (self.kind.clone(), self.namespace.clone(), self.name.clone())
    }

    /// What became of the object; None if a write changed nothing.
    pub(super) fn pending(self, before: Option<&str>, after: String) -> Option<PendingWrite> {
        let is_new = before != Some(after.as_str());
        is_new.then(|| PendingWrite {
            kind: self.kind,
            namespace: self.namespace,
            name: self.name,
            before: before.map(str::to_owned),
            after: Expected::Version(after),
        })
    }

    /// As one whose fields others may change back; None for kinds that are written once.
    pub(super) fn contested(&self) -> Option<Object> {
        let kinds = ["OperatorGroup", "Subscription"];
        let kind = kinds.into_iter().find(|kind| *kind == self.kind)?;
        Some(Object {
            namespace: self.namespace.clone().unwrap_or_default(),
            kind,
            name: self.name.clone(),
        })
    }
}

impl From<&Target> for Place {
    fn from(target: &Target) -> Self {
        Self {
            api_version: target.api_version.to_owned(),
            kind: target.kind.to_owned(),
            namespace: target.namespace.clone(),
            name: target.name.clone(),
        }
    }
}

/// The object of which an action writes fields that others may change back.
pub(super) fn contested(action: &Action) -> Option<Object> {
    match action {
        Action::Create(manifest) | Action::Apply(manifest) => Place::of(manifest).ok()?.contested(),
        Action::Replace { object, .. } => Place::from(object).contested(),
        Action::Approve(_) | Action::Mend { .. } | Action::Delete { .. } => None,
        Action::Hold | Action::Release | Action::Record => None,
    }
}
