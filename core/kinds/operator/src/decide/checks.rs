//! The checks before a hop begins.

use portolan_api::operator::{APPROVE, Dependencies, Reason, sentence};

use super::dependencies::lasting;
use super::prepare::held_bundle;
use super::{Decision, Halt, OperatorContext};
use crate::answer::{CommonRoute, Move};
use crate::hop::{HopState, OperatorHop, Partner, PlanValidity};
use crate::member::FleetMember;

/// Returns an error until each operator on the route has been ready for its settle time.
pub(super) fn settled(
    case: OperatorContext<'_>,
    route: Option<&CommonRoute>,
    decision: &mut Decision,
) -> Result<(), Halt> {
    let now = case.observed.now;
    let member = case.member;
    if !member.is_overruled() && !member.is_settled(now) {
        let version = member.current().map(|hop| &*hop.facts.installs.version);
        let version = version.unwrap_or_default();
        let sentence = match member.settled_at() {
            Some(at) => {
                decision.until = Some(at);
                format!(
                    "{version} must stay healthy until {at} before the next version is installed"
                )
            }
            None => {
                let message = member.current().map_or("", OperatorHop::message);
                format!("{version} must be healthy before the next version is installed: {message}")
            }
        };
        return Err(Halt::no(Reason::Settling, sentence));
    }
    let ends = route.into_iter().flat_map(|route| &route.ends);
    let others = ends.filter(|end| end.package != case.intent.package.as_str());
    let others = others.filter_map(|end| case.observed.fleet.by_package(&end.package));
    let moves = || {
        route
            .into_iter()
            .flat_map(|route| route.steps.iter().flatten())
    };
    // An operator with a broken version that moves to another version on this route is ignored,
    // because it may wait for this Operator.
    let leaves = |other: &FleetMember| {
        let has_ended = |hop: &OperatorHop| hop.is_applied() || hop.problem().is_some();
        other.is_overruled()
            && other.current().is_some_and(has_ended)
            && moves().any(|one| other.package() == Some(&one.package))
    };
    let unsettled = others.filter(|other| !leaves(other) && !other.is_settled(now));
    let unsettled: Vec<_> = unsettled.collect();
    let Some(first) = unsettled.first() else {
        return Ok(());
    };
    decision.until = unsettled
        .iter()
        .filter_map(|other| other.settled_at())
        .max();
    let version = first.current().map(|hop| &*hop.facts.installs.version);
    let sentence = format!(
        "the upgrade waits until {} {} has been healthy for the required time",
        first.name,
        version.unwrap_or_default()
    );
    Err(Halt::no(Reason::Settling, sentence))
}

/// Returns an error if the installed operator reports that it cannot be upgraded now. Ignores this
/// report if the installed version has failed and the Operator requests another version.
pub(super) fn upgradeable(case: OperatorContext<'_>, member: &FleetMember) -> Result<(), Halt> {
    let has_failed = member.current().is_some_and(|hop| hop.problem().is_some());
    match case.observed.fleet.not_upgradeable(member) {
        Some(why) if !(member.is_overruled() && has_failed) => {
            Err(Halt::no(Reason::NotUpgradeable, why))
        }
        Some(_) | None => Ok(()),
    }
}

/// Returns an error if a suspended plan must not be released: the plan cannot be applied, or a user
/// must approve it first.
pub(super) fn good(member: &FleetMember, held: &OperatorHop) -> Result<(), Halt> {
    sound(held)?;
    let bundle = held_bundle(held);
    if member.is_allowed(bundle) {
        return Ok(());
    }
    let sentence = sentence::annotating(
        &format!("{bundle} must be approved"),
        &member.name,
        (APPROVE, bundle),
    );
    Err(Halt::remedied(Reason::ApprovalRequired, sentence))
}

/// Returns an error if a suspended plan is not checked yet, is invalid, or lacks permissions.
pub(super) fn sound(held: &OperatorHop) -> Result<(), Halt> {
    let bundle = held_bundle(held);
    match &held.state {
        HopState::Held(PlanValidity::Good) | HopState::Begun { .. } | HopState::Lost => Ok(()),
        HopState::Held(PlanValidity::Open(message)) => {
            let sentence = format!("{bundle} is being checked: {message}");
            Err(Halt::no(Reason::Checking, sentence))
        }
        HopState::Held(PlanValidity::Invalid(message)) => {
            let sentence = format!("{bundle} cannot be applied: {message}");
            Err(Halt::of_plan(held, Reason::PlanInvalid, sentence))
        }
        HopState::Held(PlanValidity::NotPermitted(message)) => {
            let sentence = format!("permissions to apply {bundle} are missing: {message}");
            Err(Halt::no(Reason::PermissionMissing, sentence))
        }
    }
}

/// Returns an error if a dependency of a suspended plan is satisfied only by Operators that are
/// being deleted.
pub(super) fn provided(
    case: OperatorContext<'_>,
    member: &FleetMember,
    held: &OperatorHop,
) -> Result<(), Halt> {
    let intent = member.intent.as_ref();
    if intent.is_ok_and(|intent| intent.dependencies == Dependencies::Ignore) {
        return Ok(());
    }
    let requires = &held.facts.installs.requires;
    lasting(&case.observed.fleet, member, (held_bundle(held), requires))
}

/// Returns an error if a partner of the plan cannot move now. Partners are the operators that move
/// at the same time.
pub(super) fn together(case: OperatorContext<'_>, held: &OperatorHop) -> Result<(), Halt> {
    for partner in &held.facts.with {
        let Partner { package, bundle } = partner;
        let other = case.observed.fleet.by_package(package);
        let next = other.and_then(|other| Some((other, other.next()?)));
        let is_good = next.is_some_and(|(other, next)| {
            let may_go = good(other, next).is_ok()
                && provided(case, other, next).is_ok()
                && upgradeable(case, other).is_ok();
            held_bundle(next) == bundle && may_go
        });
        if !is_good {
            let sentence = format!(
                "the operator is upgraded together with {package}, which cannot be upgraded to \
                 {bundle} yet"
            );
            return Err(Halt::no(Reason::WaitingForOtherOperators, sentence));
        }
    }
    Ok(())
}

/// Returns the part of a message that names the Operator whose move waits for approval. Returns
/// None if the move does not wait for approval.
pub(super) fn unapproved(case: OperatorContext<'_>, one: &Move) -> Option<String> {
    let other = case.observed.fleet.by_package(&one.package)?;
    let held = other.next().map(held_bundle)?;
    let waits = held == one.bundle && !other.is_allowed(held);
    waits.then(|| format!("; Operator {} waits for approval of {held}", other.name))
}
