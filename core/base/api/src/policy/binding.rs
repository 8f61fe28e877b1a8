//! Parses the spec of a PolicyBinding.

use std::collections::BTreeSet;

use super::PolicyBinding;
use crate::operator::GROUP;
use crate::place::ManifestPlace;
use crate::refusal::{Refusal, Refusals, quoted};

const SPEC_FIELDS: &[&str] = &["policyRef", "subjects"];
const SUBJECT_FIELDS: &[&str] = &["apiGroup", "kind", "name", "namespace"];
const REFERENCE_FIELDS: &[&str] = &["apiGroup", "kind", "name"];

/// The maximum number of subjects of a binding. Also the maximum number of Policies of a binding.
pub(super) const MOST: usize = 256;
/// The name in a subject that selects all operators of a kind.
const ALL: &str = "*";
/// The API group of OperatorPolicy.
const POLICY_GROUP: &str = "policy.open-cluster-management.io";

/// The parsed spec of a PolicyBinding. An operator can be upgraded only if all these Policies allow
/// it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    pub subjects: BTreeSet<Subject>,
    /// The names of the Policies.
    pub policies: BTreeSet<String>,
}

/// A kind of operators to which a PolicyBinding can apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SubjectKind {
    Operator,
    OperatorPolicy,
}

/// The operators that an entry of `subjects` selects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// One operator. The namespace is empty for an Operator, which is cluster-scoped.
    One {
        kind: SubjectKind,
        namespace: String,
        name: String,
    },
    /// Every operator of a kind, in one namespace if it is set. There may be no such operator.
    All {
        kind: SubjectKind,
        namespace: Option<String>,
    },
}

/// An object that a PolicyBinding names individually.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedObject<'a> {
    Operator {
        kind: SubjectKind,
        namespace: &'a str,
        name: &'a str,
    },
    Policy(&'a str),
}

// === impl SubjectKind ===

impl SubjectKind {
    pub const ALL: [Self; 2] = [Self::Operator, Self::OperatorPolicy];

    /// Returns the spelling of the kind in manifests.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Operator => "Operator",
            Self::OperatorPolicy => "OperatorPolicy",
        }
    }

    /// Returns the kind with this name. Upper and lower case make no difference.
    pub fn parse(text: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|kind| kind.as_str().eq_ignore_ascii_case(text))
    }

    fn group(self) -> &'static str {
        match self {
            Self::Operator => GROUP,
            Self::OperatorPolicy => POLICY_GROUP,
        }
    }
}

// === impl Subject ===

impl Subject {
    /// Returns true if the subject selects this operator.
    pub fn names(&self, kind: SubjectKind, namespace: &str, name: &str) -> bool {
        match self {
            Self::One {
                kind: of,
                namespace: within,
                name: called,
            } => *of == kind && within == namespace && called == name,
            Self::All {
                kind: of,
                namespace: within,
            } => *of == kind && within.as_deref().is_none_or(|within| within == namespace),
        }
    }

    /// Returns the operator of the subject. Returns None for a wildcard.
    fn one(&self) -> Option<NamedObject<'_>> {
        match self {
            Self::One {
                kind,
                namespace,
                name,
            } => Some(NamedObject::Operator {
                kind: *kind,
                namespace,
                name,
            }),
            Self::All { .. } => None,
        }
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (kind, namespace, name) = match self {
            Self::One {
                kind,
                namespace,
                name,
            } => (kind, namespace.as_str(), name.as_str()),
            Self::All { kind, namespace } => (kind, namespace.as_deref().unwrap_or_default(), ALL),
        };
        f.write_str(kind.as_str())?;
        match namespace {
            "" => write!(f, " {name}"),
            namespace => write!(f, " {namespace}/{name}"),
        }
    }
}

// === impl Binding ===

impl Binding {
    /// Parses a PolicyBinding. No other code parses its spec.
    ///
    /// # Errors
    /// Returns all errors at once.
    pub fn parse(binding: &PolicyBinding) -> Result<Self, Refusals> {
        let mut refused = Vec::new();
        let spec = ManifestPlace::new("spec", binding.spec.as_json());
        let draft = draft(&spec, &mut refused);
        Refusals::unless(refused, draft)
    }

    /// Returns true if a subject of the binding selects this operator.
    pub fn names(&self, kind: SubjectKind, namespace: &str, name: &str) -> bool {
        let mut subjects = self.subjects.iter();
        subjects.any(|subject| subject.names(kind, namespace, name))
    }

    /// Returns the objects that the binding names and that do not exist, operators first. A wildcard
    /// never counts as missing, even if it matches no operator.
    ///
    /// A binding with a missing object is broken: its Policies do not apply to its operators.
    pub fn missing<'a>(
        &'a self,
        exists: impl Fn(NamedObject<'a>) -> bool,
    ) -> impl Iterator<Item = NamedObject<'a>> {
        let operators = self.subjects.iter().filter_map(Subject::one);
        let policies = self.policies.iter().map(|name| NamedObject::Policy(name));
        operators.chain(policies).filter(move |it| !exists(*it))
    }
}

/// Parses the spec. Returns None only if a field is invalid.
fn draft(spec: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Binding> {
    spec.require("write subjects and policyRef", refused);
    spec.only(SPEC_FIELDS, refused)?;
    let way_out = "write the operators that the Policies apply to";
    let subjects = entries(&spec.field("subjects"), way_out, refused);
    let way_out = "write the Policies that must allow a change";
    let policies = entries(&spec.field("policyRef"), way_out, refused);
    let subjects = subjects.iter().filter_map(|place| subject(place, refused));
    let subjects = subjects.collect();
    let policies = policies.iter().filter_map(|place| policy(place, refused));
    Some(Binding {
        subjects,
        policies: policies.collect(),
    })
}

/// Returns the entries of a list. Adds a refusal if the list is empty or too long.
fn entries<'a>(
    place: &ManifestPlace<'a>,
    way_out: &'static str,
    refused: &mut Vec<Refusal>,
) -> Vec<ManifestPlace<'a>> {
    place.require(way_out, refused);
    if place.is_empty_list() {
        place.refuse_value(format!("is empty; {way_out}"), refused);
    }
    let entries = place.list(refused).unwrap_or_default();
    place.exceeds(MOST, (entries.len(), "entries"), refused);
    entries
}

fn subject(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Subject> {
    place.only(SUBJECT_FIELDS, refused)?;
    let kind = subject_kind(&place.field("kind"), refused);
    let name = place.field("name");
    name.require("write the name of an operator, or \"*\" for all", refused);
    let is_all = name.is_text(ALL);
    let name = (!is_all).then(|| name.subdomain("an operator", refused));
    let within = place.field("namespace");
    let namespace = within.label("a Namespace", refused);
    let kind = kind?;
    group(&place.field("apiGroup"), kind.group(), refused);
    match kind {
        SubjectKind::Operator if within.is_given() => {
            let sentence = "is not allowed; an Operator is cluster-scoped";
            within.refuse_value(sentence, refused);
        }
        SubjectKind::OperatorPolicy if !is_all => {
            within.require("write the namespace of the OperatorPolicy", refused);
        }
        SubjectKind::Operator | SubjectKind::OperatorPolicy => {}
    }
    Some(match name {
        None => Subject::All { kind, namespace },
        Some(name) => Subject::One {
            kind,
            namespace: namespace.unwrap_or_default(),
            name: name?,
        },
    })
}

fn subject_kind(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<SubjectKind> {
    place.require("write Operator or OperatorPolicy", refused);
    let text = place.text(refused)?;
    let kind = SubjectKind::parse(text);
    if kind.is_none() {
        let sentence = format!("is {}; write Operator or OperatorPolicy", quoted(text));
        place.refuse_value(sentence, refused);
    }
    kind
}

fn policy(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<String> {
    place.only(REFERENCE_FIELDS, refused)?;
    let kind = place.field("kind");
    if let Some(text) = kind.text(refused)
        && !text.eq_ignore_ascii_case("Policy")
    {
        kind.refuse_value(format!("is {}; write Policy", quoted(text)), refused);
    }
    group(&place.field("apiGroup"), GROUP, refused);
    let name = place.field("name");
    name.require("write the name of a Policy", refused);
    name.subdomain("a Policy", refused)
}

/// Adds a refusal if the API group of a reference is set but wrong.
fn group(place: &ManifestPlace<'_>, group: &'static str, refused: &mut Vec<Refusal>) {
    if let Some(text) = place.text(refused)
        && text != group
    {
        place.refuse_value(format!("is {}; write {group}", quoted(text)), refused);
    }
}
