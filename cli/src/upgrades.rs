//! `portolan upgrades`: what can an installed bundle be updated to.

mod every;
mod queries;
mod table;

use clap::Parser;
use portolan_proto::resolver::v1::ListUpgradesRequest;

use self::queries::Queries;
use crate::exit::{self, Said};
use crate::facts::CatalogFacts;
use crate::failure::Failure;
use crate::installed;
use crate::print::Form;
use crate::scope::{Scope, Whose};

/// List what an installed bundle can be updated to, what lies further on, and why not more.
///
/// Without a word it is everything that is installed on the cluster, a row for each operator; with NAME
/// one of them, all about it. Or say --package and --installed, and no cluster is looked at. That
/// nothing can be updated is an answer, not an error: the exit code is 0.
#[derive(Debug, Parser)]
#[command(
    // Generated, it would not say what goes with what.
    override_usage = "portolan upgrades [OPTIONS] [NAME]\n       \
                      portolan upgrades [OPTIONS] --package <PACKAGE> --installed <BUNDLE>\n       \
                      portolan upgrades --queries <FILE|->",
    after_help = exit::after_help!(
        "0  there is an answer, also where there is no update",
        "1  a question of --queries was refused";
        "portolan upgrades",
        "portolan upgrades -n harbor ferry",
        "portolan upgrades --world ./dump",
        "portolan upgrades --catalog demo=./demo --package ferry --installed ferry.v1.0.0",
        "portolan upgrades --catalog demo=./demo --package ferry --installed ferry.v1.0.0 -o json",
        "portolan upgrades --server http://127.0.0.1:50051 --queries installed.jsonl",
        "portolan upgrades --server http://127.0.0.1:50051 --queries - < installed.jsonl"
    )
)]
pub(crate) struct Command {
    /// An operator of the cluster, or of --world: the name of its Subscription, of its package or of
    /// its ClusterServiceVersion. All are listed if neither this nor a bundle is given.
    #[arg(value_name = "NAME", conflicts_with_all = ["package", "installed", "queries"])]
    name: Option<String>,

    /// Package of the installed bundle.
    #[arg(long, value_name = "PACKAGE", requires = "installed")]
    package: Option<String>,

    /// Name of the installed bundle, as `kubectl get csv` shows it. The catalog need not have it.
    #[arg(long, value_name = "BUNDLE", requires = "package")]
    installed: Option<String>,

    #[command(flatten)]
    whose: Whose,

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
            name,
            package,
            installed,
            whose: Whose { namespace, .. },
            queries,
            scope,
            form,
            facts,
        } = self;
        if let Some(queries) = queries {
            return queries.run(&facts).await;
        }
        if package.is_none() {
            let (mut resolver, world) = facts.connect_in_world().await?;
            let Some(name) = name else {
                let installed = installed::all(&world, &namespace).await?.into_iter();
                let installed = installed.map(|each| each.within(&scope)).collect();
                let answers = every::ask(&mut resolver, installed).await?;
                form.print(&answers, every::render)?;
                return Ok(Said::Answer);
            };
            let installed = installed::one(&world, &namespace, &name).await?;
            let request = every::request(&installed.within(&scope));
            let answer = resolver.ask(async |client| client.list_upgrades(request).await);
            form.print(&answer.await?, table::render)?;
            return Ok(Said::Answer);
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
