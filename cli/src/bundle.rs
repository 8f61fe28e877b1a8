//! `portolan bundle`: one bundle, and what it needs.

mod table;

use clap::Parser;
use portolan_proto::resolver::v1::GetBundleRequest;

use crate::exit::{self, Said};
use crate::facts::CatalogFacts;
use crate::failure::Failure;
use crate::print::Form;
use crate::scope::Within;

/// Describe one bundle: where it is offered, what it brings, and what it needs.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  there is an answer";
        "portolan bundle ferry ferry.v1.0.0 --catalog demo=./demo",
        "portolan bundle ferry ferry.v1.0.0 --objects -o json --server http://127.0.0.1:50051"
    )
)]
pub(crate) struct Command {
    /// Package of the bundle.
    #[arg(value_name = "PACKAGE")]
    package: String,

    /// Name of the bundle.
    #[arg(value_name = "BUNDLE")]
    bundle: String,

    /// Read its manifests as well, which can be megabytes.
    #[arg(long)]
    objects: bool,

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
            bundle,
            objects,
            within,
            form,
            facts,
        } = self;
        let request = GetBundleRequest {
            catalog: within.from,
            package,
            bundle,
            objects,
        };
        let connected = facts.connect().await?;
        let mut resolver = connected.with_positional(&["package", "bundle"]);
        let answer = resolver.ask(async |client| client.get_bundle(request).await);
        form.print(&answer.await?, table::render)?;
        Ok(Said::Answer)
    }
}
