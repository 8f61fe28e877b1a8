//! Observes the policies and the objects that affect policies, with one watch for each kind.
//!
//! ```text
//! policies -----> Policies: parsed once, by namespace and by package ---\
//! their objects -> by their namespaces ----------------------------------+-> the policies that a
//! catalogs, CRDs --------> Links: what each policy was seen to depend on-|   change affects
//! ClusterServiceVersions, groups -> Operators: those that serve all -----/
//! ```
//!
//! [`Informers::look`] applies changes and returns the affected policies. [`Informers::observe`]
//! collects the input for the reconciliation of one policy. This input is limited to the objects in
//! the namespace of the policy and in a few other namespaces. Objects are shared and not copied.

mod bindings;
mod kinds;
mod links;
mod operators;
mod policies;
mod rules;
mod state;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use portolan_api::policy::PolicyBinding;
use portolan_api::{Intent, OperatorPolicy, OperatorPolicyStatus, Presence, Refusals, Standing};
use portolan_core_olm::{
    CatalogSource, ClusterServiceVersion, CustomResourceDefinition, Subscription,
};
use portolan_core_operatorpolicy::{NamespaceState, Observed, WriteMode};
use portolan_runtime::Cached;
use portolan_world::{Changes, Ended, Index, Informed, Key, Notifier, State, World};

use self::bindings::Bindings;
use self::kinds::Kinds;
use self::links::{Link, Links};
use self::operators::Operators;
use self::policies::{Affected, Policies, PolicyScope};
pub(crate) use self::rules::{Rules, Schema};
use self::state::{Components, PolicyTarget, Sources, links_of, owned, state};

/// The name of the OperatorPolicy CRD.
pub(crate) const POLICY_CRD: &str = "operatorpolicies.policy.open-cluster-management.io";
/// The version of OperatorPolicy that this controller reads and writes.
pub(crate) const VERSION: &str = "v1beta1";

/// All watched objects.
#[derive(Debug)]
pub(crate) struct Informers {
    notifier: Notifier,
    kinds: Kinds,
    bindings: Bindings,
    policies: Policies,
    links: Links,
    operators: Operators,
    components: Components,
    /// The packages to which the Subscriptions of each namespace subscribe.
    subscribed: Index<String>,
    /// The uids of the policies for which the Subscriptions of each namespace were created.
    made: Index<String>,
    /// The names of the CRDs that the ClusterServiceVersions of each namespace own.
    owned: Index<Arc<str>>,
    rules: Rules,
    schema: Schema,
    /// True if the OperatorPolicy CRD has ever been observed.
    was_defined: bool,
    /// The state that affects all policies: the write mode, and if the OperatorPolicy CRD is being
    /// deleted.
    held: (WriteMode, bool),
    informed: Informed,
}

/// A policy with all observed facts that its reconciliation needs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PolicySnapshot {
    /// The policy with its real status, as the services read it. In a dry run, the policy in
    /// `observed` has another status: the status that it would have.
    pub(crate) shown: Arc<OperatorPolicy>,
    /// True if a write to the policy itself may remove fields from it.
    pub(crate) loses_fields: bool,
    pub(crate) parsed: Arc<Result<Intent, Refusals>>,
    pub(crate) observed: Observed,
}

/// A change in the responses of the services. The world does not contain such changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ServiceChange {
    /// The responses about a namespace have changed.
    Namespace(String),
    /// The responses of the resolver or of the health service about a catalog have changed.
    Catalog(Key),
    /// The responses about all policies may have changed.
    Everything,
}

// === impl Informers ===

impl Informers {
    pub(crate) fn of(world: &impl World, rules: Rules) -> Self {
        let notifier = Notifier::default();
        Self {
            kinds: Kinds::of(world, &notifier),
            notifier,
            bindings: Bindings::default(),
            policies: Policies::default(),
            links: Links::default(),
            operators: Operators::default(),
            components: Components::default(),
            subscribed: Index::default(),
            made: Index::default(),
            owned: Index::default(),
            rules,
            schema: Schema::default(),
            was_defined: false,
            held: (WriteMode::ReadWrite, false),
            informed: Informed::default(),
        }
    }

    /// Waits until a watched object has changed.
    ///
    /// # Errors
    /// Returns an error if the world has ended.
    ///
    /// # Cancel safety
    /// This method is cancel safe. Nothing is lost if the future is dropped early.
    pub(crate) async fn changed(&self) -> Result<(), Ended> {
        self.notifier.notified().await
    }

    /// Applies all changes. Returns the affected policies, including deleted policies. Returns no
    /// policies until every kind has been listed.
    pub(crate) async fn look(&mut self) -> BTreeSet<Key> {
        let changes = self.informed.look(self.kinds.all()).await;
        let policies = changes.of::<OperatorPolicy>();
        let affected = self.policies.look(&self.kinds.policies, policies);
        let bindings = changes.of::<PolicyBinding>();
        let is_bound_anew = self.bindings.look(&self.kinds.bindings, bindings);
        let mut touched = BTreeSet::new();
        self.objects(&changes, &mut touched);
        touched.append(&mut self.affected(affected));
        if !self.is_known() {
            return BTreeSet::new();
        }
        if changes.bear_on_all() {
            self.log_whether_served();
        }
        if self.takes_new_rules() | changes.bear_on_all() | is_bound_anew {
            touched.extend(self.policies.keys().cloned());
        }
        touched
    }

    /// Sets the schema of the OperatorPolicy CRD. Returns the affected policies.
    pub(crate) fn learn(&mut self, schema: Schema) -> BTreeSet<Key> {
        let is_other = self.schema != schema;
        self.schema = schema;
        let all = self.policies.keys().filter(|_| is_other && self.is_known());
        all.cloned().collect()
    }

    /// Returns the resourceVersion of the OperatorPolicy CRD. Returns None if the CRD does not
    /// exist.
    pub(crate) fn crd(&self) -> Option<&str> {
        let crd = self.kinds.crds.object("", POLICY_CRD)?;
        crd.metadata.resource_version.as_deref()
    }

    /// Returns the policies that a change in the responses of the services affects.
    pub(crate) fn affected_by(&self, on: &ServiceChange) -> BTreeSet<Key> {
        match on {
            ServiceChange::Namespace(name) => self.policies.of_namespace(name).cloned().collect(),
            ServiceChange::Catalog(key) => self.naming(key).cloned().collect(),
            ServiceChange::Everything => self.policies.keys().cloned().collect(),
        }
    }

    /// Returns the input for the reconciliation of a policy. Returns None if the policy no longer
    /// exists.
    pub(crate) fn observe(&mut self, key: &Key) -> Option<PolicySnapshot> {
        let write_mode = self.write_mode_for(key);
        if write_mode == WriteMode::ReadWrite && !self.rules.is_rehearsed {
            self.policies.suppose(key, None);
        }
        let Some(kept) = self.policies.one(key) else {
            self.links.put(key, BTreeSet::new());
            return None;
        };
        let (policy, parsed) = (kept.policy.clone(), kept.parsed.clone());
        let shown = kept.seen.clone();
        let loses_fields = self.schema.is_lacking() || kept.lost.is_some();
        let state = self.state(key);
        let name = state.as_ref().map(|state| &*state.name);
        let besides = self.packages_in(name);
        let (standing, neighbors) = self.policies.standing(key, besides);
        let is_bound = self.is_bound(key, name, &neighbors);
        let observed = Observed {
            policy,
            standing,
            neighbors,
            is_bound,
            write_mode,
            contested: Vec::new(),
            pruned: Vec::new(),
            stale: self.kinds.stale(name),
            has_olm: self.kinds.has_olm(),
            is_crd_terminating: self.held.1,
            default_namespace: self.rules.default_namespace.clone(),
            abandoned: self.abandoned(key, name),
            namespace: state,
        };
        Some(PolicySnapshot {
            shown,
            loses_fields,
            parsed,
            observed,
        })
    }

    /// Returns true if a PolicyBinding names this policy, or another policy for the same namespace.
    fn is_bound(&self, key: &Key, namespace: Option<&str>, neighbors: &[Standing]) -> bool {
        let here = neighbors
            .iter()
            .filter(|it| it.namespace.as_deref() == namespace);
        let mut here = here.map(|it| Key::new(&it.id.namespace, &it.id.name));
        self.bindings.bind(key) || here.any(|it| self.bindings.bind(&it))
    }

    /// Sets the status that a policy would have if objects could be written. Returns the affected
    /// policies.
    pub(crate) fn suppose(&mut self, key: &Key, status: OperatorPolicyStatus) -> BTreeSet<Key> {
        let affected = self.policies.suppose(key, Some(status));
        self.affected(affected)
    }

    /// Returns true if this controller may manage the policy, according to the policy's namespace.
    pub(crate) fn is_ours(&self, key: &Key) -> bool {
        self.rules.are_for(key)
    }

    /// Returns the write mode. It shows if objects may be written for any policy.
    pub(crate) fn write_mode(&self) -> WriteMode {
        let other = self.policies.other_controller(|key| self.is_ours(key));
        self.rules.write_mode(&self.schema, other)
    }

    /// Returns the write mode for one policy.
    fn write_mode_for(&self, key: &Key) -> WriteMode {
        let lossy = self.policies.one(key);
        let lossy = lossy.and_then(|kept| self.rules.lossy(&self.schema, kept));
        match lossy.unwrap_or_else(|| self.write_mode()) {
            WriteMode::ReadWrite => self
                .rules
                .write_mode_for(key, self.policies.other_writer(key)),
            read_only @ WriteMode::ReadOnly(_) => read_only,
        }
    }

    /// Returns the cached state of an object that the controller writes. Returns None if the object
    /// does not exist.
    pub(crate) fn shown(&self, kind: &str, key: &Key) -> Option<Cached> {
        self.kinds.shown(kind, key)
    }

    /// Returns the known schema of the OperatorPolicy CRD.
    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns a policy with its observed status or, in a dry run, with the status that it would
    /// have.
    pub(crate) fn policy(&self, key: &Key) -> Option<&OperatorPolicy> {
        self.policies.one(key).map(|kept| &*kept.policy)
    }

    /// Returns true if each kind was listed.
    pub(crate) fn is_known(&self) -> bool {
        self.informed.is_synced()
    }

    /// Returns the policies that are affected by changed policies. These are the changed policies
    /// and their neighbors.
    fn affected(&self, affected: Affected) -> BTreeSet<Key> {
        let Affected {
            mut policies,
            places,
        } = affected;
        for place in places {
            match place {
                PolicyScope::Namespace(name) => {
                    policies.extend(self.policies.of_namespace(&name).cloned());
                }
                PolicyScope::Package(package) => {
                    policies.extend(self.policies.of_package(&package).cloned());
                    let subscribed = self.subscribed.speaking_of(&package);
                    let placed = subscribed.flat_map(|name| self.policies.of_namespace(name));
                    policies.extend(placed.cloned());
                }
            }
        }
        policies
    }

    /// Adds the policies that are affected by changes of other objects.
    fn objects(&mut self, changes: &Changes, touched: &mut BTreeSet<Key>) {
        let inside = Kinds::touched(changes);
        let inside = inside.iter().flat_map(|it| self.policies.of_namespace(it));
        touched.extend(inside.cloned());
        let subscribed = changes.of::<Subscription>();
        for key in subscribed {
            let packages = self.packages_in(Some(&key.namespace));
            self.subscribed.put(&key.namespace, packages);
        }
        let subscribed = subscribed.iter();
        let subscribed = subscribed.flat_map(|key| self.policies.unplaced(&key.name));
        touched.extend(subscribed.cloned());
        let catalogs = changes.of::<CatalogSource>().iter();
        touched.extend(catalogs.flat_map(|key| self.naming(key)).cloned());
        let changed = changes.of::<CustomResourceDefinition>();
        let crds = changed.iter();
        let crds = crds.map(|key| Link::Crd(key.name.clone()));
        let labels = self.components.look(&self.kinds.crds, changed);
        let labels = labels.into_iter().map(Link::Component);
        let owners = self.owners(changes).into_iter().map(Link::Owners);
        let made = self.made(changes).into_iter().map(Link::Made);
        let links = crds.chain(labels).chain(owners).chain(made);
        for link in links {
            touched.extend(self.links.to(&link).cloned());
        }
        let packages = self.operators.look(&self.kinds, changes);
        let packages = packages.iter().flat_map(|it| self.policies.of_package(it));
        touched.extend(packages.cloned());
    }

    /// Updates the index of the CRDs that ClusterServiceVersions own. Returns the CRDs with new or
    /// removed owners.
    fn owners(&mut self, changes: &Changes) -> BTreeSet<Arc<str>> {
        let namespaces: BTreeSet<_> = changes.namespaces::<ClusterServiceVersion>().collect();
        let mut changed = BTreeSet::new();
        for namespace in &namespaces {
            let csvs = self.kinds.csvs.within(namespace);
            let owned = csvs.flat_map(|(_, csv)| owned(csv)).map(Arc::from);
            changed.append(&mut self.owned.put(namespace, owned.collect()));
        }
        changed
    }

    /// Updates the index of the policies for which Subscriptions were created. Returns the uids of
    /// the affected policies.
    fn made(&mut self, changes: &Changes) -> BTreeSet<String> {
        let namespaces: BTreeSet<_> = changes.namespaces::<Subscription>().collect();
        let mut changed = BTreeSet::new();
        for namespace in &namespaces {
            let subscriptions = self.kinds.subscriptions.within(namespace);
            let made = subscriptions.filter_map(|(_, it)| made_for(it));
            let made = made.map(str::to_owned).collect();
            changed.append(&mut self.made.put(namespace, made));
        }
        changed
    }

    /// Returns the Subscriptions that were created for a policy and that the policy no longer
    /// names.
    fn abandoned(&self, policy: &Key, namespace: Option<&str>) -> Vec<Arc<Subscription>> {
        let claim = self.policies.one(policy).and_then(|it| it.claim.as_ref());
        let Some((claim, uid)) = claim.and_then(|it| Some((it, it.id.uid.as_ref()?))) else {
            return Vec::new();
        };
        let is_named = |metadata: &ObjectMeta| {
            metadata.namespace.as_deref() == namespace
                && metadata.name.as_deref() == Some(claim.package.as_str())
        };
        let namespaces = self.made.speaking_of(uid).filter(|_| namespace.is_some());
        let all = namespaces.flat_map(|name| self.kinds.subscriptions.shared_within(name));
        let made = all.filter(|it| made_for(it) == Some(uid) && !is_named(&it.metadata));
        made.cloned().collect()
    }

    /// Returns the policies that depend on a catalog.
    fn naming(&self, catalog: &Key) -> impl Iterator<Item = &Key> + use<'_> {
        let named = self.links.to(&Link::Catalog(catalog.clone()));
        named.chain(self.links.to(&Link::AnyCatalog))
    }

    /// Updates the state that affects all policies. Returns true if this state has changed.
    fn takes_new_rules(&mut self) -> bool {
        let crd = self.kinds.crds.object("", POLICY_CRD);
        let is_crd_terminating = match crd {
            Some(crd) => crd.metadata.deletion_timestamp.is_some(),
            None => self.was_defined,
        };
        self.was_defined |= crd.is_some();
        let now = (self.write_mode(), is_crd_terminating);
        let is_other = now != self.held;
        self.held = now;
        is_other
    }

    fn log_whether_served(&self) {
        match self.kinds.policies.state() {
            State::NotServed => {
                tracing::warn!(
                    "waiting for the OperatorPolicy CRD, which the cluster does not \
                 have"
                );
            }
            State::Synced => tracing::info!(
                policies = self.policies.keys().count(),
                "policies are observed"
            ),
            State::Pending | State::Unknown { .. } | State::Stale { .. } => {}
        }
    }

    /// Returns the state of the namespace that a policy manages. Returns None if this namespace is
    /// unknown. Also records on which objects the policy depends.
    fn state(&mut self, key: &Key) -> Option<NamespaceState> {
        let kept = self.policies.one(key)?;
        let intent = kept.parsed.as_ref().as_ref().ok();
        let claim = kept.claim.as_ref();
        let place = claim.and_then(|claim| Some((claim.namespace.as_deref()?, &claim.package)));
        let (state, mut links) = match place {
            Some((namespace, package)) => {
                let subject = PolicyTarget {
                    namespace,
                    package: package.as_str(),
                    intent,
                    removes: claim.is_some_and(|claim| claim.is_leaving)
                        || intent.is_some_and(|it| it.presence == Presence::MustNotHave),
                };
                let (state, links) = state(subject, self.sources());
                (Some(state), links)
            }
            None => (None, links_of(intent)),
        };
        let uid = claim.and_then(|claim| claim.id.uid.clone());
        links.extend(uid.map(Link::Made));
        self.links.put(key, links);
        state
    }

    fn sources(&self) -> Sources<'_> {
        Sources {
            kinds: &self.kinds,
            operators: &self.operators,
            components: &self.components,
            owned: &self.owned,
        }
    }

    /// Returns the packages to which the Subscriptions of a namespace subscribe.
    fn packages_in(&self, namespace: Option<&str>) -> BTreeSet<String> {
        let inside = namespace.into_iter();
        let inside = inside.flat_map(|name| self.kinds.subscriptions.within(name));
        inside.map(|(_, it)| it.spec.package.clone()).collect()
    }
}

/// Returns the uid of the policy for which a Subscription was created. Returns None if the
/// Subscription was not created for a policy.
fn made_for(subscription: &Subscription) -> Option<&str> {
    portolan_core_operatorpolicy::creator(&subscription.metadata)
}
