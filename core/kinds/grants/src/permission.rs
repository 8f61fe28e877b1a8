//! The roles and bindings that grant permissions to the ServiceAccount of an Install, and the
//! permissions that existing bindings grant.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::installs::{AccountRef, INSTALL, Permission};
use portolan_core_install::{Rule, digest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::account::owner;
use crate::rights::{permission, places, rule};

const RBAC: &str = "rbac.authorization.k8s.io";
/// The number of digits of a digest in the name of a role.
const DIGITS: usize = 16;
/// The annotation of a binding that lists the subjects. The ServiceAccount may pass the rules of
/// the role on to these subjects. The API server accepts the annotation only from users who may
/// bind the role.
pub const SUBJECTS: &str = "operators.portolan.dev/subjects";

/// The purpose of a binding, as its annotation describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Purpose {
    /// The subjects to which the account may pass the rules on. Empty if the rules are for the
    /// account itself.
    subjects: BTreeSet<String>,
    /// The role through which the subjects get the rules. Empty if this role is in the content.
    #[serde(skip_serializing_if = "String::is_empty")]
    role: String,
}

/// Returns the roles and bindings that grant the permissions to the ServiceAccount of an Install.
///
/// They are deleted together with the Install. Each set of subjects gets one Role for each
/// namespace, and one ClusterRole for the whole cluster. The names contain a digest of the rules,
/// so granting the same permissions again creates no new objects.
pub fn bindings(
    (install, uid): (&str, &str),
    account: &AccountRef,
    permissions: &[Permission],
) -> Vec<Value> {
    let mut given: BTreeMap<_, Vec<Value>> = BTreeMap::new();
    for permission in permissions {
        let purpose = Purpose {
            subjects: permission.subjects.clone(),
            role: permission.role.clone(),
        };
        for place in places(permission) {
            let rules = given.entry((place, purpose.clone())).or_default();
            rules.push(rule(permission).to_json());
        }
    }
    let objects = given
        .into_iter()
        .flat_map(|(place, rules)| objects((install, uid), account, place, rules));
    objects.collect()
}

/// Returns the role and the binding for one namespace or the whole cluster, and for one purpose.
fn objects(
    (install, uid): (&str, &str),
    account: &AccountRef,
    (namespace, purpose): (Option<&str>, Purpose),
    rules: Vec<Value>,
) -> [Value; 2] {
    let name = name(account, &json!([namespace, rules, purpose]));
    let mut metadata = json!({
        "name": name,
        "labels": {INSTALL.name(): uid},
        "ownerReferences": [owner(install, uid)],
    });
    let kind = if let Some(namespace) = namespace {
        metadata["namespace"] = json!(namespace);
        "Role"
    } else {
        "ClusterRole"
    };
    let version = format!("{RBAC}/v1");
    let role = json!({
        "apiVersion": version, "kind": kind, "metadata": metadata, "rules": rules,
    });
    metadata["annotations"] = json!({SUBJECTS: json!(purpose).to_string()});
    let subject = json!({
        "kind": "ServiceAccount", "name": account.name, "namespace": account.namespace,
    });
    let binding = json!({
        "apiVersion": version, "kind": format!("{kind}Binding"), "metadata": metadata,
        "roleRef": {"apiGroup": RBAC, "kind": kind, "name": name}, "subjects": [subject],
    });
    [role, binding]
}

/// Returns the name of the role and of the binding. It contains a digest of what they grant.
fn name(account: &AccountRef, given: &Value) -> String {
    let digest = digest(given);
    let (_, digits) = digest.split_once(':').unwrap_or(("", &digest));
    let digits = digits.get(..DIGITS).unwrap_or(digits);
    format!("{}-{digits}", account.name)
}

/// Returns the permissions that an approval has granted to an account through this binding and its
/// role. Both come from an API server.
///
/// Returns an empty list if the binding does not come from an approval for this Install, or if its
/// role grants nothing.
pub fn given_by(
    (uid, account): (&str, &AccountRef),
    binding: &Value,
    role: &Value,
) -> Vec<Permission> {
    let metadata = &binding["metadata"];
    let purpose = metadata["annotations"][SUBJECTS].as_str();
    let purpose = purpose.and_then(|it| serde_json::from_str::<Purpose>(it).ok());
    let is_its = |it: &Value| it["metadata"]["labels"][INSTALL.name()] == uid;
    let Some(purpose) = purpose.filter(|_| is_its(binding) && is_its(role)) else {
        return Vec::new();
    };
    if !binds(binding, role, account) {
        return Vec::new();
    }
    let namespace = metadata["namespace"].as_str().map(str::to_owned);
    let rules = role["rules"].as_array().into_iter().flatten();
    let permissions = rules.map(|rule| Permission {
        namespaces: namespace.clone().into_iter().collect(),
        subjects: purpose.subjects.clone(),
        role: purpose.role.clone(),
        ..permission(Rule::of(rule))
    });
    permissions.collect()
}

/// Returns true if the binding grants this role to the account.
fn binds(binding: &Value, role: &Value, account: &AccountRef) -> bool {
    let reference = &binding["roleRef"];
    let mut subjects = binding["subjects"].as_array().into_iter().flatten();
    let is_held = subjects.any(|it| {
        it["kind"] == "ServiceAccount"
            && it["name"] == account.name.as_str()
            && it["namespace"] == account.namespace.as_str()
    });
    is_held && reference["kind"] == role["kind"] && reference["name"] == role["metadata"]["name"]
}
