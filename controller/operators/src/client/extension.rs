//! Gives the objects of an Operator to a ClusterExtension of OLM v1.
//!
//! OLM v1 installs a bundle as a Helm release. Helm refuses existing objects unless their metadata
//! names the release. This is the documented way to adopt objects into a release, so no Helm release
//! is created here: OLM v1 creates it.

use kube::api::{DeleteParams, DynamicObject, Patch, PropagationPolicy};
use portolan_core_names::{Gvk, ObjectRef};
use serde_json::{Value, json};

use super::{NotWritten, OperatorClient, patching};

/// The annotation whose change makes OLM v1 reconcile a ClusterExtension at once.
const RELEASED: &str = "operators.portolan.dev/released";

// === impl OperatorClient ===

impl OperatorClient {
    /// Returns the manifests of an Operator's current plan. Returns None if the plan stores some
    /// objects elsewhere.
    ///
    /// # Errors
    /// Returns an error if access is denied, or the API server does not answer.
    pub async fn plan_manifests(
        &self,
        operator: &str,
        plan: &str,
    ) -> Result<Option<Vec<Value>>, NotWritten> {
        let plans = self.plans(operator).await?;
        let mut plans = plans.iter();
        let Some(plan) = plans.find(|it| it.metadata.name.as_deref() == Some(plan)) else {
            return Ok(None);
        };
        let stages = plan.spec.as_json()["stages"].as_array();
        let resources = stages.into_iter().flatten();
        let resources = resources.flat_map(|stage| stage["resources"].as_array());
        let manifests = resources.flatten().map(|it| it.get("manifest").cloned());
        Ok(manifests.collect())
    }

    /// Marks objects as parts of the Helm release of a ClusterExtension that runs in a namespace.
    /// Ignores objects that do not exist.
    ///
    /// # Errors
    /// Returns an error if an object is not written.
    pub async fn mark_for_release(
        &self,
        objects: &[ObjectRef<Gvk>],
        (release, namespace): (&str, &str),
    ) -> Result<(), NotWritten> {
        let marks = Patch::Merge(json!({"metadata": {
            "labels": {"app.kubernetes.io/managed-by": "Helm"},
            "annotations": {
                "meta.helm.sh/release-name": release,
                "meta.helm.sh/release-namespace": namespace,
            },
        }}));
        let params = patching();
        for object in objects {
            let beside = self.beside(object);
            match beside.patch(&object.name, &params, &marks).await {
                Err(kube::Error::Api(status)) if status.code == 404 => {}
                patched => drop(patched.map_err(NotWritten::in_its_words)?),
            }
        }
        Ok(())
    }

    /// Reads an object. Returns None if it does not exist.
    ///
    /// # Errors
    /// Returns an error if access is denied, or the API server does not answer.
    pub async fn find(&self, object: &ObjectRef<Gvk>) -> Result<Option<DynamicObject>, NotWritten> {
        let found = self.beside(object).get_opt(&object.name).await;
        found.map_err(NotWritten::in_its_words)
    }

    /// Makes OLM v1 reconcile a ClusterExtension at once.
    ///
    /// # Errors
    /// Returns an error if the ClusterExtension is not written.
    pub async fn retry_extension(&self, extension: &ObjectRef<Gvk>) -> Result<(), NotWritten> {
        let annotated = Patch::Merge(json!({"metadata": {"annotations": {RELEASED: "true"}}}));
        let extensions = self.beside(extension);
        let params = patching();
        let patched = extensions.patch(&extension.name, &params, &annotated);
        patched.await.map(drop).map_err(NotWritten::in_its_words)
    }

    /// Deletes a ClusterExtension, and keeps all objects that it may own.
    ///
    /// # Errors
    /// Returns an error if the ClusterExtension is not deleted.
    pub async fn delete_extension(&self, extension: &ObjectRef<Gvk>) -> Result<(), NotWritten> {
        let params = DeleteParams {
            propagation_policy: Some(PropagationPolicy::Orphan),
            ..DeleteParams::default()
        };
        let extensions = self.beside(extension);
        let deleted = extensions.delete(&extension.name, &params).await;
        deleted.map(drop).map_err(NotWritten::in_its_words)
    }
}
