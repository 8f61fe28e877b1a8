//! Creates small clusters for tests of readiness.

use std::fs;
use std::path::Path;
use std::process::Command;

use portolan_kit::{TempFolder, catalog};
use serde_json::{Value, json};

use crate::program::{portolan, run, transcript};

/// The kinds that the command reads. A dump contains a list for each kind, even if there are no
/// objects.
const KINDS: [&str; 14] = [
    "apirequestcounts.apiserver.openshift.io",
    "catalogsources.operators.coreos.com",
    "clustercatalogs.olm.operatorframework.io",
    "clusterextensions.olm.operatorframework.io",
    "clusteroperators.config.openshift.io",
    "clusterserviceversions.operators.coreos.com",
    "clusterversions.config.openshift.io",
    "installplans.plans.portolan.dev",
    "installs.operators.coreos.com",
    "operatorpolicies.policy.open-cluster-management.io",
    "operators.operators.operatorframework.io",
    "subscriptions.operators.coreos.com",
    "upgradepolicies.operators.operatorframework.io",
    "upgradepolicybindings.operators.operatorframework.io",
];

/// A cluster with the catalog `olm/shop`, and the content that this catalog has in the target
/// release.
pub(super) struct Cluster {
    pub(super) world: TempFolder,
    target: TempFolder,
}

impl Cluster {
    /// Creates a cluster with these objects and catalogs. The catalogs have the syntax of
    /// `portolan_kit::catalog`.
    pub(super) fn of(objects: &str, now: &str, then: &str) -> Self {
        let world = TempFolder::empty();
        let source = "apiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\n\
                      metadata: {name: shop, namespace: olm}\n\
                      spec: {sourceType: grpc, image: 'quay.test/shop:1'}\n";
        let text = format!("{source}---\n{objects}");
        fs::write(world.join("objects.yaml"), text).expect("a file");
        catalog(now).write(&world.join("catalogsources/olm/shop"));
        Self {
            world,
            target: catalog(then).temp(),
        }
    }

    /// Adds objects to the cluster.
    pub(super) fn with(self, objects: &str) -> Self {
        let name = format!("{}.yaml", objects.len());
        fs::write(self.world.join(name), objects).expect("a file");
        self
    }

    /// Replaces text in all objects of the cluster.
    pub(super) fn replace(&self, from: &str, to: &str) {
        let path = self.world.join("objects.yaml");
        let text = fs::read_to_string(&path).expect("a file");
        assert!(text.contains(from), "{from} must be in {text}");
        fs::write(path, text.replace(from, to)).expect("a file");
    }

    /// Adds the files of a bundle of the package crane: a ClusterServiceVersion with this RBAC
    /// rule, and an object.
    pub(super) fn with_bundle(self, version: &str, rule: &str, object: &str) -> Self {
        let folder = self.world.join("bundles/crane").join(version);
        let csv = format!(
            "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n\
             metadata: {{name: crane.v{version}}}\nspec:\n  version: {version}\n  \
             installModes: [{{type: AllNamespaces, supported: true}}]\n  install:\n    spec:\n      \
             clusterPermissions:\n      - serviceAccountName: cranes\n        rules: [{rule}]\n"
        );
        let annotations =
            "annotations: {operators.operatorframework.io.bundle.package.v1: crane}\n";
        write(&folder, "manifests/csv.yaml", &csv);
        write(&folder, "manifests/object.yaml", object);
        write(&folder, "metadata/annotations.yaml", annotations);
        self
    }

    /// Returns `portolan readiness` for this cluster.
    pub(super) fn command(&self, line: &str) -> Command {
        let catalog = format!("olm/shop={}", self.target.display());
        let mut command = portolan(&format!("readiness {line}"));
        command.arg("--catalog").arg(catalog);
        command.arg("--world").arg(&*self.world);
        command
    }

    /// Returns the output of `portolan readiness` for this cluster.
    pub(super) fn readiness(&self, line: &str) -> String {
        transcript(&mut self.command(line))
    }

    /// Returns the first operator in the report, as JSON.
    pub(super) fn operator(&self, line: &str) -> Value {
        let output = run(&mut self.command(&format!("{line} -o json")));
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        report["operators"][0].clone()
    }
}

/// Returns the objects of the operator crane of OLM v0, in the namespace docks.
pub(super) fn crane(approval: &str, version: &str) -> String {
    format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\n\
         metadata: {{name: crane, namespace: docks}}\n\
         spec: {{name: crane, channel: stable, source: shop, sourceNamespace: olm, \
         installPlanApproval: {approval}}}\n\
         status: {{currentCSV: crane.v{version}, installedCSV: crane.v{version}}}\n---\n\
         apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n\
         metadata: {{name: crane.v{version}, namespace: docks}}\n\
         spec:\n  version: {version}\n  install:\n    spec:\n      \
         clusterPermissions: [{{serviceAccountName: cranes}}]\n\
         status: {{phase: Succeeded}}\n"
    )
}

/// Makes a dump of a folder with objects: adds the file that describes the dump.
pub(super) fn describe_as_dump(folder: &Path) {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": []}).to_string();
    for kind in KINDS {
        write(folder, &format!("objects/{kind}.json"), &list);
    }
    let dump = json!({
        "apiVersion": "portolan.dev/v1", "kind": "Dump", "taken": "2026-11-28T12:00:00Z",
        "by": "a test", "kubernetes": "v1.34.1",
    });
    write(folder, "dump.json", &dump.to_string());
}

/// Returns a ClusterVersion, which reports the release of OpenShift.
pub(super) fn openshift(version: &str) -> String {
    format!(
        "apiVersion: config.openshift.io/v1\nkind: ClusterVersion\nmetadata: {{name: version}}\n\
         status: {{desired: {{version: {version}}}}}\n"
    )
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}
