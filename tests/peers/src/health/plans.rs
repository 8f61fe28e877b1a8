//! InstallPlans that are complete.

use serde_json::{Value, json};

use super::filler::scrap;
use super::fleet::Operator;
use super::manifests::{CATALOG, THEN};

/// The number of objects of an operator that OLM has created.
const STEPS: usize = 6;

// === impl Operator ===

impl Operator {
    /// Returns a plan whose steps refer to manifests in other objects, as for bundles in images.
    pub(crate) fn plan_manifest(self) -> Value {
        let steps = (0..STEPS).map(|at| {
            let manifest = json!({"kind": "ConfigMap", "name": scrap(64), "namespace": "olm"});
            step(&self.csv(), at, &manifest.to_string())
        });
        plan(
            &self.plan(),
            &self.namespace(),
            &self.csv(),
            steps.collect(),
        )
    }
}

/// Returns a complete InstallPlan.
pub(crate) fn plan(name: &str, namespace: &str, csv: &str, steps: Vec<Value>) -> Value {
    json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "InstallPlan",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "approval": "Manual",
            "approved": true,
            "clusterServiceVersionNames": [csv],
            "generation": 1,
        },
        "status": {
            "phase": "Complete",
            "catalogSources": [CATALOG.1],
            "conditions": [{
                "type": "Installed",
                "status": "True",
                "lastTransitionTime": THEN,
                "lastUpdateTime": THEN,
            }],
            "plan": steps,
        },
    })
}

/// Returns a step of an InstallPlan. `manifest` is the text of its manifest.
pub(crate) fn step(csv: &str, at: usize, manifest: &str) -> Value {
    json!({
        "resolving": csv,
        "status": "Created",
        "resource": {
            "group": "",
            "version": "v1",
            "kind": "ConfigMap",
            "name": format!("{csv}-{at}"),
            "manifest": manifest,
            "sourceName": CATALOG.1,
            "sourceNamespace": CATALOG.0,
        },
    })
}
