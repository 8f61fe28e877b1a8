//! Prepares the suspended plan of the next hop.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::operator::{
    ACCEPT_BREAKS, CrdChange, Reason, is_refused_by_api_server, sentence,
};
use serde_json::Value;

use super::live::losses;
use super::plan::held_plan;
use super::report::Report;
use super::{Decision, Halt, OperatorContext, Step, condition};
use crate::answer::{Move, RenderedBundle};
use crate::hop::{HopFacts, OperatorHop, Partner};
use crate::member::FleetMember;
use crate::question::RenderOptions;
use crate::unsafe_changes::{Acceptance, MOST_CHANGES};
use crate::waits::Waits;

/// The maximum number of breaking changes in the message.
const MOST_BREAKS: usize = 5;

/// Returns the facts that the plan of the next hop records. `manifests` contains the manifests of
/// this plan.
pub(super) fn facts(
    case: OperatorContext<'_>,
    (catalog, with): (&str, BTreeSet<Partner>),
    (bundle, manifests): (&RenderedBundle, &[Value]),
) -> HopFacts {
    let conditions = &case.observed.fleet.conditions;
    let before = case.member.predecessor();
    HopFacts {
        number: case.member.next_number(),
        installs: bundle.installs.clone(),
        image: bundle.image.clone(),
        catalog: catalog.to_owned(),
        options: options(case).text(),
        generation: case.member.generation,
        wish: Some(FleetMember::wished(case.intent)),
        with,
        condition: conditions
            .are_served
            .then(|| condition::of_bundle(manifests, &bundle.installs.bundle))
            .flatten(),
        adopts: None,
        takes_left: false,
        waits: Waits::of(case.intent).digest(),
        renamed: before.map_or_else(BTreeMap::new, |hop| hop.facts.renamed.clone()),
        csv: None,
    }
}

/// Returns the suspended plan of the next hop. Creates a missing plan, and deletes an outdated
/// plan.
///
/// # Errors
/// Returns an error while the plan is missing, outdated or being deleted.
pub(super) fn prepared<'o>(
    case: OperatorContext<'o>,
    decision: &mut Decision,
    facts: HopFacts,
    bundle: &RenderedBundle,
) -> Result<&'o OperatorHop, Halt> {
    let checking = |sentence: String| Err(Halt::no(Reason::Checking, sentence));
    let next = facts.installs.bundle.clone();
    let Some(held) = case.member.next() else {
        make(case, decision, facts, (&bundle.manifests, &bundle.csv))?;
        return checking(format!("{next} is being checked"));
    };
    if held.is_terminating {
        return checking(format!(
            "the InstallPlan {} must be deleted first",
            held.plan
        ));
    }
    if !held.is_same(&facts) {
        decision.steps.push(Step::delete(held));
        let instead = held_bundle(held);
        return checking(format!(
            "the operator is upgraded to {next} instead of {instead}"
        ));
    }
    Ok(held)
}

/// Returns an error if the CRDs of the next version may make custom resources lose data, unless the
/// Operator accepts the loss.
///
/// # Errors
/// Returns `CrdUpgradeUnsafe` with the losses.
pub(super) fn keeps_objects(
    case: OperatorContext<'_>,
    next: &Move,
    manifests: &[Value],
    report: &mut Report,
) -> Result<(), Halt> {
    let from = case.member.current().filter(|hop| !hop.is_lost());
    let from = from.map(|current| current.facts.installs.bundle.as_str());
    let acceptance = Acceptance::new(&case.member.accepted, Some(case.intent));
    if from == Some(&next.bundle) || acceptance.accepts(&next.bundle) {
        return Ok(());
    }
    let losses = acceptance.rest(&next.bundle, losses(case, manifests)?);
    if losses.is_empty() {
        return Ok(());
    }
    report.unsafe_changes = losses.iter().take(MOST_CHANGES).cloned().collect();
    Err(unsafe_definition(case, (from, next), &losses))
}

/// Returns a text with the first losses.
fn broken(losses: &[CrdChange]) -> String {
    let more = match losses.len().saturating_sub(MOST_BREAKS) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let told = losses.iter().take(MOST_BREAKS).map(ToString::to_string);
    let told: Vec<_> = told.collect();
    format!("custom resources may lose data: {}{more}", told.join("; "))
}

/// Returns the halt for unsafe CRD changes, with the annotation that accepts these changes. The
/// annotation has no effect on changes that the API server refuses.
fn unsafe_definition(
    case: OperatorContext<'_>,
    (from, next): (Option<&str>, &Move),
    losses: &[CrdChange],
) -> Halt {
    let from = from.unwrap_or("nothing");
    let said = format!("{from} -> {}: {}", next.bundle, broken(losses));
    if losses.iter().any(|it| is_refused_by_api_server(&it.check)) {
        let sentence =
            format!("{said}; the API server refuses this change, so the change cannot be accepted");
        return Halt::no(Reason::CrdUpgradeUnsafe, sentence).polled();
    }
    let member = case.member;
    let reason = Reason::CrdUpgradeUnsafe;
    let halt = match sentence::accepting(&member.accepted, &next.bundle) {
        Some(list) => {
            let annotation = (ACCEPT_BREAKS, &*list);
            let said = sentence::annotating_if_meant(&said, &member.name, annotation);
            Halt::remedied(reason, said)
        }
        None => {
            let sentence = format!(
                "{said}; to accept this, add {} to the annotation {ACCEPT_BREAKS}",
                next.bundle
            );
            Halt::no(reason, sentence)
        }
    };
    halt.polled()
}

/// Creates a suspended plan. If the Operator has no finalizer yet, only adds the finalizer.
pub(super) fn make(
    case: OperatorContext<'_>,
    decision: &mut Decision,
    facts: HopFacts,
    rendered: (&[Value], &Value),
) -> Result<(), Halt> {
    if !case.member.has_finalizer {
        // The finalizer is added before any object is created, so that the Operator cannot
        // disappear before its objects.
        decision.steps.push(Step::AddFinalizer);
        return Ok(());
    }
    let objects = held_plan(case, facts, rendered)
        .map_err(|sentence| Halt::no(Reason::BundleNotInstallable, sentence))?;
    decision.steps.push(Step::Create(objects));
    Ok(())
}

/// Returns the options for rendering the bundles of an Operator.
pub(super) fn options(case: OperatorContext<'_>) -> RenderOptions {
    RenderOptions::of(case.intent)
}

pub(super) fn held_bundle(hop: &OperatorHop) -> &str {
    &hop.facts.installs.bundle
}
