//! The webhook as a process.

use std::net::SocketAddr;

use futures::Stream;
use portolan_api::components::DEFINITION;
use portolan_core_certificate::SubjectKind;
use portolan_runtime::certificates::{Keeper, Start, Terms};
use portolan_shell::{HttpsServer, ProbeServer, Readiness, ServedCertificate, signals};
use tokio_util::task::AbortOnDropHandle;

use crate::Flags;
use crate::approver::Approver;
use crate::budget::bounded;
use crate::converter::Converter;
use crate::flags::APPROVALS;
use crate::metrics::Metrics;
use crate::reviewer::Reviewer;

/// A webhook that answers once it runs.
#[expect(missing_debug_implementations, reason = "it is run, and nothing else")]
pub struct Listening {
    server: HttpsServer,
    probe_server: ProbeServer,
    keepers: Vec<Keeper>,
    reviewer: Reviewer,
    approver: Option<Approver>,
    converter: Option<Converter>,
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
            enable_v2alpha1,
            approvals,
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
        let keeper = |(kind, object)| Keeper {
            client: client.clone(),
            whose: "the webhook",
            kind,
            object,
            name: certificate.clone(),
            lifetimes,
            served: served.clone(),
            ready: ready.clone(),
            ends: metrics.ends(),
        };
        let reviews = (SubjectKind::ValidatingWebhookConfiguration, configuration);
        let conversions = (SubjectKind::CustomResourceDefinition, DEFINITION.to_owned());
        let conversions = Some(conversions).filter(|_| enable_v2alpha1);
        let stamps = (
            SubjectKind::MutatingWebhookConfiguration,
            APPROVALS.to_owned(),
        );
        let stamps = Some(stamps).filter(|_| approvals.is_some());
        let subjects = [reviews].into_iter().chain(conversions).chain(stamps);
        Ok(Self {
            server: HttpsServer::bind(listen, &served, connection_age).await?,
            probe_server: ProbeServer::bind(probes, named, registry).await?,
            reviewer: Reviewer::new(Some(client.clone()), metrics.clone()),
            approver: approvals
                .map(|secret| Approver::new(client.clone(), secret, metrics.clone())),
            converter: enable_v2alpha1.then(|| Converter::new(metrics.clone())),
            keepers: subjects.map(keeper).collect(),
        })
    }

    /// The address at which API servers call it.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// The address at which the probes are served.
    pub fn probes_address(&self) -> SocketAddr {
        self.probe_server.probes_address()
    }

    /// Answers until the first of `stops`, and then what has been asked before.
    pub async fn run(self, stops: impl Stream<Item = ()>) {
        let Self {
            server,
            probe_server,
            keepers,
            reviewer,
            approver,
            converter,
        } = self;
        let _probes = AbortOnDropHandle::new(tokio::spawn(probe_server.run()));
        let keepers = keepers.into_iter().map(Keeper::run);
        let keepers = keepers.map(|it| AbortOnDropHandle::new(tokio::spawn(it)));
        let _keepers: Vec<_> = keepers.collect();
        let mut routes = reviewer.routes();
        if let Some(converter) = converter {
            routes = routes.merge(converter.routes());
        }
        if let Some(approver) = approver {
            routes = routes.merge(approver.routes());
        }
        server.run(bounded(routes), stops).await;
    }
}
