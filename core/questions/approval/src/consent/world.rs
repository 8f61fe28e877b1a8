//! Parses Policies and PolicyBindings once, and keeps each parsed object or its error.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::policy::{Binding, Intent, NamedObject, Policy, PolicyBinding};
use portolan_core_rules::schedule::Schedule;

use crate::consent::{Object, OperatorId};

/// All existing Policies and PolicyBindings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PolicySet {
    policies: BTreeMap<String, Result<Intent, String>>,
    bindings: BTreeMap<String, Result<Binding, String>>,
    revisions: BTreeMap<Object, Revision>,
}

/// The revision of an object's spec: the uid and the generation. A revision differs from earlier
/// revisions, and from revisions of a deleted object with the same name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Revision {
    uid: String,
    generation: u32,
}

/// The revision of a PolicyBinding or Policy that affects the decision about an operator. If two
/// sets of grounds are equal, the decisions are equal too.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ground {
    pub object: Object,
    /// The uid. Empty if the object does not come from a cluster.
    pub uid: String,
    pub generation: u32,
    /// True for a broken or invalid PolicyBinding.
    pub is_broken: bool,
}

/// The decision if no Policy decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Fallback {
    #[default]
    Allow,
    Deny,
}

/// The facts about one Policy.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PolicyFacts {
    /// The reason why the Policy is invalid. None if it is valid.
    pub refused: Option<String>,
    /// The schedules of the Policy. At least one schedule must be open. None if the Policy does not
    /// restrict the time.
    pub schedules: Option<Vec<Schedule>>,
    /// The names of the bindings that refer to the Policy.
    pub bindings: Vec<String>,
}

/// The facts about one PolicyBinding.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BindingFacts {
    /// The reason why the binding is invalid. None if it is valid.
    pub refused: Option<String>,
    /// The existing operators that the binding applies to.
    pub operators: Vec<OperatorId>,
    /// The objects that the binding names although they do not exist.
    pub missing: Vec<Object>,
}

/// A Policy that applies to an operator, and the binding that refers to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundPolicy<'a> {
    pub binding: &'a str,
    pub name: &'a str,
    /// The Policy, or the reason why it is invalid.
    pub policy: Result<&'a Intent, &'a str>,
}

// === impl PolicySet ===

impl PolicySet {
    /// Parses all Policies and PolicyBindings.
    pub fn of<'a>(
        policies: impl IntoIterator<Item = &'a Policy>,
        bindings: impl IntoIterator<Item = &'a PolicyBinding>,
    ) -> Self {
        let mut world = Self::default();
        for policy in policies {
            world.put_policy(policy);
        }
        for binding in bindings {
            world.put_binding(binding);
        }
        world
    }

    /// Adds or replaces a Policy.
    pub fn put_policy(&mut self, policy: &Policy) {
        let name = policy.metadata.name.clone().unwrap_or_default();
        let read = Intent::parse(policy).map_err(|refusals| refusals.to_string());
        let metadata = &policy.metadata;
        let revision = Revision::of(metadata.uid.as_deref(), metadata.generation);
        self.revisions.insert(Object::policy(&name), revision);
        self.policies.insert(name, read);
    }

    /// Removes a Policy.
    pub fn remove_policy(&mut self, name: &str) {
        self.policies.remove(name);
        self.revisions.remove(&Object::policy(name));
    }

    /// Adds or replaces a PolicyBinding.
    pub fn put_binding(&mut self, binding: &PolicyBinding) {
        let name = binding.metadata.name.clone().unwrap_or_default();
        let read = Binding::parse(binding).map_err(|refusals| refusals.to_string());
        let metadata = &binding.metadata;
        let revision = Revision::of(metadata.uid.as_deref(), metadata.generation);
        self.revisions.insert(Object::binding(&name), revision);
        self.bindings.insert(name, read);
    }

    /// Removes a PolicyBinding.
    pub fn remove_binding(&mut self, name: &str) {
        self.bindings.remove(name);
        self.revisions.remove(&Object::binding(name));
    }

    /// Returns all Policies by name. An invalid Policy has the reason why it is invalid.
    pub fn policies(&self) -> &BTreeMap<String, Result<Intent, String>> {
        &self.policies
    }

    /// Returns all PolicyBindings by name. An invalid PolicyBinding has the reason why it is
    /// invalid.
    pub fn bindings(&self) -> &BTreeMap<String, Result<Binding, String>> {
        &self.bindings
    }

    /// Returns the facts about a Policy. Returns None if the Policy does not exist.
    pub fn policy(&self, name: &str) -> Option<PolicyFacts> {
        let policy = self.policies.get(name)?;
        let bindings = self.bindings.iter().filter(|(_, binding)| {
            let binding = binding.as_ref().ok();
            binding.is_some_and(|binding| binding.policies.iter().any(|it| it == name))
        });
        Some(PolicyFacts {
            refused: policy.as_ref().err().cloned(),
            schedules: policy.as_ref().ok().and_then(|it| it.schedules.clone()),
            bindings: bindings.map(|(name, _)| name.clone()).collect(),
        })
    }

    /// Returns the facts about a PolicyBinding. Returns None if the PolicyBinding does not exist.
    /// `operators` contains all existing operators.
    pub fn binding(&self, name: &str, operators: &BTreeSet<OperatorId>) -> Option<BindingFacts> {
        Some(match self.bindings.get(name)? {
            Ok(binding) => {
                let named = operators.iter().filter(|operator| names(binding, operator));
                BindingFacts {
                    refused: None,
                    operators: named.cloned().collect(),
                    missing: self.missing(binding, operators),
                }
            }
            Err(why) => BindingFacts {
                refused: Some(why.clone()),
                ..BindingFacts::default()
            },
        })
    }

    /// Returns the grounds of the decision about an operator: the Policies and PolicyBindings that
    /// affect the decision. An invalid binding is always included, because it may apply to any
    /// operator. `operators` contains all existing operators.
    pub fn grounds(
        &self,
        operators: &BTreeSet<OperatorId>,
        operator: &OperatorId,
    ) -> BTreeSet<Ground> {
        let mut grounds = BTreeSet::new();
        for (name, binding) in &self.bindings {
            let object = Object::binding(name);
            match binding {
                Ok(binding) if !names(binding, operator) => {}
                Ok(binding) if self.missing(binding, operators).is_empty() => {
                    grounds.insert(self.ground(object, false));
                    let policies = binding.policies.iter();
                    grounds.extend(policies.map(|it| self.ground(Object::policy(it), false)));
                }
                Ok(_) | Err(_) => {
                    grounds.insert(self.ground(object, true));
                }
            }
        }
        grounds
    }

    /// Returns the names of the Policies that restrict an operator. `operators` contains all existing
    /// operators.
    pub fn restricting(
        &self,
        operators: &BTreeSet<OperatorId>,
        operator: &OperatorId,
    ) -> BTreeSet<String> {
        let bindings = self.bindings.iter();
        let valid = bindings.filter_map(|(name, binding)| Some((name, binding.as_ref().ok()?)));
        let effective = valid.filter(|(_, binding)| {
            names(binding, operator) && self.missing(binding, operators).is_empty()
        });
        let bound = effective.flat_map(|(name, binding)| self.bound(name, binding));
        bound.map(|it| it.name.to_owned()).collect()
    }

    fn ground(&self, object: Object, is_broken: bool) -> Ground {
        let revision = self.revisions.get(&object).cloned();
        let Revision { uid, generation } = revision.unwrap_or_default();
        Ground {
            object,
            uid,
            generation,
            is_broken,
        }
    }

    /// Returns true if a binding names an operator that is not in `operators`.
    pub fn lacks_operator(&self, binding: &str, operators: &BTreeSet<OperatorId>) -> bool {
        let binding = self.bindings.get(binding);
        let binding = binding.and_then(|binding| binding.as_ref().ok());
        binding.is_some_and(|it| {
            let mut missing = it.missing(|it| match it {
                NamedObject::Operator {
                    kind,
                    namespace,
                    name,
                } => operators.contains(&OperatorId::of(kind, namespace, name)),
                NamedObject::Policy(_) => true,
            });
            missing.next().is_some()
        })
    }

    /// Returns the operators and Policies that a binding names although they do not exist. A
    /// wildcard never counts as missing, even if it matches no operator.
    pub(crate) fn missing(
        &self,
        binding: &Binding,
        operators: &BTreeSet<OperatorId>,
    ) -> Vec<Object> {
        let missing = binding.missing(|it| match it {
            NamedObject::Operator {
                kind,
                namespace,
                name,
            } => operators.contains(&OperatorId::of(kind, namespace, name)),
            NamedObject::Policy(name) => self.policies.contains_key(name),
        });
        let missing = missing.map(|it| match it {
            NamedObject::Operator {
                kind,
                namespace,
                name,
            } => Object {
                kind: kind.as_str(),
                namespace: namespace.to_owned(),
                name: name.to_owned(),
            },
            NamedObject::Policy(name) => Object::policy(name),
        });
        missing.collect()
    }

    /// Iterates over the existing Policies of a binding. Policies that do not exist are skipped.
    pub(crate) fn bound<'a>(
        &'a self,
        name: &'a str,
        binding: &'a Binding,
    ) -> impl Iterator<Item = BoundPolicy<'a>> {
        let policies = binding.policies.iter();
        policies.filter_map(move |policy| {
            let (policy, read) = self.policies.get_key_value(policy)?;
            Some(BoundPolicy {
                binding: name,
                name: policy,
                policy: read.as_ref().map_err(String::as_str),
            })
        })
    }
}

impl Revision {
    fn of(uid: Option<&str>, generation: Option<i64>) -> Self {
        Self {
            uid: uid.unwrap_or_default().to_owned(),
            generation: generation.map_or(0, |it| it.try_into().unwrap_or(u32::MAX)),
        }
    }
}

pub(crate) fn names(binding: &Binding, operator: &OperatorId) -> bool {
    binding.names(operator.kind, &operator.namespace, &operator.name)
}
