//! `portolan packages`: what is on offer, and one package of it.

mod list;
mod one;

use clap::Parser;
use portolan_proto::resolver::v1::{GetPackageRequest, ListPackagesRequest, ListPackagesResponse};

use crate::exit::{self, Said};
use crate::facts::CatalogFacts;
use crate::failure::Failure;
use crate::print::Form;
use crate::scope::Within;

/// List the packages on offer, or describe one with its channels and bundles.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  there is an answer";
        "portolan packages --catalog demo=./demo",
        "portolan packages --world ./dump ferry",
        "portolan packages ferry --server http://127.0.0.1:50051",
        "portolan packages ferry --icon -o json --catalog demo=./demo"
    )
)]
pub(crate) struct Command {
    /// Describe this package; all are listed if none is given.
    #[arg(value_name = "PACKAGE")]
    package: Option<String>,

    /// Read the icon of the package as well; only -o json has it.
    #[arg(long, requires = "package")]
    icon: bool,

    #[command(flatten)]
    within: Within,

    #[command(flatten)]
    form: Form,

    #[command(flatten)]
    facts: CatalogFacts,
}

// === impl Command ===

impl Command {
    pub(crate) async fn run(self) -> Result<Said, Failure> {
        let Self {
            package,
            icon,
            within,
            form,
            facts,
        } = self;
        let catalog = within.from;
        match package {
            Some(package) => {
                let request = GetPackageRequest {
                    catalog,
                    package,
                    icon,
                };
                describe(request, form, &facts).await?;
            }
            None => list(&catalog, form, &facts).await?,
        }
        Ok(Said::Answer)
    }
}

async fn describe(
    request: GetPackageRequest,
    form: Form,
    facts: &CatalogFacts,
) -> Result<(), Failure> {
    let mut resolver = facts.connect().await?.with_positional(&["package"]);
    let answer = resolver.ask(async |client| client.get_package(request).await);
    form.print(&answer.await?, one::render)
}

async fn list(catalog: &str, form: Form, facts: &CatalogFacts) -> Result<(), Failure> {
    let mut resolver = facts.connect().await?;
    let answer: ListPackagesResponse = resolver
        .ask_all(async |client, page_token| {
            let request = ListPackagesRequest {
                catalog: catalog.to_owned(),
                page_token,
                ..ListPackagesRequest::default()
            };
            client.list_packages(request).await
        })
        .await?;
    form.print(&answer, list::render)
}
