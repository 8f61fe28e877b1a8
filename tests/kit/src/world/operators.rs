//! Further states of operators, as OLM writes them.

use serde_json::{Value, json};

use super::World;
use super::objects::{self, TIME};
use crate::catalog::install_modes;

impl World {
    /// Adds an OperatorGroup with this name. It targets these namespaces, or all namespaces if the
    /// list is empty.
    #[must_use]
    pub fn operator_group_for(self, name: &str, targets: &[&str]) -> Self {
        let mut group = objects::operator_group(&self.namespace, None);
        group["metadata"]["name"] = json!(name);
        if !targets.is_empty() {
            group["spec"]["targetNamespaces"] = json!(targets);
            group["status"]["namespaces"] = json!(targets);
        }
        self.push(group)
    }

    /// Sets the reason and the message of the phase of the last ClusterServiceVersion.
    #[must_use]
    pub fn because(self, reason: &str, message: &str) -> Self {
        self.last_csv(|csv| {
            csv["status"]["reason"] = json!(reason);
            csv["status"]["message"] = json!(message);
        })
    }

    /// Adds Deployments with these names to the last ClusterServiceVersion. Each Deployment has one
    /// available replica.
    #[must_use]
    pub fn running(self, deployments: &[&str]) -> Self {
        self.last_csv(|csv| {
            let wanted = &mut csv["spec"]["install"]["spec"]["deployments"];
            let pattern = wanted[0].clone();
            let named = deployments.iter().map(|name| {
                let mut deployment = pattern.clone();
                deployment["name"] = json!(name);
                deployment
            });
            *wanted = named.collect();
        })
    }

    /// Makes the last ClusterServiceVersion own these kinds. A kind has the format
    /// `ferries.demo.example/v1/Ferry`.
    ///
    /// # Panics
    /// Panics if a kind has another format.
    #[must_use]
    #[track_caller]
    pub fn owning(self, kinds: &[&str]) -> Self {
        let described = kinds.iter().map(|kind| description(kind)).collect();
        self.last_csv(|csv| csv["spec"]["customresourcedefinitions"]["owned"] = described)
    }

    /// Makes the last ClusterServiceVersion require these kinds, in the format of
    /// [`World::owning`].
    ///
    /// # Panics
    /// Panics in the same cases as [`World::owning`].
    #[must_use]
    #[track_caller]
    pub fn requiring(self, kinds: &[&str]) -> Self {
        let described = kinds.iter().map(|kind| description(kind)).collect();
        self.last_csv(|csv| csv["spec"]["customresourcedefinitions"]["required"] = described)
    }

    /// Makes the last ClusterServiceVersion support only these install modes.
    #[must_use]
    pub fn modes(self, supported: &[&str]) -> Self {
        self.last_csv(|csv| csv["spec"]["installModes"] = install_modes(supported))
    }

    /// Adds the status of a requirement to the last ClusterServiceVersion.
    #[must_use]
    pub fn requirement(self, kind: &str, name: &str, status: &str, message: &str) -> Self {
        let row = json!({
            "group": "", "version": "v1", "kind": kind, "name": name,
            "status": status, "message": message,
        });
        self.last_csv(|csv| append(&mut csv["status"]["requirementStatus"], row))
    }

    /// Adds a copied ClusterServiceVersion. The original is in the namespace `from`.
    ///
    /// # Panics
    /// Panics in the same cases as [`World::csv`].
    #[must_use]
    #[track_caller]
    pub fn copied_csv(self, name: &str, from: &str) -> Self {
        let mut csv = objects::csv(&self.namespace, name, "Succeeded");
        let namespace = &self.namespace;
        csv["metadata"]["labels"] = json!({"olm.managed": "true", "olm.copiedFrom": from});
        csv["metadata"]["annotations"] =
            json!({"olm.operatorGroup": from, "olm.operatorNamespace": from});
        csv["status"]["reason"] = json!("Copied");
        csv["status"]["message"] = json!(format!(
            "The operator is running in {from} but is managing this namespace ({namespace})"
        ));
        self.push(csv)
    }

    /// Adds an OperatorCondition of this ClusterServiceVersion, with a condition that the operator
    /// reports. OLM has already copied the condition into the status.
    #[must_use]
    pub fn operator_condition(self, csv: &str, kind: &str, status: &str, message: &str) -> Self {
        let mut said = condition(kind, status, "AsItSays", message);
        let spec = json!({"conditions": [said]});
        said["observedGeneration"] = json!(1);
        let metadata = json!({"name": csv, "namespace": self.namespace, "generation": 1});
        self.push(json!({
            "apiVersion": "operators.coreos.com/v2",
            "kind": "OperatorCondition",
            "metadata": metadata,
            "spec": spec,
            "status": {"conditions": [said]},
        }))
    }

    /// Makes the last InstallPlan approved and in progress.
    #[must_use]
    pub fn installing(self) -> Self {
        self.last("InstallPlan", |plan| {
            plan["spec"]["approved"] = json!(true);
            plan["status"]["phase"] = json!("Installing");
            plan["status"]["startTime"] = json!(TIME);
        })
    }

    /// Makes the last InstallPlan approved and failed.
    #[must_use]
    pub fn failed(self, message: &str) -> Self {
        let reason = "InstallComponentFailed";
        let world = self.installing();
        world.last("InstallPlan", |plan| {
            plan["status"]["phase"] = json!("Failed");
            plan["status"]["message"] = json!(message);
            plan["status"]["conditions"] =
                json!([condition("Installed", "False", reason, message)]);
        })
    }

    /// Adds an established CRD with a name such as `ferries.demo.example`. The CRD serves these
    /// versions and stores the last version.
    #[must_use]
    pub fn definition(self, name: &str, kind: &str, versions: &[&str]) -> Self {
        let (plural, group) = name.split_once('.').unwrap_or((name, ""));
        let last = versions.last();
        let version = |name: &&str| {
            json!({
                "name": name, "served": true, "storage": Some(name) == last,
                "schema": {"openAPIV3Schema": {"type": "object"}},
            })
        };
        let names = json!({"plural": plural, "singular": kind.to_lowercase(), "kind": kind});
        self.push(json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": name},
            "spec": {
                "group": group, "names": names, "scope": "Namespaced",
                "versions": versions.iter().map(version).collect::<Value>(),
            },
            "status": {
                "acceptedNames": names,
                "storedVersions": last.as_slice(),
                "conditions": [
                    condition("NamesAccepted", "True", "NoConflicts", "no conflicts found"),
                    condition("Established", "True", "InitialNamesAccepted", "accepted"),
                ],
            },
        }))
    }

    /// Makes the last CRD not established, because another CRD already uses its names.
    #[must_use]
    pub fn not_established(self) -> Self {
        self.last("CustomResourceDefinition", |definition| {
            definition["status"]["conditions"] = json!([
                condition(
                    "NamesAccepted",
                    "False",
                    "PluralConflict",
                    "the plural is in use"
                ),
                condition(
                    "Established",
                    "False",
                    "NotAccepted",
                    "not all names are accepted"
                ),
            ]);
        })
    }

    /// Adds an APIService with a name such as `v1.tides.example`. An aggregated API server serves
    /// it.
    #[must_use]
    pub fn api_service(self, name: &str, is_available: bool) -> Self {
        let (version, group) = name.split_once('.').unwrap_or((name, ""));
        let available = if is_available {
            condition("Available", "True", "Passed", "all checks passed")
        } else {
            condition("Available", "False", "MissingEndpoints", "no endpoints")
        };
        let service = json!({"name": "api", "namespace": self.namespace, "port": 443});
        self.push(json!({
            "apiVersion": "apiregistration.k8s.io/v1",
            "kind": "APIService",
            "metadata": {"name": name},
            "spec": {"group": group, "version": version, "service": service,
                     "groupPriorityMinimum": 2000, "versionPriority": 15},
            "status": {"conditions": [available]},
        }))
    }

    /// Adds a condition to the last object of any kind.
    ///
    /// # Panics
    /// Panics if the world is empty.
    #[must_use]
    #[track_caller]
    pub fn condition(self, kind: &str, status: &str, reason: &str, message: &str) -> Self {
        let said = condition(kind, status, reason, message);
        self.edit(|object| append(&mut object["status"]["conditions"], said))
    }

    /// Sets the uid and the resource version of the last object, which an API server would set.
    ///
    /// # Panics
    /// Panics if the world is empty.
    #[must_use]
    #[track_caller]
    pub fn stamped(self, uid: &str, resource_version: &str) -> Self {
        self.edit(|object| {
            object["metadata"]["uid"] = json!(uid);
            object["metadata"]["resourceVersion"] = json!(resource_version);
        })
    }

    fn last_csv(self, change: impl FnOnce(&mut Value)) -> Self {
        self.last("ClusterServiceVersion", change)
    }
}

pub(super) fn condition(kind: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({
        "type": kind,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": TIME,
    })
}

/// Appends an item to a list. Creates the list if the value is not a list.
pub(super) fn append(list: &mut Value, item: Value) {
    match list {
        Value::Array(items) => items.push(item),
        none => *none = json!([item]),
    }
}

#[track_caller]
fn description(kind: &str) -> Value {
    let parts: Vec<_> = kind.split('/').collect();
    let [name, version, kind] = parts[..] else {
        panic!("{kind:?} must be <plural>.<group>/<version>/<kind>");
    };
    json!({"name": name, "version": version, "kind": kind, "displayName": kind})
}
