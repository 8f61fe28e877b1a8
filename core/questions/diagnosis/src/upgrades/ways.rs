//! Finds other channels if a channel has no upgrade.

use portolan_core_graph::{Destination, Graph, Hop, Installed, PathAnswer, Query, Walk};
use portolan_core_health::Item;
use portolan_core_names::{BundleName, ChannelName, Version};
use portolan_core_olm::Subscription;
use serde_json::json;

use crate::case::Case;
use crate::command::{CSVS, SUBSCRIPTIONS, Target};
use crate::{Procedure, Step};

/// Returns procedures that switch to a channel with an upgrade of the installed bundle. Follows the
/// same upgrade path as OLM. The default channel is first. The other channels are sorted by the
/// number of upgrades and by name.
pub(super) fn fixes(
    case: Case<'_>,
    subscription: &Item<Subscription>,
    graph: &Graph,
    own: &ChannelName,
) -> Vec<Procedure> {
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
        let Ok(PathAnswer::Reached(path)) = graph.find_path(&query) else {
            return None;
        };
        let last = path.hops.last()?.to.name.clone();
        let is_default = package.default_channel.as_ref() == Some(channel);
        let leads_back = leads_on(graph, path.hops.last()?, own).then(|| approval(case));
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
            let follow = |channel: &ChannelName| {
                let patch = json!({"spec": {"channel": channel.as_str()}});
                let patch = Target::of(SUBSCRIPTIONS, &subscription.observed).merge(&patch);
                Step::new(&format!("Follow channel {channel}"), patch)
            };
            let way = format!("follow channel {channel}, which upgrades to {last} in {hops}");
            let reached = Target::new(CSVS, &object.namespace, last.as_str());
            let created = Step::new(
                &format!("Wait until OLM has created {last}"),
                reached.wait_created(),
            );
            let succeeded = Step::new(
                &format!("Wait until {last} is installed"),
                reached.wait(".status.phase", "Succeeded"),
            );
            let (message, lines, risk) = match leads_back {
                Some(Approval::Automatic) => (
                    format!(
                        "Let {object} {way}. Wait until this version is installed. Then follow channel {own} \
                         again, which continues from this version."
                    ),
                    vec![follow(channel), created, succeeded, follow(own)],
                    "Until you switch back, the operator follows the other channel and gets all \
                     upgrades of that channel.",
                ),
                Some(Approval::Manual) => (
                    format!(
                        "Let {object} {way}. Approve the InstallPlan. Then follow channel {own} again, which \
                         continues from this version."
                    ),
                    vec![follow(channel)],
                    "Until you switch back, the operator follows the other channel and gets all \
                     upgrades of that channel.",
                ),
                None => (
                    format!("Let {object} {way}."),
                    vec![follow(channel)],
                    "From then on, the operator follows the new channel and gets all upgrades of \
                     that channel.",
                ),
            };
            Procedure::of(&message, lines, risk)
        });
    fixes.collect()
}

/// The approval mode of the InstallPlans in the namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Approval {
    Automatic,
    Manual,
}

/// Returns the approval mode of the namespace. The mode is Manual if at least one Subscription of
/// the namespace requires manual approval.
fn approval(case: Case<'_>) -> Approval {
    let mut all = case.situation().approval.subscriptions.iter();
    if all.any(|one| one.is_manual) {
        Approval::Manual
    } else {
        Approval::Automatic
    }
}

/// Returns true if the channel contains an upgrade path from the bundle at the end of this hop.
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
    matches!(graph.find_path(&query), Ok(PathAnswer::Reached(_)))
}
