//! Computes the permissions that the content of an Install needs: permissions on its objects,
//! permissions to write its roles, and permissions that its bindings give to subjects.
//!
//! An account may write a role or a binding if it has all rights of the role itself. The verbs
//! `escalate` and `bind` would also be sufficient. With them, however, the account could grant any
//! right that the author adds later. Therefore Portolan never asks for these verbs, and lists the
//! rules of roles unchanged.
//!
//! A binding outside of the content may refer to a role in the content. For example, it remains
//! from earlier content, or another author created it. Its subjects get the rules of the role too,
//! so they are listed.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use portolan_api::installs::{INSTALL, Reason};
use portolan_api::plan::Disposition;
use portolan_core_install::{
    Access, Answers, Discovery, GroupKind, Member, Members, Needs, ObjectRef, Roles, Rule,
};
use serde_json::Value;

use crate::permission::SUBJECTS;
use crate::rights::{Passed, Right, lacking, unpassed};

const RBAC: &str = "rbac.authorization.k8s.io";
/// The prefix of certain labels on a ClusterRole. With such a label, another ClusterRole aggregates
/// its rules.
const AGGREGATED: &str = "aggregate-to-";
/// The maximum number of rules in all roles. If several subjects get a rule through bindings, it is
/// counted once for each of them.
const MOST_RULES: usize = 5_000;
/// The maximum number of accesses that are reviewed. All other accesses count as missing.
pub(crate) const MOST_REVIEWS: usize = 500;

/// The permissions that the content needs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Takes {
    objects: Needs,
    /// The rights in the roles of the content. The account needs them to write the roles.
    roles: Vec<Right>,
    /// The rights that bindings in the content give to subjects.
    passed: Vec<Right>,
}

/// The reason why content cannot be approved, with a sentence for each object.
pub(crate) type Refused = (Reason, Vec<String>);

/// The roles of the content, and the other roles that its bindings refer to.
struct Content<'m> {
    own: BTreeMap<&'m ObjectRef, &'m Value>,
    roles: &'m Roles,
}

/// A role whose rules are granted in one namespace or in the whole cluster. The subjects get them.
/// Without subjects, only the account needs them.
struct Giving {
    namespace: Option<String>,
    role: ObjectRef,
    subjects: Vec<String>,
}

/// Returns the identities of the roles in the content.
pub(crate) fn own_roles(members: &Members) -> BTreeSet<ObjectRef> {
    let roles = members.iter().map(|it| &it.identity);
    let roles = roles.filter(|it| it.kind.group == RBAC && is_role(it));
    roles.cloned().collect()
}

// === impl Takes ===

impl Takes {
    /// Returns the permissions that are needed to install these members, and to delete the members
    /// that are deleted with the Install. `bound` contains the bindings in the cluster that refer
    /// to a role of the content.
    ///
    /// # Errors
    ///
    /// Returns the reason why the content cannot be approved.
    pub(crate) fn of(
        members: &Members,
        (known, roles): (&Discovery, &Roles),
        bound: &[Value],
    ) -> Result<Self, Refused> {
        let going = members
            .iter()
            .filter(|it| it.is_deleted_with(Disposition::Delete));
        let mut takes = Self {
            objects: Needs::on_objects(members, known).and_delete(going, known),
            ..Self::default()
        };
        let rbac = members.iter().filter(|it| it.identity.kind.group == RBAC);
        let rbac: Vec<_> = rbac.collect();
        let own = rbac.iter().filter(|it| is_role(&it.identity));
        let content = Content {
            own: own.map(|it| (&it.identity, &it.manifest)).collect(),
            roles,
        };
        content.checked(&rbac)?;
        let live = bound.iter().map(Giving::of_live);
        let live = live.filter(|it| content.own.contains_key(&it.role) && !it.subjects.is_empty());
        let own = rbac.iter().filter_map(|it| Giving::of_member(it));
        let givings: Vec<_> = own.chain(live).collect();
        content.counted(&givings)?;
        for giving in givings {
            takes.take(&giving, &content);
        }
        Ok(takes)
    }

    fn take(&mut self, giving: &Giving, content: &Content<'_>) {
        let Giving {
            namespace,
            role,
            subjects,
        } = giving;
        let by = if content.own.contains_key(role) {
            String::new()
        } else {
            format!("{} {}", role.kind.kind, role.name)
        };
        for rule in content.rules(role).unwrap_or_default() {
            let rule = self.take_urls(namespace.as_deref(), rule);
            if rule.count() == 0 {
                continue;
            }
            let right = |passed| Right {
                namespace: namespace.clone(),
                passed,
                rule: rule.clone(),
            };
            self.roles.extend(subjects.is_empty().then(|| right(None)));
            let passed = subjects.iter().map(|subject| Passed {
                subject: subject.clone(),
                role: by.clone(),
            });
            self.passed.extend(passed.map(|it| right(Some(it))));
        }
    }

    /// Moves the non-resource paths of a rule out of the rule, if it is granted in a namespace. The
    /// account must have these paths in the whole cluster. Subjects do not get them, because a
    /// RoleBinding does not grant paths. Returns the rule without the paths.
    fn take_urls(&mut self, namespace: Option<&str>, mut rule: Rule) -> Rule {
        if namespace.is_none() || rule.non_resource_urls.is_empty() {
            return rule;
        }
        let paths = Rule {
            non_resource_urls: mem::take(&mut rule.non_resource_urls),
            verbs: rule.verbs.clone(),
            ..Rule::default()
        };
        self.roles.push(Right {
            namespace: None,
            passed: None,
            rule: paths,
        });
        rule
    }

    /// Returns the needed rights that the account does not have. `held` contains the approved
    /// rights, and `answers` contains the results of access reviews. At most `most` accesses are
    /// reviewed.
    ///
    /// # Errors
    ///
    /// Returns the accesses to review first.
    pub(crate) fn missing(
        &self,
        held: &[Right],
        (answers, most): (&Answers, usize),
    ) -> Result<Vec<Right>, BTreeSet<Access>> {
        let (mut asked, mut missing, mut left) = (Vec::new(), Vec::new(), most);
        for right in lacking(&self.roles, held) {
            let count = right.rule.count();
            if count <= left {
                left -= count;
                asked.extend(right.rule.accesses(right.namespace.as_deref()));
            } else {
                missing.push(right);
            }
        }
        let needs = self.objects.clone().and_hold(asked);
        let answers = answered(&needs, held, (answers, most))?;
        missing.extend(unpassed(needs.missing(&answers)));
        // A right that is listed for a subject is not listed for the account again. The approval
        // for the subject gives the right to the account too.
        let passed = lacking(&self.passed, held);
        let missing = lacking(&missing, &passed);
        Ok([missing, passed].concat())
    }

    /// Returns all rights that the content needs.
    pub(crate) fn all(&self) -> Vec<Right> {
        self.missing(&[], (&Answers::new(), 0)).unwrap_or_default()
    }
}

/// Returns the results of all needed access reviews. A result comes from the approved rights or
/// from the API server. If there are too many accesses, the remaining ones count as denied.
///
/// # Errors
///
/// Returns the accesses to review first.
fn answered(
    needs: &Needs,
    held: &[Right],
    (given, most): (&Answers, usize),
) -> Result<Answers, BTreeSet<Access>> {
    let mut answers = given.clone();
    loop {
        let open = needs.reviews(&answers);
        if open.is_empty() {
            return Ok(answers);
        }
        let (known, unknown): (BTreeSet<_>, BTreeSet<_>) =
            open.into_iter().partition(|it| is_held(it, held));
        answers.extend(known.into_iter().map(|it| (it, true)));
        if given.len() + unknown.len() > most {
            answers.extend(unknown.into_iter().map(|it| (it, false)));
        } else if !unknown.is_empty() {
            return Err(unknown);
        }
    }
}

fn is_held(access: &Access, held: &[Right]) -> bool {
    held.iter().any(|it| {
        let is_there = it.namespace.is_none() || it.namespace == access.namespace;
        is_there && it.rule.allows(access)
    })
}

// === impl Giving ===

impl Giving {
    /// Returns what a role or a binding in the content grants. Returns None for other members.
    fn of_member(member: &Member) -> Option<Self> {
        let Member {
            identity, manifest, ..
        } = member;
        let namespace = identity.namespace.clone();
        let (role, subjects) = if is_role(identity) {
            // Only ClusterRoles can be aggregated into other roles.
            let is_cluster_wide = namespace.is_none();
            let subjects = is_cluster_wide.then(|| aggregations(manifest));
            (identity.clone(), subjects.unwrap_or_default())
        } else if is_binding(identity) {
            let role = bound(manifest, namespace.as_deref());
            (role, subjects(manifest))
        } else {
            return None;
        };
        Some(Self {
            namespace,
            role,
            subjects,
        })
    }

    /// Returns what a binding in the cluster grants.
    fn of_live(binding: &Value) -> Self {
        let namespace = binding["metadata"]["namespace"].as_str();
        Self {
            namespace: namespace.map(str::to_owned),
            role: bound(binding, namespace),
            subjects: subjects(binding),
        }
    }
}

// === impl Content ===

impl Content<'_> {
    fn rules(&self, role: &ObjectRef) -> Option<Vec<Rule>> {
        match self.own.get(role) {
            Some(role) => {
                let rules = role["rules"].as_array().into_iter().flatten();
                Some(rules.map(Rule::of).collect())
            }
            None => self.roles.rules(role).map(<[_]>::to_vec),
        }
    }

    /// Returns a sentence if the member is a binding whose role is unknown. Returns None otherwise.
    fn unknown(&self, member: &Member) -> Option<String> {
        let namespace = member.identity.namespace.as_deref();
        let role = is_binding(&member.identity).then(|| bound(&member.manifest, namespace))?;
        let is_unknown = self.rules(&role).is_none();
        is_unknown.then(|| {
            format!(
                "{} refers to {role}, which does not exist, or which the controller cannot read; \
                 first create the role, or add the role to the objects of the Install",
                member.identity
            )
        })
    }

    /// Checks that all rules that these members grant can be listed.
    fn checked(&self, rbac: &[&Member]) -> Result<(), Refused> {
        let flaws: Vec<_> = rbac.iter().filter_map(|it| flaw(it)).collect();
        if !flaws.is_empty() {
            return Err((Reason::ContentNotInstallable, flaws));
        }
        let unknown: Vec<_> = rbac.iter().filter_map(|it| self.unknown(it)).collect();
        if !unknown.is_empty() {
            return Err((Reason::RoleNotFound, unknown));
        }
        Ok(())
    }

    fn counted(&self, givings: &[Giving]) -> Result<(), Refused> {
        let counts = givings.iter().map(|giving| {
            let rules = self.rules(&giving.role).unwrap_or_default().len();
            rules.saturating_mul(giving.subjects.len().max(1))
        });
        let count = counts.fold(0, usize::saturating_add);
        if count <= MOST_RULES {
            return Ok(());
        }
        let sentence = format!(
            "roles and bindings of the content give {count} rules, and the maximum is {MOST_RULES}; split the content into \
             several Installs"
        );
        Err((Reason::ContentNotInstallable, vec![sentence]))
    }
}

/// Returns a sentence about why a role or a binding cannot be approved. Returns None if it can be
/// approved.
fn flaw(member: &Member) -> Option<String> {
    let Member {
        identity, manifest, ..
    } = member;
    if manifest.get("aggregationRule").is_some() {
        return Some(format!(
            "{identity} has an aggregationRule, so other roles can later add rules that no \
             approval lists; write the rules of this role instead"
        ));
    }
    let metadata = &manifest["metadata"];
    let marks = [
        ("label", &metadata["labels"], INSTALL.name()),
        ("annotation", &metadata["annotations"], SUBJECTS),
    ];
    let mut marks = marks.iter().filter(|(_, all, name)| !all[*name].is_null());
    let (what, _, name) = marks.next()?;
    Some(format!(
        "{identity} has the {what} {name}, which only approvals write; remove this entry"
    ))
}

fn is_role(identity: &ObjectRef) -> bool {
    matches!(identity.kind.kind.as_str(), "Role" | "ClusterRole")
}

fn is_binding(identity: &ObjectRef) -> bool {
    let kind = identity.kind.kind.as_str();
    matches!(kind, "RoleBinding" | "ClusterRoleBinding")
}

/// Returns the role that a binding refers to. `namespace` is the namespace of the binding. It is
/// None for a ClusterRoleBinding.
pub fn bound(binding: &Value, namespace: Option<&str>) -> ObjectRef {
    let reference = &binding["roleRef"];
    let [kind, name] = ["kind", "name"].map(|it| reference[it].as_str().unwrap_or_default());
    let namespace = namespace.filter(|_| kind == "Role");
    ObjectRef {
        kind: GroupKind::new(RBAC, kind),
        namespace: namespace.map(str::to_owned),
        name: name.to_owned(),
    }
}

/// Returns the subjects of a binding, such as `User ada` and `ServiceAccount harbor/plum`.
fn subjects(binding: &Value) -> Vec<String> {
    let subjects = binding["subjects"].as_array().into_iter().flatten();
    let subjects: BTreeSet<_> = subjects.map(subject).collect();
    subjects.into_iter().collect()
}

fn subject(subject: &Value) -> String {
    let [kind, namespace, name] =
        ["kind", "namespace", "name"].map(|it| subject[it].as_str().unwrap_or_default());
    match kind {
        "ServiceAccount" => format!("{kind} {namespace}/{name}"),
        _ => format!("{kind} {name}"),
    }
}

/// Returns the labels of a role with which other ClusterRoles, such as `view`, aggregate its rules.
fn aggregations(role: &Value) -> Vec<String> {
    let labels = role["metadata"]["labels"].as_object().into_iter().flatten();
    let labels = labels.filter(|(key, _)| {
        let name = key.rsplit_once('/').map_or(key.as_str(), |(_, name)| name);
        name.starts_with(AGGREGATED)
    });
    let labels = labels
        .map(|(key, value)| format!("Aggregation {key}={}", value.as_str().unwrap_or_default()));
    labels.collect()
}
