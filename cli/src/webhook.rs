//! `portolan webhook`: says at `kubectl apply` what the controller would say later.

use clap::Parser;
use portolan_webhook::Flags;

/// Serve the admission webhook: validate OperatorPolicies, Operators, Policies, PolicyBindings and
/// InstallPlans.
///
/// Says in `kubectl apply` what conditions would say later. It makes and renews its own certificate, in a
/// Secret that all its replicas share, and has API servers trust it. Where it does not answer, API servers go
/// on: nothing waits for it. Listens at once, and is ready (/readyz) when it has a certificate.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes:
  0  it was told to stop
  2  the command line, or what it points at, is wrong
  3  it could not go on: a port is in use, this program has a bug

Examples:
  portolan webhook --listen '[::]:8443'
  portolan webhook --context staging --certificate portolan/portolan-webhook-certificate")]
pub(crate) struct WebhookArgs {
    #[command(flatten)]
    pub(crate) flags: Flags,
}
