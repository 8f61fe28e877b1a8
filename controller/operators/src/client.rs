//! Creates, changes and deletes single Operators for users of the command line.

use std::collections::BTreeSet;

use kube::api::{
    ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams,
};
use kube::core::GroupVersionKind;
use kube::{Api, Client};
use portolan_api::MANAGER;
use portolan_api::operator::{OPERATOR, Operator};
use portolan_api::plan::{InstallPlan, LINEAGE};
use portolan_core_names::{Gvk, ObjectRef};
use portolan_core_olm::{COMPONENT, component};
use portolan_core_operator::{CsvId, is_of};
use serde_json::{Value, json};
use thiserror::Error;

use crate::live;

/// Creates, changes and deletes the Operators of a cluster.
#[derive(Debug, Clone)]
pub struct OperatorClient {
    operators: Api<Operator>,
    is_dry_run: bool,
}

/// The reason why an Operator was not written.
#[derive(Debug, Error)]
pub enum NotWritten {
    /// The API server does not serve Operators.
    #[error("the cluster does not serve Operators of operators.operatorframework.io")]
    NotServed,
    /// The Operator already exists.
    #[error("Operator {0} already exists")]
    Exists(String),
    /// The Operator is not found.
    #[error("there is no Operator {0}")]
    NotFound(String),
    /// Another client has changed the Operator since it was read.
    #[error("Operator {0} was changed by another client")]
    Changed(String),
    /// The API server rejects the write. Contains its message.
    #[error("{0}")]
    Refused(String),
    /// The API server does not respond.
    #[error("the API server cannot be reached: {}", innermost(.0))]
    Unanswered(Box<kube::Error>),
}

// === impl OperatorClient ===

impl OperatorClient {
    /// Creates a client. In a dry run, the API server stores nothing.
    pub fn of(client: Client, is_dry_run: bool) -> Self {
        Self {
            operators: Api::all(client),
            is_dry_run,
        }
    }

    /// Creates an Operator. Returns the stored Operator.
    ///
    /// # Errors
    /// Returns an error if the Operator is not created.
    pub async fn create(&self, operator: &Operator) -> Result<Operator, NotWritten> {
        self.served().await?;
        let params = PostParams {
            dry_run: self.is_dry_run,
            field_manager: Some(MANAGER.to_owned()),
        };
        let name = operator.metadata.name.as_deref().unwrap_or_default();
        let created = self.operators.create(&params, operator).await;
        created.map_err(|error| NotWritten::of(name, error))
    }

    /// Changes the version of an Operator. Fails if the Operator has changed since it was read.
    /// Returns the stored Operator.
    ///
    /// # Errors
    /// Returns an error if the Operator is not written.
    pub async fn give_version(
        &self,
        read: &Operator,
        version: &str,
    ) -> Result<Operator, NotWritten> {
        let name = read.metadata.name.as_deref().unwrap_or_default();
        let patch = Patch::Merge(json!({
            "metadata": {"resourceVersion": read.metadata.resource_version},
            "spec": {"version": version},
        }));
        let params = PatchParams {
            dry_run: self.is_dry_run,
            ..patching()
        };
        let patched = self.operators.patch(name, &params, &patch).await;
        patched.map_err(NotWritten::in_its_words)
    }

    /// Applies a JSON patch to an Operator. Fails if the Operator has changed since it was read.
    /// Returns the stored Operator.
    ///
    /// # Errors
    /// Returns an error if the Operator does not exist or has changed, or if the API server rejects
    /// the change or does not respond.
    pub async fn change(
        &self,
        read: &Operator,
        mut operations: Vec<Value>,
    ) -> Result<Operator, NotWritten> {
        let metadata = &read.metadata;
        let name = metadata.name.as_deref().unwrap_or_default();
        // If the current version differs from this version, the API server returns 409 Conflict.
        operations.insert(
            0,
            json!({"op": "replace", "path": "/metadata/resourceVersion", "value": metadata.resource_version}),
        );
        let patch = serde_json::from_value(operations.into());
        let patch = patch.map_err(|error| NotWritten::Refused(error.to_string()))?;
        let params = PatchParams {
            dry_run: self.is_dry_run,
            ..patching()
        };
        let patch = Patch::<()>::Json(patch);
        let patched = self.operators.patch(name, &params, &patch).await;
        patched.map_err(|error| match error {
            kube::Error::Api(status) if status.code == 404 => NotWritten::NotFound(name.to_owned()),
            kube::Error::Api(status) if status.code == 409 => NotWritten::Changed(name.to_owned()),
            other => NotWritten::in_its_words(other),
        })
    }

    /// Deletes an Operator. Does not wait until the Operator no longer exists.
    ///
    /// # Errors
    /// Returns an error if the Operator is not deleted.
    pub async fn delete(&self, name: &str) -> Result<(), NotWritten> {
        self.served().await?;
        let params = DeleteParams {
            dry_run: self.is_dry_run,
            ..DeleteParams::default()
        };
        let deleted = self.operators.delete(name, &params).await;
        deleted
            .map(drop)
            .map_err(|error| NotWritten::of(name, error))
    }

    /// Reads an Operator.
    ///
    /// # Errors
    /// Returns an error if the Operator is not found or access is denied.
    pub async fn get(&self, name: &str) -> Result<Operator, NotWritten> {
        self.served().await?;
        let found = self.operators.get(name).await;
        found.map_err(|error| NotWritten::of(name, error))
    }

    /// Changes the InstallPlans of an Operator, so that their objects are kept when the
    /// InstallPlans are deleted.
    ///
    /// # Errors
    /// Returns an error if an InstallPlan is not written.
    pub async fn keep_what_is_installed(&self, name: &str) -> Result<(), NotWritten> {
        let kept = json!({"spec": {"lifecycle": {"onPlanDeletion": "Keep"}}});
        for plan in self.plans(name).await? {
            let namespace = plan.metadata.namespace.unwrap_or_default();
            let plan = plan.metadata.name.unwrap_or_default();
            let client = self.operators.clone().into_client();
            let plans: Api<InstallPlan> = Api::namespaced(client, &namespace);
            let params = patching();
            let patched = plans.patch(&plan, &params, &Patch::Merge(&kept)).await;
            patched.map_err(NotWritten::in_its_words)?;
        }
        Ok(())
    }

    /// Returns the names of the APIServices that the InstallPlans of an Operator have created.
    ///
    /// # Errors
    /// Returns an error if access is denied, or the API server does not respond.
    pub async fn api_services(&self, operator: &str) -> Result<Vec<String>, NotWritten> {
        let plans = self.plans(operator).await?.into_iter();
        let lineages: BTreeSet<_> = plans.filter_map(|plan| plan.status?.lineage).collect();
        if lineages.is_empty() {
            return Ok(Vec::new());
        }
        let lineages: Vec<_> = lineages.into_iter().collect();
        let members = format!("{} in ({})", LINEAGE.name(), lineages.join(","));
        let members = ListParams::default().labels(&members);
        let members = self.metadata(&api_service(), &members).await?;
        Ok(members
            .iter()
            .map(|it| ObjectRef::versioned(it).name)
            .collect())
    }

    /// Adds labels to APIServices that name a ClusterServiceVersion as their owner, because OLM
    /// takes over only APIServices with these labels. Returns true after that. If the
    /// ClusterServiceVersion does not exist yet, does nothing and returns false, because OLM
    /// deletes APIServices whose owner does not exist.
    ///
    /// # Errors
    /// Returns an error if one of the APIServices is not written.
    pub async fn give_api_services(
        &self,
        names: &[String],
        csv: &ObjectRef<Gvk>,
    ) -> Result<bool, NotWritten> {
        let found = self.beside(csv).get_metadata_opt(&csv.name).await;
        if found.map_err(NotWritten::in_its_words)?.is_none() {
            return Ok(false);
        }
        let labels = json!({
            "olm.owner": csv.name, "olm.owner.kind": csv.kind.kind, "olm.owner.namespace": csv.namespace,
        });
        let labels = Patch::Merge(json!({"metadata": {"labels": labels}}));
        let (services, params) = (self.beside(&api_service()), patching());
        for name in names {
            let patched = services.patch(name, &params, &labels).await;
            patched.map_err(NotWritten::in_its_words)?;
        }
        Ok(true)
    }

    async fn plans(&self, operator: &str) -> Result<Vec<InstallPlan>, NotWritten> {
        let plans: Api<InstallPlan> = Api::all(self.operators.clone().into_client());
        let label = format!("{}={operator}", OPERATOR.name());
        let all = plans.list(&ListParams::default().labels(&label)).await;
        Ok(all.map_err(NotWritten::in_its_words)?.items)
    }

    /// Creates an object of a kind of OLM.
    ///
    /// # Errors
    /// Returns an error if the object is not created.
    pub async fn create_for_olm(&self, object: &Value) -> Result<(), NotWritten> {
        let refused = |error: serde_json::Error| NotWritten::Refused(error.to_string());
        let manifest: DynamicObject = serde_json::from_value(object.clone()).map_err(refused)?;
        let objects = self.beside(&ObjectRef::versioned(object));
        let params = PostParams {
            field_manager: Some(MANAGER.to_owned()),
            ..PostParams::default()
        };
        let made = objects.create(&params, &manifest).await;
        made.map(drop).map_err(NotWritten::in_its_words)
    }

    /// Requests that an Operator returns its adopted objects to OLM, as far as possible.
    ///
    /// # Errors
    /// Returns an error if the Operator is not written.
    pub async fn undo_adoption(&self, name: &str) -> Result<Operator, NotWritten> {
        self.served().await?;
        let patch = Patch::Merge(json!({"spec": {"adopt": false}}));
        let params = PatchParams {
            dry_run: self.is_dry_run,
            ..patching()
        };
        let patched = self.operators.patch(name, &params, &patch).await;
        patched.map_err(|error| NotWritten::of(name, error))
    }

    /// Returns the identity and the metadata of the objects that OLM created for a
    /// ClusterServiceVersion. Also returns the CRDs of its package.
    ///
    /// # Errors
    /// Returns an error if access is denied, or the API server does not respond.
    pub async fn held_by_olm(&self, csv: &CsvId, package: &str) -> Result<Vec<Value>, NotWritten> {
        let mut held = Vec::new();
        for kind in live::kinds(&csv.namespace) {
            let all = self.metadata(&kind, &ListParams::default()).await?;
            held.extend(all.into_iter().filter(|it| is_of(csv, &it["metadata"])));
        }
        // OLM sets no owner reference on CRDs, because a deletion of the owner could then delete
        // their custom resources. Therefore the CRDs are found by their label.
        let label = format!("{}{}", COMPONENT.name(), component(package, &csv.namespace));
        let labeled = ListParams::default().labels(&label);
        held.extend(self.metadata(&live::definitions(), &labeled).await?);
        Ok(held)
    }

    /// Lists the metadata of the objects of a kind.
    async fn metadata(
        &self,
        kind: &ObjectRef<Gvk>,
        params: &ListParams,
    ) -> Result<Vec<Value>, NotWritten> {
        let all = self.beside(kind).list_metadata(params).await;
        let all = all.map_err(NotWritten::in_its_words)?.items.into_iter();
        let api_version = kind.kind.api_version();
        let objects = all.map(|it| {
            json!({"apiVersion": api_version, "kind": kind.kind.kind, "metadata": it.metadata})
        });
        Ok(objects.collect())
    }

    /// Returns the API for objects of the same kind in the same namespace.
    fn beside(&self, object: &ObjectRef<Gvk>) -> Api<DynamicObject> {
        let Gvk {
            group,
            version,
            kind,
        } = &object.kind;
        let kind = GroupVersionKind::gvk(group, version, kind);
        let (client, resource) = (
            self.operators.clone().into_client(),
            ApiResource::from_gvk(&kind),
        );
        match &object.namespace {
            Some(namespace) => Api::namespaced_with(client, namespace, &resource),
            None => Api::all_with(client, &resource),
        }
    }

    /// Returns an error if Operators are not served. If the list is denied, returns no error,
    /// because the user may still have the permission to write.
    async fn served(&self) -> Result<(), NotWritten> {
        let params = ListParams::default().limit(1);
        match self.operators.list_metadata(&params).await {
            Err(kube::Error::Api(status)) if status.code == 404 => Err(NotWritten::NotServed),
            Ok(_) | Err(kube::Error::Api(_)) => Ok(()),
            Err(error) => Err(NotWritten::Unanswered(Box::new(error))),
        }
    }
}

/// Returns the message of the innermost cause, because it is the most specific.
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut last = error;
    while let Some(inner) = last.source() {
        last = inner;
    }
    last.to_string()
}

fn patching() -> PatchParams {
    PatchParams {
        field_manager: Some(MANAGER.to_owned()),
        ..PatchParams::default()
    }
}

fn api_service() -> ObjectRef<Gvk> {
    ObjectRef::new(
        Gvk::new("apiregistration.k8s.io/v1", "APIService"),
        None,
        "",
    )
}

// === impl NotWritten ===

impl NotWritten {
    /// Converts an error about an object of another kind than Operator. The message of the API
    /// server names this object.
    fn in_its_words(error: kube::Error) -> Self {
        match error {
            kube::Error::Api(status) if status.code < 500 => Self::Refused(status.message.clone()),
            other => Self::Unanswered(Box::new(other)),
        }
    }

    fn of(name: &str, error: kube::Error) -> Self {
        match error {
            kube::Error::Api(status) if status.code == 404 => Self::NotFound(name.to_owned()),
            kube::Error::Api(status) if status.code == 409 => Self::Exists(name.to_owned()),
            kube::Error::Api(status) if status.code < 500 => Self::Refused(status.message.clone()),
            other => Self::Unanswered(Box::new(other)),
        }
    }
}
