//! A minimal controller on the runtime: its kind, its cache, and its reconcile function.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::Arc;

use futures::{Stream, StreamExt as _, stream};
use kube::api::{ApiResource, DynamicObject, PostParams};
use kube::runtime::watcher;
use kube::{Api, Client};
use portolan_rig::{Cluster, Failure, Kind, Namespace, until_object};
use portolan_runtime::{
    Cache, Cached, Controllers, Driver, FencedClient, FieldRules, ObservedObject, Outcome,
    PendingWrite, Propagation, Reconciler, Reconciles, Session, StepOrder, StepResult, Warning,
    Write, WriteFailure, Writer, carry_out,
};
use portolan_shell::Readiness;
use portolan_world::{Ended, Key};
use serde_json::{Value, json};
use tokio::sync::OnceCell;
use tokio::task::JoinHandle;

use crate::objects::{kind, make};
use crate::{SUPERVISOR, begin};

pub(super) const FINALIZER: &str = "runtime.example.test/unload";
const API_VERSION: &str = "runtime.example.test/v1";

/// A namespace on a cluster with the CRD of Ferries.
pub(super) struct Port {
    pub(super) cluster: Cluster,
    pub(super) client: Client,
    pub(super) namespace: Namespace,
}

pub(super) async fn port(test: &str) -> Result<Option<Port>, Failure> {
    static SHARED: OnceCell<Cluster> = OnceCell::const_new();
    if !begin() {
        return Ok(None);
    }
    let cluster = SHARED.get_or_try_init(start).await?.clone();
    Ok(Some(Port {
        client: cluster.client()?,
        namespace: cluster.namespace(test).await?,
        cluster,
    }))
}

async fn start() -> Result<Cluster, Failure> {
    let cluster = Cluster::start(SUPERVISOR).await?;
    let crds = Kind::CustomResourceDefinition.everywhere(&cluster.client()?);
    let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "ferries.runtime.example.test"},
        "spec": {
            "group": "runtime.example.test",
            "names": {"kind": "Ferry", "plural": "ferries", "singular": "ferry"},
            "scope": "Namespaced",
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": open},
            }],
        },
    });
    let crd = serde_json::from_value(crd).map_err(Failure::read("a CRD"))?;
    crds.create(&PostParams::default(), &crd).await?;
    let name = "ferries.runtime.example.test";
    until_object(&crds, name, "Established", |crd| {
        let conditions = crd.data["status"]["conditions"].as_array();
        let mut conditions = conditions.into_iter().flatten();
        conditions.any(|it| it["type"] == "Established" && it["status"] == "True")
    })
    .await?;
    Ok(cluster)
}

/// Returns the API resource of ferries.
pub(super) fn ferries() -> ApiResource {
    kind([API_VERSION, "Ferry"])
}

// === impl Port ===

impl Port {
    pub(super) fn ferries(&self) -> Api<DynamicObject> {
        Api::namespaced_with(self.client.clone(), &self.namespace, &ferries())
    }

    /// Creates a Ferry with this cargo.
    pub(super) async fn launch(&self, cargo: &[&str]) -> Result<(), Failure> {
        let ferry = json!({
            "apiVersion": API_VERSION,
            "kind": "Ferry",
            "metadata": {"name": "hull"},
            "spec": {"cargo": cargo},
        });
        let ferry = serde_json::from_value(ferry).map_err(Failure::read("a ferry"))?;
        self.ferries()
            .create(&PostParams::default(), &ferry)
            .await?;
        Ok(())
    }

    /// Grants a ServiceAccount these verbs for ConfigMaps in this namespace, and no other
    /// permissions.
    pub(super) async fn grant(&self, account: &str, verbs: &[&str]) -> Result<(), Failure> {
        let group = "rbac.authorization.k8s.io";
        let objects = [
            json!({
                "kind": "Role",
                "metadata": {"name": account, "namespace": &*self.namespace},
                "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": verbs}],
            }),
            json!({
                "kind": "RoleBinding",
                "metadata": {"name": account, "namespace": &*self.namespace},
                "roleRef": {"apiGroup": group, "kind": "Role", "name": account},
                "subjects": [{
                    "kind": "ServiceAccount", "name": account, "namespace": &*self.namespace,
                }],
            }),
        ];
        for mut object in objects {
            object["apiVersion"] = json!(format!("{group}/v1"));
            make(&self.client, &object).await?;
        }
        Ok(())
    }
}

/// Starts the controller for Ferries. It writes with this client.
pub(super) fn controller(port: &Port, client: FencedClient) -> JoinHandle<()> {
    let crates = Kind::ConfigMap.within(&port.client, &port.namespace);
    let mut controllers = Controllers::under(None);
    controllers.start(Driver {
        cache: Harbor::of([("Ferry", port.ferries()), ("ConfigMap", crates)]),
        reconciler: Arc::new(Loader(Writer::new(client, FieldRules::default()))),
        at_once: 4,
        ready: Readiness::pending(),
        metrics: Reconciles::default(),
    });
    tokio::spawn(async move {
        let stopped = controllers.run(stream::pending(), || {}).await;
        stopped.expect("the watches go on");
    })
}

type Events = Pin<Box<dyn Stream<Item = (&'static str, watcher::Event<DynamicObject>)> + Send>>;

/// The Ferries and ConfigMaps in a namespace.
struct Harbor {
    events: Events,
    fresh: Vec<(&'static str, watcher::Event<DynamicObject>)>,
    objects: BTreeMap<(&'static str, String), DynamicObject>,
    synced: BTreeSet<&'static str>,
}

/// A Ferry, and the names and uids of the ConfigMaps of its cargo.
struct Moored {
    ferry: DynamicObject,
    loaded: BTreeMap<String, DynamicObject>,
}

/// Creates the cargo of Ferries.
struct Loader(Writer);

// === impl Harbor ===

impl Harbor {
    fn of(kinds: [(&'static str, Api<DynamicObject>); 2]) -> Self {
        let watches = kinds.map(|(kind, api)| {
            let events = watcher(api, watcher::Config::default());
            // After an error, a watch continues automatically.
            let events = events.filter_map(async |event| event.ok());
            events.map(move |event| (kind, event)).boxed()
        });
        Self {
            events: Box::pin(stream::select_all(watches)),
            fresh: Vec::new(),
            objects: BTreeMap::new(),
            synced: BTreeSet::new(),
        }
    }

    fn take(&mut self, kind: &'static str, event: watcher::Event<DynamicObject>) {
        match event {
            watcher::Event::Init => self.objects.retain(|(other, _), _| *other != kind),
            watcher::Event::InitDone => drop(self.synced.insert(kind)),
            watcher::Event::Apply(object) | watcher::Event::InitApply(object) => {
                let name = object.metadata.name.clone().unwrap_or_default();
                self.objects.insert((kind, name), object);
            }
            watcher::Event::Delete(object) => {
                let name = object.metadata.name.unwrap_or_default();
                self.objects.remove(&(kind, name));
            }
        }
    }

    fn all(&self, wanted: &str) -> impl Iterator<Item = (&String, &DynamicObject)> {
        let all = self.objects.iter();
        all.filter_map(move |((kind, name), object)| (*kind == wanted).then_some((name, object)))
    }
}

impl Cache for Harbor {
    type Snapshot = Moored;
    type Report = ();

    async fn changed(&mut self) -> Result<(), Ended> {
        let event = self.events.next().await.ok_or(Ended)?;
        self.fresh.push(event);
        Ok(())
    }

    async fn refresh(&mut self) -> BTreeSet<Key> {
        for (kind, event) in std::mem::take(&mut self.fresh) {
            self.take(kind, event);
        }
        let ferries = self.all("Ferry");
        let keys = ferries.map(|(name, ferry)| {
            Key::new(
                ferry.metadata.namespace.as_deref().unwrap_or_default(),
                name,
            )
        });
        keys.collect()
    }

    fn is_synced(&self) -> bool {
        self.synced.len() == 2
    }

    fn snapshot(&mut self, key: &Key) -> Option<Moored> {
        let ferry = self.objects.get(&("Ferry", key.name.to_string()))?;
        let crates = self.all("ConfigMap");
        let ours = crates.filter(|(_, each)| each.data["data"]["of"] == *key.name);
        Some(Moored {
            ferry: ferry.clone(),
            loaded: ours
                .map(|(name, each)| (name.clone(), each.clone()))
                .collect(),
        })
    }

    fn cached(&self, write: &PendingWrite) -> Option<Cached> {
        let mut all = self.all(&write.kind);
        let (_, object) = all.find(|(name, _)| **name == write.name)?;
        Some(Cached {
            uid: object.metadata.uid.clone(),
            version: object.metadata.resource_version.clone(),
            is_terminating: object.metadata.deletion_timestamp.is_some(),
        })
    }

    fn reconciled(&mut self, _: &Key, (): ()) -> BTreeSet<Key> {
        BTreeSet::new()
    }

    fn warn(&self, key: &Key, warning: Warning<'_>) {
        eprintln!("{key}: {warning:?}");
    }
}

// === impl Loader ===

impl Reconciler for Loader {
    type Cache = Harbor;

    async fn reconcile(&self, _: &Key, moored: Moored) -> Outcome {
        let session = self.0.session();
        let writes = moored.writes();
        let order = moored.order(writes.len());
        let act = |place: usize| written(&session, writes[place].clone());
        let steps = carry_out(&order, 2, act).await;
        let mut outcome = Outcome::default();
        for step in steps {
            match step {
                StepResult::Done(pending) => outcome.pending.extend(pending),
                StepResult::Failed(WriteFailure::Conflict(_)) => outcome.has_conflict = true,
                StepResult::Failed(failure) => outcome.failure = Some(failure.to_string()),
                StepResult::Blocked(_) => {}
            }
        }
        outcome.has_acted = !outcome.pending.is_empty();
        outcome
    }

    fn forget(&self, _: &Key) {}
}

async fn written(
    session: &Session<'_>,
    write: Write,
) -> Result<Option<PendingWrite>, WriteFailure> {
    session.write(write).await.map(|written| written.pending)
}

// === impl Moored ===

impl Moored {
    /// Returns the order of the writes. The finalizer is written first, and the status last. All
    /// other writes are between them.
    fn order(&self, count: usize) -> StepOrder {
        let mut order = StepOrder::default();
        let last = count.saturating_sub(1);
        for place in 0..count {
            if place == last {
                order.add(0..last);
            } else {
                order.add(0..place.min(1));
            }
        }
        order
    }

    /// Returns the writes that are still needed. Returns no writes if the Ferry has all its cargo.
    fn writes(&self) -> Vec<Write> {
        let metadata = &self.ferry.metadata;
        let seen = || ObservedObject::of(API_VERSION, "Ferry", metadata);
        let finalizers = metadata.finalizers.as_deref().unwrap_or(&[]);
        if metadata.deletion_timestamp.is_some() {
            let crates = self.loaded.values();
            let crates = crates.map(|each| ObservedObject::of("v1", "ConfigMap", &each.metadata));
            let gone = crates.map(|seen| Write::delete(seen, Propagation::Background));
            let free = Write::remove_finalizer(seen(), finalizers, FINALIZER);
            return gone.chain(free).collect();
        }
        let cargo = self.ferry.data["spec"]["cargo"].as_array();
        let cargo = cargo.into_iter().flatten().filter_map(Value::as_str);
        let cargo: Vec<_> = cargo.collect();
        let missing = cargo
            .iter()
            .filter(|name| !self.loaded.contains_key(**name));
        let crates = missing.filter_map(|name| {
            let manifest = json!({
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": name, "namespace": metadata.namespace},
                "data": {"of": metadata.name},
            });
            Write::create(manifest).ok()
        });
        let held = Write::add_finalizer(seen(), finalizers, FINALIZER);
        let says = format!("{} loaded", cargo.len());
        let is_reported = self.ferry.data["status"]["says"] == says;
        let status = (!is_reported).then(|| Write::status(seen(), json!({"says": says})));
        held.into_iter().chain(crates).chain(status).collect()
    }
}
