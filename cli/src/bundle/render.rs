//! `portolan bundle render`: the manifests that install a bundle.

use clap::{Args, Parser, ValueEnum};
use portolan_core_names::text::cite;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::install_options;
use portolan_proto::resolver::v1::render_bundle_response::{Certificate, Manifest};
use portolan_resolver::local;
use serde_json::Value as Json;

use super::place::{BundleCatalogArgs, BundlePlace};
use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::operators::read_bytes;
use crate::print::{self, Format, words};

/// The formats of manifests.
const FORMATS: [(Format, &str); 2] = [
    (Format::Yaml, "One document for each manifest"),
    (Format::Json, "One object of kind List"),
];

/// Print the manifests that install a bundle, for kubectl to apply.
///
/// The output contains the manifests that OLM v1 creates, and the additions that operators expect
/// from OLM v0. Values that an API server would reject are corrected. If the bundle cannot be
/// rendered, all errors are reported at once and nothing is printed.
///
/// With one argument, the command reads the bundle from a folder or a tar archive. With two
/// arguments, a package and a bundle, the command reads a bundle of a catalog. The files of the
/// bundle are read from the folder of --bundles, the catalog, or the registry of its image.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  the manifests are printed",
        "1  the bundle cannot be installed with these options";
        "portolan bundle render ./ferry/1.0.0 -n ferries | kubectl apply --server-side -f -",
        "portolan bundle render ferry.tar.gz -n ferries --watch-namespaces north,south",
        "portolan bundle render ./ferry/1.0.0 -n ferries --like-olm-v1 -o json",
        "portolan bundle render ferry ferry.v1.0.0 --catalog demo=./demo --bundles ./bundles"
    )
)]
pub(crate) struct BundleRenderArgs {
    /// Place of the bundle: a folder with `manifests` and `metadata`, or a tar archive of such a
    /// folder. If BUNDLE is given, the name of the package.
    #[arg(value_name = "PLACE|PACKAGE")]
    place: String,

    /// Name of the bundle in the catalog.
    #[arg(value_name = "BUNDLE")]
    bundle: Option<String>,

    #[command(flatten)]
    installing: InstallArgs,

    /// Output format.
    #[arg(short, long, value_name = "FORM", default_value = "yaml", value_parser = Format::among(FORMATS))]
    output: Format,

    #[command(flatten)]
    catalogs: BundleCatalogArgs,
}

/// The settings of an installation.
#[derive(Debug, Args)]
struct InstallArgs {
    /// Namespace in which the operator runs. Default: the namespace that the bundle suggests, or
    /// else the name of the package.
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Option<String>,

    /// Namespaces that the operator watches. Default: all namespaces, if the bundle supports all
    /// namespaces.
    #[arg(long, value_name = "NAMESPACES", value_delimiter = ',')]
    watch_namespaces: Vec<String>,

    /// File with changes for every Deployment, in the format of `spec.config` of a Subscription.
    /// Use - for standard input.
    #[arg(long, value_name = "FILE|-")]
    config: Option<String>,

    /// Source of the certificates of webhooks.
    #[arg(long, value_name = "BY", default_value = "cert-manager")]
    certificates: CertificateIssuer,

    /// Render exactly what OLM v1 renders.
    #[arg(long)]
    like_olm_v1: bool,
}

/// The source of certificates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CertificateIssuer {
    /// Certificates of cert-manager, which must be installed.
    CertManager,
    /// The service CA of OpenShift.
    Openshift,
    /// No certificates. Bundles with webhooks are rejected.
    None,
    /// Certificates in Secrets that you create. The names of the Secrets are printed to standard
    /// error.
    Own,
}

// === impl BundleRenderArgs ===

impl BundleRenderArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let answer = match &self.bundle {
            None => {
                let place = BundlePlace::parse_argument(&self.place, "render")?;
                let bundle = match place.read_or_report(self.catalogs.images()).await {
                    Ok(bundle) => bundle,
                    Err(exit) => return Ok(exit),
                };
                let options = self.installing.options()?;
                local::render(bundle, &options).map_err(|status| Failure::of_flags(&status))?
            }
            Some(bundle) => self.ask(bundle).await?,
        };
        if answer.manifests.is_empty() {
            for fault in &answer.faults {
                print::error(&sentence(fault));
            }
            return Ok(Exit::No);
        }
        let notes = answer.manifests.iter().flat_map(|manifest| &manifest.notes);
        notes.for_each(|note| print::warn(note));
        for certificate in &answer.certificates {
            print::warn(&secret(certificate));
        }
        print::text(&text(self.output, &answer.manifests)?)?;
        Ok(Exit::Answered)
    }

    /// Requests the manifests of a bundle of a catalog from the resolver.
    async fn ask(&self, bundle: &str) -> Result<pb::RenderBundleResponse, Failure> {
        let request = pb::RenderBundleRequest {
            catalog: self.catalogs.catalog(),
            package: self.place.clone(),
            bundle: bundle.to_owned(),
            options: Some(self.installing.options()?),
            image: String::new(),
        };
        let resolver = self.catalogs.connect().await?;
        let mut resolver = resolver.with_positional(&["package", "bundle"]);
        resolver.query(request).await
    }
}

/// Returns a fault as text: its file and line, or the command-line flag, and the message.
pub(crate) fn sentence(fault: &pb::BundleFault) -> String {
    let pb::BundleFault {
        file,
        line,
        message,
        option,
        ..
    } = fault;
    match (file.as_str(), line, option.as_str()) {
        ("", _, "") => message.clone(),
        ("", _, option) => format!("{}: {message}", words::flag(option)),
        (file, 0, _) => format!("{file}: {message}"),
        (file, line, _) => format!("{file}:{line}: {message}"),
    }
}

/// Returns a note that the user must create the Secret with the certificate.
fn secret(certificate: &Certificate) -> String {
    let Certificate {
        namespace,
        secret,
        hosts,
    } = certificate;
    format!(
        "create Secret {namespace}/{secret} of type kubernetes.io/tls with a certificate for {}; the webhooks do not work without the Secret",
        hosts.join(", ")
    )
}

// === impl InstallArgs ===

impl InstallArgs {
    fn options(&self) -> Result<pb::InstallOptions, Failure> {
        let certificates = match self.certificates {
            CertificateIssuer::CertManager => install_options::Certificates::CertManager,
            CertificateIssuer::Openshift => install_options::Certificates::ServiceCa,
            CertificateIssuer::None => install_options::Certificates::None,
            CertificateIssuer::Own => install_options::Certificates::Own,
        };
        Ok(pb::InstallOptions {
            namespace: self.namespace.clone().unwrap_or_default(),
            watch_namespaces: self.watch_namespaces.clone(),
            certificates: certificates.into(),
            like_olm_v1: self.like_olm_v1,
            config: self.config.as_deref().map_or(Ok(String::new()), config)?,
        })
    }
}

/// Reads a config file, and returns its content as JSON.
fn config(file: &str) -> Result<String, Failure> {
    let (name, bytes) = read_bytes(file, "--config")?;
    let config: Json = serde_saphyr::from_slice(&bytes).map_err(|error| {
        let why = cite(&error.to_string());
        Failure::usage(format!("cannot read {name} (--config): {why}"))
    })?;
    Ok(config.to_string())
}

fn text(format: Format, manifests: &[Manifest]) -> Result<String, Failure> {
    let objects = manifests.iter();
    let objects = objects.map(|manifest| serde_json::from_str(&manifest.object));
    let objects: Vec<Json> = objects.collect::<Result<_, _>>().map_err(Failure::failed)?;
    if format == Format::Json {
        return print::objects(format, &objects.iter().collect::<Vec<_>>());
    }
    let mut text = String::new();
    for object in objects {
        text += "---\n";
        text += &serde_saphyr::to_string(&object).map_err(Failure::failed)?;
    }
    Ok(text)
}
