//! Watches the six lists from which Installed objects are built.

use std::collections::VecDeque;
use std::time::Duration;

use portolan_api::operator::Operator;
use portolan_api::plan::ResourceManifest;
use portolan_core_installed::{
    Batch, Index, Key, Original, Resource, ResourceVersion, Revision, StoredCsv,
};
use portolan_core_olm::{ClusterServiceVersion, Namespace, OperatorGroup, Subscription};
use portolan_world::{Area, Change, Ended, RawEvent, RawObjects, RawView, RawWorld, State};
use tokio::time::{Instant, sleep_until};

use crate::shown::Shown;

/// The time after which a new version of a list without events is published. By then, all other
/// replicas have reached this version too, because API servers report the version each minute.
/// Therefore a replica does not have to wait for a version that another replica has published.
const SETTLED: Duration = Duration::from_secs(65);

/// A watched list.
struct Feed {
    resource: Resource,
    objects: RawObjects,
    /// The version of the list up to which changes were applied. None before the first view.
    seen: Option<u64>,
    /// The logged reason why the list cannot be watched. None if the watch works.
    told: Option<String>,
}

/// Builds Installed objects from six lists, and publishes them.
pub(crate) struct Follower {
    feeds: [Feed; 6],
    index: Index,
    known: ResourceVersion,
    /// New versions of lists without events, each with the time at which it is published.
    passed: VecDeque<(Instant, Resource, Revision)>,
    shown: Shown,
}

// === impl Feed ===

impl Feed {
    fn of(resource: Resource, objects: RawObjects) -> Self {
        Self {
            resource,
            objects,
            seen: None,
            told: None,
        }
    }

    /// Returns true if the objects of the list are known. A kind that is not served has no objects.
    /// Logs a failure of the watch once.
    fn is_there(&mut self, view: &RawView) -> bool {
        let trouble = view.state.trouble().map(|(trouble, _)| trouble.to_string());
        if let Some(why) = &trouble
            && self.told != trouble
        {
            let resource = self.resource.name();
            tracing::warn!(resource, error = why, "failed to watch a list");
        }
        self.told = trouble;
        match view.state {
            State::Synced | State::NotServed | State::Stale { .. } => true,
            State::Pending | State::Unknown { .. } => self.seen.is_some(),
        }
    }

    fn original(&self, key: &Key, json: &str) -> Option<Original> {
        let original = Original::read(self.resource, json);
        let tell = |error: &_| {
            let resource = self.resource.name();
            tracing::warn!(resource, %key, %error, "skipping an invalid object");
        };
        original.inspect_err(tell).ok()
    }

    /// Applies the changes since the last view to the index. Returns one batch for each version.
    fn take_over(&mut self, view: &RawView, index: &mut Index) -> Vec<Batch> {
        let seen = self.seen.replace(view.version);
        let events = seen.and_then(|seen| view.since(seen).ok());
        let Some(events) = events else {
            let objects = view.objects.iter();
            let originals = objects.filter_map(|(key, it)| self.original(key, &it.json));
            let revision = Revision::from(view.version);
            return vec![index.replace(self.resource, originals, &revision)];
        };
        let events: Vec<_> = events.collect();
        let same_version = |one: &&RawEvent, other: &&RawEvent| one.version == other.version;
        let batches = events.chunk_by(same_version).map(|events| {
            let changes = events.iter().map(|event| {
                let original = match event.change {
                    Change::Deleted => None,
                    Change::Added | Change::Modified => {
                        self.original(&event.object.key, &event.object.json)
                    }
                };
                (event.object.key.clone(), original)
            });
            let version = events.first().map_or(view.version, |event| event.version);
            index.apply(self.resource, changes, &Revision::from(version))
        });
        batches.collect()
    }
}

// === impl Follower ===

impl Follower {
    /// Watches the lists in a world. The resulting objects are published in `shown`.
    pub(crate) fn of(world: &impl RawWorld, shown: Shown) -> Self {
        let everywhere = Area::everywhere;
        let lists = [
            world.raw_of::<ClusterServiceVersion>(everywhere()),
            world.raw_of::<Namespace>(everywhere()),
            world.raw_of::<OperatorGroup>(everywhere()),
            world.raw_of::<Operator>(everywhere()),
            world.raw_of::<ResourceManifest>(everywhere().with_labels(StoredCsv::selector())),
            world.raw_of::<Subscription>(everywhere()),
        ];
        Self::of_lists(lists, shown)
    }

    /// Watches these lists, which are in the order of [`Resource::ALL`].
    pub(crate) fn of_lists(lists: [RawObjects; 6], shown: Shown) -> Self {
        let mut resources = Resource::ALL.into_iter();
        Self {
            feeds: lists.map(|objects| {
                let resource = resources.next();
                Feed::of(resource.expect("each list must be of a resource"), objects)
            }),
            index: Index::new(Resource::ALL),
            known: ResourceVersion::default(),
            passed: VecDeque::new(),
            shown,
        }
    }

    /// Publishes each change until the world ends.
    pub(crate) async fn run(mut self) {
        loop {
            self.look();
            if self.turned().await.is_err() {
                return;
            }
        }
    }

    /// Waits until a list changes, or until a version of a list without events must be published.
    async fn turned(&mut self) -> Result<(), Ended> {
        let next = self.passed.front().map(|(at, ..)| *at);
        let [one, two, three, four, five, six] = &mut self.feeds;
        tokio::select! {
            turned = one.objects.changed() => turned,
            turned = two.objects.changed() => turned,
            turned = three.objects.changed() => turned,
            turned = four.objects.changed() => turned,
            turned = five.objects.changed() => turned,
            turned = six.objects.changed() => turned,
            () = sleep_until(next.unwrap_or_else(Instant::now)), if next.is_some() => Ok(()),
        }
    }

    /// Applies the changes of all lists, and publishes the result.
    fn look(&mut self) {
        let was_missing = self.index.missing().next().is_some();
        let mut batches = Vec::new();
        for feed in &mut self.feeds {
            let view = feed.objects.now();
            if !feed.is_there(&view) || feed.seen == Some(view.version) {
                continue;
            }
            batches.extend(feed.take_over(&view, &mut self.index));
            let revision = Revision::from(view.version);
            let last = self.index.snapshot().version().of(feed.resource);
            if last.is_some_and(|last| *last < revision) {
                let at = Instant::now() + SETTLED;
                let passed = (at, feed.resource, revision.clone());
                self.passed.push_back(passed);
            }
            let known = std::mem::take(&mut self.known);
            self.known = known.with(feed.resource, revision);
        }
        self.print_what_settled();
        self.show(was_missing, batches);
    }

    fn print_what_settled(&mut self) {
        let now = Instant::now();
        let settled = |(at, ..): &mut (Instant, _, _)| *at <= now;
        while let Some((_, resource, revision)) = self.passed.pop_front_if(settled) {
            self.index.pass(resource, &revision);
        }
    }

    fn show(&self, was_missing: bool, batches: Vec<Batch>) {
        let snapshot = self.index.snapshot().clone();
        let missing: Vec<_> = self.index.missing().map(Resource::name).collect();
        if !missing.is_empty() {
            let told = self.feeds.iter().filter_map(|feed| feed.told.as_deref());
            let told: Vec<_> = told.collect();
            let why = format!(
                "{} are still being listed {}",
                missing.join(", "),
                told.join("; ")
            );
            self.shown.misses(why.trim_end().to_owned());
        } else if was_missing {
            self.shown.begin(snapshot, self.known.clone());
        } else {
            self.shown.advance(snapshot, self.known.clone(), batches);
        }
    }
}
