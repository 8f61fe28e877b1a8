//! Recreates missing plans of an existing Operator. The installed version stays the same.
//!
//! The left side shows what happened to a plan, and the right side shows what the controller does:
//!
//! ```text
//! handed over ------------> suspended: a plan that was replaced never takes anything back
//! deleted by others ------> wait until the plan is gone -> new plan of the same bundle -> settle again
//! edited by others -------> its mutable fields are set again
//! ```

use portolan_api::operator::{APPROVE, HopStatus, Reason, sentence};

use super::checks::sound;
use super::prepare::{facts, keeps_objects, options, prepared};
use super::report::{Report, UndatedCondition};
use super::{Ask, BundleRef, Decision, Halt, Observation, OperatorContext, Step, believable};
use crate::answer::{Answer, Move, RenderedBundle};
use crate::hop::{HopFacts, OperatorHop};
use crate::member::FleetMember;

/// The remedy if the catalog no longer contains the bundle of a missing plan.
const REMEDY: &str = "; add the bundle to the catalog again, or delete the Operator and create it \
                      with another version: CRDs and custom resources are kept";

/// Permanently suspends plans that must not take objects back. These are the replaced plans. If
/// another client deletes the plan of the installed version, all earlier plans are suspended too.
pub(super) fn retire(observed: &Observation, member: &FleetMember, decision: &mut Decision) {
    let deleted = member
        .current()
        .filter(|hop| hop.is_terminating && hop.is_applied());
    let deleted = deleted.filter(|_| !observed.is_reverting(member));
    let is_before =
        |hop: &OperatorHop| deleted.is_some_and(|it| hop.facts.number < it.facts.number);
    let hops = member.hops.iter().filter(|hop| {
        let is_there = !hop.is_held() && !hop.is_lost() && !hop.is_terminating;
        let is_at_rest = hop.is_suspended && hop.is_retired;
        is_there && !is_at_rest && (hop.is_handed_over || is_before(hop))
    });
    decision.steps.extend(hops.map(Step::suspend));
}

/// Restores the fields of the current plan and of the suspended plan that other clients changed.
/// Does not change replaced plans. A plan that has not begun stays suspended.
pub(super) fn reset(member: &FleetMember, decision: &mut Decision) {
    let hops = [member.current(), member.next()].into_iter().flatten();
    let hops = hops.filter(|hop| !hop.is_terminating && !hop.is_handed_over);
    for hop in hops {
        let is_stopped = hop.is_suspended && !hop.is_held() && !hop.is_retired;
        if is_stopped || hop.edited.is_some() {
            decision.steps.push(Step::reset(hop, is_stopped));
        }
    }
}

/// Reinstalls the installed version if its plan is missing. The version does not change, so
/// policies, approvals and dependencies are not checked.
///
/// # Errors
/// Returns an error until the installed version is restored.
pub(super) fn restore(
    case: OperatorContext<'_>,
    decision: &mut Decision,
    report: &mut Report,
) -> Result<(), Halt> {
    let OperatorContext {
        observed, member, ..
    } = case;
    match member.current() {
        Some(hop) if hop.is_terminating && !observed.is_reverting(member) => {
            Err(restoring(deleted(member, hop)))
        }
        Some(hop) if hop.is_lost() => Err(Halt::Say(again(case, hop, decision, report)?)),
        Some(_) | None => Ok(()),
    }
}

/// Returns a message that explains why a plan that is being deleted still exists. For example, the
/// plan waits until another plan has taken its objects back.
fn deleted(member: &FleetMember, hop: &OperatorHop) -> String {
    let plan = &hop.plan;
    let mut before = member.hops.iter().rev().filter(|it| it.plan != *plan);
    let before = before.find_map(|it| Some((&it.plan, it.problem()?)));
    let cause = before.map_or_else(String::new, |(plan, problem)| {
        format!("; {plan}: {problem}")
    });
    let installed = member.installed().unwrap_or(hop);
    format!(
        "InstallPlan {plan} is being deleted: {}{cause}; after the deletion, Portolan installs {} \
         again",
        hop.message(),
        installed.facts.installs.bundle
    )
}

fn again(
    case: OperatorContext<'_>,
    lost: &OperatorHop,
    decision: &mut Decision,
    report: &mut Report,
) -> Result<UndatedCondition, Halt> {
    let next = moving(&lost.facts);
    report.path = vec![HopStatus {
        bundle: next.bundle.clone(),
        version: next.version.clone(),
        ..HopStatus::default()
    }];
    let rendered = rendered(case, (&lost.facts.catalog, REMEDY), &next)?;
    unchanged(case, lost, rendered)?;
    keeps_objects(case, &next, &rendered.manifests, report)?;
    let of_plan = (rendered, &*rendered.manifests);
    let mut facts = facts(case, (&lost.facts.catalog, [].into()), of_plan);
    // The new plan has the same name as the deleted plan. Otherwise, a stale cache could make the
    // controller create two plans.
    facts.number = lost.facts.number;
    let held = prepared(case, decision, facts, rendered)?;
    sound(held)?;
    decision.steps.push(Step::release(held));
    let sentence = format!(
        "InstallPlan {} is missing; Portolan installs {} again",
        lost.plan, next.bundle
    );
    Ok(UndatedCondition::yes(Reason::Reinstalling, sentence))
}

/// Returns an error if the catalog now has another image for the bundle and no user has approved
/// this image.
fn unchanged(
    case: OperatorContext<'_>,
    lost: &OperatorHop,
    rendered: &RenderedBundle,
) -> Result<(), Halt> {
    let bundle = &lost.facts.installs.bundle;
    let is_approved = case.member.approved.as_ref() == Some(bundle);
    if rendered.image == lost.facts.image || is_approved {
        return Ok(());
    }
    let sentence = sentence::annotating(
        &format!(
            "InstallPlan {} is missing, and the image of {bundle} changed from {} to {}",
            lost.plan, lost.facts.image, rendered.image
        ),
        &case.member.name,
        (APPROVE, bundle),
    );
    Err(Halt::remedied(Reason::BundleChanged, sentence))
}

/// Returns the rendered bundle with its manifests. If the catalog refuses the bundle, the error
/// message ends with the remedy.
pub(super) fn rendered<'o>(
    case: OperatorContext<'o>,
    (catalog, remedy): (&str, &str),
    next: &Move,
) -> Result<&'o RenderedBundle, Halt> {
    let bundle = BundleRef {
        catalog: catalog.to_owned(),
        package: next.package.clone(),
        bundle: next.bundle.clone(),
        options: options(case),
        with_manifests: true,
    };
    let unread = |why: &str| {
        let sentence = format!("cannot read {} from catalog {catalog}: {why}", next.bundle);
        Halt::no(Reason::BundleNotInstallable, sentence)
    };
    match case.observed.bundles.get(&bundle) {
        None => Err(Halt::Ask([Ask::Bundle(Box::new(bundle))].into())),
        Some(Answer::Known(rendered)) => {
            believable::bundle(next, rendered)?;
            Ok(rendered)
        }
        Some(Answer::Refused(why)) => Err(unread(&format!("{why}{remedy}"))),
        Some(Answer::Unavailable(why)) => Err(unread(why)),
    }
}

/// Returns the move that installs the bundle of a plan.
pub(super) fn moving(facts: &HopFacts) -> Move {
    let installs = &facts.installs;
    Move {
        package: installs.package.clone(),
        bundle: installs.bundle.clone(),
        version: installs.version.clone(),
    }
}

fn restoring(sentence: String) -> Halt {
    Halt::no(Reason::Reinstalling, sentence)
}
