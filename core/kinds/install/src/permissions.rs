//! Computes which permissions the ServiceAccount of a plan needs, and which of them are missing.
//!
//! ```text
//! members x discovery -- needs --> Need: access by namespace, by name, or by the rights it grants
//!                 needs x answers --> reviews: the next requests
//!                                 --> missing: rules to add
//! ```

mod access;
mod installer;
mod roles;
mod rule;

use std::collections::{BTreeMap, BTreeSet};

use crate::discovery::{Discovery, defined};
use crate::manifest::{Member, Members};
use portolan_core_names::{GroupKind, ObjectRef};

pub use access::Access;
pub use installer::{AccountName, BundleObjects, ClusterRoles, MissingRights};
pub use roles::Roles;
use roles::escalation;
pub use rule::{Grant, Rule};

const RBAC: &str = "rbac.authorization.k8s.io";
/// The verbs of an apply, including the read before it.
const APPLY: [&str; 3] = ["create", "get", "patch"];
/// The verbs that a transformation needs.
const TAKE: [&str; 3] = ["delete", "get", "list"];
/// The maximum number of rights in roles and bindings that are reviewed one by one for a plan.
const MOST_RIGHTS: usize = 60_000;
/// The verb of a create request. The API server authorizes it without the name of the object.
const NAMELESS: &str = "create";

/// The results of all SubjectAccessReviews so far.
pub type Answers = BTreeMap<Access, bool>;

/// A needed permission. Several kinds of access satisfy it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Need {
    /// The access to all names. It is reviewed first.
    whole: Access,
    /// The names of the needed objects. Access to each of these names is sufficient too.
    names: BTreeSet<String>,
    /// The rights that a role or binding of the plan grants. If the ServiceAccount has all of them
    /// itself, it needs no other permission for the role or binding. None if this alternative does
    /// not exist, or if the rights are unknown.
    instead: Option<BTreeSet<Access>>,
    /// The role, if it has too many rights for this alternative.
    large: Option<String>,
}

/// The permissions that a plan needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs(Vec<Need>);

impl Needs {
    /// Returns the permissions that are needed to apply these members. Kinds that are missing in
    /// the discovery are ignored, because a plan with such kinds is invalid. `roles` contains the
    /// rules of existing roles.
    pub fn of(members: &Members, discovery: &Discovery, roles: &Roles) -> Self {
        let mut needs = Self::on_objects(members, discovery);
        let roles = roles.with_members(members);
        let mut left = MOST_RIGHTS;
        let served = members
            .iter()
            .filter(|it| discovery.kind(&it.identity.kind).is_some());
        needs
            .0
            .extend(served.filter_map(|member| escalation(member, &roles, &mut left)));
        needs
    }

    /// Returns the permissions for the members as objects. The rights that roles and bindings among
    /// the members grant are not included.
    pub fn on_objects(members: &Members, discovery: &Discovery) -> Self {
        let mut on_objects = OnObjects::new();
        for member in members {
            add(&mut on_objects, &member.identity, discovery, &APPLY);
        }
        Self(on_objects.into_iter().map(Need::on_objects).collect())
    }

    /// Adds these accesses to the permissions that the ServiceAccount needs.
    #[must_use]
    pub fn and_hold(self, accesses: impl IntoIterator<Item = Access>) -> Self {
        self.and_on(accesses.into_iter().map(|it| (it, BTreeSet::new())))
    }

    fn and_on(mut self, accesses: impl IntoIterator<Item = (Access, BTreeSet<String>)>) -> Self {
        self.0.extend(accesses.into_iter().map(Need::on_objects));
        self
    }

    /// Adds the permissions that are needed to delete these members.
    #[must_use]
    pub fn and_delete<'m>(
        self,
        members: impl IntoIterator<Item = &'m Member>,
        discovery: &Discovery,
    ) -> Self {
        let mut on_objects = OnObjects::new();
        for member in members {
            let identity = &member.identity;
            add(&mut on_objects, identity, discovery, &["delete"]);
            let lost = lost_with(member, discovery);
            on_objects.extend(lost.map(|access| (access, BTreeSet::new())));
        }
        self.and_on(on_objects)
    }

    /// Adds the permissions that are needed to read these members.
    #[must_use]
    pub fn and_read<'m>(
        self,
        members: impl IntoIterator<Item = &'m Member>,
        discovery: &Discovery,
    ) -> Self {
        let mut on_objects = OnObjects::new();
        for member in members {
            add(&mut on_objects, &member.identity, discovery, &["get"]);
        }
        self.and_on(on_objects)
    }

    /// Adds the permissions that are needed to run the Jobs of the plan in its namespace. They
    /// cover all names, because each run has a Job with another name.
    #[must_use]
    pub fn and_run(mut self, members: &Members, namespace: Option<&str>) -> Self {
        if members.jobs().is_empty() {
            return self;
        }
        let access = |verb: &&str| Access {
            verb: (*verb).to_owned(),
            group: "batch".to_owned(),
            resource: "jobs".to_owned(),
            namespace: namespace.map(str::to_owned),
            ..Access::default()
        };
        let accesses = APPLY.iter().map(|verb| (access(verb), BTreeSet::new()));
        self.0.extend(accesses.map(Need::on_objects));
        self
    }

    /// Adds the permissions that are needed to select and delete objects of these kinds, each in
    /// its namespace. None means all namespaces.
    #[must_use]
    pub fn and_take(
        mut self,
        places: BTreeSet<(GroupKind, Option<String>)>,
        discovery: &Discovery,
    ) -> Self {
        for (kind, namespace) in places {
            // If a kind is not served, there are no objects to select.
            let Some(served) = discovery.kind(&kind) else {
                continue;
            };
            let access = |verb: &str| Access {
                verb: verb.to_owned(),
                group: kind.group.clone(),
                resource: served.plural.clone(),
                namespace: namespace.clone(),
                ..Access::default()
            };
            let accesses = TAKE.map(|verb| (access(verb), BTreeSet::new()));
            self.0.extend(accesses.into_iter().map(Need::on_objects));
        }
        self
    }

    /// Returns the accesses to review next. Empty if the result is complete. If access to all names
    /// is allowed, the single names are not reviewed.
    pub fn reviews(&self, answers: &Answers) -> BTreeSet<Access> {
        let mut reviews = BTreeSet::new();
        for need in &self.0 {
            match answers.get(&need.whole) {
                None => drop(reviews.insert(need.whole.clone())),
                Some(true) => {}
                Some(false) => {
                    let instead = need.instead.iter().flatten().cloned();
                    let ways = need.by_name().chain(instead);
                    reviews.extend(ways.filter(|way| !answers.contains_key(way)));
                }
            }
        }
        reviews
    }

    /// Returns the missing permissions, as few and small rules as possible. The result is complete
    /// when `reviews` returns an empty set.
    pub fn missing(&self, answers: &Answers) -> Vec<Grant> {
        let missing = self.0.iter().flat_map(|need| need.missing(answers));
        Grant::all(missing.collect())
    }

    /// Returns the roles with too many rights to review. Only roles for which a permission is
    /// missing are returned.
    pub fn large(&self, answers: &Answers) -> BTreeSet<&str> {
        let missing = self
            .0
            .iter()
            .filter(|need| !need.missing(answers).is_empty());
        missing.filter_map(|need| need.large.as_deref()).collect()
    }
}

/// Returns true if the answers allow the ServiceAccount to read the object.
pub fn may_read(answers: &Answers, discovery: &Discovery, object: &ObjectRef) -> bool {
    let Some(served) = discovery.kind(&object.kind) else {
        return false;
    };
    let whole = Access {
        verb: "get".to_owned(),
        group: object.kind.group.clone(),
        resource: served.plural.clone(),
        namespace: object.namespace.clone(),
        ..Access::default()
    };
    let by_name = Access {
        name: Some(object.name.clone()),
        ..whole.clone()
    };
    [whole, by_name]
        .iter()
        .any(|it| answers.get(it) == Some(&true))
}

/// The accesses to objects. Each has the names of the needed objects.
type OnObjects = BTreeMap<Access, BTreeSet<String>>;

fn add(on_objects: &mut OnObjects, identity: &ObjectRef, discovery: &Discovery, verbs: &[&str]) {
    let Some(served) = discovery.kind(&identity.kind) else {
        return;
    };
    for verb in verbs {
        let access = Access {
            verb: (*verb).to_owned(),
            group: identity.kind.group.clone(),
            resource: served.plural.clone(),
            namespace: identity.namespace.clone(),
            ..Access::default()
        };
        let names = on_objects.entry(access).or_default();
        if *verb != NAMELESS {
            names.insert(identity.name.clone());
        }
    }
}

/// Returns the permission to count the objects that Kubernetes deletes together with the member.
/// For a CRD, these are the objects of its kind. For a Namespace, these are all objects in it.
/// Returns None for other members.
fn lost_with(member: &Member, discovery: &Discovery) -> Option<Access> {
    let kind = &member.identity.kind;
    let (group, resource, namespace) = if kind.is_definition() {
        let (kind, _) = defined(&member.manifest);
        let served = discovery.kind(&kind)?;
        (kind.group, served.plural.clone(), None)
    } else if kind.is_namespace() {
        let namespace = member.identity.name.clone();
        ("*".to_owned(), "*".to_owned(), Some(namespace))
    } else {
        return None;
    };
    Some(Access {
        verb: "list".to_owned(),
        group,
        resource,
        namespace,
        ..Access::default()
    })
}

impl Need {
    fn on_objects((whole, names): (Access, BTreeSet<String>)) -> Self {
        Self {
            whole,
            names,
            instead: None,
            large: None,
        }
    }

    fn by_name(&self) -> impl Iterator<Item = Access> {
        self.names.iter().map(|name| Access {
            name: Some(name.clone()),
            ..self.whole.clone()
        })
    }

    fn missing(&self, answers: &Answers) -> BTreeSet<Access> {
        let is_held = |access: &Access| answers.get(access) == Some(&true);
        if is_held(&self.whole) {
            return BTreeSet::new();
        }
        let named: Vec<_> = self.by_name().collect();
        let lacking = named.iter().filter(|access| !is_held(access));
        let lacking: BTreeSet<_> = lacking.cloned().collect();
        if !named.is_empty() && lacking.is_empty() {
            return BTreeSet::new();
        }
        match &self.instead {
            Some(instead) => instead
                .iter()
                .filter(|way| !is_held(way))
                .cloned()
                .collect(),
            // For `bind`, lists the single role. For other verbs, lists names only if some of them
            // are already allowed. Otherwise, the rule could contain very many names.
            None if self.whole.verb == "bind" || lacking.len() < named.len() => lacking,
            None => [self.whole.clone()].into(),
        }
    }
}
