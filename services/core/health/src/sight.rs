//! What could not be looked at.

use crate::case::Case;
use crate::{Code, Csv, Fact, Kind, Observed, Sight, State};

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
    let dim = [
        ground.subscriptions.dim(State::NotYet),
        ground.groups.dim(State::NotYet),
        ground.plans.dim(unsettled).filter(|_| names_plan),
        ground.catalogs.dim(uninstalled).filter(|_| has_wish),
        ground.csvs.dim(State::NotYet),
        ground.conditions.dim(State::Yes),
        ground.deployments.dim(State::NotYet),
        ground
            .definitions
            .dim(State::NotYet)
            .filter(|_| has_definitions),
        ground.served.dim(State::NotYet).filter(|_| has_served),
        copies(case),
    ];
    dim.into_iter().flatten().collect()
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
    !csv.owned.is_empty() || !csv.required.is_empty() || lacks(csv, Kind::CustomResourceDefinition)
}

fn names_served(csv: &Csv) -> bool {
    !csv.serves.is_empty() || !csv.needs_served.is_empty() || lacks(csv, Kind::ApiService)
}

fn lacks(csv: &Csv, kind: Kind) -> bool {
    let mut rows = csv.requirements.iter();
    rows.any(|row| row.kind == kind.as_str())
}

#[cfg(test)]
pub(crate) mod tests;
