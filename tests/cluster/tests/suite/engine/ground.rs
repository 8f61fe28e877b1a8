//! A control plane with the CRDs of plans, and without OLM.

use std::sync::Arc;

use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client};
use portolan_api::plan::{InstallPlan, ResourceManifest};
use portolan_rig::{Cluster, Failure, Namespace};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::kubectl::Kubectl;
use crate::{SUPERVISOR, begin};

const ESTABLISHED: &str = "--for=condition=Established";
const PLANS: &str = "crd/installplans.plans.portolan.dev";
const MANIFESTS: &str = "crd/resourcemanifests.plans.portolan.dev";

/// The namespace of one test, with a client for the runtime of the test.
pub(super) struct Ground {
    pub(super) cluster: Cluster,
    pub(super) client: Client,
    pub(super) namespace: Namespace,
}

/// Returns a namespace on the cluster that these tests share. Returns `None` if tests with a
/// cluster are skipped.
pub(super) async fn ground(test: &str) -> Result<Option<Ground>, Failure> {
    static SHARED: OnceCell<Result<Cluster, Arc<Failure>>> = OnceCell::const_new();
    if !begin() {
        return Ok(None);
    }
    let started = SHARED.get_or_init(async || start().await.map_err(Arc::new));
    let cluster = match started.await {
        Ok(cluster) => cluster.clone(),
        Err(failure) => panic!("the shared cluster must start: {failure:?}"),
    };
    Ground::on(cluster, test).await.map(Some)
}

/// Returns a namespace on a separate cluster, for tests that affect all namespaces.
pub(super) async fn own(test: &str) -> Result<Option<Ground>, Failure> {
    if !begin() {
        return Ok(None);
    }
    Ground::on(start().await?, test).await.map(Some)
}

async fn start() -> Result<Cluster, Failure> {
    let cluster = Cluster::start(SUPERVISOR).await?;
    define(&Kubectl::of(&cluster)).await?;
    Ok(cluster)
}

/// Installs the CRDs as the documentation page about operations describes, and waits until they are
/// served.
pub(super) async fn define(kubectl: &Kubectl) -> Result<(), Failure> {
    kubectl.run(&["apply", "-f", "deploy/crds"]).await?;
    kubectl
        .run(&["wait", ESTABLISHED, PLANS, MANIFESTS, "--timeout=180s"])
        .await?;
    Ok(())
}

impl Ground {
    async fn on(cluster: Cluster, test: &str) -> Result<Self, Failure> {
        Ok(Self {
            client: cluster.client()?,
            namespace: cluster.namespace(test).await?,
            cluster,
        })
    }

    pub(super) fn kubectl(&self) -> Kubectl {
        Kubectl::of(&self.cluster)
    }

    pub(super) fn plans(&self) -> Api<InstallPlan> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    pub(super) fn manifests(&self) -> Api<ResourceManifest> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }
}

/// Returns a spec with two stages, which contain each type of resource.
pub(super) fn spec() -> Value {
    json!({
        "serviceAccountName": "installer", "suspend": false, "collisions": "IfUnowned",
        "abandonAfterSeconds": 3600, "lifecycle": {"onPlanDeletion": "Delete"},
        "stages": [
            {
                "name": "first", "order": "Any", "waitFor": "Applied", "deadlineSeconds": 60,
                "resources": [{"manifest": config_map()}, {"ref": {"name": "a.b"}, "lifecycle": {"onRemoval": "Keep"}}],
            },
            {"name": "second", "resources": [{"ref": {"secret": "c"}}]},
        ],
    })
}

/// Returns a manifest with nulls and unknown fields.
pub(super) fn config_map() -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "immutable": null,
        "metadata": {"name": "a", "labels": null, "strange": [1, null]},
        "data": {"a": "b"},
    })
}

pub(super) async fn create(
    plans: &Api<InstallPlan>,
    name: &str,
    spec: Value,
) -> Result<InstallPlan, kube::Error> {
    let plan = InstallPlan::new(name, spec.into());
    plans.create(&PostParams::default(), &plan).await
}

/// Applies a merge patch to an object.
pub(super) async fn change<K>(objects: &Api<K>, name: &str, change: Value) -> Result<K, kube::Error>
where
    K: Clone + std::fmt::Debug + serde::de::DeserializeOwned,
{
    let patch = Patch::Merge(change);
    objects.patch(name, &PatchParams::default(), &patch).await
}

/// Returns the message with which the API server rejects the request.
pub(super) fn refusal<T: std::fmt::Debug>(answer: Result<T, kube::Error>) -> String {
    match answer {
        Err(kube::Error::Api(status)) => status.message.clone(),
        other => panic!("expected a rejection: {other:?}"),
    }
}
