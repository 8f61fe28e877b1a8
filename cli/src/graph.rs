//! `portolan graph`: every bundle of a package, and every update that it permits.

mod dot;
mod drawing;
mod mermaid;
mod table;

use clap::{Parser, ValueEnum};
use portolan_proto::resolver::v1::GetGraphRequest;

use self::drawing::Drawing;
use crate::exit::{self, Said};
use crate::facts::CatalogFacts;
use crate::failure::Failure;
use crate::print::{self, Detail};
use crate::scope::Within;

/// Show or draw the graph of a package: its bundles, and the updates between them.
///
/// A drawing leads from old to new, upwards. Each channel has a color and points at its heads;
/// an update that only one channel permits has the color of that channel. Where many bundles lead
/// to one in the same way, one box stands for them.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  there is an answer";
        "portolan graph --catalog demo=./demo --package ferry",
        "portolan graph --catalog demo=./demo --package ferry --channel stable -o mermaid",
        "portolan graph --catalog demo=./demo --package ferry -o dot | dot -Tsvg > ferry.svg"
    )
)]
pub(crate) struct Command {
    /// Package to show.
    #[arg(long, value_name = "PACKAGE")]
    package: String,

    /// Only this channel; all channels of the package if not given.
    #[arg(
        long,
        value_name = "CHANNEL",
        default_value = "",
        hide_default_value = true
    )]
    channel: String,

    #[command(flatten)]
    within: Within,

    /// Form of the answer.
    #[arg(short, long, value_name = "FORM", default_value = "table")]
    output: Output,

    #[command(flatten)]
    facts: CatalogFacts,
}

/// The form of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    /// A line for each bundle, for people.
    Table,
    /// The same with nothing left out.
    Wide,
    /// A flowchart, as Markdown pages show it in a `mermaid` block.
    Mermaid,
    /// A directed graph, for Graphviz.
    Dot,
    /// The gRPC answer as JSON, for programs.
    Json,
}

/// Colors that people tell apart who see few of them; white letters can be read on each.
const COLORS: [&str; 6] = [
    "#0072b2", "#d55e00", "#00795a", "#aa4499", "#8c6d00", "#117a8b",
];

// === impl Command ===

impl Command {
    pub(crate) async fn run(self) -> Result<Said, Failure> {
        let Self {
            package,
            channel,
            within,
            output,
            facts,
        } = self;
        let request = GetGraphRequest {
            catalog: within.from,
            package,
            channel,
        };
        let mut resolver = facts.connect().await?;
        let answer = resolver.ask(async |client| client.get_graph(request).await);
        let graph = answer.await?;
        match output {
            Output::Table => print::table(&graph, Detail::Usual, table::render),
            Output::Wide => print::table(&graph, Detail::Whole, table::render),
            Output::Mermaid => print::text(&mermaid::render(&Drawing::of(&graph))),
            Output::Dot => print::text(&dot::render(&Drawing::of(&graph))),
            Output::Json => print::json(&graph),
        }?;
        Ok(Said::Answer)
    }
}

/// The color of a channel. From the seventh channel on colors come again; the labels differ.
fn palette(channel: usize) -> &'static str {
    COLORS[channel % COLORS.len()]
}
