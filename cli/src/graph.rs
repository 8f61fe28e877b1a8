//! `portolan graph`: shows all bundles of a package, and all updates between them.

use std::collections::BTreeMap;

use clap::Parser;
use portolan_console::{drawn, path_of};
use portolan_core_console::drawing::{Drawing, Graph, Hops, MOST_ALIKE, dot, mermaid, svg};
use portolan_core_names::requirement::Target;
use portolan_proto::resolver::v1::get_graph_response::Node;
use portolan_proto::resolver::v1::{
    CatalogRef, FindPathRequest, GetGraphRequest, GetGraphResponse, edge, walk,
};
use serde::Serialize;

use crate::exit::{self, Exit};
use crate::facts::CatalogArgs;
use crate::failure::Failure;
use crate::path::{self, ToArg};
use crate::print::words::{self, or_none};
use crate::print::{self, Detail, Format, Page, Render, Span, Table};
use crate::program_name::ProgramName;
use crate::scope::InArgs;

/// The formats of a graph.
const FORMATS: [(Format, &str); 8] = [
    (Format::Table, "One line for each bundle, for people"),
    (Format::Wide, "Like table, without truncation"),
    (
        Format::Mermaid,
        "A flowchart for a `mermaid` block in Markdown",
    ),
    (Format::Dot, "A directed graph, for Graphviz"),
    (Format::Svg, "A drawing, for browsers"),
    (Format::Json, "The gRPC response as JSON, for programs"),
    (Format::Yaml, "Like json, but in YAML format"),
    (Format::Name, "Only the names of the bundles"),
];

/// Show or draw the update graph of a package.
///
/// In drawings, arrows point upwards from old bundles to new bundles. Each channel has a color, and
/// an arrow to each of its heads. An update that only one channel allows has the color of this
/// channel. Bundles with the same updates share one box.
///
/// With --from, the command shows only the path to the bundle of --to. This is the path that the
/// command `path` finds. If there is no path, the command prints the reason on standard error.
///
/// A graph with more than 200,000 updates is printed only with -o json, and only if the command
/// reads the catalog without --server. The exit code is 3 if a document of the catalog cannot be
/// read, because then the graph may be incomplete.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  success",
        "1  no path leads from --from to --to";
        "portolan graph --catalog demo=./demo ferry",
        "portolan graph --catalog demo=./demo ferry --channel stable -o mermaid",
        "portolan graph --catalog demo=./demo ferry --from ferry.v1.0.0 --to 2.0.0",
        "portolan graph --catalog demo=./demo ferry -o svg > ferry.svg"
    )
)]
pub(crate) struct GraphArgs {
    /// Package to show.
    #[arg(value_name = "PACKAGE", required_unless_present = "flagged")]
    package: Option<String>,

    /// The old form of the argument PACKAGE.
    #[arg(
        long = "package",
        value_name = "PACKAGE",
        hide = true,
        conflicts_with = "package"
    )]
    flagged: Option<String>,

    /// Only this channel. Default: all channels of the package.
    #[arg(long, value_name = "CHANNEL")]
    #[arg(default_value = "", hide_default_value = true)]
    channel: String,

    /// Only the path that begins at this bundle.
    #[arg(long, value_name = "BUNDLE")]
    from: Option<String>,

    /// Bundle or range at which the path ends, as in `path`. Default: latest.
    #[arg(long, value_name = "BUNDLE|RANGE", requires = "from")]
    to: Option<ToArg>,

    #[command(flatten)]
    within: InArgs,

    /// Output format.
    #[arg(short, long, value_name = "FORM", default_value = "table", value_parser = Format::among(FORMATS))]
    output: Format,

    #[command(flatten)]
    facts: CatalogArgs,
}

// === impl GraphArgs ===

impl GraphArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        if let Some(package) = &self.flagged {
            let typed = ProgramName::now().typed();
            print::warn(&format!(
                "`graph --package {package}` is deprecated, and will be removed in the next version; use `{typed} graph {package}`"
            ));
        }
        let request = GetGraphRequest {
            catalog: self.within.catalog,
            package: self.package.or(self.flagged).unwrap_or_default(),
            channel: self.channel,
        };
        if let Some(from) = self.from {
            let to = self.to.unwrap_or_else(|| ToArg::from(&Target::Latest));
            return show_path(&self.facts, request, (from, &to), self.output).await;
        }
        if self.output == Format::Json {
            let streamed = self.facts.streamed_graph(&request, &["package"]).await?;
            if let Some(graph) = streamed {
                print::json(&graph)?;
                return Ok(exit(graph.rest()));
            }
        }
        let graph = self.facts.query(&["package"], request).await?;
        self.output.show(&graph)
    }
}

/// Prints the path between two bundles, or the reason why there is no path.
async fn show_path(
    facts: &CatalogArgs,
    request: GetGraphRequest,
    (from, to): (String, &ToArg),
    output: Format,
) -> Result<Exit, Failure> {
    let resolver = facts.connect().await?;
    let mut resolver = resolver.with_positional(&["package"]);
    let question = FindPathRequest {
        catalog: request.catalog.clone(),
        package: request.package.clone(),
        channel: request.channel.clone(),
        installed: from,
        destination: Some(to.destination()),
        walk: walk::Kind::Catalog.into(),
        ..FindPathRequest::default()
    };
    let answer = resolver.query(question).await?;
    let path = match path_of(&answer) {
        Ok(path) => path,
        Err(why) => {
            // The output may be a file with a drawing.
            let why = words::with_flags_of_help(&why, words::Asking::Graph);
            print::tree(print::error, &why);
            return Ok(path::exit_of(&answer));
        }
    };
    let mut graph = resolver.query(request).await?;
    let hops = Hops::of(&path);
    graph.nodes.retain(|node| hops.has_bundle(&node.name));
    graph.updates.retain(|it| hops.has_update(&it.from, &it.to));
    graph.heads.retain(|head| hops.has_bundle(&head.name));
    output.show(&PathGraph { graph, path })
}

/// The graph of a path.
#[derive(Debug, Serialize)]
struct PathGraph {
    #[serde(flatten)]
    graph: GetGraphResponse,
    /// The bundles of the path.
    #[serde(skip)]
    path: Vec<String>,
}

impl Render for PathGraph {
    fn page(&self, detail: Detail) -> Page {
        self.graph.page(detail)
    }

    fn names(&self) -> Option<Vec<String>> {
        self.graph.names()
    }

    fn text(&self, format: Format) -> Result<String, Failure> {
        text(&drawn(self.graph.clone()).only(&self.path), format)
    }

    fn catalogs(&self) -> &[CatalogRef] {
        &self.graph.catalogs
    }

    fn exit(&self) -> Exit {
        exit(&self.graph)
    }
}

impl Render for GetGraphResponse {
    fn page(&self, detail: Detail) -> Page {
        let mut page = Page::default();
        let into = updates(self);
        page.table(
            Table::of(&self.nodes, detail)
                .column("BUNDLE", &|node| {
                    Span::good_if(!heads(self, node).is_empty(), &node.name)
                })
                .text("VERSION", &|node| &node.version)
                .column("CHANNELS", &|node| {
                    words::names(&node.channels, detail).into()
                })
                .column("FROM", &|node| {
                    from(into.get(node.name.as_str()), detail).into()
                })
                .column("NOTE", &|node| note(self, node)),
        );
        words::list_deprecations(&mut page, &self.deprecations);
        words::list_faults(&mut page, &self.faults);
        page
    }

    fn names(&self) -> Option<Vec<String>> {
        Some(self.nodes.iter().map(|node| node.name.clone()).collect())
    }

    fn text(&self, format: Format) -> Result<String, Failure> {
        text(&drawn(self.clone()), format)
    }

    fn catalogs(&self) -> &[CatalogRef] {
        &self.catalogs
    }

    fn exit(&self) -> Exit {
        exit(self)
    }
}

/// Draws a graph.
fn text(graph: &Graph, format: Format) -> Result<String, Failure> {
    let drawing = Drawing::of(graph);
    match format {
        Format::Mermaid => Ok(mermaid::render(&drawing)),
        Format::Dot => Ok(dot::render(&drawing)),
        Format::Svg => svg::document(&drawing).map_err(Failure::refused),
        other => Err(other.unsupported()),
    }
}

/// The exit code shows if an unreadable document may hide a part of the graph.
fn exit(graph: &GetGraphResponse) -> Exit {
    Exit::Answered.unless_in_doubt(words::may_hide(&graph.faults))
}

/// The updates to one bundle. Maps each combination of edge kinds to the bundles that have these
/// edges. The newest bundle comes first.
type Ways<'a> = BTreeMap<Vec<edge::Kind>, Vec<&'a str>>;

fn updates(graph: &GetGraphResponse) -> BTreeMap<&str, Ways<'_>> {
    let names = graph.nodes.iter().map(|node| node.name.as_str());
    let ages: BTreeMap<_, _> = names.zip(0..).collect::<BTreeMap<&str, usize>>();
    let mut into: BTreeMap<&str, Ways<'_>> = BTreeMap::new();
    for update in &graph.updates {
        let ways = into.entry(&update.to).or_default();
        ways.entry(update.via().collect())
            .or_default()
            .push(&update.from);
    }
    for from in into.values_mut().flat_map(BTreeMap::values_mut) {
        from.sort_by_key(|name| ages.get(name));
        from.dedup();
    }
    into
}

fn from(ways: Option<&Ways<'_>>, detail: Detail) -> String {
    let ways = ways.into_iter().flatten().map(|(via, from)| {
        let via = words::via(via.iter().copied());
        match detail {
            Detail::Usual if from.len() > MOST_ALIKE => {
                format!("{} bundles ({via})", from.len())
            }
            Detail::Usual | Detail::Whole => format!("{} ({via})", from.join(", ")),
        }
    });
    or_none(&ways.collect::<Vec<_>>().join(", ")).to_owned()
}

/// Returns the channels whose head is the bundle.
fn heads<'a>(graph: &'a GetGraphResponse, node: &Node) -> Vec<&'a str> {
    let heads = graph.heads.iter().filter(|head| head.name == node.name);
    heads.map(|head| head.channel.as_str()).collect()
}

fn note(graph: &GetGraphResponse, node: &Node) -> Span {
    let heads = heads(graph, node);
    let (is_missing, is_deprecated) = (node.version.is_empty(), !node.deprecation.is_empty());
    let text = words::notes([
        (!heads.is_empty(), &format!("head of {}", heads.join(", "))),
        (is_missing, "not in the catalog"),
        (is_deprecated, "deprecated"),
    ]);
    Span::warning_if(is_missing || is_deprecated, text)
}
