//! Runs the webhook as a process.

use futures::FutureExt;
use portolan_api::components::DEFINITION;
use portolan_core_certificate::SubjectKind;
use portolan_runtime::certificates::{Keeper, Terms};
use portolan_runtime::{Process, Start};
use portolan_shell::{HttpsFlags, HttpsServer, ProbeServer, Readiness, ServedCertificate};

use crate::Flags;
use crate::approver::Approver;
use crate::budget::bounded;
use crate::converter::Converter;
use crate::flags::APPROVALS;
use crate::metrics::Metrics;
use crate::reviewer::Reviewer;

/// Runs the webhook until SIGTERM or Ctrl-C. It listens immediately, and becomes ready when it has
/// a certificate.
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
        configuration,
        certificate,
        enable_v2alpha1,
        approvals,
        access,
    } = flags;
    let client = access.client().await?;
    let (metrics, registry) = Metrics::new();
    let (served, ready) = (ServedCertificate::default(), Readiness::pending());
    let reviews = (SubjectKind::ValidatingWebhookConfiguration, configuration);
    let conversions = (SubjectKind::CustomResourceDefinition, DEFINITION.to_owned());
    let stamps = (
        SubjectKind::MutatingWebhookConfiguration,
        APPROVALS.to_owned(),
    );
    let subjects = [
        Some(reviews),
        Some(conversions).filter(|_| enable_v2alpha1),
        Some(stamps).filter(|_| approvals.is_some()),
    ];
    let mut routes = Reviewer::new(Some(client.clone()), metrics.clone()).routes();
    if enable_v2alpha1 {
        routes = routes.merge(Converter::new(metrics.clone()).routes());
    }
    if let Some(secret) = approvals {
        let approver = Approver::new(client.clone(), secret, metrics.clone());
        routes = routes.merge(approver.routes());
    }
    let server = HttpsServer::bind(listen, &served, terms.connection_age).await?;
    let probe_server = ProbeServer::bind(probes, ("webhook", ready.clone()), registry).await?;
    let address = server.address();
    let process = Process::new(|stops| server.run(bounded(routes), stops).map(Ok).boxed());
    let process = process.at(address).probed(probe_server);
    let keepers = subjects.into_iter().flatten().map(|(kind, object)| Keeper {
        client: client.clone(),
        whose: "the webhook",
        kind,
        object,
        name: certificate.clone(),
        lifetimes: terms.lifetimes,
        served: served.clone(),
        ready: ready.clone(),
        ends: metrics.ends(),
    });
    Ok(keepers.fold(process, |process, keeper| process.beside(keeper.run())))
}
