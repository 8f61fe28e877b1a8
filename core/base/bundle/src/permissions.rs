//! The permissions that manifests grant to the operator, and the permissions that a user needs to
//! apply the manifests.

mod plural;
mod rule;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use portolan_core_names::{GroupKind, ObjectRef};
use serde_json::Value as Json;

use crate::object::{self, Title, text};
use crate::render::Manifest;

use plural::Plurals;
pub use rule::Rule;
use rule::one;

/// The scope of a permission: a namespace or the cluster.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    Cluster,
    Namespace(String),
}

/// A permission: a rule and its scope.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Permission {
    pub extent: Extent,
    pub rule: Rule,
}

/// The permissions that a role binding gives to a ServiceAccount.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grant {
    /// The ServiceAccount as NAMESPACE/NAME.
    pub account: String,
    pub extent: Extent,
    /// The role. The manifests may not contain it.
    pub role: ObjectRef,
    /// The rules of the role. None if the manifests do not contain the role.
    pub rules: Option<Arc<[Rule]>>,
}

/// The permissions that manifests grant, and the permissions that a user needs to apply the
/// manifests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    /// The permissions that the manifests grant to ServiceAccounts.
    pub operator: Vec<Grant>,
    /// The permissions that the user needs to create or change the objects.
    pub installer: Vec<Permission>,
    /// The permissions that the user also needs to grant permissions that the user does not have:
    /// `escalate` on roles, and `bind` on the bound roles.
    pub escalation: Vec<Permission>,
    /// The permissions that the user can have instead of `escalation`.
    pub instead: Vec<Permission>,
    /// The permissions that the user needs for kinds whose resource name is unknown. The names are
    /// guessed: each is the plural of the kind in English.
    pub guessed: Vec<Permission>,
    /// The bound roles that the manifests do not contain. To bind them, the user needs `bind`, or
    /// all permissions of these roles, which are unknown.
    pub unknown: Vec<ObjectRef>,
}

/// The permissions that one set of manifests grants and another set does not grant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Beyond {
    pub permissions: Vec<Permission>,
    /// The number of permissions at the start of the list that were too many to compare one by one.
    /// They are whole rules, and the other set may contain a part of them.
    pub whole: usize,
}

/// The maximum number of comparisons between a single permission and a rule. A large operator has a
/// hundred rules, which contain some ten thousand single permissions.
const COMPARISONS: usize = 2_000_000;
/// The maximum size in bytes of the text about the permissions of all accounts. A large operator
/// needs about ten thousand bytes. But a few megabytes of manifests could grant so many rules to so
/// many accounts that the text would have billions of bytes.
const MOST_TOLD: usize = 16 << 20;

/// The verbs that a user needs to apply an object. `get` reads the existing object first.
const APPLY: [&str; 3] = ["create", "get", "patch"];
const RBAC: &str = "rbac.authorization.k8s.io";

/// Returns the permissions that manifests grant, and the permissions that a user needs to apply the
/// manifests.
pub fn permissions(manifests: &[Manifest]) -> Permissions {
    let roles = Roles::of(manifests);
    let (installer, guessed) = installer(manifests);
    let mut permissions = Permissions {
        installer,
        guessed,
        ..Permissions::default()
    };
    let mut given: BTreeMap<(Extent, ObjectRef), Option<&Arc<[Rule]>>> = BTreeMap::new();
    let mut escalation: BTreeMap<(Extent, &str, &str), BTreeSet<String>> = BTreeMap::new();
    for manifest in manifests {
        let json = &manifest.object;
        if object::group(json) != RBAC {
            continue;
        }
        let identity = manifest.identity();
        let extent = Extent::of(identity.namespace());
        if let Some(rules) = roles.of_role(&identity) {
            let resource = resource_of(&identity.kind.kind);
            // An access review for `escalate` does not include the name of a new role. So the
            // permission must cover all roles.
            let names = escalation.entry((extent.clone(), "escalate", resource));
            names.or_default();
            given.insert((extent.clone(), identity.clone()), Some(rules));
        }
        let Some(role) = bound(json, &identity) else {
            continue;
        };
        let names = escalation.entry((extent.clone(), "bind", resource_of(&role.kind.kind)));
        names.or_default().insert(role.name.clone());
        let rules = roles.of_role(&role);
        given.insert((extent.clone(), role.clone()), rules);
        let accounts = accounts(json).into_iter();
        permissions.operator.extend(accounts.map(|account| Grant {
            account,
            extent: extent.clone(),
            role: role.clone(),
            rules: rules.cloned(),
        }));
    }
    // Entries with the same account, scope and role have the same rules. So the keys are enough to
    // remove duplicates.
    let operator = &mut permissions.operator;
    operator.sort_by(|one, other| one.key().cmp(&other.key()));
    operator.dedup_by(|one, other| one.key() == other.key());
    permissions.escalation = escalation.into_iter().map(escalates).collect();
    let (mut instead, mut unknown) = (BTreeSet::new(), BTreeSet::new());
    for ((extent, role), rules) in given {
        match rules {
            Some(rules) => instead.extend(rules.iter().map(|rule| Permission {
                extent: extent.clone(),
                rule: rule.clone(),
            })),
            None => drop(unknown.insert(role)),
        }
    }
    permissions.instead = instead.into_iter().collect();
    permissions.unknown = unknown.into_iter().collect();
    permissions
}

fn escalates(
    ((extent, verb, resource), names): ((Extent, &str, &str), BTreeSet<String>),
) -> Permission {
    Permission {
        extent,
        rule: Rule {
            verbs: one(verb),
            api_groups: one(RBAC),
            resources: one(resource),
            resource_names: names,
            non_resource_urls: BTreeSet::new(),
        },
    }
}

/// Returns the permissions that a user needs to apply the manifests: the certain permissions, and
/// the permissions with a guessed resource name.
fn installer(manifests: &[Manifest]) -> (Vec<Permission>, Vec<Permission>) {
    let plurals = Plurals::of(manifests);
    let (mut known, mut guessed) = (Resources::new(), Resources::new());
    for manifest in manifests {
        let identity = manifest.identity();
        let plural = plurals.of_kind(&identity.kind.group, &identity.kind.kind);
        let (resources, plural) = match plural {
            Some(plural) => (&mut known, plural.to_owned()),
            None => (&mut guessed, plural::guess(&identity.kind.kind)),
        };
        let key = (Extent::of(identity.namespace()), identity.kind.group);
        resources.entry(key).or_default().insert(plural);
    }
    (applied(known), applied(guessed))
}

/// The resources by their scope and API group.
type Resources = BTreeMap<(Extent, String), BTreeSet<String>>;

/// Returns one permission for each API group and scope, with all its resources.
fn applied(resources: Resources) -> Vec<Permission> {
    let permissions = resources
        .into_iter()
        .map(|((extent, group), resources)| Permission {
            extent,
            rule: Rule {
                verbs: APPLY.map(str::to_owned).into(),
                api_groups: [group].into(),
                resources,
                ..Rule::default()
            },
        });
    permissions.collect()
}

// === impl Extent ===

impl Extent {
    /// Returns the scope for a namespace. An empty namespace means the whole cluster.
    fn of(namespace: &str) -> Self {
        match namespace {
            "" => Self::Cluster,
            namespace => Self::Namespace(namespace.to_owned()),
        }
    }

    /// Returns true if this scope includes the other scope.
    fn covers(&self, other: &Self) -> bool {
        *self == Self::Cluster || self == other
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cluster => f.write_str("the cluster"),
            Self::Namespace(namespace) => write!(f, "namespace {namespace}"),
        }
    }
}

// === impl Grant ===

impl Grant {
    fn key(&self) -> (&str, &Extent, &ObjectRef) {
        let Self {
            account,
            extent,
            role,
            rules: _,
        } = self;
        (account, extent, role)
    }
}

// === impl Permission ===

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { extent, rule } = self;
        write!(f, "{rule} in {extent}")
    }
}

// === impl Permissions ===

impl Permissions {
    /// Returns the permissions that are granted here but not in `other`. Ignores which account has
    /// them. Returns one permission for each resource. A role that the manifests do not contain
    /// counts as empty.
    pub fn beyond(&self, other: &Self) -> Beyond {
        let held = other.all();
        let covers = |extent: &Extent, wanted: &Rule| {
            let mut held = held.iter();
            held.any(|(there, rule)| there.covers(extent) && rule.covers(wanted))
        };
        // Most rules also occur unchanged in the other set, and this comparison is fast.
        let mut rules = self.all();
        rules.retain(|rule| !held.contains(rule));
        let mut beyond = Beyond::default();
        let mut resources: BTreeMap<Permission, BTreeSet<String>> = BTreeMap::new();
        let mut comparisons = 0_usize;
        for (extent, rule) in rules {
            let cost = rule.size().saturating_mul(held.len().max(1));
            if cost > COMPARISONS - comparisons {
                beyond.whole += 1;
                let (extent, rule) = (extent.clone(), rule.clone());
                beyond.permissions.push(Permission { extent, rule });
                continue;
            }
            comparisons += cost;
            for mut part in rule.parts() {
                if !covers(extent, &part) {
                    let verbs = std::mem::take(&mut part.verbs);
                    let resource = Permission {
                        extent: extent.clone(),
                        rule: part,
                    };
                    resources.entry(resource).or_default().extend(verbs);
                }
            }
        }
        let told = resources.into_iter().map(|(mut permission, verbs)| {
            permission.rule.verbs = verbs;
            permission
        });
        beyond.permissions.extend(told);
        beyond
    }

    /// Returns the permissions of each account as sentences, sorted by account and namespace. For a
    /// role that the manifests do not contain, the sentence has only the name of the role. Returns
    /// None if the text would be too long.
    pub fn by_account(&self) -> Option<BTreeMap<(String, String), BTreeSet<String>>> {
        let roles = self.operator.iter().map(|it| (&it.role, &it.rules));
        let roles: BTreeMap<_, _> = roles.collect();
        let told = roles.into_iter().map(|(role, rules)| {
            let told: BTreeSet<_> = match rules {
                Some(rules) => rules.iter().map(ToString::to_string).collect(),
                None => [format!("all permissions of {}", Title(role))].into(),
            };
            let sizes = told.iter().map(|it| it.len() + size_of::<String>());
            (role, (sizes.sum::<usize>(), told))
        });
        let told: BTreeMap<_, _> = told.collect();
        let granted = self.operator.iter();
        let granted: Vec<_> = granted
            .filter_map(|it| Some((it, told.get(&it.role)?)))
            .collect();
        let mut sizes = granted.iter().map(|(_, (size, _))| *size);
        let size = sizes.try_fold(0_usize, usize::checked_add)?;
        if size > MOST_TOLD {
            return None;
        }
        let mut all: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for (grant, (_, told)) in granted {
            let key = (grant.account.clone(), grant.extent.to_string());
            all.entry(key).or_default().extend(told.iter().cloned());
        }
        Some(all)
    }

    /// Returns all granted rules with their scopes, without duplicates.
    fn all(&self) -> BTreeSet<(&Extent, &Rule)> {
        let grants = self.operator.iter();
        let roles: BTreeMap<_, _> = grants
            .map(|grant| ((&grant.extent, &grant.role), &grant.rules))
            .collect();
        let all = roles.into_iter().flat_map(|((extent, _), rules)| {
            let rules = rules.as_deref().unwrap_or_default();
            rules.iter().map(move |rule| (extent, rule))
        });
        all.collect()
    }
}

/// The roles that the manifests contain, with their rules.
struct Roles(BTreeMap<ObjectRef, Arc<[Rule]>>);

// === impl Roles ===

impl Roles {
    fn of(manifests: &[Manifest]) -> Self {
        let roles = manifests.iter().filter(|manifest| {
            let json = &manifest.object;
            let kind = text(&json["kind"]);
            object::group(json) == RBAC && matches!(kind, "Role" | "ClusterRole")
        });
        let rules = roles.map(|manifest| {
            let rules = manifest.object["rules"].as_array().into_iter().flatten();
            (manifest.identity(), rules.map(Rule::of).collect())
        });
        Self(rules.collect())
    }

    fn of_role(&self, role: &ObjectRef) -> Option<&Arc<[Rule]>> {
        self.0.get(role)
    }
}

fn resource_of(kind: &str) -> &'static str {
    match kind {
        "Role" => "roles",
        _ => "clusterroles",
    }
}

/// Returns the role to which a role binding refers. Returns None for other objects.
fn bound(json: &Json, binding: &ObjectRef) -> Option<ObjectRef> {
    if !matches!(
        binding.kind.kind.as_str(),
        "RoleBinding" | "ClusterRoleBinding"
    ) {
        return None;
    }
    let kind = text(&json["roleRef"]["kind"]);
    let namespace = binding.namespace.as_deref().filter(|_| kind == "Role");
    let name = text(&json["roleRef"]["name"]);
    Some(ObjectRef::new(GroupKind::new(RBAC, kind), namespace, name))
}

fn accounts(binding: &Json) -> Vec<String> {
    let subjects = binding["subjects"].as_array().into_iter().flatten();
    let accounts = subjects.filter(|subject| subject["kind"] == "ServiceAccount");
    let names = accounts
        .map(|subject| format!("{}/{}", text(&subject["namespace"]), text(&subject["name"])));
    names.collect()
}
