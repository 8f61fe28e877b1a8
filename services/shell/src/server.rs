//! A gRPC server with the features that all processes need, from binding its addresses to draining.

mod connections;
mod drain;
mod open;
mod preface;

use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;

use futures::future::join_all;
use futures::{Stream, StreamExt};
use http::{Request, Response};
use prometheus_client::registry::Registry;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};
use tonic::body::Body;
use tonic::server::NamedService;
use tonic::service::Routes;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;
use tower::Service;

pub use self::connections::{Full, accept};
use self::connections::{Lasts, serve_grpc};
use self::drain::drain;
use crate::call::Calls;
use crate::flags::ServeFlags;
use crate::gauge::LabeledGauge;
use crate::guard::{Guard, PeerAddress};
use crate::limits::{answering, reading};
use crate::methods::{DecodeDescriptors, Methods};
use crate::metrics::CallMetrics;
use crate::probes::Probes;
use crate::readiness::Readiness;
use crate::shares::Shares;
use crate::tls::{Acceptor, ReadCertificate, Tls};

/// The services that every server provides itself.
const OWN: [&str; 3] = [
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
];

/// The maximum number of concurrent reflection calls.
const MIRRORS: usize = 64;

/// The maximum number of concurrent health calls on one connection. A client needs one watch for
/// each service.
pub(crate) const PULSES: usize = 16;

/// The reason why a server cannot start or has stopped.
#[derive(Debug, Error)]
pub enum Serve {
    /// The descriptors passed by the caller are invalid.
    #[error(transparent)]
    Decode(#[from] DecodeDescriptors),
    /// The reflection service rejects the descriptors.
    #[error("cannot serve reflection")]
    Reflect(#[from] tonic_reflection::server::Error),
    /// The TLS certificate is missing or invalid.
    #[error("cannot serve TLS (--tls)")]
    Certificate(#[from] ReadCertificate),
    /// Tokens would be sent unencrypted.
    #[error(
        "--authorize requires tokens, so --tls is required unless only this machine can connect"
    )]
    Clear,
    /// The server cannot listen on an address.
    #[error(
        "cannot listen on {address} ({flag}); if the port is in use, choose another address or \
         port 0"
    )]
    Listen {
        /// The requested address.
        address: SocketAddr,
        /// The flag that sets the address.
        flag: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
}

/// A service of the server, with its readiness.
#[derive(Debug, Clone)]
pub(crate) struct Hosted {
    pub(crate) name: &'static str,
    pub(crate) ready: Readiness,
}

/// A server that is being configured.
#[derive(Debug)]
pub struct Server {
    flags: ServeFlags,
    descriptors: &'static [u8],
    routes: Routes,
    hosted: Vec<Hosted>,
    tls: Option<Tls>,
    guard: Option<Arc<dyn Guard>>,
}

/// A server that listens on its addresses. It processes requests after [`Bound::run`] is called.
#[derive(Debug)]
pub struct Bound {
    flags: ServeFlags,
    grpc: TcpListener,
    probes: TcpListener,
    routes: Routes,
    hosted: Arc<[Hosted]>,
    health: HealthReporter,
    calls: Calls,
    tls: Option<Tls>,
    /// Other components of the process, with their readiness and metrics.
    beside: Vec<(Hosted, Arc<Registry>)>,
    /// The metrics that the services add to the metrics of their calls.
    gauges: Vec<Arc<Registry>>,
}

// === impl Server ===

impl Server {
    /// Creates a server without services. `descriptors` must describe all services that will be
    /// hosted. Reflection and metric labels use them.
    pub fn new(flags: ServeFlags, descriptors: &'static [u8]) -> Self {
        Self {
            flags,
            descriptors,
            routes: Routes::default(),
            hosted: Vec::new(),
            tls: None,
            guard: None,
        }
    }

    /// Serves TLS with the certificate in this folder. When the files change, the new certificate
    /// is used. Must be called within a Tokio runtime.
    ///
    /// # Errors
    /// Returns an error if the certificate is invalid.
    pub fn with_tls(self, folder: &Path) -> Result<Self, Serve> {
        let tls = Some(Tls::of(folder)?);
        Ok(Self { tls, ..self })
    }

    /// Admits only health calls and the calls that this guard permits. If other machines can
    /// connect, TLS must be configured first. Otherwise, tokens could be intercepted.
    ///
    /// # Errors
    /// Returns an error if other machines can connect without TLS.
    pub fn guarded(self, guard: Arc<dyn Guard>) -> Result<Self, Serve> {
        if self.tls.is_none() && !self.flags.listen.ip().is_loopback() {
            return Err(Serve::Clear);
        }
        let guard = Some(guard);
        Ok(Self { guard, ..self })
    }

    /// Adds a service. Its health status is NOT_SERVING until `ready` is set.
    pub fn host<S>(mut self, service: S, ready: Readiness) -> Self
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
        S: NamedService + Clone + Send + Sync + 'static,
        S::Future: Send + 'static,
    {
        self.routes = self.routes.add_service(service);
        self.hosted.push(Hosted {
            name: S::NAME,
            ready,
        });
        self
    }

    /// Listens on both addresses. Requests are processed after [`Bound::run`] is called.
    pub async fn bind(self) -> Result<Bound, Serve> {
        let Self {
            flags,
            descriptors,
            routes,
            hosted,
            tls,
            guard,
        } = self;
        if guard.is_none() && !flags.listen.ip().is_loopback() {
            tracing::warn!(
                listen = %flags.listen,
                "the server answers every client that can reach this address; use --authorize to \
                 authenticate callers"
            );
        }
        let own = [
            descriptors,
            tonic_health::pb::FILE_DESCRIPTOR_SET,
            tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
            tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET,
        ];
        // The descriptors may contain more services. Only the hosted services are listed.
        let names = hosted.iter().map(|service| service.name).chain(OWN);
        let reflection = || {
            let builder = tonic_reflection::server::Builder::configure();
            let builder = own.iter().fold(builder, |builder, set| {
                builder.register_encoded_file_descriptor_set(set)
            });
            names
                .clone()
                .fold(builder, |builder, name| builder.with_service_name(name))
        };
        let health = HealthReporter::new();
        let routes = routes
            .add_service(reflection().build_v1()?)
            .add_service(reflection().build_v1alpha()?)
            .add_service(tonic_health::pb::health_server::HealthServer::new(
                tonic_health::server::HealthService::from_health_reporter(health.clone()),
            ));
        let calls = Calls {
            methods: Arc::new(Methods::decode(&own)?),
            metrics: Arc::new(CallMetrics::new()),
            guard,
            places: Shares::new(flags.max_concurrent_calls as usize),
            streams: Shares::new(flags.max_concurrent_calls as usize),
            mirrors: Shares::new(MIRRORS),
            pulses: Arc::new(Semaphore::new(PULSES)),
            reading: Arc::new(reading(flags.max_message_bytes)),
            answering: answering(flags.max_message_bytes),
            max_message_bytes: flags.max_message_bytes,
            call_timeout: flags.call_timeout,
            running: TaskTracker::new(),
            draining: CancellationToken::new(),
            cut: CancellationToken::new(),
        };
        Ok(Bound {
            grpc: listen(flags.listen, "--listen").await?,
            probes: listen(flags.probes.probes_listen, "--probes-listen").await?,
            hosted: hosted.into(),
            flags,
            routes,
            health,
            calls,
            tls,
            beside: Vec::new(),
            gauges: Vec::new(),
        })
    }
}

// === impl Bound ===

impl Bound {
    /// Returns the address on which gRPC is served.
    pub fn grpc_address(&self) -> SocketAddr {
        self.grpc.local_addr().unwrap_or(self.flags.listen)
    }

    /// Returns the address on which the probes are served.
    pub fn probes_address(&self) -> SocketAddr {
        self.probes
            .local_addr()
            .unwrap_or(self.flags.probes.probes_listen)
    }

    /// Adds another component of this process to the probes and metrics. Until this component is
    /// ready, the probes report its name. Its metric families must differ from those of the server.
    pub fn answer_for(&mut self, (name, ready): (&'static str, Readiness), metrics: Registry) {
        self.beside
            .push((Hosted { name, ready }, Arc::new(metrics)));
    }

    /// Adds a metric of a service. Its name must differ from the names of all other metrics.
    pub fn measure(&mut self, gauge: &LabeledGauge) {
        self.gauges.push(Arc::new(gauge.registry()));
    }

    /// Returns the state that the probes report.
    fn probes(&self) -> Probes {
        let beside = self.beside.iter().map(|(hosted, _)| hosted.clone());
        let counted = self.beside.iter().map(|(_, metrics)| metrics.clone());
        Probes {
            hosted: self.hosted.iter().cloned().chain(beside).collect(),
            metrics: [self.calls.metrics.registry()]
                .into_iter()
                .chain(counted)
                .chain(self.gauges.iter().cloned())
                .collect(),
            draining: self.calls.draining.clone(),
        }
    }

    /// Serves until the first item of `stops`, and then drains. During the drain, health reports
    /// NOT_SERVING, new connections are rejected, and streams end with UNAVAILABLE. Running calls
    /// may finish within the drain timeout. The second item of `stops` ends the drain early. The
    /// drain also starts if `stops` ends without an item.
    pub async fn run(self, stops: impl Stream<Item = ()>) -> Result<(), Serve> {
        let (grpc, address) = (self.grpc_address(), self.probes_address());
        let probes = self.probes();
        let Self {
            flags,
            grpc: listener,
            probes: probe_listener,
            routes,
            hosted,
            health,
            calls,
            tls,
            beside: _,
            gauges: _,
        } = self;
        tracing::info!(%grpc, probes = %address, tls = tls.is_some(), "listening");
        let _probes = AbortOnDropHandle::new(tokio::spawn(probes.serve(probe_listener)));
        withhold(&hosted, &health).await;

        let mut stops = pin!(stops.fuse());
        let acceptor = tls.as_ref().map(Tls::acceptor);
        let served = serve(listener, acceptor, routes.prepare(), calls.clone(), &flags);
        let mut served = pin!(served);
        tokio::select! {
            () = &mut served => return Ok(()),
            never = follow(&hosted, &health) => match never {},
            _ = stops.next() => {}
        }

        tracing::info!(timeout = ?flags.drain_timeout, "draining");
        withhold(&hosted, &health).await;
        tokio::select! {
            () = served => {}
            () = drain(&calls, flags.drain_timeout, stops) => {}
        }
        tracing::info!("stopped");
        Ok(())
    }
}

/// Accepts connections. Ends when the server has drained and every client has closed its
/// connection.
async fn serve(
    listener: TcpListener,
    tls: Option<Acceptor>,
    routes: Routes,
    calls: Calls,
    flags: &ServeFlags,
) {
    let (age, grace) = (flags.max_connection_age, flags.call_timeout);
    let full = Full::Refuse(flags.max_connections as usize);
    let stop = calls.draining.clone();
    accept(listener, full, stop, |stream| {
        let (tls, routes, calls) = (tls.clone(), routes.clone(), calls.clone());
        // The address is unavailable if the client has already closed the connection.
        let from = stream.peer_addr().ok().map(|from| PeerAddress(from.ip()));
        let lasts = Lasts { age, grace };
        async move {
            let Some(tls) = tls else {
                return serve_grpc((stream, from), routes, calls, lasts).await;
            };
            match tls.accept(stream).await {
                Ok(stream) => serve_grpc((stream, from), routes, calls, lasts).await,
                Err(error) => tracing::debug!(%error, "a TLS handshake failed"),
            }
        }
    })
    .await;
}

pub(crate) async fn listen(address: SocketAddr, flag: &'static str) -> Result<TcpListener, Serve> {
    TcpListener::bind(address)
        .await
        .map_err(|source| Serve::Listen {
            address,
            flag,
            source,
        })
}

/// Sets the health of each service to SERVING when the service becomes ready. Sets the health of
/// the whole server when the last service is ready. The caller drops this future when the server
/// drains, so that a late change does not report SERVING again.
async fn follow(hosted: &[Hosted], health: &HealthReporter) -> Infallible {
    join_all(hosted.iter().map(|service| async {
        service.ready.ready().await;
        health
            .set_service_status(service.name, ServingStatus::Serving)
            .await;
    }))
    .await;
    health.set_service_status("", ServingStatus::Serving).await;
    pending().await
}

/// Reports all services as NOT_SERVING. The server calls this function before the services are
/// ready, and when it drains. All services are reported from the start, so that clients that watch
/// the health see when a service becomes ready.
async fn withhold(hosted: &[Hosted], health: &HealthReporter) {
    for name in hosted.iter().map(|service| service.name).chain([""]) {
        health
            .set_service_status(name, ServingStatus::NotServing)
            .await;
    }
}

#[cfg(test)]
mod tests;
