//! `portolan apiserver`: serves Installed to kubectl, through the API server of the cluster.

use clap::Parser;
use portolan_apiserver::Flags;

/// Serve the aggregated API of Installed: the operators that watch a namespace.
///
/// The API server of the cluster asks it for the group packages.operators.coreos.com, version v2alpha1: an
/// APIService says so. It makes and renews its own certificate, in a Secret that all its replicas share, and
/// writes the caBundle of the APIService. Listens at once, and is ready (/readyz) when it has a certificate and
/// has looked at everything. Have two replicas: while none answers, namespaces of the cluster cannot be deleted.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes:
  0  it was told to stop
  2  the command line, or what it points at, is wrong
  3  it could not go on: a port is in use, this program has a bug

Examples:
  portolan apiserver --listen '[::]:8443'
  portolan apiserver --context staging --certificate portolan/portolan-apiserver-certificate
  kubectl get installed -n harbor")]
pub(crate) struct ApiserverArgs {
    #[command(flatten)]
    pub(crate) flags: Flags,
}
