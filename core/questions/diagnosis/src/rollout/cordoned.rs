//! Names the cordoned nodes that could run a Pod.

use std::collections::BTreeMap;

use portolan_core_health::Sight;
use portolan_core_names::text::{listed, some};
use portolan_core_olm::Node;
use portolan_core_olm::messages::{Unfit, unfit_nodes};

use super::blame::Failing;
use crate::{Evidence, Object, Procedure, Step, command, words};

/// The maximum number of nodes that a message names, and that have commands.
const NAMED: usize = 3;

/// The cordoned nodes that could run a Pod if they were uncordoned.
#[derive(Debug)]
pub(super) enum Cordoned<'a> {
    /// The scheduler reports no cordoned node.
    No,
    /// The scheduler reports cordoned nodes, but their names are unknown.
    Unnamed,
    /// The node selector of the Pod matches no cordoned node.
    Unsuitable,
    /// The nodes that the node selector of the Pod matches, sorted by name. Never empty.
    Named(Vec<&'a Node>),
}

// === impl Cordoned ===

impl<'a> Cordoned<'a> {
    /// Returns the cordoned nodes that could run the failing Pod.
    pub(super) fn of(failing: Failing<'a>) -> Self {
        let unfit = unfit_nodes(&failing.fact.message);
        let count = unfit.map_or(0, |unfit| unfit.count(Unfit::Cordoned));
        if count == 0 {
            return Self::No;
        }
        let all = &failing.case.situation().around.cordoned;
        let named = all.objects.iter().filter(|node| has_plain_name(node));
        let named: Vec<&Node> = named.map(|node| &**node).collect();
        let any = BTreeMap::new();
        let selector = failing.pod.map_or(&any, |pod| &pod.spec.node_selector);
        let is_complete = all.sight == Sight::Clear && named.len() >= count;
        let mut suitable = named;
        suitable.retain(|node| node.is_selected_by(selector));
        suitable.sort_by_key(|node| node.name());
        match suitable.as_slice() {
            [] if is_complete => Self::Unsuitable,
            [] => Self::Unnamed,
            [_, ..] => Self::Named(suitable),
        }
    }

    /// Returns true if uncordoning a node may help.
    pub(super) fn may_help(&self) -> bool {
        match self {
            Self::No | Self::Unsuitable => false,
            Self::Unnamed | Self::Named(_) => true,
        }
    }

    fn named(&self) -> &[&'a Node] {
        match self {
            Self::No | Self::Unsuitable | Self::Unnamed => &[],
            Self::Named(nodes) => nodes,
        }
    }

    /// Returns the nodes that have commands.
    fn first(&self) -> impl Iterator<Item = &'a Node> + '_ {
        self.named().iter().copied().take(NAMED)
    }

    /// Returns the nodes as objects at fault. If no name is known, returns one object without a
    /// name.
    pub(super) fn objects(&self) -> Vec<Object> {
        match self {
            Self::No | Self::Unsuitable => Vec::new(),
            Self::Unnamed => vec![Object::new(Node::KIND, "", "")],
            Self::Named(_) => self.first().map(object).collect(),
        }
    }

    /// Returns a sentence with the names of the nodes, and the times since which they are cordoned.
    /// Empty if the names are unknown.
    pub(super) fn sentence(&self) -> String {
        match self.named() {
            [] => String::new(),
            [node] => format!(
                "Node {} is cordoned{}: Kubernetes starts no Pods on it.",
                node.name(),
                since(node)
            ),
            nodes => {
                let names = nodes
                    .iter()
                    .map(|node| format!("{}{}", node.name(), since(node)));
                let names = if nodes.len() > NAMED {
                    some(NAMED, names)
                } else {
                    listed(names)
                };
                format!("Nodes {names} are cordoned: Kubernetes starts no Pods on them.")
            }
        }
    }

    /// Returns the action for the administrator of the nodes.
    pub(super) fn action(&self) -> String {
        match self.named() {
            [] => "Find the cordoned node with the first command below, and ask why it is cordoned. If its \
                   maintenance is over, uncordon it. The Pod then starts by itself."
                .to_owned(),
            [node] => format!(
                "Ask why Node {} is cordoned: someone may be doing maintenance. If the maintenance is over, uncordon \
                 the node. The Pod then starts by itself.",
                node.name()
            ),
            _ => "Ask why these nodes are cordoned: someone may be doing maintenance. If the maintenance of one of \
                  them is over, uncordon it. The Pod then starts by itself."
                .to_owned(),
        }
    }

    /// Returns the command that shows the nodes. Returns None if no name is known.
    pub(super) fn look(&self) -> Option<Step> {
        let names: Vec<_> = self.first().map(Node::name).collect();
        let nodes = match names.as_slice() {
            [] => return None,
            [name] => format!("Node {name}"),
            names => format!("Nodes {}", listed(names)),
        };
        let comment = format!("Show {nodes}: SchedulingDisabled means cordoned");
        Some(Step::new(&comment, command::named_nodes(&names)))
    }

    /// Returns the commands that uncordon the nodes, one procedure for each node. If no name is
    /// known, returns one command with a placeholder.
    pub(super) fn uncordon(&self) -> Vec<Procedure> {
        match self {
            Self::No | Self::Unsuitable => Vec::new(),
            Self::Unnamed => vec![uncordon(
                "If the maintenance of the cordoned node is over, uncordon the node. Replace NODE with its name.",
                "NODE",
            )],
            Self::Named(_) => {
                let each = self.first().map(|node| {
                    let name = node.name();
                    let title =
                        format!("If the maintenance of Node {name} is over, uncordon the node.");
                    uncordon(&title, name)
                });
                each.collect()
            }
        }
    }

    /// Returns the fields that show that the nodes are cordoned.
    pub(super) fn evidence(&self) -> impl Iterator<Item = Evidence> {
        let nodes = self.first();
        nodes.map(|node| Evidence::at(object(node), "spec.unschedulable", "true"))
    }
}

fn object(node: &Node) -> Object {
    Object::new(Node::KIND, "", node.name())
}

/// Returns true if kubectl does not read the name of the node as a flag. The API server allows no
/// other names, but a file may contain them.
fn has_plain_name(node: &Node) -> bool {
    node.name()
        .starts_with(|first: char| first.is_ascii_alphanumeric())
}

fn since(node: &Node) -> String {
    node.cordoned_since().map_or_else(String::new, |since| {
        format!(" (since {})", words::time(since))
    })
}

fn uncordon(title: &str, name: &str) -> Procedure {
    Procedure::command(
        title,
        command::uncordon(name),
        "Kubernetes starts Pods on this node again. If the maintenance continues, a drain may evict these Pods, or \
         a Pod that cannot be evicted may block the drain.",
    )
}
