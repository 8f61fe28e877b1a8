//! Approves Installs for users who may grant all requested permissions.

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::GroupVersionKind;
use kube::{Api, Client};
use portolan_api::MANAGER;
use portolan_api::installs::{AccountRef, ConditionType, INSTALL, Install, Permission, Reason};
use portolan_api::status::find;
use portolan_core_grants::{APPROVES, SUBJECTS, approval_digest, bindings};
use serde_json::{Value, json};

/// Approves Installs of a cluster. Makes no other changes.
#[derive(Debug, Clone)]
pub struct ApprovalClient {
    installs: Api<Install>,
    is_dry_run: bool,
}

/// The permissions that an approval of an Install grants, and the ServiceAccount that gets these
/// permissions.
#[derive(Debug, Clone)]
pub struct Approval {
    install: Install,
    /// The ServiceAccount that installs the content.
    pub account: AccountRef,
    /// The permissions that the ServiceAccount lacks.
    pub permissions: Vec<Permission>,
    /// The roles and bindings that grant the permissions.
    pub objects: Vec<Value>,
    /// The digest of the content and the permissions.
    pub digest: String,
}

/// The reason why an Install could not be approved.
#[derive(Debug)]
pub enum NotApproved {
    /// The API server does not serve Installs.
    NotServed,
    /// The Install is not found.
    NotFound(String),
    /// There is nothing to approve now, for this reason.
    Nothing(String),
    /// The API server rejects the write. Contains its message.
    Refused(String),
    /// The API server does not respond.
    Unanswered(Box<kube::Error>),
}

// === impl ApprovalClient ===

impl ApprovalClient {
    /// Creates a client. In a dry run, the API server stores nothing.
    pub fn of(client: Client, is_dry_run: bool) -> Self {
        Self {
            installs: Api::all(client),
            is_dry_run,
        }
    }

    /// Returns the approval that an Install waits for.
    ///
    /// # Errors
    /// Returns an error if there is nothing to approve, or the Install cannot be read.
    pub async fn asked(&self, name: &str) -> Result<Approval, NotApproved> {
        let found = self.installs.get(name).await;
        let install = found.map_err(|error| match error {
            kube::Error::Api(status) if status.code == 404 && status.details.is_none() => {
                NotApproved::NotServed
            }
            kube::Error::Api(status) if status.code == 404 => {
                NotApproved::NotFound(name.to_owned())
            }
            other => NotApproved::in_its_words(other),
        })?;
        approval(name, install)
    }

    /// Creates one of the roles or bindings of an approval. If the object already exists, it must
    /// be identical. Its name is predictable, so another user could have created an object with
    /// other permissions.
    ///
    /// # Errors
    /// Returns an error if the object cannot be created, or if a different object exists.
    pub async fn give(&self, object: &Value) -> Result<(), NotApproved> {
        let api = self.beside(object);
        let manifest: DynamicObject = serde_json::from_value(object.clone())
            .map_err(|error| NotApproved::Refused(error.to_string()))?;
        let params = PostParams {
            dry_run: self.is_dry_run,
            field_manager: Some(MANAGER.to_owned()),
        };
        match api.create(&params, &manifest).await {
            Err(kube::Error::Api(status)) if status.code == 409 => {
                let name = manifest.metadata.name.as_deref().unwrap_or_default();
                let there = api.get(name).await.map_err(NotApproved::in_its_words)?;
                let (there, wanted) = (json!(there), object);
                if is_same(&there, wanted) {
                    return Ok(());
                }
                let kind = object["kind"].as_str().unwrap_or_default();
                Err(NotApproved::Refused(format!(
                    "{kind} {name} already exists and grants other permissions; delete this object"
                )))
            }
            made => made.map(drop).map_err(NotApproved::in_its_words),
        }
    }

    /// Sets `spec.approval`. Fails if the Install has changed since the approval was read.
    ///
    /// # Errors
    /// Returns an error if the write fails, or if the Install has changed.
    pub async fn approve(&self, approval: &Approval) -> Result<(), NotApproved> {
        let metadata = &approval.install.metadata;
        let digest = format!("/metadata/annotations/{}", APPROVES.replace('/', "~1"));
        let annotations = metadata.annotations.as_ref();
        // The webhook rejects the digest of an earlier approval, so this digest is removed.
        if annotations.is_some_and(|it| it.contains_key(APPROVES)) {
            self.patch(approval, json!([{"op": "remove", "path": digest}]))
                .await?;
        }
        let place = json!({"op": "add", "path": "/metadata/annotations", "value": {}});
        let mut operations = vec![
            json!({"op": "add", "path": digest, "value": approval.digest}),
            json!({"op": "add", "path": "/spec/approval", "value": "Approved"}),
        ];
        if annotations.is_none() {
            operations.insert(0, place);
        }
        self.patch(approval, json!(operations)).await
    }

    /// Changes the Install. Fails if the Install has changed since the approval was read.
    async fn patch(&self, approval: &Approval, operations: Value) -> Result<(), NotApproved> {
        let metadata = &approval.install.metadata;
        let tests = json!([
            {"op": "test", "path": "/metadata/uid", "value": metadata.uid},
            {"op": "test", "path": "/metadata/generation", "value": metadata.generation},
        ]);
        let all = [tests, operations].into_iter();
        let all = all.flat_map(|it| it.as_array().cloned().unwrap_or_default());
        let operations = Value::from(all.collect::<Vec<_>>());
        let operations = serde_json::from_value(operations)
            .map_err(|error| NotApproved::Refused(error.to_string()))?;
        let params = PatchParams {
            dry_run: self.is_dry_run,
            field_manager: Some(MANAGER.to_owned()),
            ..PatchParams::default()
        };
        let name = metadata.name.as_deref().unwrap_or_default();
        let patched = self
            .installs
            .patch(name, &params, &Patch::<()>::Json(operations))
            .await;
        patched.map(drop).map_err(|error| match error {
            kube::Error::Api(status) if status.code == 422 && status.message.contains("test") => {
                NotApproved::Nothing(format!(
                    "{name} was changed in the meantime; check the permissions that it requests now"
                ))
            }
            other => NotApproved::in_its_words(other),
        })
    }

    /// Returns the API for objects of the same kind in the same namespace.
    fn beside(&self, object: &Value) -> Api<DynamicObject> {
        let text = |at: &str| object.pointer(at).and_then(Value::as_str);
        let version = text("/apiVersion").unwrap_or_default();
        let (group, version) = version.split_once('/').unwrap_or(("", version));
        let kind = GroupVersionKind::gvk(group, version, text("/kind").unwrap_or_default());
        let (client, resource) = (
            self.installs.clone().into_client(),
            ApiResource::from_gvk(&kind),
        );
        match text("/metadata/namespace") {
            Some(namespace) => Api::namespaced_with(client, namespace, &resource),
            None => Api::all_with(client, &resource),
        }
    }
}

/// Returns true if two roles or bindings grant the same permissions. A missing field and null are
/// equal.
fn is_same(there: &Value, wanted: &Value) -> bool {
    let marks = |it: &Value| {
        let metadata = &it["metadata"];
        let label = metadata["labels"][INSTALL.name()].clone();
        (label, metadata["annotations"][SUBJECTS].clone())
    };
    let mut fields = ["rules", "roleRef", "subjects"].into_iter();
    fields.all(|field| there[field] == wanted[field]) && marks(there) == marks(wanted)
}

/// Returns the approval that an Install waits for, according to its status.
fn approval(name: &str, install: Install) -> Result<Approval, NotApproved> {
    let nothing = |sentence: String| Err(NotApproved::Nothing(sentence));
    let status = install.status.clone().unwrap_or_default();
    if status.observed_generation != install.metadata.generation {
        return nothing(format!(
            "the controller has not reconciled the current spec of {name} yet; try again in a \
             moment"
        ));
    }
    let is_pending = |it: &&Condition| it.status == "True";
    let pending = find(&status.conditions, ConditionType::PendingApproval);
    let Some(pending) = pending.filter(is_pending) else {
        let ready = find(&status.conditions, ConditionType::Ready);
        let why = ready.map(|it| it.message.as_str());
        let why = why.unwrap_or("no approval is needed");
        return nothing(format!("{name} is not waiting for approval: {why}"));
    };
    let permissions = status.pending.map(|it| it.permissions).unwrap_or_default();
    let Some(account) = status.service_account_ref else {
        return nothing(format!(
            "{name} has no ServiceAccount yet: {}",
            pending.message
        ));
    };
    let is_lacking = pending.reason == Reason::UnsatisfiedPermissions.as_str();
    if is_lacking && permissions.is_empty() {
        return nothing(format!(
            "the status of {name} does not list the requested permissions: {}",
            pending.message
        ));
    }
    let uid = install.metadata.uid.clone().unwrap_or_default();
    let spec = install.spec.as_json();
    Ok(Approval {
        digest: approval_digest((&uid, spec), &account, &status.resolved, &permissions),
        objects: bindings((name, &uid), &account, &permissions),
        account,
        permissions,
        install,
    })
}

// === impl Approval ===

impl Approval {
    /// Returns true if the ServiceAccount exists only for this Install. `namespace` is the
    /// namespace of such ServiceAccounts.
    pub fn is_own(&self, namespace: &str) -> bool {
        let metadata = &self.install.metadata;
        let [name, uid] =
            [&metadata.name, &metadata.uid].map(|it| it.as_deref().unwrap_or_default());
        let own = portolan_core_grants::account_name(name, uid);
        self.account.namespace == namespace && self.account.name == own
    }
}

// === impl NotApproved ===

impl NotApproved {
    fn in_its_words(error: kube::Error) -> Self {
        match error {
            kube::Error::Api(status) if status.code < 500 => Self::Refused(status.message.clone()),
            other => Self::Unanswered(Box::new(other)),
        }
    }
}

impl fmt::Display for NotApproved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotServed => {
                f.write_str("the cluster does not serve Installs of operators.coreos.com")
            }
            Self::NotFound(name) => write!(f, "there is no Install {name}"),
            Self::Nothing(sentence) | Self::Refused(sentence) => f.write_str(sentence),
            Self::Unanswered(_) => f.write_str("cannot query the cluster"),
        }
    }
}

impl std::error::Error for NotApproved {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unanswered(error) => Some(error),
            Self::NotServed | Self::NotFound(_) | Self::Nothing(_) | Self::Refused(_) => None,
        }
    }
}
