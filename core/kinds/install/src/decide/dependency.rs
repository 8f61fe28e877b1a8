//! The dependencies between the members of a plan.

use std::collections::BTreeMap;

use portolan_api::plan::{Intent, Order};
use portolan_core_names::object::split_api_version;
use portolan_core_names::{GroupKind, ObjectRef};
use serde_json::Value;

use crate::discovery::defined;
use crate::manifest::{Member, Members};
use crate::object::{items, text};

/// A dependency on another member, which must exist first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dependency {
    pub(super) on: usize,
    pub(super) until: Until,
}

/// The state that the other member must reach first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    Applied,
    Ready,
}

/// The dependencies of each member, by member index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Dependencies {
    all: Vec<Vec<Dependency>>,
    wants_status: Vec<bool>,
}

impl Dependencies {
    pub(super) fn of(members: &Members) -> Self {
        let providers = Providers::of(members);
        Self {
            all: members
                .iter()
                .map(|member| providers.needed_by(member))
                .collect(),
            wants_status: members
                .iter()
                .map(|member| providers.has_status(members, member))
                .collect(),
        }
    }

    pub(super) fn of_member(&self, place: usize) -> &[Dependency] {
        &self.all[place]
    }

    /// Returns true if the CRD of the member's kind belongs to the plan and has a status
    /// subresource.
    pub(super) fn wants_status(&self, place: usize) -> bool {
        self.wants_status[place]
    }
}

/// The members that can be dependencies of other members.
struct Providers {
    definitions: BTreeMap<GroupKind, usize>,
    namespaces: BTreeMap<String, usize>,
    /// The index of each APIService, by group and version.
    api_services: BTreeMap<(String, String), usize>,
    roles: BTreeMap<ObjectRef, usize>,
}

impl Providers {
    fn of(members: &Members) -> Self {
        let mut providers = Self {
            definitions: BTreeMap::new(),
            namespaces: BTreeMap::new(),
            api_services: BTreeMap::new(),
            roles: BTreeMap::new(),
        };
        for (place, member) in members.iter().enumerate() {
            let (identity, manifest) = (&member.identity, &member.manifest);
            if identity.kind.is_definition() {
                providers.definitions.insert(defined(manifest).0, place);
            } else if identity.kind.is_namespace() {
                providers.namespaces.insert(identity.name.clone(), place);
            } else if identity.kind.is_api_service() {
                let key = ["/spec/group", "/spec/version"].map(|at| text(manifest, at).to_owned());
                providers.api_services.insert(key.into(), place);
            } else if identity.kind.group == "rbac.authorization.k8s.io" {
                providers.roles.insert(identity.clone(), place);
            }
        }
        providers
    }

    fn needed_by(&self, member: &Member) -> Vec<Dependency> {
        let identity = &member.identity;
        let version = split_api_version(member.api_version());
        let namespace = identity.namespace.as_ref();
        let ready = [
            self.definitions.get(&identity.kind),
            namespace.and_then(|namespace| self.namespaces.get(namespace)),
            self.api_services
                .get(&(version.0.to_owned(), version.1.to_owned())),
        ];
        let ready = ready.into_iter().flatten().map(|on| (*on, Until::Ready));
        let role = bound(member).and_then(|role| self.roles.get(&role));
        let role = role.map(|on| (*on, Until::Applied));
        let needed = ready.chain(role);
        needed.map(|(on, until)| Dependency { on, until }).collect()
    }

    fn has_status(&self, members: &Members, member: &Member) -> bool {
        let definition = self.definitions.get(&member.identity.kind);
        definition.is_some_and(|place| {
            let mut versions = items(&members[*place].manifest, "/spec/versions").iter();
            versions.any(|version| {
                let has_status = version
                    .pointer("/subresources/status")
                    .is_some_and(Value::is_object);
                text(version, "/name") == member.version && has_status
            })
        })
    }
}

/// Returns the role that a binding refers to. Returns None for other members.
fn bound(member: &Member) -> Option<ObjectRef> {
    let identity = &member.identity;
    let kind = identity.kind.kind.as_str();
    if !matches!(kind, "RoleBinding" | "ClusterRoleBinding") {
        return None;
    }
    let kind = text(&member.manifest, "/roleRef/kind");
    Some(ObjectRef {
        kind: GroupKind::new(&identity.kind.group, kind),
        namespace: identity.namespace.clone().filter(|_| kind == "Role"),
        name: text(&member.manifest, "/roleRef/name").to_owned(),
    })
}

/// Returns true if the order of the plan allows the member `one` to be applied before the member
/// `other`.
pub(super) fn is_before(intent: &Intent, members: &Members, one: usize, other: usize) -> bool {
    let (one, other) = (members[one].place, members[other].place);
    let same_time = one.stage == other.stage && intent.stages[one.stage].order == Order::Any;
    same_time || one < other
}
