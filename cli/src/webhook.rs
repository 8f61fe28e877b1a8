//! `portolan serve webhook`: validates objects when a user applies them. Without the webhook, the
//! controller reports the same errors later.

use clap::Parser;
use portolan_webhook::Flags;

/// Serve the admission webhook: validate OperatorPolicies, Operators, Policies, PolicyBindings and
/// InstallPlans.
///
/// The webhook reports errors to `kubectl apply` that conditions would report only later. The
/// webhook creates and renews its certificate in a Secret that all replicas share, and configures
/// API servers to trust the certificate. If the webhook is unavailable, API servers accept requests
/// without validation. The webhook listens immediately, and is ready (/readyz) when it has a
/// certificate.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes:
  0  stopped by a signal
  2  invalid input: the command line is invalid, or refers to a missing or invalid file or object
  3  stopped by an error, such as a port in use or an internal error

Examples:
  portolan serve webhook --listen '[::]:8443'
  portolan serve webhook --context staging --certificate portolan/portolan-webhook-certificate")]
pub(crate) struct WebhookArgs {
    #[command(flatten)]
    pub(crate) flags: Flags,
}
