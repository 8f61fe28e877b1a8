//! The flags of the API server of Installed.

use std::path::PathBuf;

use clap::Args;
use portolan_api::qualified::INSTALLED_API_SERVICE;
use portolan_core_certificate::CertificateName;
use portolan_shell::HttpsFlags;
use portolan_world::Access;

/// The settings of the API server of Installed.
#[derive(Debug, Clone, Args)]
pub struct Flags {
    /// The addresses on which the server listens.
    #[command(flatten)]
    pub serve: HttpsFlags,

    /// Name of the APIService of this server. Unless --tls is given, the server writes the caBundle
    /// of the APIService.
    #[arg(
        long,
        env = "PORTOLAN_API_SERVICE",
        value_name = "NAME",
        default_value = INSTALLED_API_SERVICE,
        help_heading = "Certificate"
    )]
    pub api_service: String,

    /// Secret of the server certificate. The server creates and renews the certificate. The Secret
    /// must be in the namespace of the Service of the server.
    #[arg(
        long,
        env = "PORTOLAN_CERTIFICATE",
        value_name = "NAMESPACE/NAME",
        default_value = "portolan/portolan-apiserver-certificate",
        help_heading = "Certificate"
    )]
    pub certificate: CertificateName,

    /// Folder with tls.crt and tls.key of an external certificate, such as a certificate of
    /// cert-manager. With this option, no certificate is created, and no caBundle is written.
    /// Changed files are reloaded.
    #[arg(
        long,
        env = "PORTOLAN_TLS",
        value_name = "DIR",
        conflicts_with = "certificate",
        help_heading = "Certificate"
    )]
    pub tls: Option<PathBuf>,

    /// The cluster whose API servers call this server.
    #[command(flatten)]
    pub access: Access,
}
