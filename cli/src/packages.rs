//! `portolan packages`: lists the packages of catalogs, or shows one package in detail.

use clap::Parser;
use portolan_proto::resolver::v1::get_package_response::Bundle;
use portolan_proto::resolver::v1::list_packages_response::Package;
use portolan_proto::resolver::v1::{
    Catalog, CatalogRef, GetPackageRequest, GetPackageResponse, ListCatalogsRequest,
    ListPackagesResponse,
};

use crate::catalog::is_unread;
use crate::exit::{self, Exit};
use crate::facts::CatalogArgs;
use crate::failure::Failure;
use crate::print::words::{self, or_none};
use crate::print::{self, Detail, OutputArgs, Page, Render, Span, Table};
use crate::scope::InOrFromArgs;

/// The maximum number of channel heads of a package that are printed. There is no limit if the user
/// requests all details.
const HEADS: usize = 2;

/// The maximum number of bundles that are printed, unless the user requests all bundles.
const NEWEST: usize = 10;

/// List all packages, or describe one package with its channels and bundles.
///
/// The exit code is 3 if a catalog or a document of a catalog cannot be read, because then the list
/// may be incomplete.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  success";
        "portolan packages --catalog demo=./demo",
        "portolan packages --world ./dump ferry",
        "portolan packages ferry --server http://127.0.0.1:50051",
        "portolan packages ferry --icon -o json --catalog demo=./demo"
    )
)]
pub(crate) struct PackagesArgs {
    /// Package to describe. Default: list all packages.
    #[arg(value_name = "PACKAGE")]
    package: Option<String>,

    /// Also read the icon of the package. Only -o json prints the icon.
    #[arg(long, requires = "package")]
    icon: bool,

    #[command(flatten)]
    within: InOrFromArgs,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    facts: CatalogArgs,
}

// === impl PackagesArgs ===

impl PackagesArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let catalog = self.within.catalog();
        match self.package {
            Some(package) => {
                let request = GetPackageRequest {
                    catalog,
                    package,
                    icon: self.icon,
                };
                let answer = self.facts.query(&["package"], request).await?;
                self.output.format.show(&answer)
            }
            None => {
                let mut resolver = self.facts.connect().await?;
                let answer = resolver.packages(&catalog).await?;
                self.output.format.show(&answer)?;
                print::warn_of_faults(&answer.catalogs);
                let request = ListCatalogsRequest { catalog };
                let listed = resolver.query(request).await?;
                let is_in_doubt = hides_packages(&listed.catalogs);
                Ok(Exit::Answered.unless_in_doubt(is_in_doubt))
            }
        }
    }
}

/// Returns true if a catalog that was not read may contain more packages. Prints a warning for each
/// of these catalogs.
fn hides_packages(catalogs: &[Catalog]) -> bool {
    for catalog in catalogs.iter().filter(|it| is_unread(it)) {
        let why = catalog.reasons.first().map(|why| why.message.as_str());
        print::warn(&format!(
            "the packages of catalog {} are not listed, because the catalog cannot be read: {}",
            catalog.name,
            why.unwrap_or("the catalog has not answered yet")
        ));
    }
    let mut catalogs = catalogs.iter();
    catalogs.any(|it| is_unread(it) || words::may_hide(&it.faults))
}

impl Render for ListPackagesResponse {
    fn page(&self, detail: Detail) -> Page {
        let mut page = Page::default();
        if self.packages.is_empty() {
            page.text_line("No packages found.");
            return page;
        }
        page.table(
            Table::of(&self.packages, detail)
                .text("PACKAGE", &|package| &package.name)
                .text("CATALOG", &|package| &package.catalog)
                .text("DEFAULT", &|package| &package.default_channel)
                .column("HEAD", &|package| heads(package, detail).into())
                .column("CHANNELS", &|package| package.channels.to_string().into())
                .column("BUNDLES", &|package| package.bundles.to_string().into())
                .column("NOTE", &|package| match detail {
                    Detail::Whole if package.deprecation.is_empty() => {
                        Span::plain(&package.display_name)
                    }
                    detail => note(&package.deprecation, detail),
                }),
        );
        page
    }

    fn names(&self) -> Option<Vec<String>> {
        let names = self.packages.iter();
        let names = names.map(|package| format!("package/{}", package.name));
        Some(names.collect())
    }

    fn catalogs(&self) -> &[CatalogRef] {
        &self.catalogs
    }
}

impl Render for GetPackageResponse {
    fn page(&self, detail: Detail) -> Page {
        let catalogs = self.catalogs.iter().map(|catalog| &catalog.name);
        let catalogs = words::names(&catalogs.collect::<Vec<_>>(), Detail::Whole);
        let mut page = Page::default();
        page.facts([
            ("Package:", Span::plain(&self.name)),
            ("Catalog:", catalogs.into()),
            ("Default channel:", or_none(&self.default_channel).into()),
        ]);
        if !self.deprecation.is_empty() {
            page.part();
            page.line([note(&self.deprecation, Detail::Whole)]);
        }
        describe_in_words(&mut page, &self.description, detail);
        page.part();
        page.table(
            Table::of(&self.channels, detail)
                .text("CHANNEL", &|channel| &channel.name)
                .column("HEAD", &|channel| {
                    let heads: Vec<_> = channel.heads.iter().map(|head| &head.name).collect();
                    words::names(&heads, detail).into()
                })
                .column("ENTRIES", &|channel| channel.entries.to_string().into())
                .column("NOTE", &|channel| note(&channel.deprecation, detail)),
        );
        list_bundles(&mut page, &self.bundles, detail);
        words::list_faults(&mut page, &self.faults);
        page
    }

    fn names(&self) -> Option<Vec<String>> {
        let bundles = self.bundles.iter();
        Some(bundles.map(|bundle| bundle.name.clone()).collect())
    }

    fn catalogs(&self) -> &[CatalogRef] {
        &self.catalogs
    }

    fn exit(&self) -> Exit {
        Exit::Answered.unless_in_doubt(words::may_hide(&self.faults))
    }
}

/// Returns the heads of all channels of a package as one line.
fn heads(package: &Package, detail: Detail) -> String {
    let names: Vec<_> = package.heads.iter().map(|head| &head.name).collect();
    match names.split_at_checked(HEADS) {
        Some((first, rest)) if detail == Detail::Usual && !rest.is_empty() => {
            format!("{} +{}", words::names(first, detail), rest.len())
        }
        _ => words::names(&names, detail),
    }
}

fn describe_in_words(page: &mut Page, description: &str, detail: Detail) {
    if description.is_empty() {
        return;
    }
    page.part();
    match detail {
        Detail::Whole => page.block(description),
        Detail::Usual => {
            let mut lines = description.lines().filter(|line| !line.trim().is_empty());
            page.text_line(lines.next().unwrap_or_default());
            if lines.next().is_some() {
                page.text_line("... (-o wide shows the whole description)");
            }
        }
    }
}

fn list_bundles(page: &mut Page, bundles: &[Bundle], detail: Detail) {
    let shown = match detail {
        Detail::Usual => bundles.len().min(NEWEST),
        Detail::Whole => bundles.len(),
    };
    page.part();
    page.table(
        Table::of(&bundles[..shown], detail)
            .text("BUNDLE", &|bundle| &bundle.name)
            .column("VERSION", &|bundle| {
                or_none(&words::version(&bundle.version, &bundle.release)).into()
            })
            .column("CHANNELS", &|bundle| {
                words::names(&bundle.channels, detail).into()
            })
            .column("NOTE", &|bundle| note(&bundle.deprecation, detail)),
    );
    if shown < bundles.len() {
        let left_out = words::count(bundles.len() - shown, "older bundle");
        page.text_line(format!("... {left_out} (-o wide shows all)"));
    }
}

/// Returns the note about a deprecation. The note contains the message of the deprecation if the
/// user requests all details.
fn note(deprecation: &str, detail: Detail) -> Span {
    match (deprecation, detail) {
        ("", _) => Span::default(),
        (_, Detail::Usual) => Span::warning("deprecated"),
        (why, Detail::Whole) => Span::warning(format!("deprecated: {why}")),
    }
}
