//! Tests two methods to install Portolan: the chart in a registry, and the commands of the program.
//! With each method, the test installs one profile, switches to the other profile, and uninstalls.
//! No object may be left.

use std::path::Path;

use portolan_kit::TempFolder;
use portolan_rig::release::Release;
use portolan_rig::{Failure, HELM, PATIENCE, Seen, until};
use serde_json::json;

use super::deployed::{Deployed, NAMESPACE};
use super::removal::Census;
use crate::kubectl::ROOT;
use crate::objects::{api, make};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const PLAN: [&str; 3] = ["plans.portolan.dev/v1alpha1", "InstallPlan", NAMESPACE];
/// The commands that prepare the namespace for Operators, as the notes of the chart and `portolan
/// check` describe.
const OPEN: &str = "kubectl label namespace portolan plans.portolan.dev/enabled=true";
/// Lists the objects that are left in the namespace of Portolan.
const REMAINING: &str = "kubectl -n portolan get -o name \
    $(kubectl api-resources --namespaced --verbs=list -o name | grep -v '^events' | paste -sd,)";
/// Deletes the CRDs and the namespace, which an uninstall keeps.
const REMOVE_KEPT: &str = "kubectl delete --ignore-not-found --recursive -f deploy/crds\n\
    kubectl delete namespace portolan";

#[tokio::test]
#[ignore = "installs all Pods four times: just soak"]
async fn chart_and_commands_install_switch_profiles_and_leave_nothing() -> Result<(), Failure> {
    let Some(deployed) = Deployed::prepare().await? else {
        return Ok(());
    };
    let before = Census::of(&deployed).await?;
    chart_of_registry(&deployed).await?;
    deployed.types(REMOVE_KEPT).await?;
    before.until_left(&deployed, &[]).await?;

    let image = &deployed.image;
    let install = |profile: &str| format!("portolan install --profile {profile} --image {image}");
    deployed.types("portolan check --pre").await?;
    deployed.types(&install("look")).await?;
    deployed.types("portolan check --wait 60s").await?;
    deployed.types(&install("manage")).await?;
    deployed.types(OPEN).await?;
    deployed.types("portolan check --wait 2m").await?;
    deployed.types("portolan uninstall").await?;
    until_namespace_is_empty(&deployed, &[]).await?;
    deployed.types(REMOVE_KEPT).await?;
    before.until_left(&deployed, &[]).await
}

/// Installs the chart from a registry, switches the profile, and uninstalls. Also runs the Helm
/// test of the chart.
async fn chart_of_registry(deployed: &Deployed) -> Result<(), Failure> {
    let chart = format!("charts/portolan:{VERSION}");
    deployed
        .cluster
        .push(release().chart_artifact()?, &chart)
        .await?;
    let registry = deployed.cluster.registry().unwrap_or_default();
    let chart = format!("oci://{registry}/charts/portolan --version {VERSION} --plain-http");
    let (repository, _) = deployed.image.split_once('@').expect("a digest");
    let own = TempFolder::empty();
    let helm = helm(&own).await?;
    let helm = async |line: &str| {
        deployed
            .types(&format!("{helm} -n {NAMESPACE} {line}"))
            .await
    };

    let image = format!("--set image.repository={repository}");
    helm(&format!(
        "install portolan {chart} --create-namespace {image}"
    ))
    .await?;
    deployed.types("portolan check --wait 60s").await?;
    let tested = helm("test portolan").await?;
    assert!(tested.contains("Succeeded"), "{tested}");
    helm(&format!(
        "upgrade portolan {chart} --reuse-values --set profile=manage"
    ))
    .await?;
    deployed.types(OPEN).await?;
    deployed.types("portolan check --wait 2m").await?;
    helm("test portolan").await?;

    make_plan(deployed).await?;
    helm("uninstall portolan").await?;
    let plan = api(&deployed.client, PLAN).get("goes").await?;
    assert_eq!(plan.metadata.finalizers.unwrap_or_default(), [""; 0]);
    deployed
        .types("kubectl -n portolan delete installplans.plans.portolan.dev goes")
        .await?;
    until_namespace_is_empty(deployed, &["configmap/of-plan"]).await
}

/// Returns a Release without programs. The test needs only its chart.
fn release() -> Release {
    Release {
        root: Path::new(ROOT).to_owned(),
        version: VERSION.to_owned(),
        programs: Vec::new(),
        image: None,
        places: None,
    }
}

/// Returns a Helm command that uses this folder instead of the folders of the user.
async fn helm(own: &TempFolder) -> Result<String, Failure> {
    let built = tokio::task::spawn_blocking(|| HELM.program());
    let program = built.await.map_err(Failure::read("the end of a build"))??;
    let folders = ["CACHE", "CONFIG", "DATA"];
    let folders = folders.map(|it| format!("HELM_{it}_HOME={}", own.display()));
    Ok(format!("{} {}", folders.join(" "), program.display()))
}

/// Creates an InstallPlan with a finalizer, and waits until it is applied.
async fn make_plan(deployed: &Deployed) -> Result<(), Failure> {
    let map = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "of-plan", "namespace": NAMESPACE}, "data": {"key": "value"},
    });
    let [version, kind, namespace] = PLAN;
    let plan = json!({
        "apiVersion": version, "kind": kind, "metadata": {"name": "goes", "namespace": namespace},
        "spec": {
            "serviceAccountName": "portolan-installer", "lifecycle": {"onPlanDeletion": "Delete"},
            "stages": [{"name": "all", "resources": [{"manifest": map}]}],
        },
    });
    make(&deployed.client, &plan).await?;
    let wait = "kubectl -n portolan wait installplans.plans.portolan.dev/goes --for=condition=Ready \
        --timeout=2m";
    deployed.types(wait).await?;
    let plan = api(&deployed.client, PLAN).get("goes").await?;
    assert_eq!(plan.metadata.finalizers.map(|all| all.len()), Some(1));
    Ok(())
}

/// Waits until the namespace of Portolan contains only the objects that Kubernetes creates, the
/// Lease, and these objects.
async fn until_namespace_is_empty(deployed: &Deployed, kept: &[&str]) -> Result<(), Failure> {
    let usual = ["configmap/kube-root-ca.crt", "serviceaccount/default"];
    until("the namespace to be empty", PATIENCE, async || {
        let all = deployed.types(REMAINING).await?;
        let left = all.lines().filter(|line| {
            let is_kept = usual.iter().chain(kept).any(|name| line == name);
            !is_kept && !line.starts_with("lease.") && !line.starts_with("Warning:")
        });
        let left: Vec<_> = left.collect();
        Ok(if left.is_empty() {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{left:#?}"))
        })
    })
    .await
}
