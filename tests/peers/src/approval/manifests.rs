//! InstallPlans with their Subscriptions and policies, as OLM and users create them.

use serde_json::{Value, json};

use super::port::{PlanNamespace, bundle, plan};

/// The CatalogSource of all Subscriptions.
const CATALOG: (&str, &str) = ("olm", "tugs");

/// The number of objects in a bundle, without its ClusterServiceVersion.
const OBJECTS: usize = 12;

const OLM: &str = "operators.coreos.com/v1alpha1";

// === impl PlanNamespace ===

impl PlanNamespace {
    pub(crate) fn policies(self) -> impl Iterator<Item = Value> {
        self.packages().map(move |package| {
            json!({
                "apiVersion": "policy.open-cluster-management.io/v1beta1",
                "kind": "OperatorPolicy",
                "metadata": {"name": package, "namespace": self.namespace()},
                "spec": {
                    "remediationAction": "enforce",
                    "complianceType": "musthave",
                    "upgradeApproval": "Automatic",
                    "subscription": {
                        "name": package,
                        "namespace": self.namespace(),
                        "channel": "stable",
                        "source": CATALOG.1,
                        "sourceNamespace": CATALOG.0,
                    },
                    "versions": [format!("{package}@>=1.0.0 <2.0.0")],
                },
            })
        })
    }

    /// Returns the Subscriptions. Their next bundles are those of the last InstallPlan.
    pub(crate) fn subscriptions(self) -> impl Iterator<Item = Value> {
        let last = self.port.plans - 1;
        self.packages().map(move |package| {
            json!({
                "apiVersion": OLM,
                "kind": "Subscription",
                "metadata": {"name": package, "namespace": self.namespace()},
                "spec": {
                    "name": package,
                    "channel": "stable",
                    "source": CATALOG.1,
                    "sourceNamespace": CATALOG.0,
                    "installPlanApproval": "Manual",
                },
                "status": {
                    "currentCSV": bundle(&package, last),
                    "installedCSV": bundle(&package, last.saturating_sub(1)),
                    "state": "UpgradePending",
                    "lastUpdated": "2026-11-01T12:00:00Z",
                },
            })
        })
    }

    pub(crate) fn plans(self) -> impl Iterator<Item = Value> {
        (0..self.port.plans).map(move |at| self.plan(at))
    }

    fn plan(self, at: usize) -> Value {
        let is_last = at + 1 == self.port.plans;
        let bundles: Vec<_> = self
            .packages()
            .map(|package| bundle(&package, at))
            .collect();
        let lookups = self.packages().map(|package| lookup(&package, at));
        let steps = bundles.iter().flat_map(|bundle| steps(bundle));
        json!({
            "apiVersion": OLM,
            "kind": "InstallPlan",
            "metadata": {"name": plan(at), "namespace": self.namespace()},
            "spec": {
                "approval": "Manual",
                "approved": !is_last,
                "clusterServiceVersionNames": bundles,
                "generation": at + 1,
            },
            "status": {
                "phase": if is_last { "RequiresApproval" } else { "Complete" },
                "catalogSources": [CATALOG.1],
                "bundleLookups": lookups.collect::<Value>(),
                "plan": steps.collect::<Value>(),
            },
        })
    }
}

fn lookup(package: &str, at: usize) -> Value {
    let replaces = at.checked_sub(1).map(|before| bundle(package, before));
    json!({
        "catalogSourceRef": {"namespace": CATALOG.0, "name": CATALOG.1},
        "identifier": bundle(package, at),
        "path": format!("registry.example/{package}:v1.{at}.0"),
        "properties": properties(package, at),
        "replaces": replaces.unwrap_or_default(),
    })
}

fn properties(package: &str, at: usize) -> String {
    let version = format!("1.{at}.0");
    let kind = json!({"group": format!("{package}.example"), "version": "v1", "kind": "Tug"});
    json!({"properties": [
        {"type": "olm.package", "value": {"packageName": package, "version": version}},
        {"type": "olm.gvk", "value": kind},
        {"type": "olm.maxOpenShiftVersion", "value": "9.9"},
    ]})
    .to_string()
}

/// Returns the steps of a bundle. The manifest of a step is a reference, as for bundles in images.
fn steps(bundle: &str) -> impl Iterator<Item = Value> {
    let csv = ("operators.coreos.com", "v1alpha1", "ClusterServiceVersion");
    let object = ("", "v1", "ConfigMap");
    let kinds = std::iter::once(csv).chain(std::iter::repeat_n(object, OBJECTS));
    kinds.enumerate().map(move |(at, (group, version, kind))| {
        let name = match at {
            0 => bundle.to_owned(),
            _ => format!("{bundle}-{at}"),
        };
        let reference = json!({
            "kind": "ConfigMap",
            "name": "0".repeat(63),
            "namespace": CATALOG.0,
            "catalogSourceName": CATALOG.1,
            "catalogSourceNamespace": CATALOG.0,
        });
        json!({
            "resolving": bundle,
            "status": "Unknown",
            "resource": {
                "group": group,
                "version": version,
                "kind": kind,
                "name": name,
                "manifest": reference.to_string(),
                "sourceName": CATALOG.1,
                "sourceNamespace": CATALOG.0,
            },
        })
    })
}
