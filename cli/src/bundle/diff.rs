//! `portolan bundle diff`: the changes that an upgrade makes.

use clap::Parser;
use portolan_proto::resolver::v1 as pb;
use portolan_resolver::bundles::ImageFlags;
use portolan_resolver::local;

use super::changes::Changes;
use super::place::{BundleCatalogArgs, BundlePlace};
use super::render::sentence;
use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::print::{self, Detail, Format, Page, Render, Span, TEXT_OR_JSON};

/// Compare two bundles: breaking changes, additional permissions, and objects that are added or
/// removed.
///
/// A breaking change is an incompatible change of a CustomResourceDefinition, by the rules that OLM
/// v1 checks before an upgrade. Permissions and objects are compared for the install mode
/// AllNamespaces if both bundles support this mode, or else for another install mode that both
/// bundles support.
///
/// With two arguments, the command reads the bundles from folders, tar archives or images. With
/// three arguments, a package and two bundles, the command reads bundles of a catalog. The files of
/// the bundles are read from the folder of --bundles, the catalog, or the registries of their
/// images.
#[derive(Debug, Parser)]
#[command(
    // A generated usage would not show which arguments belong together.
    override_usage = "portolan bundle diff [OPTIONS] <OLD> <NEW>\n       \
                      portolan bundle diff [OPTIONS] <PACKAGE> <OLD> <NEW>",
    after_help = exit::after_help!(
        "0  no breaking changes",
        "1  breaking changes found";
        "portolan bundle diff ./ferry/1.0.0 ./ferry/1.1.0",
        "portolan bundle diff old.tar.gz new.tar.gz -o json",
        "portolan bundle diff ferry ferry.v1.0.0 ferry.v1.1.0 --catalog demo=./demo --bundles ./bundles"
    )
)]
pub(crate) struct BundleDiffArgs {
    /// Folders, tar archives or images (oci://IMAGE) of the old and the new bundle. Or the name of
    /// a package, and the names of both bundles.
    #[arg(value_name = "OLD NEW", num_args = 2..=3, required = true)]
    words: Vec<String>,

    /// Output format.
    #[arg(short, long, value_name = "FORM", default_value = "text", value_parser = Format::among(TEXT_OR_JSON))]
    output: Format,

    #[command(flatten)]
    catalogs: BundleCatalogArgs,
}

/// Two bundles, with their differences as the resolver computed them.
struct Compared {
    /// The bundles as the user specified them: locations, or names in a catalog.
    places: [String; 2],
    names: [String; 2],
    answer: pb::DiffBundlesResponse,
}

// === impl BundleDiffArgs ===

impl BundleDiffArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let compared = match self.words.as_slice() {
            [package, old, new] => Some(self.ask([package, old, new]).await?),
            [old, new] => {
                let (old, new) = (
                    BundlePlace::parse_argument(old, "diff")?,
                    BundlePlace::parse_argument(new, "diff")?,
                );
                match compare_places(&old, &new, self.catalogs.images()).await {
                    Ok(compared) => Some(compared),
                    Err(exit) => return Ok(exit),
                }
            }
            _ => None,
        };
        let Some(told) = compared.and_then(Compared::into_changes) else {
            return Ok(Exit::Unknown);
        };
        self.output.show(&told)
    }

    /// Requests the differences of two bundles of a catalog from the resolver.
    async fn ask(&self, [package, old, new]: [&String; 3]) -> Result<Compared, Failure> {
        let request = pb::DiffBundlesRequest {
            catalog: self.catalogs.catalog(),
            package: package.clone(),
            from: old.clone(),
            to: new.clone(),
            options: None,
        };
        let resolver = self.catalogs.connect().await?;
        let mut resolver = resolver.with_positional(&["package"]);
        Ok(Compared {
            places: [old.clone(), new.clone()],
            names: [old.clone(), new.clone()],
            answer: resolver.query(request).await?,
        })
    }
}

/// Reads the bundles at two locations. If a bundle cannot be read, prints the reason to standard
/// error and returns the exit code.
async fn compare_places(
    old: &BundlePlace,
    new: &BundlePlace,
    images: &ImageFlags,
) -> Result<Compared, Exit> {
    // Reads both bundles before it returns an error, so that the errors of both bundles are
    // reported.
    let from = old.read_or_report(images).await;
    let to = new.read_or_report(images).await;
    let (from, to) = (from?, to?);
    Ok(Compared {
        places: [old.to_string(), new.to_string()],
        names: [from.name().to_owned(), to.name().to_owned()],
        answer: local::diff(from, to),
    })
}

// === impl Compared ===

impl Compared {
    /// Returns the changes. If one of the bundles cannot be installed, prints an error and returns
    /// None.
    fn into_changes(self) -> Option<Changes> {
        let Self {
            places,
            names: [from, to],
            answer,
        } = self;
        let faults = [&answer.from_faults, &answer.to_faults];
        if faults.iter().all(|faults| faults.is_empty()) {
            return Some(Changes::of_answer(from, to, answer));
        }
        for (place, faults) in places.iter().zip(faults) {
            for fault in faults {
                print::error(&format!("{place}: {}", sentence(fault)));
            }
        }
        None
    }
}

impl Render for Changes {
    fn page(&self, _: Detail) -> Page {
        let mut page = Page::default();
        page.line([
            Span::heading(&self.from),
            "->".into(),
            Span::heading(&self.to),
        ]);
        let nothing = page_of(self, &mut page);
        if nothing {
            page.part();
            page.line([Span::good("Nothing changes.")]);
        }
        page
    }

    fn exit(&self) -> Exit {
        Exit::no_if(!self.breaks.is_empty())
    }
}

/// Adds the changes to the page. Returns true if the bundles have no differences.
fn page_of(changes: &Changes, page: &mut Page) -> bool {
    let breaks = changes.breaks.iter();
    let breaks = breaks.map(|it| format!("{}: {}: {}", it.file, it.definition, it.what()));
    let migrations = changes.migrations.iter();
    let migrations = migrations.map(|(name, how)| format!("{name}: {how}"));
    let versions = changes.versions.iter();
    let versions = versions.map(|(name, what)| format!("{name}: {what}"));
    let sections: [(&str, Vec<String>); 10] = [
        ("Breaking changes:", breaks.collect()),
        ("Suggestions:", migrations.collect()),
        ("Versions of CRDs:", versions.collect()),
        (
            "Additional permissions of the operator:",
            changes.permissions_grown.clone(),
        ),
        ("Not compared in detail:", changes.not_compared.clone()),
        ("Added:", changes.objects_added.clone()),
        ("Removed:", changes.objects_removed.clone()),
        ("Changed:", changes.objects_changed.clone()),
        ("Images added:", changes.images_added.clone()),
        ("Images removed:", changes.images_removed.clone()),
    ];
    let is_empty = sections.iter().all(|(_, lines)| lines.is_empty());
    for (heading, lines) in sections {
        page.list(heading, lines);
    }
    is_empty
}
