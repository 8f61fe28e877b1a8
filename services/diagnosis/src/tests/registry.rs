//! A fake registry in this process.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use futures::stream::{self, BoxStream, StreamExt as _};
use portolan_proto::registry as pb;
use portolan_proto::registry::registry_server::{self, RegistryServer};
use tokio::net::TcpListener;
use tokio::task::AbortHandle;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

/// A registry with the package `pilot` in the versions 1.0.0 and 1.1.0. It returns the details of
/// 1.1.0 only on request.
#[derive(Debug, Clone)]
pub(super) struct Registry {
    newest: Newest,
    asked: Arc<Mutex<Vec<String>>>,
}

/// The response to a request for the newest bundle.
#[derive(Debug, Clone, Copy)]
pub(super) enum Newest {
    /// The bundle requires this Kubernetes version.
    Needs(&'static str),
    /// The registry returns an error.
    Broken(&'static str),
    /// The registry does not respond.
    Silent,
}

/// A running registry. It stops when this value is dropped.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    serving: AbortHandle,
}

// === impl Registry ===

impl Registry {
    pub(super) async fn run(newest: Newest) -> Running {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a free port must be there");
        let address = listener.local_addr().expect("it must have an address");
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let registry = Self {
            newest,
            asked: asked.clone(),
        };
        let served = Server::builder()
            .add_service(RegistryServer::new(registry))
            .serve_with_incoming(TcpIncoming::from(listener));
        Running {
            address,
            asked,
            serving: tokio::spawn(served).abort_handle(),
        }
    }

    fn note(&self, bundle: String) {
        let mut asked = self.asked.lock().expect("the lock must not be poisoned");
        asked.push(bundle);
    }
}

#[tonic::async_trait]
impl registry_server::Registry for Registry {
    type ListBundlesStream = BoxStream<'static, Result<pb::Bundle, Status>>;
    type ListPackagesStream = stream::Empty<Result<pb::PackageName, Status>>;

    async fn list_bundles(
        &self,
        _: Request<pb::ListBundlesRequest>,
    ) -> Result<Response<Self::ListBundlesStream>, Status> {
        let rows = [row("1.0.0", ""), row("1.1.0", "pilot.v1.0.0")];
        Ok(Response::new(stream::iter(rows.map(Ok)).boxed()))
    }

    async fn list_packages(
        &self,
        _: Request<pb::ListPackageRequest>,
    ) -> Result<Response<Self::ListPackagesStream>, Status> {
        panic!("a catalog reader must not list packages without bundles");
    }

    async fn get_package(
        &self,
        _: Request<pb::GetPackageRequest>,
    ) -> Result<Response<pb::Package>, Status> {
        Ok(Response::new(pb::Package {
            name: "pilot".to_owned(),
            default_channel_name: "stable".to_owned(),
            ..pb::Package::default()
        }))
    }

    async fn get_bundle(
        &self,
        request: Request<pb::GetBundleRequest>,
    ) -> Result<Response<pb::Bundle>, Status> {
        let name = request.into_inner().bundle_name;
        self.note(name);
        match self.newest {
            Newest::Needs(kubernetes) => Ok(Response::new(pb::Bundle {
                csv_json: format!(r#"{{"spec": {{"minKubeVersion": "{kubernetes}"}}}}"#).into(),
                ..row("1.1.0", "pilot.v1.0.0")
            })),
            Newest::Broken(why) => Err(Status::unknown(why)),
            Newest::Silent => std::future::pending().await,
        }
    }
}

// === impl Running ===

impl Running {
    /// Returns the names of the bundles that were requested.
    pub(super) fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock().expect("the lock must not be poisoned");
        asked.clone()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Returns the row of a bundle with an image, in the channel `stable`.
fn row(version: &str, replaces: &str) -> pb::Bundle {
    let identity = format!(r#"{{"packageName": "pilot", "version": "{version}"}}"#);
    pb::Bundle {
        name: format!("pilot.v{version}"),
        package_name: "pilot".to_owned(),
        channel_name: "stable".to_owned(),
        image: format!("registry.example/pilot:v{version}"),
        version: version.to_owned(),
        replaces: replaces.to_owned(),
        properties: vec![pb::Property {
            r#type: "olm.package".to_owned(),
            value: identity.into(),
        }],
        ..pb::Bundle::default()
    }
}
