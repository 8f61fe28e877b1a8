//! Tests of requests to the approval service, and of its watches.

mod ask;
mod due;
mod files;
mod restricted;
mod troubles;
mod upgrades;
mod watch;

use std::time::Duration;

use portolan_kit::World;
use portolan_proto::approval::v1 as pb;
use portolan_proto::approval::v1::approval_client::ApprovalClient;
use portolan_proto::approval::v1::watch_response::Event;
use portolan_proto::basis::v1::ObjectRef;
use portolan_shell::client::{Connection, local};
use portolan_stage::Stage;
use serde_json::Value;
use tokio::time::timeout;
use tonic::{Status, Streaming};

use crate::{Approval, Options};

/// The time after which a test fails if the expected event does not happen.
const PATIENCE: Duration = Duration::from_secs(30);

/// A client that sends requests and opens watches.
struct Asking {
    client: ApprovalClient<Connection>,
}

/// A watch of the service.
struct News(Streaming<pb::WatchResponse>);

impl Asking {
    /// Creates a client. Returns after the service has read all objects.
    async fn of(world: impl portolan_world::World, options: Options) -> Self {
        let approval = Approval::of(world, options);
        let settled = timeout(PATIENCE, approval.settled()).await;
        settled.expect("the first sync must complete");
        Self::approval(approval)
    }

    fn approval(approval: Approval) -> Self {
        Self {
            client: ApprovalClient::new(local(approval.into_service())),
        }
    }

    async fn at(stage: &Stage) -> Self {
        Self::of(stage.clone(), Options::default()).await
    }

    async fn plan(&mut self, namespace: &str, name: &str) -> Result<pb::Review, Status> {
        let request = pb::ReviewPlanRequest {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        let answer = self.client.review_plan(request).await?.into_inner();
        Ok(answer.review.expect("an answer must have a review"))
    }

    async fn namespace(&mut self, name: &str) -> Result<pb::ReviewNamespaceResponse, Status> {
        let namespace = name.to_owned();
        let request = pb::ReviewNamespaceRequest { namespace };
        let answer = self.client.review_namespace(request).await?;
        Ok(answer.into_inner())
    }

    /// Returns the verdict on the only InstallPlan of a namespace, as one line.
    async fn verdict_line(&mut self, namespace: &str) -> String {
        let found = self.plan(namespace, "install-1").await;
        state(found.expect("the plan must be there").verdict.as_ref())
    }

    /// Waits until an InstallPlan has an expected state. The state may be reached without a watch
    /// event.
    async fn until(&mut self, namespace: &str, is_wanted: impl Fn(&pb::Review) -> bool) {
        let found = timeout(PATIENCE, async {
            loop {
                let found = self.plan(namespace, "install-1").await;
                if is_wanted(&found.expect("the plan must be there")) {
                    break;
                }
                tokio::task::yield_now().await;
            }
        });
        found.await.expect("the plan must become as wanted");
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
    async fn message(&mut self) -> pb::WatchResponse {
        let reported = timeout(PATIENCE, self.0.message()).await;
        let reported = reported
            .expect("there must be news")
            .expect("and no failure");
        reported.expect("and no end")
    }

    /// Returns the next event as one line.
    async fn next_event(&mut self) -> String {
        let name = |object: Option<ObjectRef>| {
            let object = object.expect("an object");
            format!("{} {}/{}", object.kind, object.namespace, object.name)
        };
        match self.message().await.event.expect("of some kind") {
            Event::Review(review) => {
                let state = state(review.verdict.as_ref());
                let plan = review.plan.and_then(|plan| plan.object);
                format!("{} {state}", name(plan))
            }
            Event::Gone(gone) => format!("{} gone", name(gone.plan)),
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

/// Returns a world in which operators wait for an update that their policies allow. Each operator
/// has a separate namespace.
fn waiting(packages: &[&str]) -> World {
    let shop = portolan_kit::world()
        .namespace("olm")
        .catalog_source("shop", "127.0.0.1:1");
    packages
        .iter()
        .fold(shop, |world, package| world.waiting(package))
}

/// Returns a copy of the world in which one object is replaced.
fn edited(world: &World, kind: &str, namespace: &str, edit: impl Fn(&mut Value)) -> World {
    let mut count = 0;
    let objects = world.objects().iter().cloned().map(|mut object| {
        if object["kind"] == kind && object["metadata"]["namespace"] == namespace {
            edit(&mut object);
            count += 1;
        }
        object
    });
    let edited = objects.fold(portolan_kit::world(), World::object);
    assert_ne!(count, 0, "there must be a {kind} in {namespace}");
    edited
}

/// Returns a copy of the world without some objects.
fn without(world: &World, kind: &str, namespace: &str) -> World {
    let is_gone =
        |object: &&Value| object["kind"] == kind && object["metadata"]["namespace"] == namespace;
    let rest = world.objects().iter().filter(|object| !is_gone(object));
    rest.cloned().fold(portolan_kit::world(), World::object)
}

/// Returns a copy of the world in which the policy of a namespace allows no planned bundle.
fn forbidding(world: &World, namespace: &str) -> World {
    edited(world, "OperatorPolicy", namespace, |policy| {
        policy["spec"]["allowedCSVs"] = serde_json::json!(["other.v1.0.0"]);
    })
}
