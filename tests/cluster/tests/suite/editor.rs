//! Changes the objects of a test, as a user would.

use kube::api::{DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until};
use serde_json::{Value, json};

/// The number of checks between two touches of an object. The checks take about one second.
const LOOKS_A_TOUCH: u32 = 20;

/// The objects of one namespace, and functions that change them.
pub(crate) struct Editor {
    client: Client,
    namespace: String,
}

impl Editor {
    pub(crate) fn of(client: &Client, namespace: &str) -> Self {
        Self {
            client: client.clone(),
            namespace: namespace.to_owned(),
        }
    }

    /// Returns the API for objects of a kind. For a namespaced kind, these are the objects of the
    /// namespace.
    pub(crate) fn objects(&self, kind: Kind) -> Api<DynamicObject> {
        match kind {
            Kind::CustomResourceDefinition => kind.everywhere(&self.client),
            _ => kind.within(&self.client, &self.namespace),
        }
    }

    pub(crate) async fn create(&self, kind: Kind, name: &str, body: Value) -> Result<(), Failure> {
        let object = kind.object(name, body)?;
        let params = PostParams::default();
        self.objects(kind).create(&params, &object).await?;
        Ok(())
    }

    pub(crate) async fn delete(&self, kind: Kind, name: &str) -> Result<(), Failure> {
        let background = DeleteParams::background();
        self.objects(kind).delete(name, &background).await?;
        Ok(())
    }

    pub(crate) async fn patch(&self, kind: Kind, name: &str, change: Value) -> Result<(), Failure> {
        let (params, change) = (PatchParams::default(), Patch::Merge(change));
        self.objects(kind).patch(name, &params, &change).await?;
        Ok(())
    }

    /// Creates an OperatorGroup that targets only this namespace.
    pub(crate) async fn group(&self, name: &str) -> Result<(), Failure> {
        let spec = json!({"targetNamespaces": [self.namespace]});
        self.create(Kind::OperatorGroup, name, json!({"spec": spec}))
            .await
    }

    /// Changes the ClusterServiceVersion again and again, until OLM reports it as healthy. OLM does
    /// not react to all changes, and may check a moment too early.
    pub(crate) async fn touch(&self, csv: &str) -> Result<(), Failure> {
        let versions = self.objects(Kind::ClusterServiceVersion);
        let mut looks = 0_u32;
        until(format!("{csv} to be Succeeded"), PATIENCE, async || {
            if looks.is_multiple_of(LOOKS_A_TOUCH) {
                let touched = json!({"metadata": {"labels": {"touched": looks.to_string()}}});
                let kind = Kind::ClusterServiceVersion;
                self.patch(kind, csv, touched).await?;
            }
            looks += 1;
            let version = versions.get(csv).await?;
            let phase = &version.data["status"]["phase"];
            Ok(if phase == "Succeeded" {
                Seen::Yes(())
            } else {
                Seen::NotYet(phase.to_string())
            })
        })
        .await
    }
}
