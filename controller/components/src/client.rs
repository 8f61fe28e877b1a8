//! Associates Subscriptions with Operators v2alpha1 for a user.

use std::collections::BTreeMap;

use kube::api::{
    ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams,
    Preconditions,
};
use kube::core::GroupVersionKind;
use kube::{Api, Client};
use portolan_api::MANAGER;
use portolan_api::components::{GROUP, STORAGE, VERSION};
use portolan_core_components::{Stored, label_key};
use portolan_world::Key;
use serde_json::{Value, json};
use thiserror::Error;

/// Creates Operators of v2alpha1 and adds their labels to Subscriptions. Makes no other changes.
#[derive(Debug, Clone)]
pub struct AssociationClient {
    /// The API of Operators in the version in which they are stored.
    operators: Api<DynamicObject>,
    is_dry_run: bool,
}

/// The reason why an object was not written.
#[derive(Debug, Error)]
pub enum NotAssociated {
    /// The API server does not serve version v2alpha1.
    #[error("the cluster does not serve Operators of operators.coreos.com/v2alpha1")]
    NotServed,
    /// The API server rejects the write. Contains its message.
    #[error("{0}")]
    Refused(String),
    /// The API server does not respond.
    #[error("the API server cannot be reached: {}", innermost(.0))]
    Unanswered(Box<kube::Error>),
}

// === impl AssociationClient ===

impl AssociationClient {
    /// Creates a client. In a dry run, the API server stores nothing.
    pub fn of(client: Client, is_dry_run: bool) -> Self {
        Self {
            operators: Api::all_with(client, &of_olm(STORAGE, "Operator")),
            is_dry_run,
        }
    }

    /// Returns the stored Operators by name.
    ///
    /// # Errors
    /// Returns an error if access is denied, or the API server does not respond.
    pub async fn operators(&self) -> Result<BTreeMap<String, Stored>, NotAssociated> {
        let listed = self.operators.list(&ListParams::default()).await?;
        let named = listed.items.into_iter().filter_map(|operator| {
            let stored = Stored::of(&json!(operator));
            Some((operator.metadata.name?, stored))
        });
        Ok(named.collect())
    }

    /// Creates an Operator.
    ///
    /// # Errors
    /// Returns an error if the Operator is not created.
    pub async fn create(&self, operator: &Value) -> Result<(), NotAssociated> {
        let manifest: DynamicObject = serde_json::from_value(operator.clone())
            .map_err(|error| NotAssociated::Refused(error.to_string()))?;
        let operators = Api::all_with(self.client(), &of_olm(VERSION, "Operator"));
        let params = PostParams {
            dry_run: self.is_dry_run,
            field_manager: Some(MANAGER.to_owned()),
        };
        operators.create(&params, &manifest).await?;
        Ok(())
    }

    /// Adds the label of an Operator to a Subscription.
    ///
    /// # Errors
    /// Returns an error if the Subscription is not written.
    pub async fn associate(&self, subscription: &Key, operator: &str) -> Result<(), NotAssociated> {
        let label = json!({"metadata": {"labels": {label_key(operator): ""}}});
        let params = PatchParams {
            dry_run: self.is_dry_run,
            field_manager: Some(MANAGER.to_owned()),
            ..PatchParams::default()
        };
        let subscriptions = self.within(subscription, "Subscription");
        let patch = Patch::Merge(label);
        subscriptions
            .patch(&subscription.name, &params, &patch)
            .await?;
        Ok(())
    }

    /// Returns true if a ClusterServiceVersion has the label of an Operator.
    ///
    /// # Errors
    /// Returns an error if access is denied, or the API server does not respond.
    pub async fn has_label(&self, csv: &Key, operator: &str) -> Result<bool, NotAssociated> {
        let csvs = self.within(csv, "ClusterServiceVersion");
        let found = csvs.get_metadata_opt(&csv.name).await?;
        let labels = found.and_then(|it| it.metadata.labels).unwrap_or_default();
        Ok(labels.contains_key(&label_key(operator)))
    }

    /// Deletes the Subscription with this uid. The operator that it has installed is kept.
    ///
    /// # Errors
    /// Returns an error if the Subscription is not deleted.
    pub async fn delete(
        &self,
        subscription: &Key,
        uid: Option<String>,
    ) -> Result<(), NotAssociated> {
        let params = DeleteParams {
            preconditions: Some(Preconditions {
                uid,
                resource_version: None,
            }),
            ..DeleteParams::default()
        };
        let subscriptions = self.within(subscription, "Subscription");
        subscriptions.delete(&subscription.name, &params).await?;
        Ok(())
    }

    fn client(&self) -> Client {
        self.operators.clone().into_client()
    }

    fn within(&self, key: &Key, kind: &str) -> Api<DynamicObject> {
        let resource = of_olm("v1alpha1", kind);
        Api::namespaced_with(self.client(), &key.namespace, &resource)
    }
}

fn of_olm(version: &str, kind: &str) -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk(GROUP, version, kind))
}

/// Returns the message of the innermost cause, because it is the most specific.
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut last = error;
    while let Some(inner) = last.source() {
        last = inner;
    }
    last.to_string()
}

// === impl NotAssociated ===

impl From<kube::Error> for NotAssociated {
    fn from(error: kube::Error) -> Self {
        match error {
            kube::Error::Api(status) if status.code == 404 && status.details.is_none() => {
                Self::NotServed
            }
            kube::Error::Api(status) if status.code < 500 => Self::Refused(status.message.clone()),
            other => Self::Unanswered(Box::new(other)),
        }
    }
}
