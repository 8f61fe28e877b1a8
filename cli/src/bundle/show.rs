//! `portolan bundle show`: shows one bundle, the objects that it installs, and its requirements.

mod files;

use clap::Parser;
use portolan_proto::resolver::v1::GetBundleRequest;
use portolan_resolver::bundles::ImageFlags;

use self::files::BundleDocument;
use super::place::BundlePlace;
use crate::exit::{self, Exit};
use crate::facts::CatalogArgs;
use crate::failure::Failure;
use crate::print::{Format, OutputArgs};
use crate::scope::InOrFromArgs;

/// Describe a bundle: its content, requirements and permissions.
///
/// With one argument, the bundle is read from a folder with `manifests` and `metadata`, a tar
/// archive of such a folder, or an image as oci://IMAGE. With two arguments, a package and a
/// bundle, the bundle is read from a catalog, and the command also shows the channels of the
/// bundle.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  success";
        "portolan bundle show ./ferry/1.0.0",
        "portolan bundle show ferry.tar.gz -o json",
        "portolan bundle show oci://registry.example/ferry:v1.0.0",
        "portolan bundle show ferry ferry.v1.0.0 --catalog demo=./demo",
        "portolan bundle show ferry ferry.v1.0.0 --objects -o json --server http://127.0.0.1:50051"
    )
)]
pub(crate) struct BundleShowArgs {
    /// Folder, tar archive or image (oci://IMAGE) of the bundle. If BUNDLE is given, the name of
    /// the package.
    #[arg(value_name = "PLACE|PACKAGE")]
    package: String,

    /// Name of the bundle in the catalog.
    #[arg(value_name = "BUNDLE")]
    bundle: Option<String>,

    /// Also read the manifests of the bundle, which can be several megabytes.
    #[arg(long, requires = "bundle")]
    objects: bool,

    #[command(flatten)]
    within: InOrFromArgs,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    facts: CatalogArgs,
}

// === impl BundleShowArgs ===

impl BundleShowArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let Some(bundle) = self.bundle else {
            return show(&self.package, self.output.format, self.facts.images()).await;
        };
        let request = GetBundleRequest {
            catalog: self.within.catalog(),
            package: self.package,
            bundle,
            objects: self.objects,
        };
        let answer = self.facts.query(&["package", "bundle"], request).await?;
        self.output.format.show(&answer)
    }
}

/// Shows the bundle at a location.
async fn show(place: &str, format: Format, images: &ImageFlags) -> Result<Exit, Failure> {
    let place = BundlePlace::parse_argument(place, "show")?;
    let bundle = match place.read_or_report(images).await {
        Ok(bundle) => bundle,
        Err(exit) => return Ok(exit),
    };
    format.show(&BundleDocument::of(&bundle))
}
