//! A graph for people: a line for each bundle, with the updates that lead to it.

use std::collections::BTreeMap;

use portolan_proto::resolver::v1::get_graph_response::Node;
use portolan_proto::resolver::v1::{GetGraphResponse, edge};

use super::drawing::MOST_ALIKE;
use crate::print::words::{self, or_none};
use crate::print::{Detail, Page, Span};

pub(super) fn render(graph: &GetGraphResponse, detail: Detail) -> Page {
    let mut page = Page::default();
    let into = updates(graph);
    let row = |node: &Node| {
        [
            name(graph, node),
            or_none(&node.version).into(),
            words::names(&node.channels, detail).into(),
            from(into.get(node.name.as_str()), detail).into(),
            note(graph, node),
        ]
    };
    page.table(
        ["BUNDLE", "VERSION", "CHANNELS", "FROM", "NOTE"],
        graph.nodes.iter().map(row).collect(),
    );
    words::list_deprecations(&mut page, &graph.deprecations);
    words::list_faults(&mut page, &graph.faults);
    page
}

/// The ways into each bundle, and the bundles that go each of them, the newest first.
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

fn name(graph: &GetGraphResponse, node: &Node) -> Span {
    match graph.heads.iter().any(|head| head.name == node.name) {
        true => Span::good(&node.name),
        false => Span::plain(&node.name),
    }
}

fn note(graph: &GetGraphResponse, node: &Node) -> Span {
    let heads = graph.heads.iter().filter(|head| head.name == node.name);
    let heads: Vec<_> = heads.map(|head| head.channel.as_str()).collect();
    let head = (!heads.is_empty()).then(|| format!("head of {}", heads.join(", ")));
    let missing = node
        .version
        .is_empty()
        .then(|| "not in the catalog".to_owned());
    let deprecated = (!node.deprecation.is_empty()).then(|| "deprecated".to_owned());
    let is_fine = missing.is_none() && deprecated.is_none();
    let notes: Vec<_> = [head, missing, deprecated].into_iter().flatten().collect();
    match is_fine {
        true => Span::plain(notes.join(", ")),
        false => Span::warning(notes.join(", ")),
    }
}
