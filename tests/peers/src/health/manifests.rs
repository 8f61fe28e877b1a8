//! The objects of an operator, in the state in which OLM and Kubernetes leave them after the
//! installation. Their size is similar to that of real objects.

use serde_json::{Value, json};

use super::filler::{prose, scrap};
use super::fleet::Operator;

/// The timestamp of all events.
pub(crate) const THEN: &str = "2026-11-01T12:00:00Z";

/// The CatalogSource of all operators.
pub(crate) const CATALOG: (&str, &str) = ("olm", "fleet");

const SCHEMA_FIELDS: usize = 80;
const RULES: usize = 12;

/// Returns the ServiceAccount `default` of a namespace. The API server rejects Pods without it, and
/// the controller that normally creates it does not run.
pub(crate) fn service_account(namespace: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "default", "namespace": namespace},
    })
}

pub(crate) fn operator_group(namespace: &str) -> Value {
    json!({
        "apiVersion": "operators.coreos.com/v1",
        "kind": "OperatorGroup",
        "metadata": {"name": format!("{namespace}-group"), "namespace": namespace},
        "spec": {"targetNamespaces": [namespace], "upgradeStrategy": "Default"},
        "status": {"namespaces": [namespace], "lastUpdated": THEN},
    })
}

// === impl Operator ===

impl Operator {
    /// Returns a CRD with a schema of 20 KB.
    pub(crate) fn definition_manifest(self) -> Value {
        let fields = (0..SCHEMA_FIELDS).map(|at| {
            let description = prose(at, 200);
            let field = json!({"type": "string", "description": description});
            (format!("mooring{at:02}"), field)
        });
        let fields: serde_json::Map<_, _> = fields.collect();
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": self.definition(), "labels": {"olm.managed": "true"}},
            "spec": {
                "group": self.group(),
                "scope": "Namespaced",
                "names": {
                    "kind": "Harbor",
                    "listKind": "HarborList",
                    "plural": "harbors",
                    "singular": "harbor",
                },
                "versions": [{
                    "name": "v1",
                    "served": true,
                    "storage": true,
                    "subresources": {"status": {}},
                    "schema": {"openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {"type": "object", "properties": fields},
                            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                        },
                    }},
                }],
            },
        })
    }

    /// Returns a ClusterServiceVersion. Its metadata and its spec have 30 KB.
    pub(crate) fn csv_manifest(self) -> Value {
        let (namespace, package) = (self.namespace(), self.package());
        json!({
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "ClusterServiceVersion",
            "metadata": {
                "name": self.csv(),
                "namespace": namespace,
                "labels": {"olm.managed": "true"},
                "annotations": {
                    "alm-examples": prose(1, 8_000),
                    "capabilities": "Deep Insights",
                    "description": prose(2, 200),
                    "olm.operatorGroup": format!("{namespace}-group"),
                    "olm.operatorNamespace": namespace,
                    "olm.targetNamespaces": namespace,
                },
            },
            "spec": {
                "displayName": package,
                "description": prose(3, 8_000),
                "version": "1.4.2",
                "maturity": "stable",
                "minKubeVersion": "1.25.0",
                "keywords": ["harbor", "fleet"],
                "maintainers": [{"name": "Fleet", "email": "fleet@fleet.example"}],
                "provider": {"name": "Fleet"},
                "icon": [{"base64data": scrap(7_000), "mediatype": "image/png"}],
                "installModes": install_modes(),
                "customresourcedefinitions": {"owned": [self.owned()]},
                "install": {"strategy": "deployment", "spec": {
                    "clusterPermissions": [{"serviceAccountName": package, "rules": rules()}],
                    "deployments": [{"name": self.deployment(), "spec": self.deployment_spec()}],
                }},
            },
            "status": self.csv_status(),
        })
    }

    pub(crate) fn subscription_manifest(self, plan: &str) -> Value {
        let namespace = self.namespace();
        let (catalog_namespace, catalog) = CATALOG;
        let catalog_ref = json!({
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "CatalogSource",
            "name": catalog,
            "namespace": catalog_namespace,
        });
        // A Subscription of OLM contains two references to its InstallPlan, in different forms.
        let plan_by = |uid: &str| {
            json!({
                "apiVersion": "operators.coreos.com/v1alpha1",
                "kind": "InstallPlan",
                "name": self.plan(),
                "namespace": namespace,
                uid: plan,
            })
        };
        json!({
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "Subscription",
            "metadata": {"name": self.package(), "namespace": namespace},
            "spec": {
                "name": self.package(),
                "channel": "stable",
                "source": catalog,
                "sourceNamespace": catalog_namespace,
                "installPlanApproval": "Manual",
            },
            "status": {
                "state": "AtLatestKnown",
                "currentCSV": self.csv(),
                "installedCSV": self.csv(),
                "installPlanGeneration": 1,
                "installPlanRef": plan_by("uid"),
                "installplan": plan_by("uuid"),
                "lastUpdated": THEN,
                "catalogHealth": [
                    {"catalogSourceRef": catalog_ref, "healthy": true, "lastUpdated": THEN},
                ],
                "conditions": [condition("CatalogSourcesUnhealthy", "False", "AllCatalogSourcesHealthy")],
            },
        })
    }

    pub(crate) fn operator_condition_manifest(self) -> Value {
        let upgradeable = condition("Upgradeable", "True", "Ready");
        json!({
            "apiVersion": "operators.coreos.com/v2",
            "kind": "OperatorCondition",
            "metadata": {"name": self.csv(), "namespace": self.namespace()},
            "spec": {
                "deployments": [self.deployment()],
                "serviceAccounts": [self.package()],
                "conditions": [upgradeable],
            },
            "status": {"conditions": [upgradeable]},
        })
    }

    fn owned(self) -> Value {
        let descriptors = (0..10).map(|at| {
            json!({
                "path": format!("mooring{at:02}"),
                "displayName": format!("Mooring {at}"),
                "description": prose(at, 100),
            })
        });
        json!({
            "name": self.definition(),
            "version": "v1",
            "kind": "Harbor",
            "displayName": "Harbor",
            "description": prose(4, 200),
            "specDescriptors": descriptors.collect::<Value>(),
        })
    }

    fn csv_status(self) -> Value {
        let row = |group: &str, version: &str, kind: &str, name: &str| {
            json!({
                "group": group,
                "version": version,
                "kind": kind,
                "name": name,
                "status": "Present",
                "message": format!("{kind} is present"),
                "uuid": "0c4b8a3e-6a0c-4d0a-9c3a-2f6f3f4f5a6b",
            })
        };
        let dependents = (0..RULES).map(|at| {
            json!({
                "group": "rbac.authorization.k8s.io",
                "version": "v1",
                "kind": "PolicyRule",
                "status": "Satisfied",
                "message": format!("cluster rule:{}", rule(at)),
            })
        });
        let mut account = row("", "v1", "ServiceAccount", &self.package());
        account["dependents"] = dependents.collect();
        let csv = row(
            "operators.coreos.com",
            "v1alpha1",
            "ClusterServiceVersion",
            &self.csv(),
        );
        let definition = row(
            "apiextensions.k8s.io",
            "v1",
            "CustomResourceDefinition",
            &self.definition(),
        );
        let phase = |phase: &str, reason: &str, message: &str| {
            json!({
                "phase": phase,
                "reason": reason,
                "message": message,
                "lastTransitionTime": THEN,
                "lastUpdateTime": THEN,
            })
        };
        let mut status = phase(
            "Succeeded",
            "InstallSucceeded",
            "install strategy completed with no errors",
        );
        status["requirementStatus"] = json!([csv, definition, account]);
        status["conditions"] = json!([
            phase(
                "Pending",
                "RequirementsUnknown",
                "requirements not yet checked"
            ),
            phase(
                "InstallReady",
                "AllRequirementsMet",
                "all requirements found, attempting install"
            ),
            phase(
                "Installing",
                "InstallSucceeded",
                "waiting for install components to report healthy"
            ),
            phase(
                "Succeeded",
                "InstallSucceeded",
                "install strategy completed with no errors"
            ),
        ]);
        status
    }
}

pub(crate) fn condition(type_: &str, status: &str, reason: &str) -> Value {
    json!({
        "type": type_,
        "status": status,
        "reason": reason,
        "message": prose(5, 60),
        "lastTransitionTime": THEN,
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
    (0..RULES).map(rule).collect()
}

fn rule(at: usize) -> Value {
    json!({
        "apiGroups": [format!("group-{at}.fleet.example")],
        "resources": ["harbors", "harbors/status", "harbors/finalizers"],
        "verbs": ["create", "delete", "get", "list", "patch", "update", "watch"],
    })
}

#[cfg(test)]
mod tests {
    use super::super::fleet::Fleet;

    #[test]
    fn generated_objects_have_the_sizes_of_real_objects() {
        let fleet = Fleet {
            operators: 1,
            namespaces: 1,
        };
        let operator = fleet.operators().next().unwrap();
        let sizes = [operator.csv_manifest(), operator.definition_manifest()];
        let [csv, definition] = sizes.map(|manifest| manifest.to_string().len());
        assert!((30_000..40_000).contains(&csv), "{csv}");
        assert!((20_000..24_000).contains(&definition), "{definition}");
    }
}
