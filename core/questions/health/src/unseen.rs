//! Reports relevant objects that could not be read.

use crate::case::Case;
use crate::objects::Objects;
use crate::{Csv, Fact, HealthCode, Kind, ObjectVersion, Sight, State};

/// Returns facts about relevant objects that were not read, or were not read recently. There is one
/// fact for each kind, and one fact for each object that was not read completely. A fact is a
/// remark if objects of its kind could not make the operator unhealthy.
pub(crate) fn judge(case: &Case<'_>) -> Vec<Fact> {
    // The pattern lists all fields, so a new field causes a compile error here.
    let Objects {
        name: _,
        subscriptions,
        groups,
        plans,
        csvs,
        copied: _,
        // The function `copies` reports unread copies, because copies are relevant in only one
        // case.
        copied_sight: _,
        conditions,
        deployments,
        crds,
        served,
        catalogs,
    } = case.objects;
    let chain = case.chain.all();
    let has_crds = chain.iter().any(|csv| names_crds(csv));
    let has_served = chain.iter().any(|csv| names_served(csv));
    let unsettled = remark_if(case.is_settled());
    let uninstalled = remark_if(case.is_installed());
    let subscription = case.subscription;
    let names_plan = subscription.is_some_and(|one| !one.plan().is_empty());
    let is_plan = |_: &str, name: &str| subscription.is_some_and(|one| one.plan() == name);
    let is_source = |space: &str, name: &str| {
        let spec = subscription.map(|one| &one.spec);
        spec.is_some_and(|spec| spec.source_namespace == space && spec.source == name)
    };
    let is_wanted = |_: &str, name: &str| {
        let mut wanted = chain.iter().flat_map(|csv| csv.deployments());
        wanted.any(|wanted| wanted.name == name)
    };
    let defines = |_: &str, name: &str| chain.iter().any(|csv| is_named_by(csv, name));
    let dim = [
        subscriptions.dim(State::NotYet, |_, name| may_ask(case, name)),
        groups.dim(State::NotYet, |_, _| true),
        only_if(names_plan, plans.dim(unsettled, is_plan)),
        only_if(subscription.is_some(), catalogs.dim(uninstalled, is_source)),
        csvs.dim(State::NotYet, |_, name| may_be_of(case, name)),
        conditions.dim(State::Yes, |_, name| case.chain.has(name)),
        deployments.dim(State::NotYet, is_wanted),
        only_if(has_crds, crds.dim(State::NotYet, defines)),
        only_if(has_served, served.dim(State::NotYet, defines)),
        copies(case).into_iter().collect(),
    ];
    dim.into_iter().flatten().collect()
}

/// Returns true if a Subscription that was not read completely may request the operator. This is
/// possible if the operator has no Subscription, or if the Subscription has this name.
fn may_ask(case: &Case<'_>, name: &str) -> bool {
    case.subscription.is_none_or(|one| one.name() == name)
}

/// Returns true if a ClusterServiceVersion that was not read completely may belong to the operator.
/// If its `replaces` is unknown, it may replace any operator that has no Subscription.
fn may_be_of(case: &Case<'_>, name: &str) -> bool {
    let says_nothing = || {
        let odd = case.objects.csvs.find(name).object();
        odd.is_none_or(|csv| csv.spec.replaces.is_empty())
    };
    let is_replaced = || case.chain.all().iter().any(|csv| csv.spec.replaces == name);
    let is_named = |names: [&str; 2]| names.contains(&name);
    match case.subscription {
        _ if case.chain.has(name) || is_replaced() => true,
        Some(one) => is_named([&one.status.current_csv, &one.status.installed_csv]),
        None => says_nothing(),
    }
}

fn only_if(matters: bool, facts: Vec<Fact>) -> Vec<Fact> {
    if matters { facts } else { Vec::new() }
}

/// Returns the fact that the objects of a kind were not read completely or not recently. Returns
/// None if they were read completely and recently.
pub(crate) fn unseen(whole: &ObjectVersion, sight: &Sight, state: State) -> Option<Fact> {
    let kind = whole.object.kind;
    let what = format!("{kind}s");
    unseen_as(&what, whole, sight, state)
}

/// Returns the same fact as [`unseen`], but describes the objects as `what` instead of naming the
/// kind.
pub(crate) fn unseen_as(
    what: &str,
    about: &ObjectVersion,
    sight: &Sight,
    state: State,
) -> Option<Fact> {
    let why = match sight {
        Sight::Clear => None,
        Sight::Odd(odd) => odd.values().next(),
        Sight::Dim(why) => Some(why),
    }?;
    let message = format!("{what} are not observed: {why}");
    Some(Fact::judged(
        about,
        state,
        HealthCode::NotObserved,
        &message,
    ))
}

/// Returns the fact that copies of ClusterServiceVersions were not read. Returns None if copies are
/// not relevant. Copies are relevant only if OLM treats an operator as installed that is missing.
fn copies(case: &Case<'_>) -> Option<Fact> {
    let claims = case
        .subscription
        .is_some_and(|one| !one.status.installed_csv.is_empty());
    let matters = claims && !case.is_installed();
    let what = "Copied ClusterServiceVersions";
    let whole = case.objects.csvs.whole();
    matters.then(|| unseen_as(what, &whole, case.objects.copied_sight, State::NotYet))?
}

fn remark_if(harmless: bool) -> State {
    if harmless { State::Yes } else { State::NotYet }
}

fn names_crds(csv: &Csv) -> bool {
    let custom = &csv.spec.custom_resources;
    let names_none = custom.owned.is_empty() && custom.required.is_empty();
    !names_none || lacks(csv, Kind::CustomResourceDefinition)
}

fn names_served(csv: &Csv) -> bool {
    let served = &csv.spec.served;
    let names_none = served.owned.is_empty() && served.required.is_empty();
    !names_none || lacks(csv, Kind::ApiService)
}

fn lacks(csv: &Csv, kind: Kind) -> bool {
    let mut rows = csv.status.requirements.iter();
    rows.any(|row| row.kind == kind.as_str())
}

/// Returns true if the operator owns or requires the kind that the object with this name defines.
fn is_named_by(csv: &Csv, name: &str) -> bool {
    let mut named = csv.definitions_owned().chain(csv.definitions_required());
    let mut rows = csv.status.requirements.iter();
    named.any(|named| named == name) || rows.any(|row| row.name == name)
}

#[cfg(test)]
pub(crate) mod tests;
