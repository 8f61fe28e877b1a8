//! Finds the APIs that a bundle uses and that a release of Kubernetes removed.

use portolan_core_names::removed::{self, RemovedApiUse, RemovedApis};
use serde_json::Value as Json;

use crate::bundle::Bundle;
use crate::csv::Permission;
use crate::object::text;
use crate::typed::Placed;

// === impl Bundle ===

impl Bundle {
    /// Returns the removed APIs that the objects and the permissions of the bundle use.
    pub fn removed_apis(&self) -> RemovedApis {
        let crds = self.crds.iter().map(|crd| &crd.json);
        let others = self.others.iter().map(|other| &other.json);
        let mut objects: Vec<_> = crds.chain(others).filter_map(of_object).collect();
        let strategy = &self.csv.spec.install.spec;
        let accounts = strategy.permissions.iter();
        let accounts = accounts.chain(&strategy.cluster_permissions);
        let mut permissions: Vec<_> = accounts.flat_map(of_account).collect();
        permissions.extend(self.others.iter().flat_map(|other| of_role(&other.json)));
        for uses in [&mut objects, &mut permissions] {
            uses.sort();
            uses.dedup();
        }
        RemovedApis {
            objects,
            permissions,
        }
    }
}

fn of_object(json: &Json) -> Option<RemovedApiUse> {
    let api = removed::of_object(text(&json["apiVersion"]), text(&json["kind"]))?;
    let name = text(&json["metadata"]["name"]).to_owned();
    Some(RemovedApiUse { api, name })
}

/// Returns the removed APIs to which a ServiceAccount of the ClusterServiceVersion gets
/// permissions.
fn of_account(permission: &Placed<Permission>) -> Vec<RemovedApiUse> {
    let Permission {
        service_account_name: name,
        rules,
        ..
    } = &permission.value;
    let rules = rules.iter().flatten();
    let uses = rules.flat_map(|rule| {
        let groups = rule.api_groups.iter().map(String::as_str);
        of_rule(groups, rule.resources.iter().map(String::as_str), name)
    });
    uses.collect()
}

/// Returns the removed APIs that the rules of a Role or ClusterRole name.
fn of_role(json: &Json) -> Vec<RemovedApiUse> {
    let name = text(&json["metadata"]["name"]);
    let is_role = matches!(text(&json["kind"]), "Role" | "ClusterRole");
    let rules = json["rules"].as_array().filter(|_| is_role);
    let uses = rules.into_iter().flatten().flat_map(|rule| {
        let [groups, resources] = ["apiGroups", "resources"].map(|field| {
            let list = rule[field].as_array().into_iter().flatten();
            list.map(text).collect::<Vec<_>>()
        });
        of_rule(groups.into_iter(), resources.into_iter(), name)
    });
    uses.collect()
}

fn of_rule<'r>(
    groups: impl Iterator<Item = &'r str>,
    resources: impl Iterator<Item = &'r str> + Clone,
    name: &str,
) -> Vec<RemovedApiUse> {
    let pairs = groups.flat_map(|group| resources.clone().map(move |resource| (group, resource)));
    let apis = pairs.filter_map(|(group, resource)| removed::of_rule(group, resource));
    let uses = apis.map(|api| RemovedApiUse {
        api,
        name: name.to_owned(),
    });
    uses.collect()
}
