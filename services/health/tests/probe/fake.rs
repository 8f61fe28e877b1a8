//! A fake registry in this process. It can send valid and invalid responses.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use futures::{Stream, StreamExt as _, stream};
use portolan_health::probe::Probes;
use portolan_proto::registry as pb;
use portolan_proto::registry::registry_server::{Registry, RegistryServer};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::codegen::http::{HeaderMap, HeaderValue};
use tonic::metadata::MetadataMap;
use tonic::transport::Server;
use tonic::{Code, Request, Response, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_server::{Health, HealthServer};
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

use crate::SOON;
use crate::door::{Behind, Door};

type Streamed<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// The responses of the fake registry.
#[derive(Debug, Clone)]
pub(crate) struct Fake {
    /// The response of the health service. None if the registry has no health service.
    pub(crate) health: Option<Result<ServingStatus, Status>>,
    pub(crate) names: Names,
    pub(crate) asked: Arc<watch::Sender<Asked>>,
}

/// The packages that the registry lists.
#[derive(Debug, Clone)]
pub(crate) enum Names {
    /// The registry lists this many packages.
    Count(u32),
    /// The registry sends packages endlessly.
    Endless,
    /// The registry sends one package, and never ends the stream.
    Unfinished,
    /// The registry sends one package whose name has this many bytes.
    Long(usize),
    /// The list fails with this status.
    Refused(Status),
}

/// The number of requests, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) checks: u32,
    pub(crate) lists: u32,
}

/// A fake registry that the prober reaches through a proxy. It runs until this value is dropped.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) door: Door,
    pub(crate) behind: Behind,
    asked: watch::Receiver<Asked>,
    task: JoinHandle<()>,
}

// === impl Fake ===

impl Fake {
    /// Creates a healthy registry with this many packages.
    pub(crate) fn of(packages: u32) -> Self {
        Self {
            health: Some(Ok(ServingStatus::Serving)),
            names: Names::Count(packages),
            asked: Arc::default(),
        }
    }

    pub(crate) async fn run(self) -> Running {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a free port must be there");
        let server: SocketAddr = listener.local_addr().expect("it must have an address");
        let behind = Behind::Server(server);
        let asked = self.asked.subscribe();
        let health = self.health.is_some();
        let health = health.then(|| HealthServer::new(self.clone()));
        let registry = RegistryServer::new(self).max_encoding_message_size(usize::MAX);
        let task = tokio::spawn(async move {
            let served = Server::builder()
                .add_optional_service(health)
                .add_service(registry)
                .serve_with_incoming(TcpListenerStream::new(listener));
            served.await.expect("the fake must serve");
        });
        Running {
            door: Door::before(behind).await,
            behind,
            asked,
            task,
        }
    }
}

#[tonic::async_trait]
impl Health for Fake {
    type WatchStream = stream::Empty<Result<HealthCheckResponse, Status>>;

    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        assert_eq!(request.into_inner().service, "", "the whole is asked for");
        self.asked.send_modify(|asked| asked.checks += 1);
        let health = self.health.clone().expect("it is a service only if set")?;
        Ok(Response::new(HealthCheckResponse {
            status: health.into(),
        }))
    }

    async fn watch(
        &self,
        _: Request<HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        panic!("registries do not have it")
    }
}

#[tonic::async_trait]
impl Registry for Fake {
    type ListBundlesStream = stream::Empty<Result<pb::Bundle, Status>>;
    type ListPackagesStream = Streamed<pb::PackageName>;

    async fn list_packages(
        &self,
        _: Request<pb::ListPackageRequest>,
    ) -> Result<Response<Self::ListPackagesStream>, Status> {
        self.asked.send_modify(|asked| asked.lists += 1);
        let name = |name: String| Ok(pb::PackageName { name });
        let numbered = move |number: u32| name(format!("p{number}"));
        Ok(Response::new(match self.names.clone() {
            Names::Count(count) => stream::iter((0..count).map(numbered)).boxed(),
            Names::Endless => stream::iter((0..).map(numbered)).boxed(),
            Names::Unfinished => stream::iter([numbered(0)]).chain(stream::pending()).boxed(),
            Names::Long(length) => stream::iter([name("x".repeat(length))]).boxed(),
            Names::Refused(status) => return Err(status),
        }))
    }

    async fn list_bundles(
        &self,
        _: Request<pb::ListBundlesRequest>,
    ) -> Result<Response<Self::ListBundlesStream>, Status> {
        panic!("a probe is cheap")
    }

    async fn get_package(
        &self,
        _: Request<pb::GetPackageRequest>,
    ) -> Result<Response<pb::Package>, Status> {
        panic!("a probe is cheap")
    }

    async fn get_bundle(
        &self,
        _: Request<pb::GetBundleRequest>,
    ) -> Result<Response<pb::Bundle>, Status> {
        panic!("a probe is cheap")
    }
}

// === impl Running ===

impl Running {
    /// Probes the registry under the name `a`.
    pub(crate) fn probes(&self, pace: portolan_health::probe::Pace) -> Probes {
        crate::probes(pace, &self.door.address)
    }

    pub(crate) fn asked(&self) -> Asked {
        *self.asked.borrow()
    }

    /// Waits until the packages were requested at least this often.
    pub(crate) async fn until_lists(&mut self, least: u32) {
        let enough = self.asked.wait_for(|asked| asked.lists >= least);
        let enough = timeout(SOON, enough).await;
        enough
            .expect("it must be asked")
            .expect("the fake is there");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Returns an error whose details are invalid base64. gRPC requires valid base64.
pub(crate) fn broken_details() -> Status {
    let details = HeaderValue::from_static("!");
    let mut headers = HeaderMap::new();
    headers.insert("grpc-status-details-bin", details);
    Status::with_metadata(Code::Internal, "look", MetadataMap::from_headers(headers))
}
