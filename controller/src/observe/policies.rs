//! The parsed policies, indexed by namespace and package.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{RoundMode, Timestamp, TimestampRound, Unit};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use portolan_api::{
    Claim, Intent, MANAGER, OperatorPolicy, OperatorPolicyStatus, Refusals, Standing, standings,
};
use portolan_world::{Followed, Key};

/// All policies.
#[derive(Debug, Default)]
pub(super) struct Policies {
    all: BTreeMap<Key, KnownPolicy>,
    /// The policies whose managed namespace is known, by this namespace.
    placed: BTreeMap<Arc<str>, BTreeSet<Key>>,
    /// The policies whose managed namespace is unknown, by package.
    unplaced: BTreeMap<String, BTreeSet<Key>>,
    /// The policies of each package.
    packages: BTreeMap<String, BTreeSet<Key>>,
    /// The other clients that have written the status of a policy.
    others: BTreeMap<Key, StatusWriter>,
}

/// Another client that has written the status of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StatusWriter {
    /// The name of the client's field manager.
    pub(super) manager: String,
    /// The time of its last write. The entry in the managed fields remains after the client was
    /// deleted.
    pub(super) last: Option<Timestamp>,
}

/// The field managers of other controllers that enforce OperatorPolicies. An unknown client may be
/// a controller of the policy whose status it has written, unless it is one of [these
/// clients](BY_HAND).
const CONTROLLERS: [&str; 1] = ["config-policy-controller"];

/// The prefixes of the field managers of users and of backup tools. Their writes do not mean that
/// another controller is running, so this controller writes the status again.
const BY_HAND: [&str; 2] = ["kubectl", "velero"];

/// A parsed policy.
#[derive(Debug)]
pub(super) struct KnownPolicy {
    /// The policy with its real status.
    pub(super) seen: Arc<OperatorPolicy>,
    /// The policy with the status that it would have, if objects must not be written. Otherwise the
    /// same as `seen`.
    pub(super) policy: Arc<OperatorPolicy>,
    pub(super) parsed: Arc<Result<Intent, Refusals>>,
    pub(super) claim: Option<Claim>,
    /// A field that the API server now omits from the policy, although it has returned the same
    /// version of the policy with this field before. None if there is no such field.
    pub(super) lost: Option<String>,
    left_out: Option<String>,
}

/// The policies and namespaces that are affected by changed policies.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Affected {
    /// The policies that were changed, created or deleted.
    pub(super) policies: BTreeSet<Key>,
    /// The previous and the current scope of each policy whose claim has changed.
    pub(super) places: BTreeSet<PolicyScope>,
}

/// The namespaces that a policy manages or may manage.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PolicyScope {
    /// The policy manages this namespace.
    Namespace(Arc<str>),
    /// The policy may manage any namespace that contains this package.
    Package(String),
}

// === impl Policies ===

impl Policies {
    /// Applies changed policies.
    pub(super) fn look(&mut self, world: &Followed<OperatorPolicy>, keys: &[Key]) -> Affected {
        let mut affected = Affected::default();
        for key in keys {
            match world.shared(key) {
                Some(seen) => self.see(key, seen, world.fault(key), &mut affected),
                None => {
                    self.others.remove(key);
                    self.drop(key, &mut affected);
                }
            }
        }
        affected
    }

    /// Sets the status that a policy would have if objects could be written. None restores its real
    /// status.
    pub(super) fn suppose(&mut self, key: &Key, status: Option<OperatorPolicyStatus>) -> Affected {
        let mut affected = Affected::default();
        if let Some(kept) = self.all.get(key) {
            let policy = match status {
                Some(status) if kept.policy.status.as_ref() == Some(&status) => return affected,
                Some(status) => with_status(&kept.seen, Some(status)),
                None => kept.seen.clone(),
            };
            let next = kept.with(kept.seen.clone(), policy, kept.left_out.as_deref());
            self.put(key, next, &mut affected);
        }
        affected
    }

    pub(super) fn one(&self, key: &Key) -> Option<&KnownPolicy> {
        self.all.get(key)
    }

    /// Returns the first policy that this controller manages and whose status another controller
    /// writes, too. Returns None if there is no such policy.
    pub(super) fn other_controller(
        &self,
        is_ours: impl Fn(&Key) -> bool,
    ) -> Option<(&Key, &StatusWriter)> {
        let mut others = self.others.iter();
        others.find(|(key, writer)| writer.is_controller() && is_ours(key))
    }

    /// Returns the other client that has written the status of a policy. Returns None if there is
    /// no such client.
    pub(super) fn other_writer(&self, key: &Key) -> Option<&StatusWriter> {
        self.others.get(key)
    }

    /// Returns the keys of all policies.
    pub(super) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.all.keys()
    }

    /// Returns the policies that manage this namespace.
    pub(super) fn of_namespace(&self, namespace: &str) -> impl Iterator<Item = &Key> + use<'_> {
        self.placed.get(namespace).into_iter().flatten()
    }

    /// Returns the policies of a package in any namespace.
    pub(super) fn of_package(&self, package: &str) -> impl Iterator<Item = &Key> + use<'_> {
        self.packages.get(package).into_iter().flatten()
    }

    /// Returns the policies for a package whose managed namespace is unknown.
    pub(super) fn unplaced(&self, package: &str) -> impl Iterator<Item = &Key> + use<'_> {
        self.unplaced.get(package).into_iter().flatten()
    }

    /// Returns the standing of a policy. Also returns the standings of all policies that manage or
    /// may manage the same namespace, sorted by namespace and name. A policy whose managed
    /// namespace is unknown is included in two cases: its package is in `besides`, or another
    /// policy for the namespace has the same package.
    pub(super) fn standing(
        &self,
        key: &Key,
        besides: BTreeSet<String>,
    ) -> (Option<Standing>, Vec<Standing>) {
        let Some(claim) = self.claim(key) else {
            return (None, Vec::new());
        };
        let placed = claim.namespace.iter().flat_map(|it| self.of_namespace(it));
        let mut keys: BTreeSet<&Key> = placed.chain([key]).collect();
        let claims = keys.iter().filter_map(|key| self.claim(key));
        let mut packages: BTreeSet<_> = claims.map(|it| it.package.to_string()).collect();
        packages.extend(besides);
        keys.extend(packages.iter().flat_map(|package| self.unplaced(package)));
        let claims: Vec<_> = keys.iter().filter_map(|key| self.claim(key)).collect();
        let (own, mut others): (Vec<_>, Vec<_>) = standings(&claims)
            .into_iter()
            .partition(|standing| standing.id == claim.id);
        others.sort_by(|a, b| a.id.cmp(&b.id));
        (own.into_iter().next(), others)
    }

    fn claim(&self, key: &Key) -> Option<&Claim> {
        self.all.get(key)?.claim.as_ref()
    }

    fn see(
        &mut self,
        key: &Key,
        seen: &Arc<OperatorPolicy>,
        fault: Option<&str>,
        affected: &mut Affected,
    ) {
        let kept = self.all.get(key);
        let is_news = kept.is_none_or(|kept| {
            let is_same = is_same_but_status(&kept.seen, seen) && kept.left_out.as_deref() == fault;
            let is_told = kept.seen.status == seen.status || is_status_written_by_us(seen);
            !is_same || !is_told || is_emptied(&kept.seen, seen)
        });
        let next = match kept {
            Some(kept) => {
                let is_supposed = !Arc::ptr_eq(&kept.seen, &kept.policy);
                let status = is_supposed.then(|| kept.policy.status.clone());
                let policy = status.map_or_else(|| seen.clone(), |it| with_status(seen, it));
                kept.with(seen.clone(), policy, fault)
            }
            None => KnownPolicy::of(seen.clone(), fault),
        };
        let other = other_writer(seen);
        let is_other = self.others.get(key) != other.as_ref();
        match other {
            Some(other) => self.others.insert(key.clone(), other),
            None => self.others.remove(key),
        };
        if is_news || is_other {
            affected.policies.insert(key.clone());
        }
        self.put(key, next, affected);
    }

    fn put(&mut self, key: &Key, next: KnownPolicy, affected: &mut Affected) {
        let before = self.all.get(key);
        if before.is_some_and(|before| before.claim == next.claim) {
            self.all.insert(key.clone(), next);
            return;
        }
        self.drop(key, affected);
        if let Some(claim) = &next.claim {
            let package = claim.package.to_string();
            let place = PolicyScope::of(claim);
            insert(&mut self.packages, package, key);
            match place.clone() {
                PolicyScope::Namespace(name) => insert(&mut self.placed, name, key),
                PolicyScope::Package(name) => insert(&mut self.unplaced, name, key),
            }
            affected.places.insert(place);
        }
        self.all.insert(key.clone(), next);
    }

    fn drop(&mut self, key: &Key, affected: &mut Affected) {
        affected.policies.insert(key.clone());
        let Some(claim) = self.all.remove(key).and_then(|kept| kept.claim) else {
            return;
        };
        let place = PolicyScope::of(&claim);
        remove(&mut self.packages, claim.package.as_str(), key);
        match &place {
            PolicyScope::Namespace(name) => remove(&mut self.placed, &**name, key),
            PolicyScope::Package(name) => remove(&mut self.unplaced, name.as_str(), key),
        }
        affected.places.insert(place);
    }
}

// === impl StatusWriter ===

impl StatusWriter {
    /// Returns true if the client is a known controller of OperatorPolicies.
    fn is_controller(&self) -> bool {
        CONTROLLERS.contains(&self.manager.as_str())
    }
}

// === impl KnownPolicy ===

impl KnownPolicy {
    fn of(seen: Arc<OperatorPolicy>, fault: Option<&str>) -> Self {
        let left_out: Vec<_> = fault.map(str::to_owned).into_iter().collect();
        Self {
            parsed: Arc::new(Intent::parse(&seen)),
            claim: Claim::partly_read(&seen, &left_out),
            policy: seen.clone(),
            seen,
            lost: None,
            left_out: fault.map(str::to_owned),
        }
    }

    /// Returns the updated policy. The policy is parsed again only if it has changed.
    fn with(
        &self,
        seen: Arc<OperatorPolicy>,
        policy: Arc<OperatorPolicy>,
        fault: Option<&str>,
    ) -> Self {
        let is_same = is_same_but_status(&self.policy, &policy);
        let is_same_place = is_same
            && self.left_out.as_deref() == fault
            && is_about_the_same(self.policy.status.as_ref(), policy.status.as_ref());
        let left_out: Vec<_> = fault.map(str::to_owned).into_iter().collect();
        Self {
            parsed: if is_same {
                self.parsed.clone()
            } else {
                Arc::new(Intent::parse(&policy))
            },
            claim: if is_same_place {
                self.claim.clone()
            } else {
                Claim::partly_read(&policy, &left_out)
            },
            lost: self.lost_in(&seen),
            seen,
            policy,
            left_out: fault.map(str::to_owned),
        }
    }

    /// Returns a field that the API server now omits from the policy, although it has returned the
    /// same version of the policy with this field before. In this case, the stored policy has the
    /// field, and the CRD was replaced by a CRD without the field. Returns None if there is no such
    /// field.
    fn lost_in(&self, seen: &OperatorPolicy) -> Option<String> {
        let version = |policy: &OperatorPolicy| {
            let metadata = &policy.metadata;
            (metadata.uid.clone(), metadata.resource_version.clone())
        };
        if version(&self.seen) != version(seen) || seen.metadata.resource_version.is_none() {
            return None;
        }
        let (was, is) = (self.seen.spec.paths(), seen.spec.paths());
        if was == is {
            return self.lost.clone();
        }
        let mut lost = was.difference(&is);
        lost.next().map(|path| path[1..].replace('/', "."))
    }
}

// === impl PolicyScope ===

impl PolicyScope {
    fn of(claim: &Claim) -> Self {
        match &claim.namespace {
            Some(namespace) => Self::Namespace(namespace.as_str().into()),
            None => Self::Package(claim.package.to_string()),
        }
    }
}

fn with_status(
    policy: &OperatorPolicy,
    status: Option<OperatorPolicyStatus>,
) -> Arc<OperatorPolicy> {
    let (metadata, spec) = (policy.metadata.clone(), policy.spec.clone());
    Arc::new(OperatorPolicy {
        metadata,
        spec,
        status,
    })
}

/// Returns true if the two policies differ only in the status.
fn is_same_but_status(was: &OperatorPolicy, is: &OperatorPolicy) -> bool {
    let (old, new) = (&was.metadata, &is.metadata);
    old.uid == new.uid
        && old.generation == new.generation
        && old.deletion_timestamp == new.deletion_timestamp
        && old.labels == new.labels
        && old.annotations == new.annotations
        && old.finalizers == new.finalizers
        && old.owner_references == new.owner_references
        && was.spec == is.spec
}

/// Returns true if both statuses show the same managed namespace for a policy.
fn is_about_the_same(
    was: Option<&OperatorPolicyStatus>,
    is: Option<&OperatorPolicyStatus>,
) -> bool {
    let place = |status: &OperatorPolicyStatus| {
        let generation = status.observed_generation;
        (generation, status.resolved_subscription_label.clone())
    };
    let related = |status: Option<&OperatorPolicyStatus>| {
        let all = status.into_iter().flat_map(|it| &it.related_objects);
        // ClusterServiceVersions in the status are only for diagnoses, and change with each
        // upgrade.
        let all = all.filter(|related| related.object.kind == "Subscription");
        all.map(|related| related.object.clone())
            .collect::<Vec<_>>()
    };
    was.map(place) == is.map(place) && related(was) == related(is)
}

/// Returns true if the status of a policy was written only by this controller.
fn is_status_written_by_us(policy: &OperatorPolicy) -> bool {
    let mut status_writers = status_writers(policy).peekable();
    status_writers.peek().is_some() && status_writers.all(is_ours)
}

/// Returns true if a status lacks fields that this controller always writes. A client that only
/// removes fields does not appear in the managed fields.
fn is_emptied(was: &OperatorPolicy, is: &OperatorPolicy) -> bool {
    let Some(was) = &was.status else { return false };
    let Some(is) = &is.status else { return true };
    let mut conditions = was.conditions.iter();
    let has_lost_one = conditions.any(|was| is.conditions.iter().all(|is| is.type_ != was.type_));
    has_lost_one || (was.compliant.is_some() && is.compliant.is_none())
}

/// Returns the other client that has written a policy's status and that may be a controller.
/// Returns None if there is no such client. A known controller takes precedence. Otherwise, returns
/// the first client by name.
fn other_writer(policy: &OperatorPolicy) -> Option<StatusWriter> {
    let others = status_writers(policy).filter(|entry| !is_ours(entry) && !is_by_hand(entry));
    let other = others.min_by_key(|entry| {
        let manager = entry.manager.as_deref().unwrap_or_default();
        (!CONTROLLERS.contains(&manager), manager)
    })?;
    let time = other.time.as_ref().map(|time| time.0);
    Some(StatusWriter {
        manager: other.manager.clone().unwrap_or_default(),
        // The time is rounded. The client may write often, and each changed time would cause a
        // reconciliation.
        last: time.and_then(|time| {
            time.round(
                TimestampRound::new()
                    .smallest(Unit::Minute)
                    .mode(RoundMode::Trunc),
            )
            .ok()
        }),
    })
}

fn is_ours(entry: &ManagedFieldsEntry) -> bool {
    entry.manager.as_deref() == Some(MANAGER)
}

fn is_by_hand(entry: &ManagedFieldsEntry) -> bool {
    let manager = entry.manager.as_deref().unwrap_or_default();
    BY_HAND.iter().any(|start| manager.starts_with(start))
}

/// Returns the managed fields entries of the status of a policy.
fn status_writers(policy: &OperatorPolicy) -> impl Iterator<Item = &ManagedFieldsEntry> {
    let entries = policy.metadata.managed_fields.iter().flatten();
    entries.filter(|entry| entry.subresource.as_deref() == Some("status"))
}

fn insert<K: Ord>(places: &mut BTreeMap<K, BTreeSet<Key>>, place: K, key: &Key) {
    places.entry(place).or_default().insert(key.clone());
}

fn remove<K, Q>(places: &mut BTreeMap<K, BTreeSet<Key>>, place: &Q, key: &Key)
where
    K: Ord + std::borrow::Borrow<Q>,
    Q: Ord + ?Sized,
{
    if let Some(keys) = places.get_mut(place) {
        keys.remove(key);
        if keys.is_empty() {
            places.remove(place);
        }
    }
}
