//! Merges several updates into one arrow, and several bundles into one box.

use std::collections::BTreeMap;

use super::{Arrow, Bunch, MOST_ALIKE, Numbers, Start};
use crate::drawing::graph::{Graph, Way};
use crate::drawing::part::Hops;

/// The properties that all updates of one arrow share: the target bundle, the entry fields, the
/// channels, and whether the updates are on the upgrade path.
type Alike = (usize, Vec<Way>, Vec<usize>, bool);

/// Merges updates between the same two bundles if several channels permit them through the same
/// entry fields. Merges many bundles with the same update into one box.
pub(super) fn draw<'a>(
    graph: &'a Graph,
    nodes: &mut Numbers<'a>,
    channels: &mut Numbers<'a>,
) -> (Vec<Bunch>, Vec<Arrow>) {
    let hops = Hops::of(&graph.path);
    let mut permits: BTreeMap<(usize, usize, Vec<Way>), Vec<usize>> = BTreeMap::new();
    for update in &graph.updates {
        let way = (
            nodes.of(&update.to),
            nodes.of(&update.from),
            update.ways.clone(),
        );
        permits
            .entry(way)
            .or_default()
            .push(channels.of(&update.channel));
    }
    let mut alike: BTreeMap<Alike, Vec<usize>> = BTreeMap::new();
    for ((to, from, via), channels) in permits {
        let key = (
            to,
            via,
            channels,
            hops.has_update(nodes.names[from], nodes.names[to]),
        );
        alike.entry(key).or_default().push(from);
    }
    let (mut bunches, mut arrows) = (Vec::new(), Vec::new());
    for ((to, via, channels, is_on_path), from) in alike {
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
            is_on_path,
        }));
    }
    (bunches, arrows)
}
