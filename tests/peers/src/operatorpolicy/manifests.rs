//! A policy in the established form and its related objects, in the state in which OLM leaves them
//! when the operator runs.

use serde_json::{Value, json};

use super::site::{CATALOG, CHANNEL, CSV, DEPLOYMENT, GROUP, PACKAGE, PLAN, POLICY, Site};
use crate::health::filler::{prose, scrap};
use crate::health::manifests::{THEN, condition};
use crate::health::workload::available;

const OLM: &str = "operators.coreos.com/v1alpha1";

const RULES: usize = 12;
const STEPS: usize = 6;

// === impl Site ===

impl Site {
    /// Returns a compliant policy with the action inform.
    pub(crate) fn policy(self) -> Value {
        json!({
            "apiVersion": "policy.open-cluster-management.io/v1beta1",
            "kind": "OperatorPolicy",
            "metadata": {"name": POLICY, "namespace": self.namespace()},
            "spec": {
                "remediationAction": "inform",
                "severity": "medium",
                "complianceType": "musthave",
                "upgradeApproval": "None",
                "subscription": {
                    "name": PACKAGE,
                    "namespace": self.namespace(),
                    "channel": CHANNEL,
                    "source": CATALOG,
                    "sourceNamespace": self.namespace(),
                },
            },
        })
    }

    pub(crate) fn group(self) -> Value {
        let namespace = self.namespace();
        json!({
            "apiVersion": "operators.coreos.com/v1",
            "kind": "OperatorGroup",
            "metadata": {"name": GROUP, "namespace": namespace},
            "spec": {"targetNamespaces": [namespace], "upgradeStrategy": "Default"},
            "status": {"namespaces": [namespace], "lastUpdated": THEN},
        })
    }

    /// Returns a CatalogSource. Its registry has this address, and OLM is connected to it.
    pub(crate) fn catalog(self, address: &str) -> Value {
        json!({
            "apiVersion": OLM,
            "kind": "CatalogSource",
            "metadata": {"name": CATALOG, "namespace": self.namespace()},
            "spec": {
                "sourceType": "grpc",
                "address": address,
                "displayName": CATALOG,
                "publisher": "the bench",
            },
            "status": {"connectionState": {
                "address": address,
                "lastConnect": THEN,
                "lastObservedState": "READY",
            }},
        })
    }

    /// Returns a complete plan.
    pub(crate) fn plan(self) -> Value {
        json!({
            "apiVersion": OLM,
            "kind": "InstallPlan",
            "metadata": {"name": PLAN, "namespace": self.namespace()},
            "spec": {
                "approval": "Manual",
                "approved": true,
                "clusterServiceVersionNames": [CSV],
                "generation": 1,
            },
            "status": {
                "phase": "Complete",
                "catalogSources": [CATALOG],
                "conditions": [{
                    "type": "Installed",
                    "status": "True",
                    "lastTransitionTime": THEN,
                    "lastUpdateTime": THEN,
                }],
                "plan": (0..STEPS).map(|at| self.step(at)).collect::<Value>(),
            },
        })
    }

    pub(crate) fn subscription(self, plan: &str) -> Value {
        let namespace = self.namespace();
        let reference = |kind: &str, name: &str| json!({"apiVersion": OLM, "kind": kind, "name": name, "namespace": namespace});
        // A Subscription of OLM contains two references to its InstallPlan, in different forms.
        let plan_by = |uid: &str| {
            let mut plan_by = reference("InstallPlan", PLAN);
            plan_by[uid] = plan.into();
            plan_by
        };
        json!({
            "apiVersion": OLM,
            "kind": "Subscription",
            "metadata": {"name": PACKAGE, "namespace": namespace, "labels": self.component()},
            "spec": {
                "name": PACKAGE,
                "channel": CHANNEL,
                "source": CATALOG,
                "sourceNamespace": namespace,
                "installPlanApproval": "Manual",
            },
            "status": {
                "state": "AtLatestKnown",
                "currentCSV": CSV,
                "installedCSV": CSV,
                "installPlanGeneration": 1,
                "installPlanRef": plan_by("uid"),
                "installplan": plan_by("uuid"),
                "lastUpdated": THEN,
                "catalogHealth": [{
                    "catalogSourceRef": reference("CatalogSource", CATALOG),
                    "healthy": true,
                    "lastUpdated": THEN,
                }],
                "conditions": [
                    condition("CatalogSourcesUnhealthy", "False", "AllCatalogSourcesHealthy"),
                ],
            },
        })
    }

    /// Returns a ClusterServiceVersion without CRDs. Its metadata and spec have 25 KB.
    pub(crate) fn csv(self) -> Value {
        let namespace = self.namespace();
        let deployment = json!({"name": DEPLOYMENT, "spec": deployment_spec()});
        json!({
            "apiVersion": OLM,
            "kind": "ClusterServiceVersion",
            "metadata": {
                "name": CSV,
                "namespace": namespace,
                "labels": self.component(),
                "annotations": {
                    "alm-examples": prose(1, 8_000),
                    "capabilities": "Deep Insights",
                    "olm.operatorGroup": GROUP,
                    "olm.operatorNamespace": namespace,
                    "olm.targetNamespaces": namespace,
                },
            },
            "spec": {
                "displayName": PACKAGE,
                "description": prose(3, 8_000),
                "version": "1.4.2",
                "icon": [{"base64data": scrap(7_000), "mediatype": "image/png"}],
                "installModes": install_modes(),
                "install": {"strategy": "deployment", "spec": {
                    "clusterPermissions": [{"serviceAccountName": PACKAGE, "rules": rules()}],
                    "deployments": [deployment],
                }},
            },
            "status": {
                "phase": "Succeeded",
                "reason": "InstallSucceeded",
                "message": "install strategy completed with no errors",
                "lastTransitionTime": THEN,
                "lastUpdateTime": THEN,
            },
        })
    }

    pub(crate) fn deployment(self) -> Value {
        let mut manifest = json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {
                "name": DEPLOYMENT,
                "namespace": self.namespace(),
                "labels": {
                    "olm.managed": "true",
                    "olm.owner": CSV,
                    "olm.owner.kind": "ClusterServiceVersion",
                    "olm.owner.namespace": self.namespace(),
                },
            },
            "spec": deployment_spec(),
            "status": available(),
        });
        manifest["status"]["observedGeneration"] = json!(1);
        manifest
    }

    /// Returns the labels with which OLM marks the objects of the operator.
    fn component(self) -> Value {
        let label = format!("operators.coreos.com/{PACKAGE}.{}", self.namespace());
        json!({label: ""})
    }

    fn step(self, at: usize) -> Value {
        json!({
            "resolving": CSV,
            "status": "Created",
            "resource": {
                "group": "",
                "version": "v1",
                "kind": "ConfigMap",
                "name": format!("{CSV}-{at}"),
                "manifest": scrap(120),
                "sourceName": CATALOG,
                "sourceNamespace": self.namespace(),
            },
        })
    }
}

fn deployment_spec() -> Value {
    let labels = json!({"control-plane": PACKAGE});
    let environment =
        (0..10).map(|at| json!({"name": format!("VAR_{at}"), "value": prose(at, 40)}));
    json!({
        "replicas": 1,
        "selector": {"matchLabels": labels},
        "template": {
            "metadata": {"labels": labels},
            "spec": {"containers": [{
                "name": "manager",
                "image": "registry.example/fleet/manager:v1.4.2",
                "env": environment.collect::<Value>(),
            }]},
        },
    })
}

fn install_modes() -> Value {
    let modes = [
        "OwnNamespace",
        "SingleNamespace",
        "MultiNamespace",
        "AllNamespaces",
    ];
    let mode = |type_| json!({"type": type_, "supported": true});
    modes.map(mode).into_iter().collect()
}

fn rules() -> Value {
    let rule = |at| {
        json!({
            "apiGroups": [format!("group-{at}.fleet.example")],
            "resources": ["ships", "ships/status"],
            "verbs": ["create", "delete", "get", "list", "patch", "update", "watch"],
        })
    };
    (0..RULES).map(rule).collect()
}
