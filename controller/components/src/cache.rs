//! The cache of the controller of Operators v2alpha1.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use portolan_api::components::{DEFINITION, GROUP, STORAGE, STORED};
use portolan_core_components::{Component, CustomKind, OperatorFleet, Subscription};
use portolan_core_names::{Gvk, ObjectRef};
use portolan_core_olm as olm;
use portolan_runtime::{
    Cache, Cached, MetadataChange, MetadataWatch, MetadataWatches, PendingWrite, Warning,
};
use portolan_world::{Area, Ended, Followed, Key, Notifier, Pace, RawObject, State, World};

use crate::Catalogs;
use crate::fleet::{self, FleetView};
use crate::index::{Index, Labeled};
use crate::watched::{WatchedKind, WatchedKinds, watch};

/// The namespace in the cache key of the CRD. It cannot be the name of a real namespace.
const OF_DEFINITION: &str = "/definition";

/// The cache of the controller of Operators v2alpha1.
#[derive(Debug)]
pub struct ComponentCache<C> {
    watches: MetadataWatches,
    operators: Option<MetadataWatch>,
    kinds: WatchedKinds,
    index: Index,
    followed: Followed<olm::Subscription>,
    subscriptions: Arc<BTreeMap<ObjectRef<Gvk>, Subscription>>,
    /// The Operators that are installed from catalogs. None if this process does not create
    /// Installs.
    view: Option<FleetView>,
    fleet: Arc<OperatorFleet>,
    /// True if an Operator or a Subscription has changed since the fleet was computed last.
    has_other_wishes: bool,
    notifier: Notifier,
    catalogs: Arc<C>,
    has_other_catalogs: bool,
    /// The last report of each reconciliation.
    reports: BTreeMap<Key, ComponentReport>,
    /// True if OLM's CRD has version v2alpha1, or had it before.
    is_ours: bool,
}

/// The input for reconciling one object.
#[derive(Debug, Clone)]
pub enum ComponentSnapshot {
    /// An Operator.
    Operator(Box<OperatorSnapshot>),
    /// The CRD of Operators.
    Definition {
        /// True if an object has data that is visible only in version v2alpha1.
        has_data: bool,
    },
    /// An Operator that is not reconciled until the CRD has version v2alpha1.
    Waiting,
}

/// An Operator with its components.
#[derive(Debug, Clone)]
pub struct OperatorSnapshot {
    pub(crate) object: Arc<RawObject>,
    pub(crate) components: Vec<Component>,
    pub(crate) unseen: BTreeMap<String, String>,
    pub(crate) subscriptions: Arc<BTreeMap<ObjectRef<Gvk>, Subscription>>,
    pub(crate) fleet: Arc<OperatorFleet>,
    /// The watched kinds. Objects of these kinds may become components.
    pub(crate) kinds: WatchedKinds,
}

/// The data that a reconciliation returns to the cache.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ComponentReport {
    /// The kinds that the CRDs among the components define.
    pub(crate) kinds: BTreeSet<CustomKind>,
    /// The objects that must get the label but do not exist yet.
    pub(crate) awaited: BTreeSet<ObjectRef<Gvk>>,
    /// True if the CRD has version v2alpha1, or had it before. None if the report is not about the
    /// CRD.
    pub(crate) is_ours: Option<bool>,
}

/// Returns the key of the CRD.
pub(crate) fn definition() -> Key {
    Key::new(OF_DEFINITION, DEFINITION)
}

// === impl ComponentCache ===

impl<C: Catalogs> ComponentCache<C> {
    /// The timeouts of requests to the API server. If a user grants access to a kind, the watch
    /// starts after this time at the latest.
    pub const PACE: Pace = Pace {
        forbidden: Duration::from_secs(60),
        ..Pace::DEFAULT
    };

    /// Creates a cache that uses these watches. Subscriptions come from a world. If the process
    /// creates Installs, the cache also contains Installs and the operators that OLM has installed.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn new(
        world: &impl World,
        mut watches: MetadataWatches,
        catalogs: Arc<C>,
        are_installs_made: bool,
    ) -> Self {
        let notifier = Notifier::default();
        let version = format!("{GROUP}/{STORAGE}");
        Self {
            operators: watch(&mut watches, &version, "Operator", "operators"),
            kinds: WatchedKinds::open(&mut watches),
            watches,
            index: Index::default(),
            followed: Followed::of(world.objects_in(Area::everywhere()), &notifier),
            subscriptions: Arc::default(),
            view: are_installs_made.then(|| FleetView::of(world, &notifier)),
            fleet: Arc::default(),
            has_other_wishes: true,
            notifier,
            catalogs,
            has_other_catalogs: false,
            reports: BTreeMap::new(),
            is_ours: false,
        }
    }

    fn operators(&self) -> BTreeSet<Key> {
        let watch = self.operators.iter();
        let keys = watch.flat_map(|it| it.now().objects.keys().cloned().collect::<Vec<_>>());
        keys.collect()
    }

    /// Returns the Operators with this label. If the names of Operators were truncated, several
    /// Operators may have the same label.
    fn labeled(&self, label: &str) -> BTreeSet<Key> {
        let operators = self.operators();
        let labeled = operators.into_iter();
        labeled
            .filter(|key| olm::cut_component(&key.name) == label)
            .collect()
    }

    fn take_over(&mut self) -> BTreeSet<Key> {
        let mut touched = BTreeSet::new();
        for change in self.watches.take_changes() {
            let watch = self.operators.as_ref();
            if watch.is_some_and(|it| *it.of() == change.of) {
                touched.extend(self.take_over_operators(&change));
                self.has_other_wishes = true;
                continue;
            }
            if let Some(kind) = self.kinds.watched_by(&change) {
                touched.extend(self.take_over_kind(&kind, &change));
            }
        }
        touched
    }

    fn take_over_operators(&self, change: &MetadataChange) -> BTreeSet<Key> {
        let mut touched = change.keys.clone();
        if change.bears_on_all {
            touched.extend(self.operators());
            // The data in Operators also decides if version v2alpha1 may be removed from the CRD.
            touched.insert(definition());
        }
        touched
    }

    fn take_over_kind(&mut self, kind: &WatchedKind, change: &MetadataChange) -> BTreeSet<Key> {
        let view = kind.watch.now();
        let mut ids: BTreeSet<_> = change.keys.iter().map(|key| kind.id(key)).collect();
        let mut touched = BTreeSet::new();
        if change.bears_on_all {
            log_state(kind, &view.state);
            ids.extend(view.objects.keys().map(|key| kind.id(key)));
            ids.extend(self.index.of_kind(&kind.api_version, &kind.kind));
            touched.extend(self.operators());
        }
        let mut labels = BTreeSet::new();
        for id in ids {
            let object = view.objects.get(&id.key());
            if kind.kind == "CustomResourceDefinition" && id.name == DEFINITION {
                touched.insert(definition());
            }
            let reports = self.reports.iter();
            let waiting = reports.filter(|(_, it)| it.awaited.contains(&id));
            touched.extend(waiting.map(|(key, _)| key.clone()));
            let labeled = object.and_then(|it| Labeled::of(it));
            labels.extend(self.index.put(id, labeled, kind.is_read));
        }
        touched.extend(labels.iter().flat_map(|label| self.labeled(label)));
        touched
    }

    /// Applies changes of Subscriptions. Returns the affected Operators.
    fn take_over_subscriptions(&mut self) -> BTreeSet<Key> {
        if self.followed.look().is_nothing() {
            return BTreeSet::new();
        }
        let all = self.followed.all().map(|(key, it)| followed(key, it));
        let subscriptions: BTreeMap<_, _> = all.collect();
        if *self.subscriptions == subscriptions {
            return BTreeSet::new();
        }
        self.subscriptions = Arc::new(subscriptions);
        self.operators()
    }

    /// Computes the fleet of Operators that are installed from catalogs again. Returns the affected
    /// Operators. Returns no Operators if the fleet has not changed.
    fn take_over_fleet(&mut self) -> Vec<Key> {
        let Some(view) = &mut self.view else {
            return Vec::new();
        };
        let has_other_wishes = std::mem::take(&mut self.has_other_wishes);
        if !view.look() && !has_other_wishes {
            return Vec::new();
        }
        let fleet = view.fleet(self.operators.as_ref(), self.subscriptions.values());
        if *self.fleet == fleet {
            return Vec::new();
        }
        let touched = fleet::touched(&self.fleet, &fleet);
        self.fleet = Arc::new(fleet);
        touched
    }

    /// Watches exactly the kinds that the reports name. Returns the affected Operators.
    fn follow_kinds(&mut self) -> BTreeSet<Key> {
        let reports = self.reports.values();
        let wanted = reports.flat_map(|it| it.kinds.iter().cloned()).collect();
        let (gone, is_new) = self.kinds.follow(&mut self.watches, &wanted);
        let mut labels = BTreeSet::new();
        for kind in gone {
            for id in self.index.of_kind(&kind.api_version, &kind.kind) {
                labels.extend(self.index.put(id, None, false));
            }
        }
        let mut touched: BTreeSet<_> = labels.iter().flat_map(|it| self.labeled(it)).collect();
        if is_new {
            // A new watch reports changes only after `take_changes` was called once.
            touched.extend(self.take_over());
        }
        touched
    }

    fn operator(&self, key: &Key) -> Option<Arc<RawObject>> {
        self.operators.as_ref()?.now().objects.get(key).cloned()
    }

    fn has_data(&self) -> bool {
        let watch = self.operators.iter();
        let mut objects =
            watch.flat_map(|it| it.now().objects.values().cloned().collect::<Vec<_>>());
        objects.any(|it| it.json.contains(&format!("\"{STORED}\":")))
    }

    fn is_there(&self, id: &ObjectRef<Gvk>) -> bool {
        let kind = self.kinds.of(id);
        let key = id.key();
        kind.is_some_and(|it| it.object(&key).is_some())
    }

    fn definition_is_there(&self) -> bool {
        let version = "apiextensions.k8s.io/v1";
        let id = ObjectRef::new(
            Gvk::new(version, "CustomResourceDefinition"),
            "",
            DEFINITION,
        );
        self.is_there(&id)
    }
}

impl<C: Catalogs> Cache for ComponentCache<C> {
    type Snapshot = ComponentSnapshot;
    /// The report of a reconciliation. None if nothing has changed.
    type Report = Option<ComponentReport>;

    async fn changed(&mut self) -> Result<(), Ended> {
        tokio::select! {
            changed = self.watches.changed() => changed,
            changed = self.notifier.notified() => changed,
            () = self.catalogs.changed() => {
                self.has_other_catalogs = true;
                Ok(())
            }
        }
    }

    async fn refresh(&mut self) -> BTreeSet<Key> {
        let mut touched = self.take_over();
        let followed = self.take_over_subscriptions();
        self.has_other_wishes |= !followed.is_empty();
        touched.extend(followed);
        touched.extend(self.take_over_fleet());
        if std::mem::take(&mut self.has_other_catalogs) {
            touched.extend(self.operators());
        }
        touched
    }

    fn is_synced(&self) -> bool {
        let operators = self.operators.iter();
        let mut states = operators.map(|it| it.now().state);
        states.all(|state| state != State::Pending)
            && self.kinds.are_known()
            && self.followed.is_heard()
            && self.view.as_ref().is_none_or(FleetView::is_heard)
    }

    fn snapshot(&mut self, key: &Key) -> Option<ComponentSnapshot> {
        if *key == definition() {
            return self
                .definition_is_there()
                .then(|| ComponentSnapshot::Definition {
                    has_data: self.has_data(),
                });
        }
        let Some(object) = self.operator(key) else {
            self.reports.remove(key);
            return None;
        };
        if !self.is_ours {
            return Some(ComponentSnapshot::Waiting);
        }
        Some(ComponentSnapshot::Operator(Box::new(OperatorSnapshot {
            object,
            components: self.index.components(olm::cut_component(&key.name)),
            unseen: self.kinds.unseen(),
            subscriptions: self.subscriptions.clone(),
            fleet: self.fleet.clone(),
            kinds: self.kinds.clone(),
        })))
    }

    fn cached(&self, write: &PendingWrite) -> Option<Cached> {
        let object = match write.kind.as_str() {
            "Operator" => self.operator(&write.key())?,
            kind => {
                let mut kinds = self.kinds.all();
                kinds.find(|it| it.kind == kind)?.object(&write.key())?
            }
        };
        Some(Cached::of(&object.metadata().ok()?))
    }

    fn reconciled(&mut self, key: &Key, report: Option<ComponentReport>) -> BTreeSet<Key> {
        let Some(report) = report else {
            return BTreeSet::new();
        };
        if let Some(is_ours) = report.is_ours {
            let was = std::mem::replace(&mut self.is_ours, is_ours);
            return if was == is_ours {
                BTreeSet::new()
            } else {
                self.operators()
            };
        }
        let has_come = report.awaited.iter().any(|id| self.is_there(id));
        let kinds = report.kinds.clone();
        let before = self.reports.insert(key.clone(), report);
        let mut touched = BTreeSet::new();
        if before.is_none_or(|before| before.kinds != kinds) {
            touched = self.follow_kinds();
        }
        if has_come {
            touched.insert(key.clone());
        }
        touched
    }

    fn warn(&self, key: &Key, warning: Warning<'_>) {
        let operator = &key.name;
        match warning {
            Warning::Failed(error) => {
                tracing::warn!(%operator, error, "reconciling an Operator v2alpha1 failed; \
                    retrying");
            }
            Warning::Unseen(PendingWrite { kind, name, .. }) => {
                tracing::warn!(%operator, kind, name, "the written object is not observed yet");
            }
        }
    }
}

/// Returns the identity of a Subscription, and the fields that the cache needs.
fn followed(key: &Key, it: &olm::Subscription) -> (ObjectRef<Gvk>, Subscription) {
    let version = "operators.coreos.com/v1alpha1";
    let id = ObjectRef::new(
        Gvk::new(version, "Subscription"),
        &*key.namespace,
        &key.name,
    );
    let spec = &it.spec;
    let subscription = Subscription {
        package: spec.package.clone(),
        channel: spec.channel.clone(),
        catalog: format!("{}/{}", spec.source_namespace, spec.source),
        ..Subscription::default()
    };
    (id, subscription)
}

/// Logs if the watch of a kind is denied, and if it is permitted again. Each change is logged once.
fn log_state(kind: &WatchedKind, state: &State) {
    let kind = &kind.kind;
    match state {
        // The permission to watch Secrets is optional, so its denial is not a problem.
        State::Unknown { trouble, .. } if kind == "Secret" => {
            let hint = "ClusterRole portolan-controller-v2alpha1-secrets has the permission; bind \
                        it to list Secrets among the components";
            tracing::info!(kind, %trouble, hint, "components of a kind are not observed");
        }
        State::Unknown { trouble, .. } | State::Stale { trouble, .. } => {
            let hint = "deploy/overlays/v2alpha1 has the permission";
            tracing::warn!(kind, %trouble, hint, "components of a kind are not observed");
        }
        State::NotServed => tracing::debug!(kind, "the API server does not serve the kind"),
        State::Pending | State::Synced => {
            tracing::debug!(kind, "components of a kind are observed")
        }
    }
}
