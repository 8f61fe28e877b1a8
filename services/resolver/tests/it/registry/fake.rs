//! A fake registry in this process. It can send valid and invalid content.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use futures::{Stream, StreamExt as _, stream};
use portolan_core_catalog::Catalog;
use portolan_proto::registry as pb;
use portolan_proto::registry::registry_server::{self, RegistryServer};
use portolan_resolver::source::registry::{
    Address, Dialer, ReadRegistry, Registry, RegistryLimits,
};
use prost::Message;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status};

/// The content of the registry. For other packages and bundles, it returns the same error as opm.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fake {
    pub(crate) rows: Vec<pb::Bundle>,
    pub(crate) then: Then,
    pub(crate) packages: BTreeMap<String, Result<pb::Package, Status>>,
    /// The CSVs of bundles that are requested separately. If a bundle has no other objects, its CSV
    /// is also among its objects, as in opm.
    pub(crate) csvs: BTreeMap<String, String>,
    /// The delay before each response about a package.
    pub(crate) thinking: Duration,
    pub(crate) asked: Arc<Mutex<Asked>>,
}

/// The action at the end of the rows.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Then {
    #[default]
    End,
    /// The rows start again, forever.
    Repeat,
    /// The rows are sent slowly, one row at each interval.
    Trickle(Duration),
    /// The stream stays open and sends nothing more.
    Silence,
}

/// The requests that the registry received.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    pub(crate) bundles: Vec<String>,
    /// The number of bytes in the rows that the registry has begun to send.
    pub(crate) sent: usize,
    /// The number of requests for the list of all rows.
    pub(crate) lists: usize,
    /// True after all rows were sent, when [`Then::Silence`] begins.
    pub(crate) has_listed: bool,
    waiting: usize,
    /// The maximum number of concurrent package requests.
    pub(crate) most_waiting: usize,
}

/// A fake registry that listens until this value is dropped.
pub(crate) struct Running {
    pub(crate) address: Address,
    stop: Option<oneshot::Sender<()>>,
    /// A separate runtime, so that all connections end when it is dropped.
    runtime: Option<Runtime>,
}

// === impl Fake ===

impl Fake {
    /// Creates a registry with these rows and their packages. The default channel of each package
    /// is `s`.
    pub(crate) fn of(rows: impl IntoIterator<Item = pb::Bundle>) -> Self {
        let rows: Vec<_> = rows.into_iter().collect();
        let package = |row: &pb::Bundle| {
            let name = row.package_name.clone();
            let package = pb::Package {
                name: name.clone(),
                default_channel_name: "s".to_owned(),
                ..Default::default()
            };
            (name, Ok(package))
        };
        Self {
            packages: rows.iter().map(package).collect(),
            rows,
            ..Self::default()
        }
    }

    pub(crate) fn run(self) -> Running {
        let listener = std::net::TcpListener::bind("127.0.0.1:0");
        let listener = listener.expect("a free port must be there");
        listener.set_nonblocking(true).expect("it must be usable");
        let address = listener.local_addr().expect("it must have an address");
        let (stop, stopped) = oneshot::channel();
        let service = RegistryServer::new(self).max_encoding_message_size(usize::MAX);
        let runtime = Runtime::new().expect("a runtime must be there");
        runtime.spawn(async {
            let listener = TcpListener::from_std(listener).expect("it must be usable");
            let served = Server::builder().add_service(service);
            let stopped = async { stopped.await.unwrap_or_default() };
            let served =
                served.serve_with_incoming_shutdown(TcpListenerStream::new(listener), stopped);
            served.await.expect("the fake must serve");
        });
        Running {
            address: address.to_string().parse().expect("it must parse"),
            stop: Some(stop),
            runtime: Some(runtime),
        }
    }

    /// Reads the registry once.
    pub(crate) async fn read(self) -> Result<Catalog, ReadRegistry> {
        self.read_within(RegistryLimits::default()).await
    }

    pub(crate) async fn read_within(self, limits: RegistryLimits) -> Result<Catalog, ReadRegistry> {
        let running = self.run();
        let registry = Registry::connect(&running.address, &Dialer::default()).await?;
        registry.with(limits).read().await
    }

    fn known<T: Clone>(known: &BTreeMap<String, T>, what: &str, name: &str) -> Result<T, Status> {
        let unknown = || Status::unknown(format!("{what} {name:?} not found"));
        known.get(name).cloned().ok_or_else(unknown)
    }
}

#[tonic::async_trait]
impl registry_server::Registry for Fake {
    type ListBundlesStream = Pin<Box<dyn Stream<Item = Result<pb::Bundle, Status>> + Send>>;
    type ListPackagesStream = stream::Empty<Result<pb::PackageName, Status>>;

    async fn list_bundles(
        &self,
        _: Request<pb::ListBundlesRequest>,
    ) -> Result<Response<Self::ListBundlesStream>, Status> {
        let mut asked = self.asked.lock().expect("the lock must not be poisoned");
        asked.lists += 1;
        drop(asked);
        let rows = stream::iter(self.rows.clone().into_iter().map(Ok));
        Ok(Response::new(match self.then {
            Then::End => rows.boxed(),
            Then::Repeat => {
                let asked = Arc::clone(&self.asked);
                let sent = rows.cycle().inspect(move |row| {
                    let length = row.as_ref().map_or(0, Message::encoded_len);
                    asked.lock().expect("the lock must not be poisoned").sent += length;
                });
                sent.boxed()
            }
            Then::Trickle(pause) => rows
                .cycle()
                .then(move |row| async move {
                    tokio::time::sleep(pause).await;
                    row
                })
                .boxed(),
            Then::Silence => {
                let asked = Arc::clone(&self.asked);
                let silence = stream::poll_fn(move |_| {
                    asked
                        .lock()
                        .expect("the lock must not be poisoned")
                        .has_listed = true;
                    Poll::Pending
                });
                rows.chain(silence).boxed()
            }
        }))
    }

    async fn list_packages(
        &self,
        _: Request<pb::ListPackageRequest>,
    ) -> Result<Response<Self::ListPackagesStream>, Status> {
        panic!("a catalog reader must not list packages without bundles");
    }

    async fn get_package(
        &self,
        request: Request<pb::GetPackageRequest>,
    ) -> Result<Response<pb::Package>, Status> {
        {
            let mut asked = self.asked.lock().expect("the lock must not be poisoned");
            asked.waiting += 1;
            asked.most_waiting = asked.most_waiting.max(asked.waiting);
        }
        tokio::time::sleep(self.thinking).await;
        self.asked
            .lock()
            .expect("the lock must not be poisoned")
            .waiting -= 1;
        let name = request.into_inner().name;
        Self::known(&self.packages, "package", &name)?.map(Response::new)
    }

    async fn get_bundle(
        &self,
        request: Request<pb::GetBundleRequest>,
    ) -> Result<Response<pb::Bundle>, Status> {
        let pb::GetBundleRequest {
            package_name,
            channel_name,
            bundle_name,
        } = request.into_inner();
        let mut asked = self.asked.lock().expect("the lock must not be poisoned");
        asked
            .bundles
            .push(format!("{package_name}/{channel_name}/{bundle_name}"));
        let csv = Self::known(&self.csvs, "bundle", &bundle_name)?;
        let mut rows = self.rows.iter();
        let row = rows.find(|row| row.name == bundle_name);
        let row = row.cloned().unwrap_or_default();
        let objects = if row.objects.is_empty() {
            vec![csv.clone().into()]
        } else {
            row.objects
        };
        Ok(Response::new(pb::Bundle {
            csv_json: csv.into(),
            objects,
            ..row
        }))
    }
}

// === impl Running ===

impl Running {
    pub(crate) async fn connect(&self) -> Registry {
        let connected = Registry::connect(&self.address, &Dialer::default()).await;
        connected.expect("the fake must listen")
    }

    /// Shuts down gracefully: running calls may finish.
    pub(crate) fn stop(&mut self) {
        self.stop.take();
    }

    /// Stops the registry at once.
    pub(crate) fn kill(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Listens on a free port.
pub(crate) async fn listen() -> (TcpListener, Address) {
    let listener = TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("a free port must be there");
    let address = listener.local_addr().expect("it must have an address");
    let address = address.to_string().parse().expect("it must parse");
    (listener, address)
}

/// Returns the row of the bundle `NAME.vVERSION` with an image, in the channel `s` of its package.
pub(crate) fn row(package: &str, version: &str) -> pb::Bundle {
    let identity = format!(r#"{{"packageName": "{package}", "version": "{version}"}}"#);
    pb::Bundle {
        name: format!("{package}.v{version}"),
        package_name: package.to_owned(),
        channel_name: "s".to_owned(),
        image: format!("registry.example/{package}:1"),
        version: version.to_owned(),
        properties: vec![property("olm.package", &identity)],
        ..Default::default()
    }
}

pub(crate) fn property(kind: &str, value: &str) -> pb::Property {
    pb::Property {
        r#type: kind.to_owned(),
        value: value.to_owned().into(),
    }
}

/// Returns the packages with their bundles, and the faults without their line numbers.
pub(crate) fn content_lines(catalog: &Catalog) -> Vec<String> {
    let packages = catalog.packages.values().map(|package| {
        let bundles: Vec<_> = package.bundles.keys().map(ToString::to_string).collect();
        format!("{}: {}", package.name, bundles.join(", "))
    });
    let faults = catalog.faults.iter().map(|fault| {
        let text = fault.to_string();
        let (_, sentence) = text.split_once(": ").unwrap_or_default();
        format!("! {sentence}")
    });
    packages.chain(faults).collect()
}
