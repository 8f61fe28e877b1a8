//! Reverts a version that fails to install.

use portolan_api::operator::{Reason, RevertedStatus};
use portolan_core_names::text::listed;

use super::live::losses;
use super::report::{Report, UndatedCondition};
use super::restore::{moving, rendered};
use super::{Decision, Halt, OperatorContext, Step};
use crate::hop::{HopFacts, OperatorHop};

/// Reverts a failed version: deletes its plan, so that the previous plan takes back all objects. If
/// the revert could cause damage, keeps the plan, and adds the reason to the condition.
pub(super) fn revert(
    case: OperatorContext<'_>,
    problem: &str,
    decision: &mut Decision,
    report: &mut Report,
) -> Result<UndatedCondition, Halt> {
    let Some(failed) = case.member.current() else {
        return Ok(UndatedCondition::no(Reason::InstallFailed, problem));
    };
    let installs = &failed.facts.installs;
    let sentence = format!("the installation of {} fails: {problem}", installs.bundle);
    let before = match target(case, failed) {
        Ok(before) => before,
        Err(why) => {
            let sentence = format!("{sentence}; the version is not reverted: {why}");
            return Ok(UndatedCondition::no(Reason::InstallFailed, sentence));
        }
    };
    let back = &before.facts.installs.bundle;
    let why = match keeps(case, before) {
        Ok(()) => None,
        Err(halt) => {
            let said = decision.halted(halt, case.observed.now);
            Some(said.map_err(Halt::Ask)?.message)
        }
    };
    if let Some(why) = why {
        let sentence = format!("{sentence}; the version is not reverted: {why}");
        return Ok(UndatedCondition::no(Reason::InstallFailed, sentence));
    }
    report.reverted = Some(RevertedStatus {
        bundle: installs.bundle.clone(),
        image: failed.facts.image.clone(),
        generation: case.member.generation,
        message: problem.to_owned(),
    });
    if !failed.is_terminating {
        decision.steps.push(Step::delete(failed));
    }
    let sentence = format!("{sentence}; {back} is being restored");
    Ok(UndatedCondition::no(Reason::Reverting, sentence))
}

/// Returns an error if custom resources may lose data when the previous version is restored.
fn keeps(case: OperatorContext<'_>, before: &OperatorHop) -> Result<(), Halt> {
    let facts = &before.facts;
    let rendered = rendered(case, (&facts.catalog, ""), &moving(facts))?;
    let losses = losses(case, &rendered.manifests)?;
    if losses.is_empty() {
        return Ok(());
    }
    let losses: Vec<_> = losses.iter().map(ToString::to_string).collect();
    let sentence = format!("custom resources may lose data: {}", losses.join("; "));
    Err(Halt::no(Reason::CrdUpgradeUnsafe, sentence).polled())
}

/// Returns the plan of the previous version. Returns the reason as an error if the revert is not
/// possible.
fn target<'o>(case: OperatorContext<'o>, failed: &OperatorHop) -> Result<&'o OperatorHop, String> {
    let begun = case.member.hops.iter().rev();
    let begun = begun.filter(|hop| !hop.is_held() && !hop.is_lost());
    let before = begun.skip(1).find(|hop| !hop.is_terminating);
    let Some(before) = before else {
        return Err("no earlier version exists".to_owned());
    };
    // A suspended plan takes no objects back. The controller suspends the earlier plans when it
    // reinstalls a version.
    if before.is_handed_over || before.is_suspended {
        return Err(format!(
            "the failed version was ready before, so InstallPlan {} of the earlier version no \
             longer owns its objects",
            before.plan
        ));
    }
    if !failed.facts.with.is_empty() {
        let others = failed.facts.with.iter().map(|partner| &partner.package);
        return Err(format!(
            "the version was installed together with {}",
            listed(others)
        ));
    }
    let needs_it = case.observed.fleet.members.values().filter(|other| {
        let loses = |hop: &OperatorHop| {
            let is_met = |by: &HopFacts| hop.facts.installs.requires.is_met_by(&by.installs);
            is_met(&failed.facts) && !is_met(&before.facts)
        };
        other.name != case.member.name && other.there().any(loses)
    });
    let needs_it: Vec<_> = needs_it.map(|other| &other.name).collect();
    if needs_it.is_empty() {
        Ok(before)
    } else {
        Err(format!("{} would lose a dependency", listed(needs_it)))
    }
}

/// Returns an error if a hop leads to a version that was reverted before.
pub(super) fn refuse_again(case: OperatorContext<'_>, next: &HopFacts) -> Result<(), Halt> {
    let Some(reverted) = &case.observed.status.reverted else {
        return Ok(());
    };
    let is_same = reverted.generation == case.member.generation
        && reverted.bundle == next.installs.bundle
        && reverted.image == next.image;
    if !is_same {
        return Ok(());
    }
    let sentence = format!(
        "the installation of {} failed and was reverted: {}; the installation is retried when the \
         Operator or the bundle changes",
        reverted.bundle, reverted.message
    );
    Err(Halt::no(Reason::Reverted, sentence))
}
