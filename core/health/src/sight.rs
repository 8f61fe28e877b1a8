//! What could not be looked at.

use crate::case::Case;
use crate::{Code, Csv, Fact, Kind, Observed, Sight, State};

/// What bears on the operator and is not seen as it is now: a fact for each kind of which that is
/// so, or for each object that was not read whole. Where nothing of the kind could make the operator
/// unwell, it is a remark.
pub(crate) fn judge(case: &Case<'_>) -> Vec<Fact> {
    let ground = case.ground;
    let chain = case.chain.all();
    let has_definitions = chain.iter().any(|csv| names_definitions(csv));
    let has_served = chain.iter().any(|csv| names_served(csv));
    let unsettled = remark_if(case.is_settled());
    let uninstalled = remark_if(case.is_installed());
    let wish = case.subscription;
    let names_plan = wish.is_some_and(|wish| !wish.plan.is_empty());
    let is_plan = |_: &str, name: &str| wish.is_some_and(|wish| wish.plan == name);
    let is_source = |space: &str, name: &str| {
        wish.is_some_and(|wish| wish.source_namespace == space && wish.source == name)
    };
    let is_wanted = |_: &str, name: &str| {
        let mut wanted = chain.iter().flat_map(|csv| &csv.deployments);
        wanted.any(|wanted| wanted.name == name)
    };
    let defines = |_: &str, name: &str| chain.iter().any(|csv| csv.mentions(name));
    let dim = [
        ground
            .subscriptions
            .dim(State::NotYet, |_, name| may_ask(case, name)),
        ground.groups.dim(State::NotYet, |_, _| true),
        only_if(names_plan, ground.plans.dim(unsettled, is_plan)),
        only_if(wish.is_some(), ground.catalogs.dim(uninstalled, is_source)),
        ground
            .csvs
            .dim(State::NotYet, |_, name| may_be_of(case, name)),
        ground
            .conditions
            .dim(State::Yes, |_, name| case.chain.has(name)),
        ground.deployments.dim(State::NotYet, is_wanted),
        only_if(
            has_definitions,
            ground.definitions.dim(State::NotYet, defines),
        ),
        only_if(has_served, ground.served.dim(State::NotYet, defines)),
        copies(case).into_iter().collect(),
    ];
    dim.into_iter().flatten().collect()
}

/// Whether a Subscription that was not read whole may be the one that asks for the operator: any
/// may, where no other does.
fn may_ask(case: &Case<'_>, name: &str) -> bool {
    let wish = case.subscription;
    wish.is_none_or(|wish| wish.observed.object.name == name)
}

/// Whether a ClusterServiceVersion that was not read whole may be one of the operator. One that does
/// not say whose place it takes may take that of any for which nobody asks.
fn may_be_of(case: &Case<'_>, name: &str) -> bool {
    let says_nothing = || {
        let odd = case.ground.csvs.find(name).object();
        odd.is_none_or(|csv| csv.replaces.is_empty())
    };
    let is_replaced = || case.chain.all().iter().any(|csv| csv.replaces == name);
    let is_named = |names: [&str; 2]| names.contains(&name);
    match case.subscription {
        _ if case.chain.has(name) || is_replaced() => true,
        Some(wish) => is_named([&wish.current_csv, &wish.installed_csv]),
        None => says_nothing(),
    }
}

fn only_if(matters: bool, facts: Vec<Fact>) -> Vec<Fact> {
    match matters {
        true => facts,
        false => Vec::new(),
    }
}

/// The fact that objects of a kind are not seen as they are now, if they are not.
pub(crate) fn unseen(whole: &Observed, sight: &Sight, state: State) -> Option<Fact> {
    let kind = whole.object.kind;
    let what = format!("{kind}s");
    unseen_as(&what, whole, sight, state)
}

/// The same of what has another name than its kind.
pub(crate) fn unseen_as(what: &str, about: &Observed, sight: &Sight, state: State) -> Option<Fact> {
    let why = match sight {
        Sight::Clear => None,
        Sight::Odd(odd) => odd.values().next(),
        Sight::Dim(why) => Some(why),
    }?;
    let message = format!("{what} are not observed: {why}");
    Some(Fact::judged(about, state, Code::NotObserved, &message))
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
