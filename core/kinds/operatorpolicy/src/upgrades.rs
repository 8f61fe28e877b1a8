//! Determines the upgrades of an operator: the installed bundle, the next bundle, and the reachable
//! bundles.

mod blocked;
#[cfg(test)]
mod tests;

use portolan_api::{Bundle as Stop, Installed, Next, Upgrades};
use portolan_core_olm::{ClusterServiceVersion, InstallPlanPhase, Subscription};

use crate::case::Case;
use crate::plan::{Relevant, allows, channel, version};
use crate::{Answer, Bundle, ReachableBundles};

/// The maximum number of available bundles in the list.
const AVAILABLE: usize = 10;

/// The observed state of the operator, and its upgrade route.
#[derive(Clone, Copy)]
struct Way<'a> {
    case: &'a Case<'a>,
    subscription: &'a Subscription,
    installed: &'a ClusterServiceVersion,
    route: &'a ReachableBundles,
}

/// Returns the upgrades of the operator. Omits values that are unknown. If the result is None, the
/// previous upgrades are kept.
pub(crate) fn of(case: &Case<'_>) -> Option<Upgrades> {
    let Some(subscription) = case.subscription() else {
        return Some(Upgrades::default());
    };
    let Some(installed) = case.installed() else {
        return Some(without_route(case, subscription));
    };
    match route(case, subscription, installed) {
        Some(route) => Some(whole(Way {
            case,
            subscription,
            installed,
            route,
        })),
        // Without a route, the previous upgrades are kept if they are about the same installed
        // bundle.
        None => {
            if tells_of(case, installed) {
                None
            } else {
                Some(without_route(case, subscription))
            }
        }
    }
}

/// Returns the upgrades if the channel that the policy names does not exist. The operator then has
/// no upgrade route, even if its current channel contains an upgrade.
pub(crate) fn without_way(case: &Case<'_>) -> Upgrades {
    let subscription = case.subscription();
    subscription.map_or_else(Upgrades::default, |subscription| {
        without_route(case, subscription)
    })
}

/// Returns the upgrades that are known without the route from the resolver.
fn without_route(case: &Case<'_>, subscription: &Subscription) -> Upgrades {
    Upgrades {
        installed: case.installed().map(named),
        next: planned(case, subscription),
        ..Upgrades::default()
    }
}

/// Returns the resolver's route. Returns None if the route is unknown, or if it is for another
/// installed bundle or another channel.
fn route<'a>(
    case: &Case<'a>,
    subscription: &Subscription,
    installed: &ClusterServiceVersion,
) -> Option<&'a ReachableBundles> {
    let route = match &case.answers.route {
        Answer::Found(route) => route,
        Answer::NotAsked | Answer::NotFound(_) | Answer::Unavailable(_) => return None,
    };
    let is_meant = installed.metadata.name.as_deref() == Some(route.installed.as_str())
        && subscription.spec.channel == route.channel;
    is_meant.then_some(route)
}

/// Returns true if the previous upgrades are about the installed bundle.
fn tells_of(case: &Case<'_>, installed: &ClusterServiceVersion) -> bool {
    let told = case.before.upgrades.as_ref();
    let told = told.and_then(|upgrades| upgrades.installed.as_ref());
    told.map(|told| &told.name) == installed.metadata.name.as_ref()
}

fn whole(way: Way<'_>) -> Upgrades {
    let walk = way.walk();
    let path: Vec<_> = walk
        .iter()
        .take_while(|bundle| way.allows(bundle))
        .map(|bundle| way.stop(bundle))
        .collect();
    let reachable = way.route.reachable.iter().take(AVAILABLE);
    Upgrades {
        available: reachable.map(|bundle| way.stop(bundle)).collect(),
        blocked: blocked::of(way, walk.get(path.len())),
        installed: Some(named(way.installed)),
        next: planned(way.case, way.subscription).or_else(|| way.next()),
        target: path.last().cloned(),
        path,
    }
}

fn named(csv: &ClusterServiceVersion) -> Installed {
    Installed {
        name: csv.metadata.name.clone().unwrap_or_default(),
        version: filled(&csv.spec.version),
    }
}

/// Returns the bundle that OLM has chosen as the next bundle, with the InstallPlan that installs
/// it. Returns None if OLM has not chosen a bundle.
fn planned(case: &Case<'_>, subscription: &Subscription) -> Option<Next> {
    let status = &subscription.status;
    let current = status.current_csv.as_str();
    if current.is_empty() || current == status.installed_csv {
        return None;
    }
    let plan = Relevant::of(case).filter(Relevant::is_next);
    let plan = plan.filter(|relevant| match relevant.plan.status.phase {
        InstallPlanPhase::Complete => false,
        InstallPlanPhase::Planning
        | InstallPlanPhase::RequiresApproval
        | InstallPlanPhase::Installing
        | InstallPlanPhase::Failed
        | InstallPlanPhase::Other(_) => true,
    });
    Some(Next {
        channel: channel(case, current).map(str::to_owned),
        name: current.to_owned(),
        plan: plan.map(|relevant| relevant.name().to_owned()),
        version: filled(&version(case, current)),
    })
}

fn filled(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

// === impl Way ===

impl<'a> Way<'a> {
    /// Returns the bundles that OLM will install, starting with the bundle that OLM has chosen. If
    /// the resolver does not expect this bundle, the following bundles are unknown, so the list
    /// contains only this bundle.
    fn walk(&self) -> Vec<Bundle> {
        let walk = &self.route.walk;
        let current = self.current();
        if current.is_empty() {
            return walk.clone();
        }
        match walk.iter().position(|bundle| bundle.name == current) {
            Some(at) => walk[at..].to_vec(),
            None => vec![Bundle {
                name: current.to_owned(),
                version: version(self.case, current),
                ..Bundle::default()
            }],
        }
    }

    /// Returns the ClusterServiceVersion that OLM has chosen as the next one. Empty if OLM has
    /// chosen none.
    fn current(&self) -> &'a str {
        let current = self.subscription.status.current_csv.as_str();
        let is_there = self.installed.metadata.name.as_deref() == Some(current);
        if is_there { "" } else { current }
    }

    fn allows(&self, bundle: &Bundle) -> bool {
        allows(self.case.intent, &bundle.name, &bundle.version)
    }

    fn next(&self) -> Option<Next> {
        let bundle = self.route.walk.first()?;
        let Stop {
            channel,
            name,
            version,
        } = self.stop(bundle);
        Some(Next {
            channel,
            name,
            plan: None,
            version,
        })
    }

    /// Returns a bundle with its channel. This is the Subscription's channel if it contains the
    /// bundle. Otherwise, it is the first channel that contains the bundle.
    fn stop(&self, bundle: &Bundle) -> Stop {
        let own = &self.subscription.spec.channel;
        let channel = match bundle.channels.as_slice() {
            [] => own,
            channels if channels.contains(own) => own,
            [first, ..] => first,
        };
        Stop {
            channel: filled(channel),
            name: bundle.name.clone(),
            version: filled(&bundle.version),
        }
    }
}
