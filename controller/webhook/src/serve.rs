//! The webhook as a process.

use std::net::SocketAddr;

use futures::Stream;
use portolan_certificates::{Keeper, Start, Terms};
use portolan_core_certificate::SubjectKind;
use portolan_shell::{HttpsServer, ProbeServer, Readiness, ServedCertificate, signals};
use tokio_util::task::AbortOnDropHandle;

use crate::Flags;
use crate::metrics::Metrics;
use crate::reviewer::Reviewer;

/// A webhook that answers once it runs.
#[expect(missing_debug_implementations, reason = "it is run, and nothing else")]
pub struct Listening {
    server: HttpsServer,
    probe_server: ProbeServer,
    keeper: Keeper,
    reviewer: Reviewer,
}

/// Runs the webhook until this process is told to stop. It listens at once, and is ready when it has a
/// certificate.
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
            configuration,
            certificate,
            access,
        } = flags;
        let Terms {
            lifetimes,
            connection_age,
        } = terms;
        let client = access.client().await?;
        let (metrics, registry) = Metrics::new();
        let (served, ready) = (ServedCertificate::default(), Readiness::pending());
        let named = ("webhook", ready.clone());
        Ok(Self {
            server: HttpsServer::bind(listen, &served, connection_age).await?,
            probe_server: ProbeServer::bind(probes, named, registry).await?,
            reviewer: Reviewer::new(Some(client.clone()), metrics.clone()),
            keeper: Keeper {
                client,
                whose: "the webhook",
                kind: SubjectKind::ValidatingWebhookConfiguration,
                object: configuration,
                name: certificate,
                lifetimes,
                served,
                ready,
                ends: metrics.ends(),
            },
        })
    }

    /// Where API servers call it.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Where the probes are served.
    pub fn probes_address(&self) -> SocketAddr {
        self.probe_server.probes_address()
    }

    /// Answers until the first of `stops`, and then what has been asked before.
    pub async fn run(self, stops: impl Stream<Item = ()>) {
        let Self {
            server,
            probe_server,
            keeper,
            reviewer,
        } = self;
        let _probes = AbortOnDropHandle::new(tokio::spawn(probe_server.run()));
        let _keeper = AbortOnDropHandle::new(tokio::spawn(keeper.run()));
        server.run(reviewer.routes(), stops).await;
    }
}
