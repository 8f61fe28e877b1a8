//! The API server of Installed as a process.

use std::net::SocketAddr;

use futures::{Stream, StreamExt as _};
use kube::Client;
use portolan_core_certificate::SubjectKind;
use portolan_runtime::certificates::{Keeper, Start, Terms};
use portolan_shell::{HttpsServer, ProbeServer, Readiness, Serve, ServedCertificate, signals};
use portolan_world::{Cluster, Pace};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::Flags;
use crate::authenticate::Identities;
use crate::authorize::{ClusterReviews, Permissions};
use crate::follow::Follower;
use crate::metrics::Metrics;
use crate::ready::Turn;
use crate::server::{Server, WATCHES};
use crate::shown::Shown;

/// The maximum number of connections: each watch takes one.
const CONNECTIONS: usize = WATCHES + 512;

/// An API server that answers once it runs.
#[expect(missing_debug_implementations, reason = "it is run, and nothing else")]
pub struct Listening {
    https_server: HttpsServer,
    probe_server: ProbeServer,
    certificate: Certificate,
    identities: Identities,
    client: Client,
    cluster: Cluster,
    shown: Shown,
    turn: Turn,
    server: Server,
    draining: CancellationToken,
}

/// The keeper of the certificate.
enum Certificate {
    Kept(Box<Keeper>),
    /// Another process, which changes the files that are read.
    Followed(AbortOnDropHandle<()>),
}

/// Runs the API server until this process is told to stop. It listens at once, and is ready when it has a
/// certificate and knows the cluster.
///
/// # Errors
/// It cannot listen, or there is no cluster.
pub async fn serve(flags: Flags) -> Result<(), Start> {
    let stops = signals::stop().map_err(Start::Signals)?;
    let listening = Listening::under(flags, Terms::default()).await?;
    listening.run(stops).await;
    Ok(())
}

// === impl Listening ===

impl Listening {
    /// Listens. Nothing is answered before [`Listening::run`].
    ///
    /// # Errors
    /// As [`serve`].
    pub async fn under(flags: Flags, terms: Terms) -> Result<Self, Start> {
        let Flags {
            listen,
            probes,
            api_service,
            certificate: name,
            tls,
            access,
        } = flags;
        let client = access.client().await?;
        let (metrics, registry) = Metrics::new();
        let served = ServedCertificate::default();
        let (has_certificate, ready) = (Readiness::pending(), Readiness::pending());
        let (shown, identities) = (Shown::pending(), Identities::pending());
        let draining = CancellationToken::new();
        let permissions = Permissions::of(ClusterReviews::of(client.clone()));
        let age = terms.connection_age;
        let certificate = match tls {
            Some(folder) => {
                let followed = served.follow(&folder).map_err(Serve::from)?;
                has_certificate.set_ready();
                Certificate::Followed(followed)
            }
            None => Certificate::Kept(Box::new(Keeper {
                client: client.clone(),
                whose: "the API server of Installed",
                kind: SubjectKind::ApiService,
                object: api_service.clone(),
                name,
                lifetimes: terms.lifetimes,
                served: served.clone(),
                ready: has_certificate.clone(),
                ends: metrics.ends.clone(),
            })),
        };
        Ok(Self {
            https_server: HttpsServer::bind_asking(listen, &served, age, CONNECTIONS).await?,
            probe_server: ProbeServer::bind(probes, ("apiserver", ready.clone()), registry).await?,
            certificate,
            turn: Turn {
                client: client.clone(),
                api_service,
                has_certificate,
                identities: identities.clone(),
                shown: shown.clone(),
                ready: ready.clone(),
            },
            server: Server::new(
                (shown.clone(), identities.clone(), permissions),
                metrics,
                ready,
                draining.clone(),
            ),
            cluster: Cluster::of(client.clone(), Pace::default()),
            identities,
            client,
            shown,
            draining,
        })
    }

    /// The address at which API servers call it.
    pub fn address(&self) -> SocketAddr {
        self.https_server.address()
    }

    /// The address at which the probes are served.
    pub fn probes_address(&self) -> SocketAddr {
        self.probe_server.probes_address()
    }

    /// Answers until the first of `stops`, and then what has been asked before.
    pub async fn run(self, stops: impl Stream<Item = ()>) {
        let Self {
            https_server,
            probe_server,
            certificate,
            identities,
            client,
            cluster,
            shown,
            turn,
            server,
            draining,
        } = self;
        let follower = Follower::of(&cluster, shown);
        let _running = [
            tokio::spawn(probe_server.run()),
            tokio::spawn(identities.follow(client)),
            tokio::spawn(follower.run()),
            tokio::spawn(turn.come()),
        ]
        .map(AbortOnDropHandle::new);
        let _certificate = match certificate {
            Certificate::Kept(keeper) => AbortOnDropHandle::new(tokio::spawn(keeper.run())),
            Certificate::Followed(followed) => followed,
        };
        let stops = stops.inspect(|()| draining.cancel());
        https_server.run(server.routes(), stops).await;
    }
}
