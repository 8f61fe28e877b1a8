//! Installs the objects of Portolan with server-side apply, and removes them.
//!
//! The label [`MANAGED_BY`] of an object contains the name of its installer. Objects of other
//! installers, such as Helm, are neither changed nor removed.

mod certificates;
mod check;
mod decide;
mod observed;
#[cfg(test)]
mod tests;

use std::time::Duration;

use kube::api::{DeleteParams, DynamicObject, Patch, Preconditions};
use kube::core::{ApiResource, GroupVersionKind, Status};
use kube::runtime::conditions::is_deleted;
use kube::runtime::wait::await_condition;
use kube::{Api, Client, ResourceExt};
use portolan_core_names::text::listed;
use portolan_shell::with_causes;
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;
use tokio::time::timeout;

pub use self::certificates::{CertificateSecret, NotIssued, certificate_secrets};
pub use self::check::{Check, CheckPhase, CheckState, check};
pub use self::decide::Owner;
use self::decide::{change, is_missing_namespace, managers, owner};
pub use self::observed::{ClusterSetup, DeployedPart, ServingCertificate, Setup};
use crate::release::{Freed, ReleaseFailure, held_objects, release_finalizers};
use crate::server_side_apply::{ApplyChange, NoResult, answer, apply_params};

/// The label with the name of the program that manages an object.
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
/// The value of [`MANAGED_BY`] for objects that `portolan install` created.
pub const INSTALLER: &str = "portolan";

/// Applies and deletes the objects of an installation.
#[derive(Clone)]
pub struct ObjectInstaller {
    client: Client,
    is_dry_run: bool,
    forces: bool,
}

/// The result of a deletion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deletion {
    Deleted,
    /// The object does not exist.
    Absent,
    /// Another installer manages the object, so the object is not deleted.
    Kept(Owner),
}

/// The reason why an object was not changed.
#[derive(Debug, Error)]
pub enum ObjectNotChanged {
    /// Another installer manages the object.
    #[error("the object belongs to {0}")]
    Foreign(Owner),
    /// Other field managers own fields of the object with other values.
    #[error(
        "{managers} owns fields with other values; change the object there, or run the command \
         with --force-conflicts"
    )]
    Conflict { managers: String },
    /// The manifest is not a Kubernetes object.
    #[error("{0}")]
    Invalid(String),
    /// The API server rejects the request.
    #[error("{}", .0.message)]
    Rejected(Box<Status>),
    /// The object was not deleted in this time.
    #[error("the object still exists after {} s", .0.as_secs())]
    NotDeleted(Duration),
    /// The API server does not respond.
    #[error("{0}")]
    Unanswered(String),
}

// === impl ObjectInstaller ===

impl ObjectInstaller {
    /// Creates an installer. With `is_dry_run`, the API server stores nothing.
    pub fn new(client: Client, is_dry_run: bool) -> Self {
        Self {
            client,
            is_dry_run,
            forces: false,
        }
    }

    /// Sets if an apply takes over fields that other field managers own with other values.
    pub fn forcing(self, forces: bool) -> Self {
        Self { forces, ..self }
    }

    /// Applies an object, unless another installer manages it.
    ///
    /// # Errors
    /// Returns an error if the object is not applied.
    pub async fn apply(&self, object: &Value) -> Result<ApplyChange, ObjectNotChanged> {
        let object = &read(object)?;
        let (api, name) = (self.api(object), object.name_any());
        let live = answer(api.get_opt(&name)).await?;
        let owner = live.as_ref().map(|live| owner(&live.metadata));
        if let Some(owner @ (Owner::Helm(_) | Owner::Other(_))) = owner {
            return Err(ObjectNotChanged::Foreign(owner));
        }
        let params = apply_params(self.is_dry_run, self.forces);
        match answer(api.patch(&name, &params, &Patch::Apply(object))).await {
            Ok(applied) => Ok(change(live.as_ref(), &applied)),
            // A dry run has not created the namespace, so the API server rejects objects in this
            // namespace. The error is expected.
            Err(NoResult::Rejected(status)) if self.is_dry_run && is_missing_namespace(&status) => {
                Ok(ApplyChange::Created)
            }
            Err(reason) => Err(conflict(reason, live.as_ref())),
        }
    }

    /// Deletes an object that `portolan install` created.
    ///
    /// # Errors
    /// Returns an error if the object is not deleted.
    pub async fn delete(&self, object: &Value) -> Result<Deletion, ObjectNotChanged> {
        self.deleted(&read(object)?, DeleteParams::background())
            .await
    }

    /// Deletes an object that `portolan install` created. Waits until the objects that it owns,
    /// such as the Pods of a Deployment, no longer exist.
    ///
    /// # Errors
    /// Returns an error if the object still exists after the timeout.
    pub async fn delete_with_dependents(
        &self,
        object: &Value,
        longest: Duration,
    ) -> Result<Deletion, ObjectNotChanged> {
        let object = &read(object)?;
        let (api, name) = (self.api(object), object.name_any());
        let live = answer(api.get_opt(&name)).await?;
        let done = self.deleted(object, DeleteParams::foreground()).await?;
        let uid = live.and_then(|live| live.metadata.uid);
        let (Deletion::Deleted, Some(uid), false) = (&done, uid, self.is_dry_run) else {
            return Ok(done);
        };
        let waiting = await_condition(api, &name, is_deleted(&uid));
        match timeout(longest, waiting).await {
            Ok(Ok(_)) => Ok(done),
            Ok(Err(error)) => Err(ObjectNotChanged::Unanswered(with_causes(&error))),
            Err(_) => Err(ObjectNotChanged::NotDeleted(longest)),
        }
    }

    /// Removes Portolan's finalizers from all objects, so that the objects can be deleted without a
    /// controller. In a dry run, only reports these objects.
    ///
    /// # Errors
    /// Returns an error if the objects cannot be listed.
    pub async fn release(&self, mut report: impl FnMut(&str)) -> Result<Freed, ReleaseFailure> {
        if !self.is_dry_run {
            return release_finalizers(&self.client, report).await;
        }
        for name in held_objects(&self.client).await? {
            report(&format!("{name}: finalizer would be removed"));
        }
        Ok(Freed::default())
    }

    async fn deleted(
        &self,
        object: &DynamicObject,
        params: DeleteParams,
    ) -> Result<Deletion, ObjectNotChanged> {
        let (api, name) = (self.api(object), object.name_any());
        let Some(live) = answer(api.get_opt(&name)).await? else {
            return Ok(Deletion::Absent);
        };
        match owner(&live.metadata) {
            Owner::Portolan => {}
            owner @ (Owner::Unknown | Owner::Helm(_) | Owner::Other(_)) => {
                return Ok(Deletion::Kept(owner));
            }
        }
        let params = DeleteParams {
            dry_run: self.is_dry_run,
            preconditions: Some(Preconditions {
                uid: live.metadata.uid,
                resource_version: None,
            }),
            ..params
        };
        match answer(api.delete(&name, &params)).await {
            Ok(_) => Ok(Deletion::Deleted),
            Err(NoResult::Rejected(status)) if status.code == 404 => Ok(Deletion::Absent),
            Err(reason) => Err(reason.into()),
        }
    }

    fn api(&self, object: &DynamicObject) -> Api<DynamicObject> {
        let types = object.types.clone().unwrap_or_default();
        let kind = GroupVersionKind::try_from(&types);
        let kind = kind.unwrap_or_else(|_| GroupVersionKind::gvk("", "v1", &types.kind));
        let resource = ApiResource::from_gvk(&kind);
        match &object.metadata.namespace {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, &resource),
            None => Api::all_with(self.client.clone(), &resource),
        }
    }
}

// The client does not implement `Debug`.
impl std::fmt::Debug for ObjectInstaller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ObjectInstaller").finish_non_exhaustive()
    }
}

// === impl ObjectNotChanged ===

impl ObjectNotChanged {
    /// Returns true if the API server did not respond, so that the outcome is unknown.
    pub fn is_unknown(&self) -> bool {
        match self {
            Self::Unanswered(_) => true,
            Self::Foreign(_)
            | Self::Conflict { .. }
            | Self::Invalid(_)
            | Self::Rejected(_)
            | Self::NotDeleted(_) => false,
        }
    }
}

impl From<NoResult> for ObjectNotChanged {
    fn from(reason: NoResult) -> Self {
        match reason {
            NoResult::Rejected(status) => Self::Rejected(status),
            NoResult::Unanswered(why) => Self::Unanswered(why),
        }
    }
}

fn read(object: &Value) -> Result<DynamicObject, ObjectNotChanged> {
    DynamicObject::deserialize(object).map_err(|error| ObjectNotChanged::Invalid(error.to_string()))
}

/// Converts the error of an apply. For a conflict, adds the names of the field managers of the
/// object.
fn conflict(reason: NoResult, live: Option<&DynamicObject>) -> ObjectNotChanged {
    match (&reason, live) {
        (NoResult::Rejected(status), Some(live)) if status.code == 409 => {
            ObjectNotChanged::Conflict {
                managers: listed(managers(&live.metadata)),
            }
        }
        _ => reason.into(),
    }
}
