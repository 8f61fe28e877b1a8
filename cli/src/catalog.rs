//! `portolan catalog`: lists catalogs, and shows their errors and warnings.

mod junit;

use std::collections::BTreeMap;

use clap::{Parser, Subcommand};
use portolan_proto::resolver::v1::{
    Catalog, CatalogRef, CheckCatalogsRequest, CheckCatalogsResponse, Fault, ListCatalogsRequest,
    ListCatalogsResponse, fault,
};
use serde::Serialize;

use crate::exit::{self, Exit};
use crate::facts::CatalogArgs;
use crate::failure::Failure;
use crate::print::{self, words};
use crate::print::{Detail, Format, OutputArgs, Page, Render, Span, Table};
use crate::scope::{InOrFromArgs, WatchArgs};

/// The number of printed digits of a digest, which are enough to distinguish two digests.
const DIGITS: usize = 12;

/// The output formats of `catalog check`.
const CHECKS: [(Format, &str); 5] = [
    (
        Format::Table,
        "One line for each finding, grouped by package",
    ),
    (Format::Wide, "The same as table"),
    (Format::Json, "The gRPC response as JSON, for programs"),
    (Format::Yaml, "Like json, but in YAML format"),
    (
        Format::Junit,
        "JUnit XML with one test case for each package, for test reports",
    ),
];

/// List and check catalogs.
#[derive(Debug, Subcommand)]
pub(crate) enum CatalogCommand {
    List(CatalogListArgs),
    Check(CatalogCheckArgs),
}

/// List catalogs with their state and content.
///
/// FAULTS counts errors that were found while reading the documents. `catalog check` also checks
/// channels and dependencies of bundles, so it may find more errors.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  success";
        "portolan catalog list --catalog demo=./demo --catalog prod=./prod",
        "portolan catalog list --server http://127.0.0.1:50051 -o wide"
    )
)]
pub(crate) struct CatalogListArgs {
    #[command(flatten)]
    within: InOrFromArgs,

    #[command(flatten)]
    watched: WatchArgs,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    facts: CatalogArgs,
}

/// Check catalogs, and list errors, warnings and notes.
///
/// An error makes opm reject the catalog. opm accepts a catalog with warnings, but each warning is
/// probably a mistake. A note shows content that is unusual, but often intended.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  no errors found; warnings are allowed unless --strict is given",
        "1  errors found, or with --strict: warnings";
        "portolan catalog check ./demo",
        "portolan catalog check ./demo -o junit > results.xml",
        "portolan catalog check --catalog demo=./demo",
        "portolan catalog check --strict --server http://127.0.0.1:50051 --in prod -o json"
    )
)]
pub(crate) struct CatalogCheckArgs {
    /// Catalog to check: a folder (or file) of catalog files, or another place that --catalog
    /// accepts.
    #[arg(value_name = "PLACE", conflicts_with_all = ["catalogs", "world", "server", "kubeconfig", "context", "user"])]
    place: Option<String>,

    /// Also exit with 1 if there are warnings.
    #[arg(long)]
    strict: bool,

    #[command(flatten)]
    within: InOrFromArgs,

    /// Output format.
    #[arg(short, long, value_name = "FORM", default_value = "table", value_parser = Format::among(CHECKS))]
    output: Format,

    #[command(flatten)]
    facts: CatalogArgs,
}

// === impl CatalogCommand ===

impl CatalogCommand {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        match self {
            Self::List(command) => command.run().await,
            Self::Check(command) => command.run().await,
        }
    }
}

// === impl CatalogListArgs ===

impl CatalogListArgs {
    async fn run(self) -> Result<Exit, Failure> {
        let catalog = self.within.catalog();
        let mut resolver = self.facts.connect().await?;
        let ask = async || {
            let catalog = catalog.clone();
            let request = ListCatalogsRequest { catalog };
            resolver.query(request).await
        };
        self.facts.can_be_watched(&self.watched)?;
        self.watched.show(self.output.format, ask).await
    }
}

impl Render for ListCatalogsResponse {
    fn page(&self, detail: Detail) -> Page {
        let mut page = Page::default();
        page.table(
            Table::of(&self.catalogs, detail)
                .text("NAME", &|catalog| &catalog.name)
                .column("STATE", &|catalog| words::state(catalog.state()))
                .wide_text("SINCE", &|catalog| &catalog.since)
                .column("PRIORITY", &|catalog| catalog.priority.to_string().into())
                .column("PACKAGES", &|catalog| catalog.packages.to_string().into())
                .column("CHANNELS", &|catalog| catalog.channels.to_string().into())
                .column("BUNDLES", &|catalog| catalog.bundles.to_string().into())
                .column("FAULTS", &|catalog| {
                    Span::warning_if(catalog.fault_count > 0, catalog.fault_count.to_string())
                })
                .text("DIGEST", &|catalog| digest(catalog, detail))
                .wide("SOURCE", &|catalog| source(catalog).into()),
        );
        for catalog in self.catalogs.iter().filter(|it| !it.reasons.is_empty()) {
            page.part();
            let since = match catalog.since.as_str() {
                "" => ":".to_owned(),
                since => format!("since {since}:"),
            };
            let name = Span::heading(&catalog.name);
            let state = words::state(catalog.state());
            page.line([name, "is".into(), state, since.into()]);
            for reason in &catalog.reasons {
                page.below([format!("{}: {}", reason.code, reason.message).into()]);
            }
        }
        page
    }

    fn names(&self) -> Option<Vec<String>> {
        let catalogs = self.catalogs.iter();
        Some(catalogs.map(|catalog| catalog.name.clone()).collect())
    }
}

fn digest(catalog: &Catalog, detail: Detail) -> &str {
    let digits = catalog.digest.strip_prefix("sha256:");
    match digits.and_then(|digits| digits.get(..DIGITS)) {
        Some(digits) if detail == Detail::Usual => digits,
        _ => &catalog.digest,
    }
}

fn source(catalog: &Catalog) -> String {
    let source = catalog.source.as_ref();
    let object = source.and_then(|source| source.object.as_ref());
    object.map_or_else(|| words::NONE.to_owned(), words::object)
}

// === impl CatalogCheckArgs ===

impl CatalogCheckArgs {
    async fn run(mut self) -> Result<Exit, Failure> {
        if let Some(place) = &self.place {
            self.facts.add(place)?;
        }
        let mut resolver = self.facts.connect().await?;
        let catalog = self.within.catalog();
        let listed = ListCatalogsRequest {
            catalog: catalog.clone(),
        };
        let listed = resolver.query(listed).await?;
        let request = CheckCatalogsRequest {
            catalog,
            ..CheckCatalogsRequest::default()
        };
        let answer = resolver.query_all(request).await?;
        let checked = Checked {
            answer,
            catalogs: listed.catalogs,
            is_strict: self.strict,
        };
        for catalog in checked.unread() {
            let why = catalog
                .reasons
                .first()
                .map(|why| format!(": {}", why.message));
            let why = why.unwrap_or_default();
            print::warn(&format!(
                "catalog {} was not checked, because the catalog cannot be read{why}",
                catalog.name
            ));
        }
        self.output.show(&checked)
    }
}

/// The findings of a check, and the checked catalogs.
#[derive(Debug, Serialize)]
struct Checked {
    #[serde(flatten)]
    answer: CheckCatalogsResponse,
    #[serde(skip)]
    catalogs: Vec<Catalog>,
    #[serde(skip)]
    is_strict: bool,
}

// === impl Checked ===

impl Checked {
    /// Returns the catalogs that could not be read.
    fn unread(&self) -> impl Iterator<Item = &Catalog> {
        self.catalogs.iter().filter(|it| is_unread(it))
    }
}

impl Render for Checked {
    fn page(&self, _: Detail) -> Page {
        faults(&self.answer, &self.catalogs)
    }

    fn text(&self, _: Format) -> Result<String, Failure> {
        let unread: Vec<_> = self.unread().collect();
        Ok(junit::render(&self.answer, &unread, self.is_strict))
    }

    fn catalogs(&self) -> &[CatalogRef] {
        &self.answer.catalogs
    }

    fn exit(&self) -> Exit {
        let is_bad = self.answer.errors > 0 || self.is_strict && self.answer.warnings > 0;
        Exit::no_if(is_bad).unless_in_doubt(self.unread().next().is_some())
    }
}

/// Returns true if the content of the catalog has never been read.
pub(crate) fn is_unread(catalog: &Catalog) -> bool {
    catalog.digest.is_empty()
}

/// Returns a page with the faults of each package. Packages with errors come first, then packages
/// with warnings. The faults of a package keep their order.
fn faults(answer: &CheckCatalogsResponse, checked: &[Catalog]) -> Page {
    let groups = by_package(answer);
    let mut page = Page::default();
    for ((catalog, package), faults) in groups {
        page.section(match package {
            "" => format!("catalog {catalog}"),
            package => format!("package {package} of catalog {catalog}"),
        });
        page.rows(&faults.into_iter().map(row).collect::<Vec<_>>());
    }
    page.part();
    page.line([Span::plain(extent(checked)), summary(answer)]);
    page
}

/// Returns the faults of each catalog and package. The package with the most severe fault comes
/// first.
fn by_package(answer: &CheckCatalogsResponse) -> Vec<((&str, &str), Vec<&Fault>)> {
    let mut found: BTreeMap<(&str, &str), Vec<&Fault>> = BTreeMap::new();
    for fault in &answer.faults {
        let subject = (fault.catalog.as_str(), fault.package.as_str());
        found.entry(subject).or_default().push(fault);
    }
    let mut groups: Vec<_> = found.into_iter().collect();
    for (_, faults) in &mut groups {
        faults.sort_by_key(|fault| rank(fault));
    }
    groups.sort_by_key(|(_, faults)| faults.iter().map(|fault| rank(fault)).min());
    groups
}

/// Returns the number of packages, channels and bundles that were checked.
fn extent(checked: &[Catalog]) -> String {
    let total = |of: fn(&Catalog) -> u32| checked.iter().map(of).sum::<u32>() as usize;
    format!(
        "Checked {}, {} and {}:",
        words::count(total(|it| it.packages), "package"),
        words::count(total(|it| it.channels), "channel"),
        words::count(total(|it| it.bundles), "bundle"),
    )
}

/// Returns the sort key of a fault. The most severe fault has the lowest key.
fn rank(fault: &Fault) -> u8 {
    match fault.severity() {
        fault::Severity::Error => 0,
        fault::Severity::Unspecified | fault::Severity::Warning => 1,
        fault::Severity::Note => 2,
    }
}

fn row(fault: &Fault) -> Vec<Span> {
    vec![
        words::severity(fault.severity()),
        Span::plain(&fault.code),
        Span::plain(&fault.message),
    ]
}

fn summary(answer: &CheckCatalogsResponse) -> Span {
    let CheckCatalogsResponse {
        errors,
        warnings,
        notes,
        ..
    } = answer;
    let counts = format!(
        "{}, {} and {}",
        words::count(*errors as usize, "error"),
        words::count(*warnings as usize, "warning"),
        words::count(*notes as usize, "note"),
    );
    match (errors, warnings) {
        (0, 0) => Span::good(counts),
        (0, _) => Span::warning(counts),
        (_, _) => Span::error(counts),
    }
}
