//! The elements of a drawing of a graph, independent of the output language.

mod arrows;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

use crate::drawing::graph::{Bundle, Graph, Way};

/// The boxes and arrows of a drawing. Boxes are identified by numbers, so that names from catalogs
/// are used only as labels.
#[derive(Debug)]
pub struct Drawing {
    /// The name of the package.
    pub package: String,
    /// One node for each bundle, newest first.
    pub nodes: Vec<Node>,
    /// The boxes that each represent several bundles.
    pub bunches: Vec<Bunch>,
    /// The arrows between nodes and bunches.
    pub arrows: Vec<Arrow>,
    /// The channels, sorted by name.
    pub channels: Vec<Channel>,
    /// True if the drawing shows only a part of the graph. The head of a channel may then be in
    /// another part.
    pub is_part: bool,
}

/// The box of a bundle.
#[derive(Debug)]
pub struct Node {
    /// The name.
    pub name: String,
    /// The version. Empty if the catalog does not contain the bundle.
    pub version: String,
    /// True if the author of the bundle has deprecated it.
    pub is_deprecated: bool,
    /// True if the bundle is the head of a channel.
    pub is_head: bool,
    /// True if the bundle is installed.
    pub is_installed: bool,
    /// True if the upgrade path from the installed bundle contains this bundle.
    pub is_on_path: bool,
}

/// One box for several bundles that all have the same update.
#[derive(Debug)]
pub struct Bunch {
    /// The number of bundles.
    pub count: usize,
    /// The name of the newest bundle in this box.
    pub newest: String,
    /// The name of the oldest bundle in this box.
    pub oldest: String,
}

/// The box at which an arrow starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// The index in [`Drawing::nodes`].
    Node(usize),
    /// The index in [`Drawing::bunches`].
    Bunch(usize),
}

/// An update. All channels that permit the update through the same entry fields share one arrow.
#[derive(Debug)]
pub struct Arrow {
    /// The box of the older bundle or bundles.
    pub from: Start,
    /// The box of the newer bundle: the index in [`Drawing::nodes`].
    pub to: usize,
    /// The entry fields that permit the update, such as `replaces`.
    pub via: Vec<Way>,
    /// The channels that permit the update: indexes in [`Drawing::channels`].
    pub channels: Vec<usize>,
    /// True if the upgrade path from the installed bundle contains the update.
    pub is_on_path: bool,
}

/// A channel.
#[derive(Debug)]
pub struct Channel {
    /// The name.
    pub name: String,
    /// True if the channel is the default channel.
    pub is_default: bool,
    /// The bundles at the head of the channel: indexes in [`Drawing::nodes`].
    pub heads: Vec<usize>,
}

/// The maximum number of bundles with the same update that get a box each. More bundles share one
/// box.
pub const MOST_ALIKE: usize = 3;

/// Assigns a number to each name, in the order in which the names are added.
#[derive(Debug, Default)]
struct Numbers<'a> {
    of: BTreeMap<&'a str, usize>,
    names: Vec<&'a str>,
}

/// The bundles of a graph by name. A graph may have tens of thousands of bundles, so the lookup
/// must be fast.
struct NamedBundles<'a> {
    bundles: BTreeMap<&'a str, &'a Bundle>,
    heads: BTreeSet<&'a str>,
    installed: Option<&'a str>,
    path: BTreeSet<&'a str>,
}

// === impl Drawing ===

impl Drawing {
    /// Creates the drawing of a graph.
    pub fn of(graph: &Graph) -> Self {
        let mut nodes = Numbers::default();
        for node in &graph.bundles {
            nodes.of(&node.name);
        }
        let mut channels = Numbers::default();
        let heads = graph.heads.iter().map(|head| &head.channel);
        let updates = graph.updates.iter().map(|update| &update.channel);
        let listed = graph.bundles.iter().flat_map(|node| &node.channels);
        let mut known: Vec<_> = heads.chain(updates).chain(listed).collect();
        known.sort();
        for channel in known {
            channels.of(channel);
        }
        for name in &graph.path {
            nodes.of(name);
        }
        let (bunches, arrows) = arrows::draw(graph, &mut nodes, &mut channels);
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
        let known = NamedBundles::of(graph);
        let names = nodes.names.iter();
        Self {
            package: graph.package.clone(),
            nodes: names.map(|name| known.node(name)).collect(),
            bunches,
            arrows,
            channels,
            is_part: graph.is_part,
        }
    }

    /// Returns the lines of the label of an arrow. The first line names the entry fields, such as
    /// `replaces`. The second line names the channels, and is omitted if all channels permit the
    /// update.
    pub fn arrow_lines(&self, arrow: &Arrow) -> Vec<String> {
        let via: Vec<_> = arrow.via.iter().map(|way| way.as_str()).collect();
        let mut lines = vec![via.join(", ")];
        let channels = arrow.channels.iter();
        let names: Vec<_> = channels.map(|at| &self.channels[*at].name).collect();
        if names.len() < self.channels.len() {
            lines.push(listed(&names));
        }
        lines
    }
}

/// The maximum number of names in a shortened list.
const AT_A_GLANCE: usize = 3;

/// Returns all names, or the first three names and the number of omitted names.
fn listed(names: &[&String]) -> String {
    // Replacing a single name with "and 1 more" would save no space.
    let shown = match names.len() {
        many if many > AT_A_GLANCE + 1 => AT_A_GLANCE,
        few => few,
    };
    let first: Vec<&str> = names[..shown].iter().map(|name| name.as_str()).collect();
    let first = first.join(", ");
    match names.len() - shown {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

// === impl NamedBundles ===

impl<'a> NamedBundles<'a> {
    fn of(graph: &'a Graph) -> Self {
        let bundles = graph.bundles.iter().map(|it| (it.name.as_str(), it));
        let heads = graph.heads.iter().map(|head| head.name.as_str());
        Self {
            bundles: bundles.collect(),
            heads: heads.collect(),
            installed: graph.path.first().map(String::as_str),
            path: graph.path.iter().map(String::as_str).collect(),
        }
    }

    fn node(&self, name: &str) -> Node {
        let bundle = self.bundles.get(name);
        Node {
            name: name.to_owned(),
            version: bundle.map_or_else(String::new, |it| it.version.clone()),
            is_deprecated: bundle.is_some_and(|it| it.is_deprecated),
            is_head: self.heads.contains(name),
            is_installed: self.installed == Some(name),
            is_on_path: self.path.contains(name),
        }
    }
}

// === impl Node ===

impl Node {
    /// Returns true if the catalog contains the bundle.
    pub fn is_there(&self) -> bool {
        !self.version.is_empty()
    }

    /// Returns the text lines in the box of the bundle. The version has its own line only if the
    /// name does not contain the version.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.name.clone()];
        if self.is_installed {
            lines.push("installed".to_owned());
        }
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
    /// Returns the text lines of the box. The name of the oldest bundle is shortened to its version
    /// if both names begin with the same text.
    pub fn lines(&self) -> Vec<String> {
        let Self {
            count,
            newest,
            oldest,
        } = self;
        let oldest = without_common_start(oldest, newest);
        vec![format!("{count} bundles"), format!("{newest} … {oldest}")]
    }
}

/// Returns `name` without its common start with `other`. The result begins at the start of the
/// version.
fn without_common_start<'n>(name: &'n str, other: &str) -> &'n str {
    let pairs = name.char_indices().zip(other.chars());
    let same = pairs.take_while(|((_, one), other)| one == other);
    let common = same.map(|((at, one), _)| at + one.len_utf8()).last();
    let common = &name[..common.unwrap_or_default()];
    // The common start may include the first digits of the version, which must be kept.
    let start = common.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let start = start.strip_suffix('v').unwrap_or(start);
    &name[start.len()..]
}

// === impl Start ===

impl Display for Start {
    /// Writes the identifier of the box, such as `n0` or `b1`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(at) => write!(f, "n{at}"),
            Self::Bunch(at) => write!(f, "b{at}"),
        }
    }
}

// === impl Arrow ===

impl Arrow {
    /// Returns the channel that permits the update, if only one channel permits it.
    pub fn only_channel(&self) -> Option<usize> {
        match self.channels.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Returns true if the entry of the newer bundle names the older bundle, in `replaces` or
    /// `skips`.
    pub fn is_named(&self) -> bool {
        self.via.iter().any(|way| way.is_named())
    }
}

// === impl Channel ===

impl Channel {
    /// Returns the text in the box of the channel.
    pub fn title(&self) -> String {
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
