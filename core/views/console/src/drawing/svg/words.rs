//! The description of a drawing for screen readers.

use crate::drawing::content::{Channel, Drawing, Node};

/// The maximum number of names in a list of the description.
const MOST: usize = 12;

/// Returns the title, which names the package.
pub(super) fn title(drawing: &Drawing) -> String {
    format!("Update graph of the package {}", drawing.package)
}

/// Returns a description of the drawing: its size, the heads of channels, the installed bundle and
/// its upgrade path.
pub(super) fn description(drawing: &Drawing) -> String {
    let bundles = counted(drawing.nodes.len(), "bundle");
    let channels = counted(drawing.channels.len(), "channel");
    let part = if drawing.is_part {
        "A part of the graph: "
    } else {
        ""
    };
    let mut sentences = vec![format!(
        "{part}{bundles} in {channels}, the newest at the top."
    )];
    // In a part of a graph, the head of a channel may be in another part.
    let channels = drawing.channels.iter();
    let channels = channels.filter(|it| !drawing.is_part || !it.heads.is_empty());
    let channels: Vec<_> = channels.collect();
    let first = channels.iter().take(MOST);
    sentences.extend(first.map(|channel| heads(drawing, channel)));
    if let Some(more) = channels.len().checked_sub(MOST + 1) {
        sentences.push(format!("And {} more.", counted(more + 1, "channel")));
    }
    sentences.extend(path(drawing));
    sentences.join(" ")
}

fn heads(drawing: &Drawing, channel: &Channel) -> String {
    let heads = channel.heads.iter().map(|at| &*drawing.nodes[*at].name);
    let heads = listed(&heads.collect::<Vec<_>>());
    match heads.as_str() {
        "" => format!("Channel {} has no head.", channel.title()),
        heads => format!("Channel {} leads to {heads}.", channel.title()),
    }
}

/// Returns a sentence with each step of the upgrade path from the installed bundle.
fn path(drawing: &Drawing) -> Option<String> {
    let installed = drawing.nodes.iter().position(|node| node.is_installed)?;
    let mut names = vec![&*drawing.nodes[installed].name];
    let mut at = installed;
    // A path has at most as many steps as the drawing has bundles.
    for _ in 0..drawing.nodes.len() {
        let step = drawing
            .arrows
            .iter()
            .find(|arrow| arrow.is_on_path && arrow.from == crate::drawing::Start::Node(at));
        let Some(step) = step else { break };
        at = step.to;
        names.push(&*drawing.nodes[at].name);
    }
    let Node { name, .. } = &drawing.nodes[installed];
    Some(match names.as_slice() {
        [_] => format!("{name} is installed."),
        steps => format!("Installed is {}.", steps.join(", then ")),
    })
}

fn counted(number: usize, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        many => format!("{many} {one}s"),
    }
}

fn listed(names: &[&str]) -> String {
    let first = names[..names.len().min(MOST)].join(", ");
    match names.len().saturating_sub(MOST) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
