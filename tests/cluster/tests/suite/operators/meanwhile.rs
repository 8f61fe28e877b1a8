//! Tests a Policy that a user changes between the decision of the approval service and the write of
//! the controller.

use std::sync::{Arc, Mutex};

use futures::StreamExt;
use futures::stream::BoxStream;
use kube::Client;
use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams};
use kube::core::GroupVersionKind;
use portolan_proto::approval::v1 as pb;
use portolan_proto::approval::v1::approval_client::ApprovalClient;
use portolan_proto::approval::v1::approval_server::{Approval, ApprovalServer};
use portolan_proto::approval::v1::verdict::State;
use portolan_rig::Failure;
use serde_json::json;
use tokio::net::TcpListener;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Server};
use tonic::{Request, Response, Status};

use super::stage::spec_at;
use super::windows::{OPEN, WAITS, binding, policy, with_ferry};
use crate::process::Running;

type Answered<T> = Result<Response<T>, Status>;
type Answers = Arc<Mutex<Vec<State>>>;

/// A proxy for an approval service. The service first approves an upgrade. At the next request, the
/// proxy closes the time windows.
struct Meanwhile {
    approval: ApprovalClient<Channel>,
    cluster: Client,
    /// The responses about the next version.
    answers: Answers,
}

#[tonic::async_trait]
impl Approval for Meanwhile {
    type WatchStream = BoxStream<'static, Result<pb::WatchResponse, Status>>;
    type WatchUpgradesStream = BoxStream<'static, Result<pb::WatchUpgradesResponse, Status>>;

    async fn review_plan(
        &self,
        _: Request<pb::ReviewPlanRequest>,
    ) -> Answered<pb::ReviewPlanResponse> {
        Err(Status::unimplemented("there is no OLM"))
    }

    async fn review_namespace(
        &self,
        _: Request<pb::ReviewNamespaceRequest>,
    ) -> Answered<pb::ReviewNamespaceResponse> {
        Err(Status::unimplemented("there is no OLM"))
    }

    async fn review_upgrade(
        &self,
        request: Request<pb::ReviewUpgradeRequest>,
    ) -> Answered<pb::ReviewUpgradeResponse> {
        let request = request.into_inner();
        let is_allowed = self.answers().last() == Some(&State::Yes);
        if is_allowed {
            close(&self.cluster).await;
        }
        loop {
            let asked = self
                .approval
                .clone()
                .review_upgrade(request.clone())
                .await?;
            let verdict = asked.get_ref().verdict.as_ref();
            let state = verdict.map_or(State::Unspecified, pb::Verdict::state);
            // The approval service reads the changed Policy a moment later. Until then, its
            // response is outdated.
            if !is_allowed || state != State::Yes {
                self.answers().push(state);
                return Ok(asked);
            }
            tokio::task::yield_now().await;
        }
    }

    async fn watch(&self, _: Request<pb::WatchRequest>) -> Answered<Self::WatchStream> {
        Err(Status::unimplemented("there is no OLM"))
    }

    async fn watch_upgrades(
        &self,
        _: Request<pb::WatchUpgradesRequest>,
    ) -> Answered<Self::WatchUpgradesStream> {
        Err(Status::unimplemented("watch is not used"))
    }
}

impl Meanwhile {
    fn answers(&self) -> std::sync::MutexGuard<'_, Vec<State>> {
        self.answers.lock().expect("a lock that is not poisoned")
    }
}

async fn close(cluster: &Client) {
    let kind = GroupVersionKind::gvk("operators.operatorframework.io", "v1alpha1", "Policy");
    let kind = ApiResource::from_gvk_with_plural(&kind, "upgradepolicies");
    let policies = Api::<DynamicObject>::all_with(cluster.clone(), &kind);
    let closed = json!({"spec": {"schedule": [{"start": "0 0 1 1 *", "end": "1 0 1 1 *"}]}});
    let (by, closed) = (PatchParams::default(), Patch::Merge(closed));
    let closed = policies.patch("rare", &by, &closed).await;
    closed.expect("the Policy exists");
}

#[tokio::test]
async fn policy_that_closes_before_the_write_stops_the_hop() -> Result<(), Failure> {
    let Some(mut harbor) = with_ferry("operators-meanwhile").await? else {
        return Ok(());
    };
    harbor
        .apply(&(policy("rare", OPEN) + &binding("all", "*", &["rare"])))
        .await?;
    harbor.kill();
    let answers = Answers::default();
    let address = harbor.approval().expect("approval must run").to_owned();
    let approval = ApprovalClient::connect(address).await;
    let meanwhile = Meanwhile {
        approval: approval.expect("approval must answer"),
        cluster: harbor.client().clone(),
        answers: answers.clone(),
    };
    let listener = TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.map_err(Failure::touch("listen"))?;
    let address = listener.local_addr().map_err(Failure::touch("listen"))?;
    let server = Server::builder().add_service(ApprovalServer::new(meanwhile));
    let incoming = TcpIncoming::from(listener);
    let _server = Running::until_dropped(|mut stops| async move {
        let stop = async { stops.next().await.unwrap_or_default() };
        server.serve_with_incoming_shutdown(incoming, stop).await
    });
    harbor.start_asking(&format!("http://{address}")).await?;

    harbor.operator("ferry", spec_at("1.1.0")).await?;
    let message = harbor.until("ferry", WAITS).await?;
    assert!(
        message.contains("Policy rare (by PolicyBinding all)"),
        "{message}"
    );
    let states = answers.lock().expect("a lock that is not poisoned").clone();
    let (allowed, denied) = (states.first(), states.get(1));
    assert_eq!(
        (allowed, denied),
        (Some(&State::Yes), Some(&State::NotYet)),
        "{states:?}"
    );
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.0.0"));
    let plans = harbor.plan_names().await?;
    let suspended = ("ferry-2".to_owned(), true);
    assert!(
        plans.contains(&suspended),
        "the plan is not suspended: {plans:?}"
    );
    Ok(())
}
