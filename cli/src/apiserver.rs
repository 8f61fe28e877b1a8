//! `portolan serve apiserver`: serves Installed to kubectl, through the API server of the cluster.

use clap::Parser;
use portolan_apiserver::Flags;

/// Serve the aggregated API of Installed: the operators that watch a namespace.
///
/// An APIService registers this server for the API group packages.operators.coreos.com, version
/// v2alpha1. The server creates and renews its certificate in a Secret that all replicas share, and
/// writes the caBundle of the APIService. The server listens immediately, and is ready (/readyz)
/// when it has a certificate and has read all objects. Run two replicas: if all replicas are
/// unavailable, namespaces of the cluster cannot be deleted.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes:
  0  stopped by a signal
  2  invalid input: the command line is invalid, or refers to a missing or invalid file or object
  3  stopped by an error, such as a port in use or an internal error

Examples:
  portolan serve apiserver --listen '[::]:8443'
  portolan serve apiserver --context staging --certificate portolan/portolan-apiserver-certificate
  kubectl get installed -n harbor")]
pub(crate) struct ApiserverArgs {
    #[command(flatten)]
    pub(crate) flags: Flags,
}
