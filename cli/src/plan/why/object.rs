//! Parses the names of objects as users write them, such as `deployment/ferry`,
//! `cm/harbor/timetable` or `ships.ferry.example/ursula`.

use std::str::FromStr;

use portolan_core_install::{Member, ObjectRef, PlanVersion};
use portolan_core_names::nearest;
use portolan_core_names::text::listed;

use crate::failure::Failure;
use crate::print::words;

/// The name of an object on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ObjectName {
    /// The kind, in lower case. Can be a short name or a plural, as in kubectl.
    kind: String,
    /// The API group. None matches every group.
    group: Option<String>,
    namespace: Option<String>,
    name: String,
}

/// The short names of the kinds that every cluster has.
const SHORT: [(&str, &str); 20] = [
    ("cj", "cronjob"),
    ("cm", "configmap"),
    ("crd", "customresourcedefinition"),
    ("crds", "customresourcedefinition"),
    ("deploy", "deployment"),
    ("ds", "daemonset"),
    ("ep", "endpoints"),
    ("hpa", "horizontalpodautoscaler"),
    ("ing", "ingress"),
    ("netpol", "networkpolicy"),
    ("ns", "namespace"),
    ("pdb", "poddisruptionbudget"),
    ("po", "pod"),
    ("pv", "persistentvolume"),
    ("pvc", "persistentvolumeclaim"),
    ("rs", "replicaset"),
    ("sa", "serviceaccount"),
    ("sc", "storageclass"),
    ("sts", "statefulset"),
    ("svc", "service"),
];

// === impl ObjectName ===

impl FromStr for ObjectName {
    type Err = String;

    /// Parses a name in the format of kubectl, or in the format of statuses, such as
    /// `Deployment.apps harbor/ferry`.
    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || {
            format!(
                "`{text}` is not an object; use KIND/NAME such as deployment/ferry, or KIND/NAMESPACE/NAME"
            )
        };
        let (kind, rest) = text.split_once(['/', ' ']).ok_or_else(refused)?;
        let (namespace, name) = match rest.split_once('/') {
            Some((namespace, name)) => (Some(namespace.to_owned()), name),
            None => (None, rest),
        };
        let is_empty = kind.is_empty() || namespace.as_deref() == Some("");
        if is_empty || name.is_empty() || name.contains(['/', ' ']) {
            return Err(refused());
        }
        let (kind, group) = match kind.split_once('.') {
            Some((kind, group)) => (kind, Some(group.to_owned())),
            None => (kind, None),
        };
        Ok(Self {
            kind: kind.to_lowercase(),
            group,
            namespace,
            name: name.to_owned(),
        })
    }
}

impl ObjectName {
    /// Returns the Member of the plan with this name, or an error if there is not exactly one.
    pub(super) fn among<'p>(&self, plan: &'p PlanVersion) -> Result<&'p Member, Failure> {
        let mut found = plan
            .members
            .iter()
            .filter(|member| self.is(&member.identity));
        match (found.next(), found.next()) {
            (Some(member), None) => Ok(member),
            (None, _) => Err(Failure::usage(self.unknown(plan))),
            (Some(first), Some(second)) => {
                let names = [first, second].into_iter().chain(found);
                let names = names.map(|member| member.identity.to_string());
                Err(Failure::usage(format!(
                    "the name is ambiguous: {} of {}; use KIND.GROUP/NAMESPACE/NAME",
                    listed(names),
                    plan.name
                )))
            }
        }
    }

    fn is(&self, object: &ObjectRef) -> bool {
        let is_group = self
            .group
            .as_ref()
            .is_none_or(|group| is_group(group, &object.kind.group));
        let is_namespace = self.namespace.is_none() || self.namespace == object.namespace;
        object.name == self.name
            && is_namespace
            && is_group
            && is_kind(&self.kind, &object.kind.kind.to_lowercase())
    }

    /// Returns the error that the plan does not contain this object. The error suggests the most
    /// similar name.
    fn unknown(&self, plan: &PlanVersion) -> String {
        let objects = plan.members.iter().map(|member| &member.identity);
        let names =
            objects.map(|object| format!("{}/{}", object.kind.kind.to_lowercase(), object.name));
        let names: Vec<_> = names.collect();
        let kind = long(&self.kind);
        let asked = format!("{kind}/{}", self.name);
        let near = words::did_you_mean(nearest(&asked, names.iter()));
        let unread = match plan.faults.len() {
            0 => String::new(),
            some => format!(
                ", but {} of the plan cannot be read",
                words::count(some, "manifest")
            ),
        };
        format!("{} has no {asked}{unread}{near}", plan.name)
    }
}

fn long(kind: &str) -> &str {
    let mut short = SHORT.iter();
    short
        .find(|(short, _)| *short == kind)
        .map_or(kind, |(_, long)| long)
}

/// Returns true if the word is the short name, the singular or the plural of the kind.
fn is_kind(word: &str, kind: &str) -> bool {
    let plurals = [
        format!("{kind}s"),
        format!("{kind}es"),
        format!("{}ies", kind.strip_suffix('y').unwrap_or(kind)),
    ];
    long(word) == kind || plurals.iter().any(|plural| plural == word)
}

/// Returns true if the word is the group. A version may precede the group.
fn is_group(word: &str, group: &str) -> bool {
    let behind = word.split_once('.').map(|(_, group)| group);
    word == group || behind == Some(group)
}

#[cfg(test)]
mod tests {
    use portolan_core_install::GroupKind;
    use rstest::rstest;

    use super::*;

    fn object(group: &str, kind: &str, namespace: Option<&str>, name: &str) -> ObjectRef {
        ObjectRef {
            kind: GroupKind::new(group, kind),
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
        }
    }

    #[rstest]
    #[case::singular("deployment/ferry", true)]
    #[case::plural("deployments/ferry", true)]
    #[case::short("deploy/ferry", true)]
    #[case::in_the_form_of_kubectl_get("deployment.apps/ferry", true)]
    #[case::with_a_version("deployments.v1.apps/ferry", true)]
    #[case::with_its_namespace("deployment/harbor/ferry", true)]
    #[case::in_the_form_of_statuses("Deployment.apps harbor/ferry", true)]
    #[case::another_name("deployment/tug", false)]
    #[case::another_namespace("deployment/quay/ferry", false)]
    #[case::another_group("deployment.extensions/ferry", false)]
    #[case::another_kind("ds/ferry", false)]
    fn matches_each_spelling_of_object(#[case] text: &str, #[case] is_it: bool) {
        let named: ObjectName = text.parse().expect("an object");
        let ferry = object("apps", "Deployment", Some("harbor"), "ferry");
        assert_eq!(named.is(&ferry), is_it);
    }

    #[rstest]
    #[case::of_y("networkpolicies/a", "NetworkPolicy")]
    #[case::of_ss("ingresses/a", "Ingress")]
    #[case::of_a_short_one("sc/a", "StorageClass")]
    fn resolves_plurals(#[case] text: &str, #[case] kind: &str) {
        let named: ObjectName = text.parse().expect("an object");
        assert!(named.is(&object("any", kind, None, "a")));
    }

    #[rstest]
    #[case::no_kind("ferry")]
    #[case::no_name("deployment/")]
    #[case::nothing_before("/ferry")]
    #[case::no_namespace("deployment//ferry")]
    #[case::too_much("deployment/a/b/c")]
    fn rejects_invalid_object_names(#[case] text: &str) {
        let refused = text.parse::<ObjectName>().expect_err("no object");
        assert!(
            refused.starts_with(&format!("`{text}` is not an object")),
            "{refused}"
        );
    }
}
