//! The claims of OperatorPolicies. A claim contains the bundles of a package that a policy allows.
//! Claims are indexed by the namespace to which the policy applies.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_api::{Claim, OperatorPolicy, Standing, standings};
use portolan_core_approval::{ApprovalCode, POLICY, Reason, State};
use portolan_core_names::PackageName;
use portolan_world::{Followed, Key};

/// The claims of all policies.
#[derive(Debug, Default)]
pub(super) struct Claims {
    all: BTreeMap<Key, Claim>,
    /// The policies with a known namespace.
    placed: BTreeMap<Arc<str>, BTreeSet<Key>>,
    /// The policies with an unknown namespace, by package. They may apply to any namespace.
    unplaced: BTreeMap<PackageName, BTreeSet<Key>>,
    /// The reasons why the other policies apply to no operator.
    missing: BTreeMap<Key, Reason>,
}

/// The namespaces to which a claim applies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PolicyScope {
    /// A namespace.
    Namespace(Arc<str>),
    /// Every namespace whose InstallPlans contain this package.
    Package(PackageName),
    /// No namespace, because the operator is unknown.
    Nowhere,
}

// === impl Claims ===

impl Claims {
    /// Applies the changed policies. Returns the namespaces and packages to which the previous and
    /// the new claims of these policies apply.
    pub(super) fn look(
        &mut self,
        policies: &Followed<OperatorPolicy>,
        keys: &[Key],
    ) -> BTreeSet<PolicyScope> {
        let mut places = BTreeSet::new();
        for key in keys {
            let is = claim(policies, key);
            let missing = is.is_none().then(|| missing(policies, key)).flatten();
            if is.as_ref() != self.all.get(key) {
                places.extend(self.take(key));
                places.extend(is.map(|claim| self.put(key, claim)));
            }
            if missing.as_ref() != self.missing.get(key) {
                match missing {
                    Some(reason) => self.missing.insert(key.clone(), reason),
                    None => self.missing.remove(key),
                };
                places.insert(PolicyScope::Nowhere);
            }
        }
        places
    }

    /// Returns the standings of the policies that apply to a namespace.
    pub(super) fn of_namespace(&self, namespace: &str) -> Vec<Standing> {
        self.standing(self.placed.get(namespace).into_iter().flatten())
    }

    /// Returns the standings of the policies that have an unknown namespace and name one of these
    /// packages.
    pub(super) fn of_packages(&self, packages: &BTreeSet<PackageName>) -> Vec<Standing> {
        let keys = packages.iter().filter_map(|it| self.unplaced.get(it));
        self.standing(keys.flatten())
    }

    /// Returns the standings of all policies with an unknown namespace, sorted by the namespace and
    /// name of the policy.
    pub(super) fn unplaced(&self) -> Vec<Standing> {
        let mut policies = self.standing(self.unplaced.values().flatten());
        policies.sort_by(|a, b| a.id.cmp(&b.id));
        policies
    }

    /// Returns the reasons why policies apply to no operator, sorted by the namespace and name of
    /// the policy.
    pub(super) fn missing(&self) -> Vec<Reason> {
        self.missing.values().cloned().collect()
    }

    /// Returns the namespaces to which policies apply.
    pub(super) fn namespaces(&self) -> BTreeSet<Arc<str>> {
        self.placed.keys().cloned().collect()
    }

    /// Returns the standings of these policies. The result is complete only if all policies for the
    /// same namespace are among them, because policies may overlap.
    fn standing<'a>(&self, keys: impl Iterator<Item = &'a Key>) -> Vec<Standing> {
        let claims: Vec<_> = keys.filter_map(|key| self.all.get(key)).collect();
        standings(&claims)
    }

    fn take(&mut self, key: &Key) -> Option<PolicyScope> {
        let place = PolicyScope::of(&self.all.remove(key)?);
        match &place {
            PolicyScope::Namespace(name) => remove(&mut self.placed, name, key),
            PolicyScope::Package(name) => remove(&mut self.unplaced, name, key),
            PolicyScope::Nowhere => {}
        }
        Some(place)
    }

    fn put(&mut self, key: &Key, claim: Claim) -> PolicyScope {
        let place = PolicyScope::of(&claim);
        match &place {
            PolicyScope::Namespace(name) => {
                let keys = self.placed.entry(name.clone()).or_default();
                keys.insert(key.clone());
            }
            PolicyScope::Package(name) => {
                let keys = self.unplaced.entry(name.clone()).or_default();
                keys.insert(key.clone());
            }
            PolicyScope::Nowhere => {}
        }
        self.all.insert(key.clone(), claim);
        place
    }
}

/// Returns the claim of a policy. Returns None if the operator of the policy is unknown. A policy
/// that was not read completely counts as invalid.
fn claim(policies: &Followed<OperatorPolicy>, key: &Key) -> Option<Claim> {
    let policy = policies.object(&key.namespace, &key.name)?;
    let left_out: Vec<_> = policies.fault(key).map(str::to_owned).into_iter().collect();
    Claim::partly_read(policy, &left_out)
}

/// Returns the reason why a policy applies to no operator. An example is a policy whose package is
/// an unresolved template. Such a policy allows nothing, and requests for it return this reason.
fn missing(policies: &Followed<OperatorPolicy>, key: &Key) -> Option<Reason> {
    let policy = policies.object(&key.namespace, &key.name)?;
    let why = Claim::missing(policy)?.join("; ");
    let (namespace, name) = (key.namespace.to_string(), key.name.to_string());
    Some(Reason {
        state: State::Yes,
        code: ApprovalCode::PolicyInvalid,
        message: format!("Policy {namespace}/{name} matches no operator and allows nothing: {why}"),
        object: (POLICY, namespace, name),
    })
}

fn remove<K: Ord>(places: &mut BTreeMap<K, BTreeSet<Key>>, place: &K, key: &Key) {
    if let Some(keys) = places.get_mut(place) {
        keys.remove(key);
        if keys.is_empty() {
            places.remove(place);
        }
    }
}

// === impl PolicyScope ===

impl PolicyScope {
    fn of(claim: &Claim) -> Self {
        match &claim.namespace {
            Some(namespace) => Self::Namespace(namespace.as_str().into()),
            None => Self::Package(claim.package.clone()),
        }
    }
}
