//! Objects as OLM writes them, on a cluster without OLM, so that only the test changes them.
//!
//! The kinds have no schema, so a test can write any content. Deployments are real.

use std::path::PathBuf;

use kube::Client;
use portolan_kit::{Proxy, TempFolder, catalog, world};
use portolan_rig::Failure;
use serde_json::json;

use crate::objects::make;
use crate::resolver::world::define;

const OLM: [(&str, &str, &str); 6] = [
    ("catalogsources", "CatalogSource", "v1alpha1"),
    (
        "clusterserviceversions",
        "ClusterServiceVersion",
        "v1alpha1",
    ),
    ("installplans", "InstallPlan", "v1alpha1"),
    ("operatorconditions", "OperatorCondition", "v2"),
    ("operatorgroups", "OperatorGroup", "v1"),
    ("subscriptions", "Subscription", "v1alpha1"),
];

/// Creates the CRDs of OLM.
pub(crate) async fn define_olm(client: &Client) -> Result<(), Failure> {
    for (plural, kind, version) in OLM {
        let name = format!("{plural}.operators.coreos.com");
        define(client, &name, kind, "Namespaced", version).await?;
    }
    Ok(())
}

/// Returns all objects of a healthy operator: the package, its bundle `<package>.v1.0.0`, and its
/// Deployment, which has the name of the package and the label `operator=<package>`.
pub(super) async fn operator(
    client: &Client,
    namespace: &str,
    package: &str,
) -> Result<(), Failure> {
    let name = format!("{package}.v1.0.0");
    let offered = catalog(&format!("{package}: 1.0.0")).installable();
    let crd = offered.package(package).bundle("1.0.0").objects[1].clone();
    let objects = world()
        .namespace(namespace)
        .catalog_source("shop", "127.0.0.1:1")
        .operator_group()
        .subscription(package, "stable")
        .installed(&name)
        .object(crd)
        .csv(&name, "Succeeded")
        .deployment(package, 1, 1);
    let objects = objects.objects().iter();
    // Omits the namespace, which already exists.
    for object in objects.filter(|object| object["kind"] != "Namespace") {
        make(client, object).await?;
    }
    Ok(())
}

/// Returns a kubeconfig that connects through a proxy, and its folder.
pub(crate) fn through(proxy: &Proxy) -> (PathBuf, TempFolder) {
    let folder = TempFolder::empty();
    let path = folder.join("kubeconfig");
    let kubeconfig = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "proxy",
        "clusters": [{"name": "proxy", "cluster": {"server": proxy.url()}}],
        "contexts": [{"name": "proxy", "context": {"cluster": "proxy", "user": "proxy"}}],
        "users": [{"name": "proxy", "user": {}}],
    });
    let written = std::fs::write(&path, kubeconfig.to_string());
    written.expect("the folder must be writable");
    (path, folder)
}
