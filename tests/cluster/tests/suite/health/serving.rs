//! Runs the health service in this process, with its command-line flags.

use std::path::Path;
use std::time::Duration;

use portolan_health::listen;
use portolan_proto::health::v1 as pb;
use portolan_proto::health::v1::get_operator_request::Handle;
use portolan_proto::health::v1::health_client::HealthClient;
use portolan_rig::{Cluster, Failure, PATIENCE, Seen, World, until};
use portolan_shell::client::Connection;
use tonic::Status;

use super::watcher::Watcher;
use crate::process::{Running, connection, on_free_ports};

/// The maximum time of a response. The service must respond in time, even if the cluster does not.
const DEADLINE: Duration = Duration::from_secs(5);

/// A running health service. Dropping this value stops the service.
pub(super) struct Serving {
    client: HealthClient<Connection>,
    _running: Running,
}

impl Serving {
    /// Starts a service that watches the cluster of a test. The service has its own user, so that
    /// the audit log shows its requests.
    pub(super) async fn of(world: &World) -> Result<Self, Failure> {
        let user = format!("health-of-{}", world.namespace());
        Self::of_cluster(world.cluster(), &user).await
    }

    /// Starts a service that watches a cluster as an administrator.
    pub(super) async fn of_cluster(cluster: &Cluster, user: &str) -> Result<Self, Failure> {
        let kubeconfig = cluster.admit(user, Some("system:masters"))?;
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
        let listening = listen(on_free_ports("health", [flag])).await;
        let listening = listening.expect("free ports must exist");
        let url = format!("http://{}", listening.grpc_address());
        let serving = Self {
            client: HealthClient::new(connection(&url, DEADLINE)),
            _running: Running::until_dropped(|stops| listening.run(stops)),
        };
        serving.until_ready().await?;
        Ok(serving)
    }

    async fn until_ready(&self) -> Result<(), Failure> {
        until("health to have synced", PATIENCE, async || {
            let mut client = self.client.clone();
            let asked = client.list_operators(pb::ListOperatorsRequest::default());
            Ok(match asked.await {
                Ok(_) => Seen::Yes(()),
                Err(status) => Seen::NotYet(status.to_string()),
            })
        })
        .await
    }

    /// Returns the operator of a Subscription.
    pub(super) async fn operator(
        &self,
        namespace: &str,
        name: &str,
    ) -> Result<pb::Operator, Status> {
        let mut client = self.client.clone();
        let question = pb::GetOperatorRequest {
            namespace: namespace.to_owned(),
            handle: Some(Handle::Subscription(name.to_owned())),
        };
        let answer = client.get_operator(question).await?.into_inner();
        Ok(answer.operator.expect("an answer must have an operator"))
    }

    /// Returns the operators of a namespace.
    pub(super) async fn operators(&self, namespace: &str) -> Vec<pb::Operator> {
        let mut client = self.client.clone();
        let question = pb::ListOperatorsRequest {
            namespace: namespace.to_owned(),
            ..pb::ListOperatorsRequest::default()
        };
        let answer = client.list_operators(question).await;
        let answer = answer.expect("operators must be listed").into_inner();
        assert_eq!(answer.next_page_token, "", "so few must be on one page");
        answer.operators
    }

    /// Returns the catalogs of a namespace.
    pub(super) async fn catalogs(&self, namespace: &str) -> Vec<pb::Catalog> {
        let mut client = self.client.clone();
        let namespace = namespace.to_owned();
        let question = pb::ListCatalogsRequest { namespace };
        let answer = client.list_catalogs(question).await;
        let answer = answer.expect("catalogs must be listed").into_inner();
        answer.catalogs
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
