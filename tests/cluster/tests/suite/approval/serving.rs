//! Runs the approval service in this process, with its command-line flags.

use std::path::Path;
use std::time::Duration;

use portolan_approval::listen;
use portolan_proto::approval::v1 as pb;
use portolan_proto::approval::v1::approval_client::ApprovalClient;
use portolan_rig::{Failure, PATIENCE, Seen, World, until};
use portolan_shell::client::Connection;
use tonic::Status;

use super::watcher::Watcher;
use crate::process::{Running, connection, on_free_ports};

/// The maximum time of a response. The service must respond in time, even if the cluster does not.
const DEADLINE: Duration = Duration::from_secs(5);

/// A running approval service. Dropping this value stops the service.
pub(super) struct Serving {
    client: ApprovalClient<Connection>,
    _running: Running,
}

impl Serving {
    /// Starts a service that watches the cluster of a test. The service has its own user, so that
    /// the audit log shows its requests.
    pub(super) async fn of(world: &World) -> Result<Self, Failure> {
        let user = format!("approval-of-{}", world.namespace());
        let kubeconfig = world.cluster().admit(&user, Some("system:masters"))?;
        Self::by(&kubeconfig).await
    }

    /// Starts a service that watches the cluster of a kubeconfig.
    pub(super) async fn by(kubeconfig: &Path) -> Result<Self, Failure> {
        Self::under(format!("--kubeconfig={}", kubeconfig.display())).await
    }

    /// Starts a service that reads a folder instead of a cluster.
    pub(super) async fn of_folder(folder: &Path) -> Result<Self, Failure> {
        Self::under(format!("--world={}", folder.display())).await
    }

    /// Starts a service on free ports, and waits until it has read all objects.
    async fn under(flag: String) -> Result<Self, Failure> {
        let listening = listen(on_free_ports("approval", [flag])).await;
        let listening = listening.expect("free ports must exist");
        let url = format!("http://{}", listening.grpc_address());
        let serving = Self {
            client: ApprovalClient::new(connection(&url, DEADLINE)),
            _running: Running::until_dropped(|stops| listening.run(stops)),
        };
        serving.until_ready().await?;
        Ok(serving)
    }

    async fn until_ready(&self) -> Result<(), Failure> {
        until("approval to have synced", PATIENCE, async || {
            Ok(match self.namespace("default").await {
                Ok(_) => Seen::Yes(()),
                Err(status) => Seen::NotYet(status.to_string()),
            })
        })
        .await
    }

    /// Returns the review of one plan.
    pub(super) async fn review(&self, namespace: &str, name: &str) -> Result<pb::Review, Status> {
        let mut client = self.client.clone();
        let question = pb::ReviewPlanRequest {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        let answer = client.review_plan(question).await?.into_inner();
        Ok(answer.review.expect("an answer must have a review"))
    }

    /// Returns the reviews of all plans in a namespace, and the state of the policies of the
    /// namespace.
    pub(super) async fn namespace(
        &self,
        namespace: &str,
    ) -> Result<pb::ReviewNamespaceResponse, Status> {
        let mut client = self.client.clone();
        let question = pb::ReviewNamespaceRequest {
            namespace: namespace.to_owned(),
        };
        Ok(client.review_namespace(question).await?.into_inner())
    }

    /// Returns a client that watches a namespace.
    pub(super) async fn watch(&self, namespace: &str) -> Watcher {
        let mut client = self.client.clone();
        let watched = client.watch(pb::WatchRequest {
            namespace: namespace.to_owned(),
        });
        let news = watched.await.expect("a watch must begin").into_inner();
        Watcher::of(namespace, news)
    }
}
