//! Creates Roles and bindings that grant missing permissions to the ServiceAccount of a plan.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{InstallPlan, Intent, MissingRule, Source};

const API_VERSION: &str = "rbac.authorization.k8s.io/v1";
/// The maximum length of a role name without its digest. Kubernetes allows 253 characters.
const LONGEST_NAME: usize = 200;

/// The verbs with which an account can gain other permissions.
const ESCALATING: [&str; 2] = ["escalate", "impersonate"];

/// Roles and bindings that grant the missing rules.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MissingRoles {
    /// The roles, each followed by its binding.
    pub manifests: Vec<Value>,
    /// The rules that would grant more than the plan needs. For example, a Role cannot be created
    /// in a namespace that the plan creates later, so a rule for it must apply to all namespaces.
    pub broad: Vec<MissingRule>,
}

/// Selects the rules that the roles contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breadth {
    /// Only rules that grant no more than the plan needs.
    Needed,
    /// Every missing rule, including rules that grant more than the plan needs.
    All,
}

/// Returns roles that grant the missing rules to the ServiceAccount of a plan. Returns None if the
/// plan is invalid.
///
/// # Guarantees
/// The name of a role depends on the account and on all rules of the role. So applying roles for
/// other rules later does not replace these roles.
pub fn missing_roles(
    plan: &InstallPlan,
    rules: &[MissingRule],
    breadth: Breadth,
) -> Option<MissingRoles> {
    let intent = Intent::parse(plan).ok()?;
    let created = created_namespaces(&intent);
    let is_created = |place: &mut String| created.contains(place);
    let rules = rules.iter().cloned();
    let (broad, mut rules): (Vec<_>, Vec<_>) = rules.partition(|rule| {
        let place = rule.namespace.as_ref();
        is_escalating(rule) || place.is_some_and(|place| created.contains(place))
    });
    if breadth == Breadth::All {
        rules.extend(broad.iter().cloned());
    }
    for rule in &mut rules {
        rule.namespace.take_if(is_created);
    }
    rules.sort();
    let namespace = plan.metadata.namespace.as_deref().unwrap_or_default();
    let account = Account {
        namespace,
        name: &intent.service_account,
        plan: plan.metadata.name.as_deref().unwrap_or_default(),
    };
    let by_place = rules.chunk_by(|one, other| one.namespace == other.namespace);
    Some(MissingRoles {
        manifests: by_place.flat_map(|rules| account.role(rules)).collect(),
        broad,
    })
}

/// Returns true if an account with this rule could do more than the plan needs.
fn is_escalating(rule: &MissingRule) -> bool {
    let lists = [&rule.api_groups, &rule.resources, &rule.verbs];
    let is_any = lists.iter().any(|list| list.iter().any(|it| it == "*"));
    let mut verbs = rule.verbs.iter().map(String::as_str);
    is_any
        || verbs.any(|verb| {
            ESCALATING.contains(&verb) || verb == "bind" && rule.resource_names.is_empty()
        })
}

/// The ServiceAccount of a plan.
struct Account<'a> {
    namespace: &'a str,
    name: &'a str,
    plan: &'a str,
}

impl Account<'_> {
    /// Returns a role with these rules, and its binding. All rules must have the same namespace, or
    /// all must be for the cluster.
    fn role(&self, rules: &[MissingRule]) -> [Value; 2] {
        let place = rules.first().and_then(|rule| rule.namespace.as_deref());
        let kind = match place {
            Some(_) => "Role",
            None => "ClusterRole",
        };
        let name = self.role_name(rules);
        let metadata = match place {
            Some(place) => json!({"name": name, "namespace": place}),
            None => json!({"name": name}),
        };
        let rules: Vec<_> = rules.iter().map(MissingRule::to_json).collect();
        let role = json!({
            "apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "rules": rules,
        });
        let binding = json!({
            "apiVersion": API_VERSION, "kind": format!("{kind}Binding"), "metadata": metadata,
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name},
            "subjects": [
                {"kind": "ServiceAccount", "name": self.name, "namespace": self.namespace},
            ],
        });
        [role, binding]
    }

    fn role_name(&self, rules: &[MissingRule]) -> String {
        let Self {
            namespace,
            name,
            plan,
        } = self;
        let start: String = format!("{name}-{plan}")
            .chars()
            .take(LONGEST_NAME)
            .collect();
        let told = json!([namespace, name, rules]).to_string();
        format!("{start}-{:016x}", fnv(told.as_bytes()))
    }
}

/// Returns the Fowler-Noll-Vo hash (FNV-1a, 64 bits). Unlike the hashes of the standard library, it
/// is the same in every version of Portolan.
fn fnv(bytes: &[u8]) -> u64 {
    let bytes = bytes.iter().copied();
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Returns the namespaces that a plan creates. Considers only manifests that the plan contains.
fn created_namespaces(intent: &Intent) -> BTreeSet<String> {
    let resources = intent.stages.iter().flat_map(|stage| &stage.resources);
    let manifests = resources.filter_map(|resource| match &resource.source {
        Source::Inline(manifest) => Some(manifest),
        Source::ResourceManifest(_) | Source::Secret(_) => None,
    });
    let namespaces = manifests.filter(|it| it["apiVersion"] == "v1" && it["kind"] == "Namespace");
    let names = namespaces.filter_map(|it| it["metadata"]["name"].as_str());
    names.map(str::to_owned).collect()
}
