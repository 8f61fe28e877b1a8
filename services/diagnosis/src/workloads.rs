//! Reads the workloads that Portolan's InstallPlans have applied, the workloads of Portolan itself,
//! and the Pods of failed workloads.
//!
//! Workloads are watched with a label selector. There are many Pods. Therefore Pods are read only
//! when a request needs them, and dropped after the response.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _};
use futures::stream::{self, StreamExt as _};
use portolan_api::plan::{InstallPlan, JobState};
use portolan_core_diagnosis::{PodsBelow, RunningWorkload, Workloads};
use portolan_core_health::{Item, Judged, ObservedObjects, Sight};
use portolan_core_olm::{
    AnyDeployment, DaemonSet, Event, Job, Pod, ReplicaSet, StatefulSet, Subscription, WorkloadKind,
    of_extensions,
};
use portolan_world::{Area, Ended, Kind, Objects, State, View, World};
use tokio::time::timeout;

use crate::objects::known;
use crate::own::troubles;

/// The maximum number of failing workloads whose Pods are read for one request.
const MOST: usize = 50;
/// The maximum number of workloads whose Pods are read at the same time.
const AT_ONCE: usize = 8;
/// The maximum time to wait for the Pods of a workload.
const PATIENCE: Duration = Duration::from_secs(5);

/// The watched workloads.
#[derive(Debug, Clone)]
pub(crate) struct FollowedWorkloads {
    deployments: Objects<AnyDeployment>,
    stateful_sets: Objects<StatefulSet>,
    daemon_sets: Objects<DaemonSet>,
    pods: PodReader,
}

/// The workloads at one point in time, with a reader for their Pods.
#[derive(Debug, Default)]
pub(crate) struct FoundWorkloads {
    all: Vec<(RunningWorkload, Option<Area>)>,
    troubles: Vec<String>,
    /// Reads the Pods of failing workloads. None if there are no workloads.
    pods: Option<PodReader>,
}

/// Reads the objects below a workload, such as its Pods.
#[derive(Clone)]
struct PodReader(Arc<dyn Fn(Area, RunningWorkload) -> BoxFuture<'static, PodsBelow> + Send + Sync>);

// === impl FollowedWorkloads ===

impl FollowedWorkloads {
    /// Watches the workloads of an area.
    pub(crate) fn of(world: &impl World, area: Area) -> Self {
        Self {
            deployments: world.objects_in(area.clone()),
            stateful_sets: world.objects_in(area.clone()),
            daemon_sets: world.objects_in(area),
            pods: PodReader::of(world.clone()),
        }
    }

    /// Waits until each kind was listed or cannot be listed.
    pub(crate) async fn settled(&self) -> Result<(), Ended> {
        known(&self.deployments).await?;
        known(&self.stateful_sets).await?;
        known(&self.daemon_sets).await
    }

    /// Returns the current workloads. Returns None until every kind has been listed.
    pub(crate) fn now(&self) -> Option<FoundWorkloads> {
        let mut found = FoundWorkloads {
            pods: Some(self.pods.clone()),
            ..FoundWorkloads::default()
        };
        found.add("Deployment.apps", &self.deployments)?;
        found.add("StatefulSet.apps", &self.stateful_sets)?;
        found.add("DaemonSet.apps", &self.daemon_sets)?;
        Some(found)
    }
}

// === impl FoundWorkloads ===

impl FoundWorkloads {
    fn add<K: Kind + WorkloadKind>(
        &mut self,
        kind: &'static str,
        objects: &Objects<K>,
    ) -> Option<()> {
        let view = objects.clone().now();
        if view.state == State::Pending {
            return None;
        }
        self.add_view(kind, &view);
        Some(())
    }

    fn add_view<K: Kind + WorkloadKind>(&mut self, kind: &'static str, view: &View<K>) {
        for object in view.objects.values() {
            let workload = RunningWorkload::of(kind, &**object);
            let (_, spec, _) = object.workload();
            let namespace = Area::namespace(&workload.object.namespace);
            let area = spec.selector().map(|it| namespace.with_labels(it));
            self.all.push((workload, area));
        }
        let troubles = troubles(view).into_iter();
        self.troubles
            .extend(troubles.map(|it| format!("Objects of kind {kind} cannot be read: {it}.")));
    }

    /// Adds the Jobs of these InstallPlans that are running or have failed.
    #[must_use]
    pub(crate) fn with_jobs(mut self, plans: &Objects<InstallPlan>) -> Self {
        let view = plans.clone().now();
        for plan in view.objects.values() {
            let namespace = plan.metadata.namespace.as_deref().unwrap_or_default();
            let jobs = plan.status.iter().flat_map(|status| &status.jobs);
            for job in jobs.filter(|job| job.state != JobState::Succeeded) {
                let workload = RunningWorkload::of_job(namespace, job);
                let area = job.uid.as_deref().map(Job::pods_of);
                let area = area.map(|pods| Area::namespace(namespace).with_labels(pods));
                self.all.extend(area.map(|area| (workload, Some(area))));
            }
        }
        self
    }

    /// Reads the Pods of failing workloads. If there are too many failing workloads, reads only the
    /// Pods of the first.
    pub(crate) async fn read(self) -> Workloads {
        let Self {
            all,
            troubles,
            pods,
        } = self;
        let (ready, failing): (Vec<_>, Vec<_>) = all.into_iter().partition(|(it, _)| it.is_ready());
        let ready = ready.into_iter().map(|(workload, _)| workload);
        let failing = failing
            .into_iter()
            .enumerate()
            .map(|(place, (workload, area))| {
                let area = area.filter(|_| place < MOST);
                let read = pods.clone().zip(area);
                async move {
                    let below = match read {
                        Some((PodReader(read), area)) => Some(read(area, workload.clone()).await),
                        None => None,
                    };
                    RunningWorkload { below, ..workload }
                }
            });
        let failing: Vec<_> = stream::iter(failing).buffered(AT_ONCE).collect().await;
        Workloads {
            all: ready.chain(failing).collect(),
            nearby: Vec::new(),
            troubles,
        }
    }
}

/// Reads objects that explain the problems of other objects. The objects are dropped after the
/// response.
#[derive(Clone)]
pub(crate) struct NearbyReader {
    deployments: Arc<dyn Fn(Area) -> BoxFuture<'static, FoundWorkloads> + Send + Sync>,
    subscriptions: Arc<dyn Fn(String) -> BoxFuture<'static, Vec<Arc<Subscription>>> + Send + Sync>,
}

// === impl NearbyReader ===

impl NearbyReader {
    pub(crate) fn of(world: &impl World) -> Self {
        let of_deployments = world.clone();
        let world = world.clone();
        Self {
            deployments: Arc::new(move |area| {
                let world = of_deployments.clone();
                async move { found_in(&world, area).await }.boxed()
            }),
            subscriptions: Arc::new(move |namespace| {
                let all = world.objects_in::<Subscription>(Area::namespace(&namespace));
                async move {
                    let view = read(all).await;
                    let all = view.iter().flat_map(|view| view.objects.values());
                    all.cloned().collect()
                }
                .boxed()
            }),
        }
    }

    /// Returns the Deployments of these namespaces. If required, also returns all Deployments of
    /// ClusterExtensions. Reads the Pods of the Deployments that fail. A namespace that cannot be
    /// read supplies no objects.
    pub(crate) async fn read(
        &self,
        namespaces: Vec<String>,
        needs_extensions: bool,
    ) -> Vec<RunningWorkload> {
        let extensions = Area::everywhere().with_labels(of_extensions());
        let mut areas: Vec<_> = namespaces.iter().map(|it| Area::namespace(it)).collect();
        areas.extend(needs_extensions.then_some(extensions));
        let found: Vec<_> = areas
            .into_iter()
            .map(|area| (self.deployments)(area))
            .collect();
        let found: Vec<_> = stream::iter(found).buffered(AT_ONCE).collect().await;
        let mut seen = BTreeSet::new();
        let mut all = FoundWorkloads::default();
        for found in found {
            all.pods = all.pods.or(found.pods);
            let new = found.all.into_iter();
            all.all
                .extend(new.filter(|(it, _)| seen.insert(it.object.clone())));
        }
        all.read().await.all
    }

    /// Returns the Subscriptions of these namespaces. A namespace that cannot be read supplies no
    /// objects.
    pub(crate) async fn subscriptions(&self, namespaces: Vec<String>) -> Vec<Arc<Subscription>> {
        let read: Vec<_> = namespaces
            .into_iter()
            .map(|it| (self.subscriptions)(it))
            .collect();
        let read: Vec<_> = stream::iter(read).buffered(AT_ONCE).collect().await;
        read.into_iter().flatten().collect()
    }
}

impl fmt::Debug for NearbyReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NearbyReader")
    }
}

async fn found_in(world: &impl World, area: Area) -> FoundWorkloads {
    let deployments = world.objects_in::<AnyDeployment>(area);
    let mut found = FoundWorkloads {
        pods: Some(PodReader::of(world.clone())),
        ..FoundWorkloads::default()
    };
    if let Some(view) = read(deployments).await {
        found.add_view("Deployment.apps", &view);
    }
    found
}

// === impl PodReader ===

impl PodReader {
    fn of(world: impl World) -> Self {
        Self(Arc::new(move |area, workload| {
            let world = world.clone();
            async move { below(&world, area, &workload).await }.boxed()
        }))
    }
}

impl fmt::Debug for PodReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PodReader")
    }
}

/// Reads the objects below a workload. Owner references are checked, because other objects may have
/// the same labels.
async fn below(world: &impl World, area: Area, workload: &RunningWorkload) -> PodsBelow {
    let sets = world.objects_in::<ReplicaSet>(area.clone());
    let pods = world.objects_in::<Pod>(area);
    let events = world.objects_in::<Event>(Area::namespace(&workload.object.namespace));
    let (sets, pods, events) = tokio::join!(read(sets), read(pods), read(events));
    let uid = Some(workload.uid.as_str());
    let replica_sets = select(&sets, |set| set.owner_uid() == uid);
    let owners = replica_sets.objects.iter().map(|set| &*set.observed.uid);
    let owners: BTreeSet<_> = owners.chain(uid).collect();
    let pods = select(&pods, |pod| {
        pod.owner_uid().is_some_and(|uid| owners.contains(uid))
    });
    let names: BTreeSet<_> = pods.objects.iter().map(Item::name).collect();
    let events = select(&events, |event| {
        let about = &event.involved_object;
        about.kind == Pod::KIND && names.contains(about.name.as_str())
    });
    PodsBelow {
        replica_sets,
        pods,
        events,
    }
}

async fn read<K: Kind>(mut objects: Objects<K>) -> Option<View<K>> {
    timeout(PATIENCE, objects.known()).await.ok()?.ok()
}

fn select<K: Kind + Judged>(
    view: &Option<View<K>>,
    is_own: impl Fn(&K) -> bool,
) -> ObservedObjects<Item<K>> {
    let Some(view) = view else {
        return ObservedObjects {
            objects: Vec::new(),
            sight: Sight::Dim(format!("no answer within {} s", PATIENCE.as_secs())),
        };
    };
    let own = view.objects.values().filter(|it| is_own(it));
    ObservedObjects {
        objects: own.cloned().map(Item::from).collect(),
        sight: match view.state.trouble() {
            Some((trouble, _)) => Sight::Dim(trouble.to_string()),
            None => Sight::Clear,
        },
    }
}
