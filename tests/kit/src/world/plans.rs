//! The information about bundles in InstallPlans, and policies that allow these bundles.

use serde_json::{Value, json};

use super::World;
use super::objects::{OPERATORS, split};
use super::operators::append;

impl World {
    /// Adds a bundle lookup to the last InstallPlan. The bundle has its package and version as
    /// properties, and these additional properties.
    ///
    /// # Panics
    /// Panics if the name is not `<package>.v<version>`.
    #[must_use]
    #[track_caller]
    pub fn lookup(self, csv: &str, properties: &[Value]) -> Self {
        let (name, namespace) = self.source.clone();
        let lookup = json!({
            "identifier": csv,
            "path": format!("registry.example/{csv}"),
            "replaces": "",
            "catalogSourceRef": {"name": name, "namespace": namespace},
            "properties": bundle_properties(csv, properties),
        });
        self.last("InstallPlan", |plan| {
            append(&mut plan["status"]["bundleLookups"], lookup)
        })
    }

    /// Adds the package and version as properties to each ClusterServiceVersion in the steps of the
    /// last InstallPlan, as OLM does.
    ///
    /// # Panics
    /// Panics in the same cases as [`World::lookup`].
    #[must_use]
    #[track_caller]
    pub fn described(self) -> Self {
        self.last("InstallPlan", |plan| {
            for step in plan["status"]["plan"].as_array_mut().into_iter().flatten() {
                let resource = &mut step["resource"];
                if resource["kind"] == "ClusterServiceVersion" {
                    let csv = resource["name"].as_str().unwrap_or_default();
                    let annotations =
                        json!({"operatorframework.io/properties": bundle_properties(csv, &[])});
                    let text = resource["manifest"].as_str().unwrap_or_default();
                    let mut manifest: Value =
                        serde_json::from_str(text).expect("a manifest must be JSON");
                    manifest["metadata"]["annotations"] = annotations;
                    resource["manifest"] = json!(manifest.to_string());
                }
            }
        })
    }

    /// Adds a namespace with an operator at version 1.0.0. An InstallPlan for 1.1.0 waits for
    /// approval, and a policy allows 1.1.0.
    #[must_use]
    #[track_caller]
    pub fn waiting(self, package: &str) -> Self {
        let (old, new) = (format!("{package}.v1.0.0"), format!("{package}.v1.1.0"));
        self.namespace(&format!("{package}-system"))
            .subscription(package, "stable")
            .pending(&old, &new, "install-1")
            .csv(&old, "Succeeded")
            .plan("install-1", &[&new])
            .described()
            .policy(package, &[&new])
    }

    /// Adds a step to the last InstallPlan, for an object of the bundle.
    #[must_use]
    pub fn step(self, bundle: &str, kind: &str, name: &str, manifest: &Value) -> Self {
        let (source, source_namespace) = self.source.clone();
        let group = match kind {
            "Subscription" | "ClusterServiceVersion" => OPERATORS,
            _ => "",
        };
        let step = json!({
            "resolving": bundle,
            "status": "Unknown",
            "resource": {
                "group": group,
                "version": "v1alpha1",
                "kind": kind,
                "name": name,
                "manifest": manifest.to_string(),
                "sourceName": source,
                "sourceNamespace": source_namespace,
            },
        });
        self.last("InstallPlan", |plan| {
            append(&mut plan["status"]["plan"], step)
        })
    }

    /// Adds a step to the last InstallPlan that creates a Subscription to a package, as OLM does
    /// for dependencies.
    #[must_use]
    pub fn subscribing(self, bundle: &str, package: &str, channel: &str) -> Self {
        let (source, source_namespace) = self.source.clone();
        let name = format!("{package}-{channel}-{source}-{source_namespace}");
        let manifest = json!({
            "metadata": {"name": name, "namespace": self.namespace},
            "spec": {
                "name": package,
                "channel": channel,
                "source": source,
                "sourceNamespace": source_namespace,
                "startingCSV": bundle,
                "installPlanApproval": "Automatic",
            },
            "status": {"lastUpdated": null},
        });
        self.step(bundle, "Subscription", &name, &manifest)
    }

    /// Adds an OperatorPolicy with the name of the package. The policy installs the operator in the
    /// current namespace, and allows these bundles and versions.
    #[must_use]
    pub fn policy(self, package: &str, allowed: &[&str]) -> Self {
        let (source, source_namespace) = &self.source;
        let policy = json!({
            "apiVersion": "policy.open-cluster-management.io/v1beta1",
            "kind": "OperatorPolicy",
            "metadata": {"name": package, "namespace": self.namespace, "generation": 1},
            "spec": {
                "remediationAction": "enforce",
                "subscription": {
                    "name": package,
                    "namespace": self.namespace,
                    "channel": "stable",
                    "source": source,
                    "sourceNamespace": source_namespace,
                },
                "allowedCSVs": allowed,
            },
        });
        self.push(policy)
    }
}

/// Returns the properties of a bundle with this name, as OLM writes them.
#[track_caller]
fn bundle_properties(csv: &str, properties: &[Value]) -> String {
    let (package, version) = split(csv);
    let value = json!({"packageName": package, "version": version});
    let mut all = vec![json!({"type": "olm.package", "value": value})];
    all.extend_from_slice(properties);
    json!({"properties": all}).to_string()
}
