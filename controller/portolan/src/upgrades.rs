//! `portolan upgrades`: what can an installed bundle be updated to.

mod queries;
mod table;

use clap::Parser;
use portolan_proto::resolver::v1::ListUpgradesRequest;

use self::queries::Queries;
use crate::exit::{self, Said};
use crate::facts::CatalogFacts;
use crate::failure::Failure;
use crate::print::Form;
use crate::scope::Scope;

/// List what an installed bundle can be updated to, what lies further on, and why not more.
///
/// That nothing can be updated is an answer, not an error: the exit code is 0.
#[derive(Debug, Parser)]
#[command(
    // Generated, it would not say that one of the facts is needed.
    override_usage = "portolan upgrades [OPTIONS] --package <PACKAGE> --installed <BUNDLE> \
                      <--catalog <NAME=PLACE>|--server <URL>>\n       \
                      portolan upgrades --queries <FILE|-> <--catalog <NAME=PLACE>|--server <URL>>",
    after_help = exit::after_help!(
        "0  there is an answer, also where there is no update",
        "1  a question of --queries was refused";
        "portolan upgrades --catalog demo=./demo --package ferry --installed ferry.v1.0.0",
        "portolan upgrades --catalog demo=./demo --package ferry --installed ferry.v1.0.0 -o json",
        "portolan upgrades --server http://127.0.0.1:50051 --queries installed.jsonl",
        "portolan upgrades --server http://127.0.0.1:50051 --queries - < installed.jsonl"
    )
)]
pub(crate) struct Command {
    /// Package of the installed bundle.
    #[arg(long, value_name = "PACKAGE", required_unless_present = "queries")]
    package: Option<String>,

    /// Name of the installed bundle, as `kubectl get csv` shows it. The catalog need not have it.
    #[arg(long, value_name = "BUNDLE", required_unless_present = "queries")]
    installed: Option<String>,

    /// Ask many questions: lines of JSON, each with `package`, `installed` and, if need be,
    /// `channel`, `catalog`, `installedVersion`. One line of JSON answers each, in their order.
    /// `-` reads standard input, as long as it is open.
    #[arg(
        long,
        value_name = "FILE|-",
        conflicts_with_all = [
            "package", "installed", "installed_version", "channel", "from", "output",
        ]
    )]
    queries: Option<Queries>,

    #[command(flatten)]
    scope: Scope,

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
            installed,
            queries,
            scope,
            form,
            facts,
        } = self;
        if let Some(queries) = queries {
            return queries.run(&facts).await;
        }
        let request = ListUpgradesRequest {
            catalog: scope.within.from,
            package: package.unwrap_or_default(),
            channel: scope.channel,
            installed: installed.unwrap_or_default(),
            installed_version: scope.installed_version,
        };
        let mut resolver = facts.connect().await?;
        let answer = resolver.ask(async |client| client.list_upgrades(request).await);
        form.print(&answer.await?, table::render)?;
        Ok(Said::Answer)
    }
}
