//! Additions that OLM v0 makes and OLM v1 does not. Operators and tenants rely on them.

use serde_json::{Value as Json, json};

use super::certificate::push;
use super::{Config, Manifest, Plan};
use crate::object::text;

/// The additions to the manifests of OLM v1.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Additions {
    /// True to add ClusterRoles for each API of the bundle. They let the admins, editors and
    /// viewers of a namespace use the API.
    pub api_roles: bool,
    /// True to add the Namespace that the bundle suggests.
    pub namespace: bool,
    /// The cluster's proxy. Each container gets environment variables for it.
    pub proxy: Proxy,
}

/// The proxy for connections that leave the cluster. The fields are empty without a proxy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxy {
    pub http: String,
    pub https: String,
    pub no_proxy: String,
}

/// Adds the Namespace that the bundle suggests, with the name of the operator's namespace.
pub(super) fn namespace(plan: &Plan<'_>, manifests: &mut Vec<Manifest>) {
    if !plan.options.additions.namespace {
        return;
    }
    let Some(Ok(template)) = plan.bundle.namespace_template() else {
        return;
    };
    let mut metadata = json!({"name": plan.namespace()});
    for key in ["labels", "annotations"] {
        if template["metadata"][key].is_object() {
            metadata[key] = template["metadata"][key].clone();
        }
    }
    manifests.push(plan.made(json!({
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": metadata,
    })));
}

/// The ClusterRoles for tenants: the suffix of the name, the role into which the ClusterRole is
/// aggregated, and the verbs.
const ROLES: [(&str, &str, &[&str]); 3] = [
    ("admin", "admin", &["*"]),
    ("edit", "edit", &["create", "update", "patch", "delete"]),
    ("view", "view", &["get", "list", "watch"]),
];

pub(super) fn api_roles(plan: &Plan<'_>, manifests: &mut Vec<Manifest>) {
    if !plan.options.additions.api_roles {
        return;
    }
    for owned in &plan.bundle.csv.spec.crds.owned {
        let name = &owned.value.name;
        let Some((plural, group)) = name.split_once('.') else {
            continue;
        };
        let base = format!("{name}-{}", owned.value.version);
        for (suffix, of, verbs) in ROLES {
            let rule = json!({"apiGroups": [group], "resources": [plural], "verbs": verbs});
            manifests.push(plan.made(role(&format!("{base}-{suffix}"), of, rule)));
        }
        let rule = json!({
            "apiGroups": ["apiextensions.k8s.io"],
            "resources": ["customresourcedefinitions"],
            "resourceNames": [name],
            "verbs": ["get"],
        });
        manifests.push(plan.made(role(&format!("{base}-crdview"), "view", rule)));
    }
}

fn role(name: &str, part_of: &str, rule: Json) -> Json {
    let label = format!("rbac.authorization.k8s.io/aggregate-to-{part_of}");
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name, "labels": {label: "true"}},
        "rules": [rule],
    })
}

// === impl Proxy ===

impl Proxy {
    fn variables(&self) -> [(&'static str, &str); 3] {
        [
            ("HTTP_PROXY", &self.http),
            ("HTTPS_PROXY", &self.https),
            ("NO_PROXY", &self.no_proxy),
        ]
    }

    /// Sets the environment variables in every container. Sets nothing if the config sets one of
    /// them, because the user has then configured another proxy.
    pub(super) fn inject(&self, config: &Config, pod: &mut Json) {
        let variables = self.variables();
        if variables.iter().any(|(name, _)| config.sets(name)) {
            return;
        }
        for container in pod["containers"].as_array_mut().into_iter().flatten() {
            for (name, value) in variables.into_iter().filter(|(_, value)| !value.is_empty()) {
                if let Some(env) = container["env"].as_array_mut() {
                    env.retain(|known| text(&known["name"]) != name);
                }
                push(&mut container["env"], json!({"name": name, "value": value}));
            }
        }
    }
}
