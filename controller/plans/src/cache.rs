//! The cache of the plan controller: InstallPlans, and the metadata of the objects that they
//! created (their members).

mod members;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kube::core::{ApiResource, Expression};
use portolan_api::plan::{InstallPlan, LINEAGE};
use portolan_core_install::{GroupKind, Lineages, ObjectRef, Succession};
use portolan_runtime::{
    Cache, Cached, MetadataOf, MetadataWatch, MetadataWatches, PendingWrite, User, Warning,
};
use portolan_world::{Area, Ended, Followed, Key, Notifier, RawView, State, World};

use crate::namespaces::Namespaces;
use members::{Held, MemberIndex};

/// The cache of the plan controller.
#[derive(Debug)]
pub struct PlanCache {
    plans: Followed<InstallPlan>,
    /// True if the InstallPlans of all namespaces are watched.
    is_everywhere: bool,
    notifier: Notifier,
    watches: MetadataWatches,
    members: MemberIndex,
    namespaces: Namespaces,
    /// The lineages that have at least one plan.
    living: Arc<Lineages>,
    /// The changed members of each plan since the last reconciliation of this plan.
    changed: BTreeMap<Key, BTreeMap<ObjectRef, Version>>,
    /// True if the log already contains that the API server does not serve the kind.
    is_told: bool,
}

/// The resource version of a member. None if the member does not exist.
pub(crate) type Version = Option<String>;

/// An InstallPlan, with the facts that are known without requests.
#[derive(Debug, Clone)]
pub struct PlanSnapshot {
    pub(crate) plan: Arc<InstallPlan>,
    pub(crate) living: Arc<Lineages>,
    /// The relations of the plan to the other plans in its namespace.
    pub(crate) succession: Arc<Succession>,
    /// The members that other clients have changed since the last reconciliation. If the plan
    /// itself has changed, it is also an entry.
    pub(crate) changed: BTreeMap<ObjectRef, Version>,
    /// True if watches cover all members, so that each change of a member is reported.
    pub(crate) is_watched: bool,
    /// The kinds of members whose watch the API server denies. None if no watch was started yet.
    pub(crate) unwatched: Option<BTreeSet<GroupKind>>,
}

/// The members of a plan that must be watched from now on. None keeps the existing watches.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlanReport(pub(crate) Option<Watched>);

/// The members to watch, and the user with whose permissions they are watched.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Watched {
    pub(crate) user: User,
    pub(crate) kinds: BTreeMap<GroupKind, ApiResource>,
    pub(crate) members: BTreeSet<ObjectRef>,
}

// === impl PlanCache ===

impl PlanCache {
    /// Creates a cache of the InstallPlans in an area of a world, and of the members of these plans
    /// in a cluster.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn new(world: &impl World, area: Area, watches: MetadataWatches) -> Self {
        let notifier = Notifier::default();
        Self {
            is_everywhere: area == Area::everywhere(),
            plans: Followed::of(world.objects_in(area), &notifier),
            notifier,
            watches,
            members: MemberIndex::default(),
            namespaces: Namespaces::default(),
            living: Arc::default(),
            changed: BTreeMap::new(),
            is_told: false,
        }
    }

    fn look_at_plans(&mut self) -> BTreeSet<Key> {
        let turn = self.plans.look();
        if turn.is_other_state {
            self.log_state();
        }
        if turn.is_nothing() {
            return BTreeSet::new();
        }
        let all = self.plans.all().map(|(_, plan)| plan);
        self.living = Arc::new(Lineages::of(all, self.sees_all_plans()));
        let mut touched: BTreeSet<Key> = turn.keys.into_iter().collect();
        let namespaces: BTreeSet<_> = touched.iter().map(|key| key.namespace.clone()).collect();
        for namespace in namespaces {
            let plans = self.plans.within(&namespace);
            touched.append(&mut self.namespaces.take_over(&namespace, plans));
        }
        touched
    }

    /// Returns true if the cache contains all plans of the cluster, and each of them could be read.
    fn sees_all_plans(&self) -> bool {
        let is_doubted = self.plans.doubt(|_| true).is_some() || self.plans.unread().is_some();
        self.is_everywhere && !is_doubted
    }

    /// Logs when InstallPlans are not served, and when they are served again. Each change is logged
    /// once.
    fn log_state(&mut self) {
        let is_served = *self.plans.state() != State::NotServed;
        if is_served == self.is_told {
            self.is_told = !is_served;
            if is_served {
                tracing::info!("InstallPlans of plans.portolan.dev are served now");
            } else {
                tracing::warn!(
                    "InstallPlans of plans.portolan.dev are not served; waiting for them"
                );
            }
        }
    }

    fn look_at_members(&mut self) -> BTreeSet<Key> {
        let mut touched = BTreeSet::new();
        for change in self.watches.take_changes() {
            for (plan, members) in self.members.affected_by(&change) {
                touched.insert(plan.clone());
                self.changed.entry(plan).or_default().extend(members);
            }
        }
        touched
    }
}

impl Cache for PlanCache {
    type Snapshot = PlanSnapshot;
    type Report = PlanReport;

    async fn changed(&mut self) -> Result<(), Ended> {
        tokio::select! {
            changed = self.notifier.notified() => changed,
            changed = self.watches.changed() => changed,
        }
    }

    async fn refresh(&mut self) -> BTreeSet<Key> {
        let mut touched = self.look_at_plans();
        touched.append(&mut self.look_at_members());
        touched
    }

    fn is_synced(&self) -> bool {
        self.plans.is_heard()
    }

    fn snapshot(&mut self, key: &Key) -> Option<PlanSnapshot> {
        let changed = self.changed.remove(key).unwrap_or_default();
        let Some(plan) = self.plans.shared(key) else {
            self.members.forget(key);
            return None;
        };
        Some(PlanSnapshot {
            plan: plan.clone(),
            living: self.living.clone(),
            succession: self.namespaces.succession(key, plan),
            changed,
            is_watched: self.members.is_watched(key),
            unwatched: self.members.unwatched(key),
        })
    }

    fn cached(&self, write: &PendingWrite) -> Option<Cached> {
        let plan = self.plans.shared(&write.key())?;
        Some(Cached::of(&plan.metadata))
    }

    fn reconciled(&mut self, key: &Key, PlanReport(report): PlanReport) -> BTreeSet<Key> {
        let Some(watched) = report else {
            return BTreeSet::new();
        };
        let mut touched = BTreeSet::new();
        if self.plans.shared(key).is_some() && self.members.is_other(key, &watched) {
            let watches = open(&mut self.watches, &watched);
            self.members.hold(key, Held { watched, watches });
            // If the watch is shared and already open, it does not report its objects again.
            let shown = self.members.shown(key);
            if !shown.is_empty() {
                self.changed.entry(key.clone()).or_default().extend(shown);
                touched.insert(key.clone());
            }
        }
        touched.append(&mut self.look_at_members());
        touched
    }

    fn warn(&self, plan: &Key, warning: Warning<'_>) {
        match warning {
            Warning::Failed(error) => tracing::warn!(%plan, error, "reconciling a plan failed; \
                retrying"),
            Warning::Unseen(PendingWrite { kind, name, .. }) => {
                tracing::warn!(%plan, kind, name, "the written object is not observed yet");
            }
        }
    }
}

/// Opens a watch for each combination of kind and namespace among the members.
fn open(watches: &mut MetadataWatches, watched: &Watched) -> Vec<MetadataWatch> {
    let Watched {
        user,
        kinds,
        members,
    } = watched;
    let places: BTreeSet<_> = members
        .iter()
        .map(|member| (&member.kind, member.namespace.as_deref()))
        .collect();
    let opened = places.into_iter().filter_map(|(kind, namespace)| {
        let of = MetadataOf {
            user: Some(user.clone()),
            kind: kinds.get(kind)?.clone(),
            area: area(namespace),
        };
        // The watch cannot fail, because the name of a ServiceAccount is always valid in a header.
        watches.watch(of).ok()
    });
    opened.collect()
}

// === impl Held ===

impl Held {
    /// Returns the members of the plan that a watch contains. Empty if the watch is not current.
    fn shown_by(&self, watch: &MetadataWatch) -> BTreeMap<ObjectRef, Version> {
        let view = watch.now();
        if view.state != State::Synced {
            return BTreeMap::new();
        }
        let kind = kind_of(watch);
        let members = self.watched.members.iter().filter(|member| {
            let area = area(member.namespace.as_deref());
            member.kind == kind && watch.of().area == area
        });
        members
            .map(|member| (member.clone(), version(&view, &key_of(member))))
            .collect()
    }
}

/// Returns the area of the members in a namespace. None selects cluster-scoped members.
fn area(namespace: Option<&str>) -> Area {
    let ours = Expression::Exists(LINEAGE.name().to_owned());
    let area = namespace.map_or_else(Area::everywhere, Area::namespace);
    area.with_labels(ours.into())
}

fn kind_of(watch: &MetadataWatch) -> GroupKind {
    let kind = &watch.of().kind;
    GroupKind::new(&kind.group, &kind.kind)
}

fn version(view: &RawView, key: &Key) -> Version {
    let object = view.objects.get(key);
    object.and_then(|object| object.resource_version.clone())
}

fn key_of(member: &ObjectRef) -> Key {
    Key::new(
        member.namespace.as_deref().unwrap_or_default(),
        &member.name,
    )
}
