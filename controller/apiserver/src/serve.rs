//! Runs the API server of Installed as a process.

use futures::{FutureExt, StreamExt as _};
use portolan_core_certificate::SubjectKind;
use portolan_runtime::certificates::{Keeper, Terms};
use portolan_runtime::{Process, Start};
use portolan_shell::{HttpsFlags, HttpsServer, ProbeServer, Readiness, Serve, ServedCertificate};
use portolan_world::{Cluster, Pace};
use tokio_util::sync::CancellationToken;

use crate::Flags;
use crate::authenticate::Identities;
use crate::authorize::{ClusterReviews, Permissions};
use crate::follow::Follower;
use crate::metrics::Metrics;
use crate::ready::Turn;
use crate::server::{Server, WATCHES};
use crate::shown::Shown;

/// The maximum number of connections. Each watch needs its own connection.
const CONNECTIONS: usize = WATCHES + 512;

/// Runs the API server until SIGTERM or Ctrl-C. It listens immediately. It becomes ready when it
/// has a certificate, can authenticate callers and has read the cluster.
///
/// # Errors
/// Returns an error if it cannot listen, or there is no cluster.
pub async fn serve(flags: Flags) -> Result<(), Start> {
    portolan_runtime::serve(listen(flags, Terms::default())).await
}

/// Opens the sockets. Requests are answered after [`Process::run`] is called.
///
/// # Errors
/// Returns an error for the same reasons as [`serve`].
pub async fn listen(flags: Flags, terms: Terms) -> Result<Process, Start> {
    let Flags {
        serve: HttpsFlags { listen, probes },
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
    let certificate = match tls {
        Some(folder) => {
            let followed = served.follow(&folder).map_err(Serve::from)?;
            has_certificate.set_ready();
            // The task ends with the process. It can fail only if it panics, and in this case the
            // last certificate is served until the process ends.
            followed.map(drop).boxed()
        }
        None => {
            let keeper = Keeper {
                client: client.clone(),
                whose: "the API server of Installed",
                kind: SubjectKind::ApiService,
                object: api_service.clone(),
                name,
                lifetimes: terms.lifetimes,
                served: served.clone(),
                ready: has_certificate.clone(),
                ends: metrics.ends.clone(),
            };
            keeper.run().boxed()
        }
    };
    let age = terms.connection_age;
    let https_server = HttpsServer::bind_asking(listen, &served, age, CONNECTIONS).await?;
    let probe_server = ProbeServer::bind(probes, ("apiserver", ready.clone()), registry).await?;
    let turn = Turn {
        client: client.clone(),
        api_service,
        has_certificate,
        identities: identities.clone(),
        shown: shown.clone(),
        ready: ready.clone(),
    };
    let known = (shown.clone(), identities.clone(), permissions);
    let server = Server::new(known, metrics, ready, draining.clone());
    let cluster = Cluster::of(client.clone(), Pace::default());
    let address = https_server.address();
    let process = Process::new(move |stops| {
        let stops = stops.inspect(move |()| draining.cancel());
        https_server.run(server.routes(), stops).map(Ok).boxed()
    });
    Ok(process
        .at(address)
        .probed(probe_server)
        .beside(identities.follow(client))
        .beside(async move { Follower::of(&cluster, shown).run().await })
        .beside(turn.come())
        .beside(certificate))
}
