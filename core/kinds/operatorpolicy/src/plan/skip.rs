//! Detects InstallPlans that skip an allowed version or leave the channel of the Subscription.

use portolan_core_names::{Version, trouble};

use super::Relevant;
use super::consent::{allows, field, is_certain};
use super::news::version;
use crate::case::Case;
use crate::{Answer, Bundle, ReachableBundles};

/// Returns a sentence about an allowed bundle that OLM skips, with the remedies. Returns None if
/// OLM skips no allowed bundle. OLM skips a bundle if OLM chooses a bundle that is not allowed,
/// although another upgrade edge leads to an allowed bundle.
pub(crate) fn skipped(case: &Case<'_>) -> Option<String> {
    let subscription = case.subscription()?;
    let status = &subscription.status;
    let (installed, current) = (&status.installed_csv, &status.current_csv);
    if installed.is_empty() || current.is_empty() || installed == current {
        return None;
    }
    let version_of_current = version(case, current);
    let is_allowed = allows(case.intent, current, &version_of_current);
    if is_allowed || !is_certain(case.intent, &version_of_current) {
        return None;
    }
    let channel = subscription.spec.channel.as_str();
    let route = route(case, installed, channel)?;
    let passed = passed(case, route, installed, current)?.name.as_str();
    let field = field(case.intent);
    Some(format!(
        "{leapt}, which {field} allows. Add {current} to {field}. Or set \
         spec.subscription.channel to a channel other than {channel} that leads to \
         {passed}{waiting}. Or install the operator again with {passed} as \
         spec.subscription.startingCSV",
        leapt = trouble::leapt_over(passed, installed, current),
        waiting = waiting(case),
    ))
}

/// Returns the end of a sentence about what to do after choosing another channel: delete the
/// waiting InstallPlan. Empty if no InstallPlan waits.
fn waiting(case: &Case<'_>) -> String {
    match Relevant::of(case).filter(Relevant::is_next) {
        Some(relevant) => format!(
            " and delete InstallPlan {}, because OLM chooses no other version while this \
             InstallPlan waits",
            relevant.name()
        ),
        None => String::new(),
    }
}

/// Returns the end of a sentence about the allowed bundle that follows the bundle of the
/// InstallPlan. Returns None if the bundle of the InstallPlan is allowed, or if no allowed bundle
/// follows.
pub(super) fn behind(relevant: &Relevant<'_>) -> Option<String> {
    let (case, lead) = (relevant.case, relevant.lead());
    let channel = relevant.subscription.spec.channel.as_str();
    let walk = &route(case, relevant.installed(), channel)?.walk;
    let mut walk = walk.iter().skip_while(|bundle| bundle.name != lead);
    let stop = walk.next()?;
    if allows(case.intent, &stop.name, &stop.version) {
        return None;
    }
    let goal = walk.find(|bundle| allows(case.intent, &bundle.name, &bundle.version))?;
    Some(format!(
        "; the allowed version {} comes after {lead}",
        goal.name
    ))
}

/// Returns a sentence about an InstallPlan whose bundle is not in the Subscription's channel and is
/// not allowed. Returns None for any other InstallPlan. While this InstallPlan exists, OLM chooses
/// no other bundle.
pub(super) fn outdated(relevant: &Relevant<'_>) -> Option<String> {
    let Answer::Found(offer) = &relevant.case.answers.offer else {
        return None;
    };
    let (current, channel) = (relevant.current(), &relevant.subscription.spec.channel);
    let mut bundles = offer.bundles.iter();
    let chosen = bundles.find(|bundle| bundle.name == current)?;
    let intent = relevant.case.intent;
    let is_outdated = relevant.is_next()
        && !channel.is_empty()
        && !chosen.channels.contains(channel)
        && !allows(intent, current, &chosen.version);
    is_outdated.then(|| {
        format!(
            "The InstallPlan is not approved because {} does not allow its bundle, which is not in \
             channel {channel}. OLM chooses no other bundle while the InstallPlan {name} waits. \
             Delete the InstallPlan {name}",
            field(intent),
            name = relevant.name()
        )
    })
}

/// Returns the resolver's route if it starts at the installed bundle and uses this channel. Returns
/// None otherwise.
fn route<'a>(case: &Case<'a>, installed: &str, channel: &str) -> Option<&'a ReachableBundles> {
    match &case.answers.route {
        Answer::Found(route) if route.installed == installed && route.channel == channel => {
            Some(route)
        }
        Answer::Found(_) | Answer::NotAsked | Answer::NotFound(_) | Answer::Unavailable(_) => None,
    }
}

/// Returns the newest allowed bundle that is newer than the installed bundle and missing in OLM's
/// route. Returns None if there is no such bundle, or if OLM's route is unknown.
fn passed<'a>(
    case: &Case<'_>,
    route: &'a ReachableBundles,
    installed: &str,
    current: &str,
) -> Option<&'a Bundle> {
    let walks = |bundle: &Bundle| route.walk.iter().any(|step| step.name == bundle.name);
    let from = Version::parse(&version(case, installed)).ok();
    let is_newer = |bundle: &Bundle| match (&from, Version::parse(&bundle.version)) {
        (Some(from), Ok(to)) => to > *from,
        (_, _) => true,
    };
    let mut reachable = route.reachable.iter();
    reachable.find(|bundle| {
        !route.walk.is_empty()
            && bundle.name != current
            && !walks(bundle)
            && is_newer(bundle)
            && allows(case.intent, &bundle.name, &bundle.version)
    })
}
