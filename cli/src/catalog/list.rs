//! `portolan catalog list`: which catalogs there are, and how well they are known.

use clap::Parser;
use portolan_proto::basis::v1::{ObjectRef, Observed};
use portolan_proto::resolver::v1::{Catalog, ListCatalogsRequest, ListCatalogsResponse};

use crate::exit::{self, Said};
use crate::facts::CatalogFacts;
use crate::failure::Failure;
use crate::print::words::{self, or_none};
use crate::print::{Detail, Form, Page, Span};
use crate::scope::Among;

/// The digits of a digest that tell two of them apart, for people.
const DIGITS: usize = 12;

/// List the catalogs: how well each is known and why, and what it has.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  there is an answer";
        "portolan catalog list --catalog demo=./demo --catalog prod=./prod",
        "portolan catalog list --server http://127.0.0.1:50051 -o wide"
    )
)]
pub(crate) struct Command {
    #[command(flatten)]
    among: Among,

    #[command(flatten)]
    form: Form,

    #[command(flatten)]
    facts: CatalogFacts,
}

// === impl Command ===

impl Command {
    pub(crate) async fn run(self) -> Result<Said, Failure> {
        let Self { among, form, facts } = self;
        let request = ListCatalogsRequest {
            catalog: among.from,
        };
        let mut resolver = facts.connect().await?;
        let answer = resolver.ask(async |client| client.list_catalogs(request).await);
        form.print(&answer.await?, render)?;
        Ok(Said::Answer)
    }
}

fn render(answer: &ListCatalogsResponse, detail: Detail) -> Page {
    let mut page = Page::default();
    let catalogs = answer.catalogs.iter();
    match detail {
        Detail::Usual => page.table(
            [
                "NAME", "STATE", "PRIORITY", "PACKAGES", "CHANNELS", "BUNDLES", "FAULTS", "DIGEST",
            ],
            catalogs.map(row).collect(),
        ),
        Detail::Whole => page.table(
            [
                "NAME", "STATE", "SINCE", "PRIORITY", "PACKAGES", "CHANNELS", "BUNDLES", "FAULTS",
                "DIGEST", "SOURCE",
            ],
            catalogs.map(wide_row).collect(),
        ),
    }
    for catalog in &answer.catalogs {
        render_reasons(&mut page, catalog);
    }
    page
}

fn row(catalog: &Catalog) -> [Span; 8] {
    let [packages, channels, bundles, faults] = counts(catalog);
    let digest = catalog.digest.strip_prefix("sha256:");
    let digest = digest.and_then(|digits| digits.get(..DIGITS));
    [
        Span::plain(&catalog.name),
        words::state(catalog.state()),
        catalog.priority.to_string().into(),
        packages,
        channels,
        bundles,
        faults,
        or_none(digest.unwrap_or(&catalog.digest)).into(),
    ]
}

fn wide_row(catalog: &Catalog) -> [Span; 10] {
    let [packages, channels, bundles, faults] = counts(catalog);
    [
        Span::plain(&catalog.name),
        words::state(catalog.state()),
        or_none(&catalog.since).into(),
        catalog.priority.to_string().into(),
        packages,
        channels,
        bundles,
        faults,
        or_none(&catalog.digest).into(),
        source(catalog.source.as_ref()).into(),
    ]
}

fn counts(catalog: &Catalog) -> [Span; 4] {
    let faults = catalog.fault_count.to_string();
    [
        catalog.packages.to_string().into(),
        catalog.channels.to_string().into(),
        catalog.bundles.to_string().into(),
        match catalog.fault_count {
            0 => Span::plain(faults),
            _ => Span::warning(faults),
        },
    ]
}

fn source(source: Option<&Observed>) -> String {
    let object = source.and_then(|source| source.object.as_ref());
    object.map_or_else(
        || words::NONE.to_owned(),
        |ObjectRef {
             kind,
             namespace,
             name,
         }| match namespace.as_str() {
            "" => format!("{kind} {name}"),
            namespace => format!("{kind} {namespace}/{name}"),
        },
    )
}

/// Why a catalog is not what its source is.
fn render_reasons(page: &mut Page, catalog: &Catalog) {
    if catalog.reasons.is_empty() {
        return;
    }
    page.part();
    let since = match catalog.since.as_str() {
        "" => ":".to_owned(),
        since => format!("since {since}:"),
    };
    let name = Span::heading(&catalog.name);
    page.line([
        name,
        "is".into(),
        words::state(catalog.state()),
        since.into(),
    ]);
    for reason in &catalog.reasons {
        page.below([format!("{}: {}", reason.code, reason.message).into()]);
    }
}
