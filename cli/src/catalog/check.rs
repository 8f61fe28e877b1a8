//! `portolan catalog check`: everything that is wrong or odd with catalogs.

mod groups;

use clap::Parser;
use portolan_proto::resolver::v1::{CheckCatalogsRequest, CheckCatalogsResponse, Fault};

use self::groups::groups;
use crate::exit::{self, Said};
use crate::facts::CatalogFacts;
use crate::failure::Failure;
use crate::print::{Detail, Form, Page, Span, words};
use crate::scope::Among;

/// Check catalogs: list everything that is wrong or odd with them.
///
/// An error is what opm refuses a catalog for; a warning is what it serves, though hardly as the
/// author meant it; a note is odd, and often meant.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  there is nothing wrong; with warnings as well, unless --strict is given",
        "1  there are errors";
        "portolan catalog check --catalog demo=./demo",
        "portolan catalog check --strict --server http://127.0.0.1:50051 --from prod -o json"
    )
)]
pub(crate) struct Command {
    /// Exit with 1 for warnings as well.
    #[arg(long)]
    strict: bool,

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
        let Self {
            strict,
            among,
            form,
            facts,
        } = self;
        let mut resolver = facts.connect().await?;
        let answer: CheckCatalogsResponse = resolver
            .ask_all(async |client, page_token| {
                let request = CheckCatalogsRequest {
                    catalog: among.from.clone(),
                    page_token,
                    ..CheckCatalogsRequest::default()
                };
                client.check_catalogs(request).await
            })
            .await?;
        form.print(&answer, render)?;
        Ok(Said::no_if(
            answer.errors > 0 || strict && answer.warnings > 0,
        ))
    }
}

/// People who check want to see everything, whichever table they ask for.
fn render(answer: &CheckCatalogsResponse, _: Detail) -> Page {
    let mut page = Page::default();
    for (subject, faults) in groups(&answer.faults) {
        page.section(subject);
        page.rows(&faults.into_iter().map(row).collect::<Vec<_>>());
    }
    page.part();
    page.line([summary(answer)]);
    page
}

fn row(fault: &Fault) -> [Span; 3] {
    [
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
