//! The flags of the webhook.

use clap::Args;
use clap::builder::BoolishValueParser;
use portolan_core_certificate::CertificateName;
use portolan_shell::HttpsFlags;
use portolan_world::Access;

/// The name of the ValidatingWebhookConfiguration in the manifests of Portolan.
pub const CONFIGURATION: &str = "portolan-webhook";

/// The name of the MutatingWebhookConfiguration for approvals in the manifests of Portolan.
pub(crate) const APPROVALS: &str = "portolan-approvals";

/// The settings of the webhook.
#[derive(Debug, Clone, Args)]
pub struct Flags {
    /// The addresses on which the webhook listens.
    #[command(flatten)]
    pub serve: HttpsFlags,

    /// ValidatingWebhookConfiguration of this webhook. The webhook writes the caBundle of this
    /// object.
    #[arg(
        long,
        env = "PORTOLAN_CONFIGURATION",
        value_name = "NAME",
        default_value = CONFIGURATION,
        help_heading = "Certificate"
    )]
    pub configuration: String,

    /// Secret of the server certificate. The server creates and renews the certificate. The Secret
    /// must be in the namespace of the Service of the server.
    #[arg(
        long,
        env = "PORTOLAN_CERTIFICATE",
        value_name = "NAMESPACE/NAME",
        default_value = "portolan/portolan-webhook-certificate",
        help_heading = "Certificate"
    )]
    pub certificate: CertificateName,

    /// Convert Operators of OLM between v1 and v2alpha1, at /convert, and write the caBundle of
    /// their CRD.
    #[arg(
        long,
        env = "PORTOLAN_ENABLE_V2ALPHA1",
        value_parser = BoolishValueParser::new(),
        help_heading = "Operators v2alpha1"
    )]
    pub enable_v2alpha1: bool,

    /// Record and sign the user who approves an Install, at /approve, and write the caBundle of the
    /// MutatingWebhookConfiguration portolan-approvals. The signing key is in this Secret, which
    /// the controller also reads.
    #[arg(
        long,
        env = "PORTOLAN_APPROVALS",
        value_name = "NAMESPACE/NAME",
        help_heading = "Installs"
    )]
    pub approvals: Option<CertificateName>,

    /// The cluster whose API servers call the webhook.
    #[command(flatten)]
    pub access: Access,
}
