//! Objects as OLM leaves them, on a cluster without OLM: only the test changes them.
//!
//! Their kinds have no schema, so any content can be written into them. Deployments are real.

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

/// The kinds of OLM.
pub(crate) async fn define_olm(client: &Client) -> Result<(), Failure> {
    for (plural, kind, version) in OLM {
        let name = format!("{plural}.operators.coreos.com");
        define(client, &name, kind, "Namespaced", version).await?;
    }
    Ok(())
}

/// Everything of an operator that is well: the package, its bundle `<package>.v1.0.0`, and its
/// Deployment, named like the package and labelled `operator=<package>`.
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
    // The namespace exists already.
    for object in objects.filter(|object| object["kind"] != "Namespace") {
        make(client, object).await?;
    }
    Ok(())
}

/// Returns a kubeconfig that leads through a proxy, and its folder.
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
