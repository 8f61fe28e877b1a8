//! The flags of the API server of Installed.

use std::path::PathBuf;

use clap::Args;
use portolan_core_certificate::CertificateName;
use portolan_shell::HttpsFlags;
use portolan_world::Access;

/// What the API server of Installed needs to be told.
#[derive(Debug, Clone, Args)]
pub struct Flags {
    /// The addresses that it listens on.
    #[command(flatten)]
    pub serve: HttpsFlags,

    /// The APIService by which the API server of the cluster calls it, and whose caBundle it writes without --tls.
    #[arg(
        long,
        env = "PORTOLAN_API_SERVICE",
        value_name = "NAME",
        default_value = "v2alpha1.packages.operators.coreos.com",
        help_heading = "Certificate"
    )]
    pub api_service: String,

    /// Secret of its certificate, which it makes and renews. It is in the namespace of the Service by which
    /// it is called.
    #[arg(
        long,
        env = "PORTOLAN_CERTIFICATE",
        value_name = "NAMESPACE/NAME",
        default_value = "portolan/portolan-apiserver-certificate",
        help_heading = "Certificate"
    )]
    pub certificate: CertificateName,

    /// Folder with tls.crt and tls.key of a certificate that somebody else makes, such as cert-manager: none is
    /// made then, and no caBundle is written. The files are read again when they change.
    #[arg(
        long,
        env = "PORTOLAN_TLS",
        value_name = "DIR",
        conflicts_with = "certificate",
        help_heading = "Certificate"
    )]
    pub tls: Option<PathBuf>,

    /// Whose API server calls it.
    #[command(flatten)]
    pub access: Access,
}
