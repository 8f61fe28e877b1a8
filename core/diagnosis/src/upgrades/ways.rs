//! Ways round what keeps a channel from leading on.

use portolan_core_graph::{Answer, Destination, Graph, Hop, Installed, Query, Walk};
use portolan_core_health::Item;
use portolan_core_names::{BundleName, ChannelName, Version};
use portolan_core_olm::Subscription;
use serde_json::json;

use crate::Fix;
use crate::case::Case;
use crate::command::{SUBSCRIPTIONS, Target};

/// Other channels that lead on from what is installed as OLM walks them: the default one first,
/// then by the number of hops and by name.
pub(super) fn fixes(
    case: Case<'_>,
    subscription: &Item<Subscription>,
    graph: &Graph,
    own: &ChannelName,
) -> Vec<Fix> {
    let Ok(name) = BundleName::parse(&case.operator.csv) else {
        return Vec::new();
    };
    let package = graph.package();
    let version = Version::parse(&case.operator.version).ok();
    let installed = Installed { name, version };
    let others = package.channels.keys().filter(|channel| *channel != own);
    let ways = others.filter_map(|channel| {
        let query = Query {
            channel: Some(channel.clone()),
            walk: Walk::OlmV0,
            ..Query::new(installed.clone(), Destination::Head)
        };
        let Ok(Answer::Reached(path)) = graph.find_path(&query) else {
            return None;
        };
        let last = path.hops.last()?.to.name.clone();
        let is_default = package.default_channel.as_ref() == Some(channel);
        let leads_back = leads_on(graph, path.hops.last()?, own);
        Some((!is_default, path.hops.len(), channel, last, leads_back))
    });
    let mut ways: Vec<_> = ways.collect();
    ways.sort();
    let fixes = ways
        .into_iter()
        .map(|(_, hops, channel, last, leads_back)| {
            let hops = match hops {
                1 => "one hop".to_owned(),
                hops => format!("{hops} hops"),
            };
            let object = &subscription.observed.object;
            let patch = json!({"spec": {"channel": channel.as_str()}});
            let back = if leads_back {
                format!(" From there channel {own} leads on again.")
            } else {
                String::new()
            };
            Fix::command(
                &format!(
                    "Let {object} follow channel {channel}, which leads to {last} in {hops}.{back}"
                ),
                Target::of(SUBSCRIPTIONS, &subscription.observed).merge(&patch),
                "The operator follows that channel from then on, with whatever it brings.",
            )
        });
    fixes.collect()
}

/// Whether a channel leads on from where a way ends.
fn leads_on(graph: &Graph, hop: &Hop, channel: &ChannelName) -> bool {
    let installed = Installed {
        name: hop.to.name.clone(),
        version: hop.to.version.clone(),
    };
    let query = Query {
        channel: Some(channel.clone()),
        walk: Walk::OlmV0,
        ..Query::new(installed, Destination::Head)
    };
    matches!(graph.find_path(&query), Ok(Answer::Reached(_)))
}
