//! What could not be looked at.

use crate::case::Case;
use crate::{Code, Csv, Fact, Observed, Sight, State};

/// One fact for each kind that bears on the operator and is not seen as it is now. Where nothing of
/// the kind could make the operator unwell, it is a remark.
pub(crate) fn judge(case: &Case<'_>) -> Vec<Fact> {
    let ground = case.ground;
    let chain = case.chain.all();
    let has_wish = case.subscription.is_some();
    let names_plan = case.subscription.is_some_and(|wish| !wish.plan.is_empty());
    let has_definitions = chain.iter().any(|csv| names_definitions(csv));
    let has_served = chain.iter().any(|csv| names_served(csv));
    let unsettled = remark_if(case.is_settled());
    let uninstalled = remark_if(case.is_installed());
    let sights = [
        (
            true,
            ground.subscriptions.whole(),
            ground.subscriptions.sight,
            State::NotYet,
        ),
        (
            true,
            ground.groups.whole(),
            ground.groups.sight,
            State::NotYet,
        ),
        (
            names_plan,
            ground.plans.whole(),
            ground.plans.sight,
            unsettled,
        ),
        (
            has_wish,
            ground.catalogs.whole(),
            ground.catalogs.sight,
            uninstalled,
        ),
        (true, ground.csvs.whole(), ground.csvs.sight, State::NotYet),
        (
            true,
            ground.conditions.whole(),
            ground.conditions.sight,
            State::Yes,
        ),
        (
            true,
            ground.deployments.whole(),
            ground.deployments.sight,
            State::NotYet,
        ),
        (
            has_definitions,
            ground.definitions.whole(),
            ground.definitions.sight,
            State::NotYet,
        ),
        (
            has_served,
            ground.served.whole(),
            ground.served.sight,
            State::NotYet,
        ),
    ];
    let bearing = sights.into_iter().filter(|(bears, ..)| *bears);
    let mut facts: Vec<Fact> = bearing
        .filter_map(|(_, whole, sight, state)| unseen(&whole, sight, state))
        .collect();
    facts.extend(copies(case));
    facts
}

/// The fact that objects of a kind are not seen as they are now, if they are not.
pub(crate) fn unseen(whole: &Observed, sight: &Sight, state: State) -> Option<Fact> {
    let kind = whole.object.kind;
    let what = format!("{kind}s");
    unseen_as(&what, whole, sight, state)
}

/// The same of what has another name than its kind.
pub(crate) fn unseen_as(what: &str, about: &Observed, sight: &Sight, state: State) -> Option<Fact> {
    match sight {
        Sight::Clear => None,
        Sight::Dim(why) => {
            let message = format!("{what} are not observed: {why}");
            Some(Fact::judged(about, state, Code::NotObserved, &message))
        }
    }
}

/// Copies matter where an operator is taken for installed and is not there.
fn copies(case: &Case<'_>) -> Option<Fact> {
    let claims = case
        .subscription
        .is_some_and(|wish| !wish.installed_csv.is_empty());
    let matters = claims && !case.is_installed();
    let what = "Copied ClusterServiceVersions";
    let whole = case.ground.csvs.whole();
    matters.then(|| unseen_as(what, &whole, case.ground.copied_sight, State::NotYet))?
}

fn remark_if(harmless: bool) -> State {
    match harmless {
        true => State::Yes,
        false => State::NotYet,
    }
}

fn names_definitions(csv: &Csv) -> bool {
    !csv.owned.is_empty() || !csv.required.is_empty()
}

fn names_served(csv: &Csv) -> bool {
    !csv.serves.is_empty() || !csv.needs_served.is_empty()
}
