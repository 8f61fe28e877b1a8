//! Tests of requests to the health service, and of its watches.

mod ask;
mod catalogs;
mod files;
mod installers;
mod open_watches;
mod pages;
mod troubles;
mod watch;

use std::time::Duration;

use portolan_health::{Health, Options};
use portolan_kit::World;
use portolan_proto::health::v1 as pb;
use portolan_proto::health::v1::get_operator_request::Handle;
use portolan_proto::health::v1::health_client::HealthClient;
use portolan_proto::health::v1::verdict::State;
use portolan_proto::health::v1::watch_response::Event;
use portolan_shell::client::{Connection, local};
use portolan_stage::Stage;
use serde_json::{Value, json};
use tokio::time::timeout;
use tonic::{Status, Streaming};

/// The maximum time to wait for an expected event.
const PATIENCE: Duration = Duration::from_secs(30);

/// A client of the service.
struct Asking {
    client: HealthClient<Connection>,
}

/// A watch of the service.
struct News(Streaming<pb::WatchResponse>);

impl Asking {
    /// Creates a client. Returns after the service has read all objects.
    async fn of(world: impl portolan_world::World, options: Options) -> Self {
        let health = Health::of(world, options);
        let settled = timeout(PATIENCE, health.settled()).await;
        settled.expect("the first sync must complete");
        Self::health(health)
    }

    fn health(health: Health) -> Self {
        Self {
            client: HealthClient::new(local(health.into_service())),
        }
    }

    async fn at(stage: &Stage) -> Self {
        Self::of(stage.clone(), Options::default()).await
    }

    async fn operator(&mut self, namespace: &str, handle: Handle) -> Result<pb::Operator, Status> {
        let request = pb::GetOperatorRequest {
            namespace: namespace.to_owned(),
            handle: Some(handle),
        };
        let answer = self.client.get_operator(request).await?.into_inner();
        Ok(answer.operator.expect("an answer must have an operator"))
    }

    async fn named(&mut self, name: &str) -> pb::Operator {
        let found = self.operator("", Handle::Name(name.to_owned())).await;
        found.expect("the operator must be there")
    }

    /// Waits until an operator has an expected state. The state may be reached without an event.
    async fn until(&mut self, name: &str, is_wanted: impl Fn(&pb::Operator) -> bool) {
        let found = timeout(PATIENCE, async {
            while !is_wanted(&self.named(name).await) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        });
        found.await.expect("the operator must become as wanted");
    }

    async fn listen(&mut self, namespace: &str) -> News {
        let namespace = namespace.to_owned();
        let news = self.client.watch(pb::WatchRequest { namespace }).await;
        News(news.expect("a watch must begin").into_inner())
    }

    /// Opens a watch. Returns after its Synced event.
    async fn synced(&mut self) -> News {
        let mut news = self.listen("").await;
        while news.next_event().await != "synced" {}
        news
    }
}

impl News {
    async fn event(&mut self) -> Event {
        let message = timeout(PATIENCE, self.0.message()).await;
        let message = message
            .expect("there must be news")
            .expect("and no failure");
        message
            .and_then(|message| message.event)
            .expect("of some kind")
    }

    /// Waits for an event. Returns the events before it, each as one line.
    async fn until(&mut self, wanted: &str) -> Vec<String> {
        let mut before = Vec::new();
        loop {
            match self.next_event().await {
                event if event == wanted => return before,
                event => before.push(event),
            }
        }
    }

    /// Returns the next event as one line.
    async fn next_event(&mut self) -> String {
        let name = |subject: Option<portolan_proto::basis::v1::ObjectRef>| {
            let subject = subject.expect("a subject");
            format!("{} {}/{}", subject.kind, subject.namespace, subject.name)
        };
        match self.event().await {
            Event::Operator(operator) => {
                let state = state(operator.verdict.as_ref());
                format!("{} {state}", name(operator.subject))
            }
            Event::Catalog(catalog) => {
                let state = state(catalog.verdict.as_ref());
                format!("{} {state}", name(catalog.subject))
            }
            Event::Gone(gone) => format!("{} gone", name(gone.subject)),
            Event::Synced(_) => "synced".to_owned(),
            Event::Reset(_) => "reset".to_owned(),
            Event::Heartbeat(_) => "heartbeat".to_owned(),
        }
    }
}

/// Returns the state of a verdict. If the state is not YES, also returns the reasons.
fn state(verdict: Option<&pb::Verdict>) -> String {
    let verdict = verdict.expect("a verdict");
    let mut words = vec![verdict.state().as_str_name()];
    words.extend(verdict.reasons.iter().map(|reason| reason.code.as_str()));
    words.dedup();
    words.join(" ")
}

/// Returns all facts of an operator, including nested facts.
fn facts(operator: &pb::Operator) -> Vec<&pb::Fact> {
    fn add<'a>(facts: &'a [pb::Fact], all: &mut Vec<&'a pb::Fact>) {
        for fact in facts {
            all.push(fact);
            add(&fact.facts, all);
        }
    }
    let mut all = Vec::new();
    add(&operator.facts, &mut all);
    all
}

/// Returns the resource version at which the object of this kind was observed.
fn version(operator: &pb::Operator, kind: &str) -> String {
    let facts = facts(operator);
    let observed = facts.iter().filter_map(|fact| fact.observed.as_ref());
    let mut found = observed.filter(|observed| {
        let object = observed.object.as_ref();
        object.is_some_and(|object| object.kind == kind)
    });
    found
        .next()
        .expect("such an object")
        .resource_version
        .clone()
}

fn is(operator: &pb::Operator, state: State) -> bool {
    let verdict = operator.verdict.as_ref();
    verdict.is_some_and(|verdict| verdict.state() == state)
}

/// Returns a world with a catalog and healthy operators. Each operator has a separate namespace.
fn well(packages: &[&str]) -> World {
    let shop = portolan_kit::world()
        .namespace("olm")
        .catalog_source("shop", "127.0.0.1:1");
    packages.iter().fold(shop, |world, package| {
        let csv = format!("{package}.v1.0.0");
        world
            .namespace(&format!("{package}-system"))
            .operator_group()
            .subscription(package, "stable")
            .installed(&csv)
            .csv(&csv, "Succeeded")
            .edit(|csv| csv["spec"]["customresourcedefinitions"] = json!({}))
            .deployment(package, 1, 1)
    })
}

/// Returns a copy of the world in which one object is replaced.
fn edited(world: &World, kind: &str, name: &str, edit: impl Fn(&mut Value)) -> World {
    let mut count = 0;
    let objects = world.objects().iter().cloned().map(|mut object| {
        if object["kind"] == kind && object["metadata"]["name"] == name {
            edit(&mut object);
            count += 1;
        }
        object
    });
    let edited = objects.fold(portolan_kit::world(), World::object);
    assert_ne!(count, 0, "there must be a {kind} {name}");
    edited
}

/// Returns a copy of the world without some objects.
fn without(world: &World, is_gone: impl Fn(&Value) -> bool) -> World {
    let rest = world.objects().iter().filter(|object| !is_gone(object));
    rest.cloned().fold(portolan_kit::world(), World::object)
}

/// Returns a copy of the world in which the Deployment of an operator has no available replica.
fn failing(world: &World, package: &str) -> World {
    edited(world, "Deployment", package, |deployment| {
        deployment["metadata"]["uid"] = json!(format!("uid-{package}"));
        deployment["status"]["availableReplicas"] = json!(0);
        deployment["status"]["unavailableReplicas"] = json!(1);
        deployment["status"]["conditions"][0]["status"] = json!("False");
    })
}

/// Returns a copy of the world with a crashing Pod of an unhealthy Deployment, and the ReplicaSet
/// between them.
fn crashing(world: &World, package: &str, restarts: u32) -> World {
    let labels = json!({"operator": package});
    let owned = |kind: &str, name: &str, uid: &str, by: (&str, &str)| {
        json!({
            "name": name, "namespace": format!("{package}-system"), "uid": uid, "labels": labels,
            "ownerReferences": [{
                "apiVersion": "apps/v1", "kind": by.0, "name": "any", "uid": by.1,
                "controller": true,
            }],
            "annotations": {"deployment.kubernetes.io/revision": "1", "kind": kind},
        })
    };
    let deployment = format!("uid-{package}");
    let set = json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": owned("ReplicaSet", &format!("{package}-1"), "uid-set", ("Deployment", &deployment)),
        "spec": {"replicas": 1},
        "status": {"replicas": 1},
    });
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": owned("Pod", &format!("{package}-1-x"), "uid-pod", ("ReplicaSet", "uid-set")),
        "status": {
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": "False", "reason": "ContainersNotReady"}],
            "containerStatuses": [{
                "name": "operator", "image": "registry.example/operator:v1", "ready": false,
                "restartCount": restarts,
                "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}},
                "lastState": {"terminated": {"exitCode": 3, "reason": "Error", "message": ""}},
            }],
        },
    });
    world.clone().object(set).object(pod)
}
