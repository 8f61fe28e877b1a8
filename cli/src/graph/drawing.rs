//! What is to be drawn of a graph, before anybody knows in which language.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

use portolan_proto::resolver::v1::get_graph_response::Update;
use portolan_proto::resolver::v1::{GetGraphResponse, edge, get_graph_response};

use crate::print::{Detail, words};

/// Boxes and arrows. They are numbered: names of other people are nothing but labels.
#[derive(Debug)]
pub(super) struct Drawing {
    pub(super) package: String,
    /// The newest first.
    pub(super) nodes: Vec<Node>,
    pub(super) bunches: Vec<Bunch>,
    pub(super) arrows: Vec<Arrow>,
    pub(super) channels: Vec<Channel>,
}

/// A bundle.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) name: String,
    /// Empty if the catalog has no such bundle.
    pub(super) version: String,
    pub(super) is_deprecated: bool,
    pub(super) is_head: bool,
}

/// Many bundles that lead to one in the same way.
#[derive(Debug)]
pub(super) struct Bunch {
    pub(super) count: usize,
    pub(super) newest: String,
    pub(super) oldest: String,
}

/// Where an arrow begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// The number of a node.
    Node(usize),
    /// The number of a bunch.
    Bunch(usize),
}

/// The permission to go on, by all channels that give it in the same way.
#[derive(Debug)]
pub(super) struct Arrow {
    pub(super) from: Start,
    /// The number of a node.
    pub(super) to: usize,
    pub(super) via: Vec<edge::Kind>,
    /// The numbers of channels.
    pub(super) channels: Vec<usize>,
}

#[derive(Debug)]
pub(super) struct Channel {
    pub(super) name: String,
    pub(super) is_default: bool,
    /// The numbers of nodes.
    pub(super) heads: Vec<usize>,
}

/// The most bundles that lead to one in the same way and still are drawn one by one.
pub(super) const MOST_ALIKE: usize = 3;

/// The numbers of names, in the order in which they are first met.
#[derive(Debug, Default)]
struct Numbers<'a> {
    of: BTreeMap<&'a str, usize>,
    names: Vec<&'a str>,
}

/// What the answer tells of bundles, by their names: there may be tens of thousands.
struct Known<'a> {
    nodes: BTreeMap<&'a str, &'a get_graph_response::Node>,
    heads: BTreeSet<&'a str>,
}

// === impl Drawing ===

impl Drawing {
    pub(super) fn of(graph: &GetGraphResponse) -> Self {
        let mut nodes = Numbers::default();
        for node in &graph.nodes {
            nodes.of(&node.name);
        }
        let mut channels = Numbers::default();
        let heads = graph.heads.iter().map(|head| &head.channel);
        let updates = graph.updates.iter().map(|update| &update.channel);
        let listed = graph.nodes.iter().flat_map(|node| &node.channels);
        let mut known: Vec<_> = heads.chain(updates).chain(listed).collect();
        known.sort();
        for channel in known {
            channels.of(channel);
        }
        let (bunches, arrows) = draw(&graph.updates, &mut nodes, &mut channels);
        let mut heads: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for head in &graph.heads {
            let of_channel = heads.entry(head.channel.as_str()).or_default();
            of_channel.push(nodes.of(&head.name));
        }
        let channels = channels.names.iter().map(|name| Channel {
            name: (*name).to_owned(),
            is_default: *name == graph.default_channel,
            heads: heads.remove(name).unwrap_or_default(),
        });
        let channels: Vec<_> = channels.collect();
        let known = Known::of(graph);
        let names = nodes.names.iter();
        Self {
            package: graph.package.clone(),
            nodes: names.map(|name| known.node(name)).collect(),
            bunches,
            arrows,
            channels,
        }
    }

    /// What stands at an arrow: which way it is, and which channels permit it, where not all do.
    pub(super) fn arrow_lines(&self, arrow: &Arrow) -> Vec<String> {
        let mut lines = vec![words::via(arrow.via.iter().copied())];
        let channels = arrow.channels.iter();
        let names: Vec<_> = channels.map(|at| &self.channels[*at].name).collect();
        if names.len() < self.channels.len() {
            lines.push(words::names(&names, Detail::Usual));
        }
        lines
    }
}

/// Updates in the same way from the same bundle are one arrow; many to the same bundle as well.
fn draw<'a>(
    updates: &'a [Update],
    nodes: &mut Numbers<'a>,
    channels: &mut Numbers<'a>,
) -> (Vec<Bunch>, Vec<Arrow>) {
    let mut permits: BTreeMap<(usize, usize, Vec<edge::Kind>), Vec<usize>> = BTreeMap::new();
    for update in updates {
        let way = (
            nodes.of(&update.to),
            nodes.of(&update.from),
            update.via().collect(),
        );
        permits
            .entry(way)
            .or_default()
            .push(channels.of(&update.channel));
    }
    let mut alike: BTreeMap<(usize, Vec<edge::Kind>, Vec<usize>), Vec<usize>> = BTreeMap::new();
    for ((to, from, via), channels) in permits {
        alike.entry((to, via, channels)).or_default().push(from);
    }
    let (mut bunches, mut arrows) = (Vec::new(), Vec::new());
    for ((to, via, channels), from) in alike {
        let starts = match from.as_slice() {
            [newest, .., oldest] if from.len() > MOST_ALIKE => {
                bunches.push(Bunch {
                    count: from.len(),
                    newest: nodes.names[*newest].to_owned(),
                    oldest: nodes.names[*oldest].to_owned(),
                });
                vec![Start::Bunch(bunches.len() - 1)]
            }
            few => few.iter().copied().map(Start::Node).collect(),
        };
        arrows.extend(starts.into_iter().map(|from| Arrow {
            from,
            to,
            via: via.clone(),
            channels: channels.clone(),
        }));
    }
    (bunches, arrows)
}

// === impl Known ===

impl<'a> Known<'a> {
    fn of(graph: &'a GetGraphResponse) -> Self {
        let nodes = graph.nodes.iter().map(|node| (node.name.as_str(), node));
        let heads = graph.heads.iter().map(|head| head.name.as_str());
        Self {
            nodes: nodes.collect(),
            heads: heads.collect(),
        }
    }

    fn node(&self, name: &str) -> Node {
        let node = self.nodes.get(name);
        Node {
            name: name.to_owned(),
            version: node.map_or_else(String::new, |node| node.version.clone()),
            is_deprecated: node.is_some_and(|node| !node.deprecation.is_empty()),
            is_head: self.heads.contains(name),
        }
    }
}

// === impl Node ===

impl Node {
    /// Whether the catalog has the bundle.
    pub(super) fn is_there(&self) -> bool {
        !self.version.is_empty()
    }

    /// What stands in its box: its version only where the name does not say it.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.name.clone()];
        if !self.name.contains(&self.version) {
            lines.push(self.version.clone());
        }
        if self.is_deprecated {
            lines.push("deprecated".to_owned());
        }
        if !self.is_there() {
            lines.push("not in the catalog".to_owned());
        }
        lines
    }
}

// === impl Bunch ===

impl Bunch {
    pub(super) fn lines(&self) -> Vec<String> {
        let Self {
            count,
            newest,
            oldest,
        } = self;
        vec![format!("{count} bundles"), format!("{newest} … {oldest}")]
    }
}

// === impl Start ===

impl Display for Start {
    /// The name of its box.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(at) => write!(f, "n{at}"),
            Self::Bunch(at) => write!(f, "b{at}"),
        }
    }
}

// === impl Arrow ===

impl Arrow {
    /// The only channel that permits it.
    pub(super) fn only_channel(&self) -> Option<usize> {
        match self.channels.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Whether the author of the catalog names the older bundle.
    pub(super) fn is_named(&self) -> bool {
        let named = [edge::Kind::Replaces, edge::Kind::Skips];
        self.via.iter().any(|kind| named.contains(kind))
    }
}

// === impl Channel ===

impl Channel {
    pub(super) fn title(&self) -> String {
        if self.is_default {
            format!("{} (default)", self.name)
        } else {
            self.name.clone()
        }
    }
}

// === impl Numbers ===

impl<'a> Numbers<'a> {
    fn of(&mut self, name: &'a str) -> usize {
        let names = &mut self.names;
        *self.of.entry(name).or_insert_with(|| {
            names.push(name);
            names.len() - 1
        })
    }
}

/// A graph whose names try to be more than names. Their lengths differ.
#[cfg(test)]
pub(super) fn hostile() -> GetGraphResponse {
    use portolan_proto::resolver::v1::Head;
    use portolan_proto::resolver::v1::get_graph_response::Node;
    let names = [
        "\"] --> x; click x \"javascript:alert(1)\"",
        "a\\\" [URL=\"evil\"]; b -> c",
        "</b><script>alert(1)</script>&quot;#35;`md`",
        "end\n  subgraph style:x#1;\r\u{1b}[31m",
        "\\",
    ];
    let channel = "c\"}}\nclassDef default fill:#000;|".to_owned();
    let node = |name: &&str| Node {
        name: (*name).to_owned(),
        version: format!("{}.0.0", name.len()),
        channels: vec![channel.clone()],
        deprecation: String::new(),
    };
    let update = |pair: &[&str]| Update {
        channel: channel.clone(),
        from: pair[1].to_owned(),
        to: pair[0].to_owned(),
        via: vec![edge::Kind::Replaces.into()],
    };
    GetGraphResponse {
        package: "p\" { x } \"".to_owned(),
        nodes: names.iter().map(node).collect(),
        updates: names.windows(2).map(update).collect(),
        heads: vec![Head {
            channel: channel.clone(),
            name: names[0].to_owned(),
            version: "1.0.0".to_owned(),
        }],
        ..GetGraphResponse::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{dot, mermaid};

    /// As many channels as bundles: what is looked up for each of them once took minutes.
    #[test]
    fn a_large_package_is_drawn_in_no_time() {
        use portolan_proto::resolver::v1::Head;
        use portolan_proto::resolver::v1::get_graph_response::Node;
        const MANY: usize = 20_000;
        let names: Vec<_> = (0..MANY).map(|at| format!("a.v{at}")).collect();
        let node = |name: &String| Node {
            name: name.clone(),
            version: "1.0.0".to_owned(),
            channels: vec![name.clone()],
            deprecation: String::new(),
        };
        let head = |name: &String| Head {
            channel: name.clone(),
            name: name.clone(),
            version: "1.0.0".to_owned(),
        };
        let graph = GetGraphResponse {
            package: "a".to_owned(),
            nodes: names.iter().map(node).collect(),
            heads: names.iter().map(head).collect(),
            ..GetGraphResponse::default()
        };
        let drawing = Drawing::of(&graph);
        assert_eq!((drawing.nodes.len(), drawing.channels.len()), (MANY, MANY));
        assert_eq!(mermaid::render(&drawing).matches(" --- ").count(), MANY);
        assert_eq!(dot::render(&drawing).matches(" -> ").count(), MANY);
    }
}
