//! A control plane with the CRDs of OLM and of policies, and without OLM.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use kube::api::{DynamicObject, PostParams};
use kube::{Api, Client};
use portolan_rig::{Cluster, Failure, Kind, Namespace, until_object};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::{SUPERVISOR, begin};

const POLICIES: &str = "operatorpolicies.policy.open-cluster-management.io";
const OLM: [&str; 5] = [
    "catalogsources.operators.coreos.com",
    "clusterserviceversions.operators.coreos.com",
    "installplans.operators.coreos.com",
    "operatorgroups.operators.coreos.com",
    "subscriptions.operators.coreos.com",
];

/// A namespace for one test, with a client of the test's runtime.
pub(super) struct Bare {
    pub(super) cluster: Cluster,
    pub(super) client: Client,
    pub(super) namespace: Namespace,
}

/// Returns a namespace on the shared cluster, or `None` if tests with a cluster are skipped.
pub(super) async fn bare(test_name: &str) -> Result<Option<Bare>, Failure> {
    static SHARED: OnceCell<Result<Cluster, Arc<Failure>>> = OnceCell::const_new();
    if !begin() {
        return Ok(None);
    }
    let started = SHARED.get_or_init(async || start(delivered()?).await.map_err(Arc::new));
    match started.await {
        Ok(cluster) => Bare::on(cluster.clone(), test_name).await.map(Some),
        Err(failure) => panic!("the shared cluster must start: {failure:?}"),
    }
}

/// Returns a namespace on a separate cluster with this CRD of policies.
pub(super) async fn own(test_name: &str, policies: Value) -> Result<Option<Bare>, Failure> {
    if !begin() {
        return Ok(None);
    }
    Bare::on(start(policies).await?, test_name).await.map(Some)
}

/// Returns a namespace on a cluster with all CRDs of OLM.
pub(super) async fn whole(test_name: &str) -> Result<Option<Bare>, Failure> {
    if !begin() {
        return Ok(None);
    }
    let cluster = start_with(delivered()?, |_| true).await?;
    Bare::on(cluster, test_name).await.map(Some)
}

/// Returns the CRD of policies from the manifests of a release.
pub(super) fn delivered() -> Result<Value, Failure> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"));
    read(&path.join(format!("../../deploy/crds/{POLICIES}.yaml")))
}

impl Bare {
    pub(super) async fn on(cluster: Cluster, test_name: &str) -> Result<Self, Failure> {
        Ok(Self {
            client: cluster.client()?,
            namespace: cluster.namespace(test_name).await?,
            cluster,
        })
    }

    pub(super) fn objects(&self, kind: Kind) -> Api<DynamicObject> {
        kind.within(&self.client, &self.namespace)
    }

    /// Creates an object as this user.
    pub(super) async fn create(
        &self,
        by: &str,
        kind: Kind,
        name: &str,
        body: Value,
    ) -> Result<DynamicObject, Failure> {
        let object = kind.object(name, body)?;
        let by = PostParams {
            field_manager: Some(by.to_owned()),
            ..PostParams::default()
        };
        Ok(self.objects(kind).create(&by, &object).await?)
    }

    pub(super) async fn read(&self, kind: Kind, name: &str) -> Result<Value, Failure> {
        let object = self.objects(kind).get(name).await?;
        serde_json::to_value(object).map_err(Failure::read(name))
    }
}

async fn start(policies: Value) -> Result<Cluster, Failure> {
    start_with(policies, |name| OLM.contains(&name)).await
}

/// Starts a cluster with the CRDs of OLM that `knows` selects.
async fn start_with(policies: Value, knows: fn(&str) -> bool) -> Result<Cluster, Failure> {
    let cluster = Cluster::start(SUPERVISOR).await?;
    let all_crds = Kind::CustomResourceDefinition.everywhere(&cluster.client()?);
    let crds = cluster.binaries().folder().join("crds");
    let files = fs::read_dir(&crds).map_err(Failure::touch("list OLM's CRDs"))?;
    let mut all = vec![policies];
    for file in files.flatten() {
        let crd = read(&file.path())?;
        if knows(crd["metadata"]["name"].as_str().unwrap_or_default()) {
            all.push(crd);
        }
    }
    let params = PostParams::default();
    for crd in all {
        let crd: DynamicObject = serde_json::from_value(crd).map_err(Failure::read("a CRD"))?;
        let made = all_crds.create(&params, &crd).await?;
        let name = made.metadata.name.unwrap_or_default();
        until_object(&all_crds, &name, "Established", is_established).await?;
    }
    Ok(cluster)
}

fn is_established(crd: &DynamicObject) -> bool {
    let conditions = crd.data["status"]["conditions"].as_array();
    let established = json!("Established");
    let mut conditions = conditions.into_iter().flatten();
    conditions.any(|it| it["type"] == established && it["status"] == "True")
}

fn read(path: &Path) -> Result<Value, Failure> {
    let text = fs::read_to_string(path);
    let text = text.map_err(Failure::touch(format!("read {}", path.display())))?;
    serde_saphyr::from_str(&text).map_err(Failure::read(path.display().to_string()))
}
