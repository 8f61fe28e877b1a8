//! Explains the state of an object: its stage, the other plans that contain it, and what happens to
//! it on deletion.

use portolan_api::plan::{MOST_MEMBERS, MemberStatus, Source};

use crate::fate::{Fate, KeepReason};
use crate::manifest::Member;
use crate::version::PlanVersion;

/// The information about an object of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Why<'p> {
    pub stage: &'p str,
    pub source: &'p Source,
    pub standing: ReportedState<'p>,
    /// True if the object existed before the plan. None if the plan has not begun yet.
    pub was_found: Option<bool>,
    /// The other plans that contain the object, in the given order.
    pub shares: Vec<Share<'p>>,
    pub with_plan: Fate,
    /// The prediction for the object if the next plan does not contain it: deleted or kept.
    pub when_lacking: Fate,
}

/// The state of an object, as the status of its plan reports it.
#[derive(Debug, Clone, PartialEq)]
pub enum ReportedState<'p> {
    /// The plan has written nothing yet.
    NotBegun,
    Fine,
    NotFine(&'p MemberStatus),
    /// The state is unknown: the status does not list the object, but its list of objects is
    /// truncated.
    Unlisted,
}

/// Another plan that contains the same object.
#[derive(Debug, Clone, PartialEq)]
pub struct Share<'p> {
    pub plan: &'p str,
    pub relation: Relation,
    /// True if the other plan contains the same manifest of the object.
    pub is_same: bool,
}

/// The relation between a plan and another plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// This plan replaces the other plan.
    Before,
    /// The other plan replaces this plan.
    After,
    /// Neither of the plans replaces the other, so one of them must reject the objects of the
    /// other.
    Other,
}

impl<'p> Why<'p> {
    /// Returns the information about a member of a plan. `others` are plans that may contain the
    /// same object.
    pub fn of(
        plan: &'p PlanVersion,
        member: &'p Member,
        others: &'p [(Relation, PlanVersion)],
    ) -> Self {
        let shares = others.iter().filter_map(|(relation, other)| {
            let shared = other.member(&member.identity)?;
            Some(Share {
                plan: &other.name,
                relation: *relation,
                is_same: shared.digest == member.digest,
            })
        });
        let shares: Vec<_> = shares.collect();
        let was_found = plan.was_found(member);
        Self {
            stage: &plan.intent.stages[member.place.stage].name,
            source: &plan.resource(member.place).source,
            standing: standing(plan, member),
            with_plan: with_plan(plan, member, &shares),
            when_lacking: Fate::when_lacking(member).unless_found(was_found),
            was_found,
            shares,
        }
    }
}

fn standing<'p>(plan: &'p PlanVersion, member: &Member) -> ReportedState<'p> {
    let status = &plan.status;
    let name = member.identity.to_string();
    if let Some(told) = status.members.iter().find(|told| told.object == name) {
        return ReportedState::NotFine(told);
    }
    if status.record.is_none() {
        ReportedState::NotBegun
    } else if status.members.len() >= MOST_MEMBERS {
        ReportedState::Unlisted
    } else {
        ReportedState::Fine
    }
}

fn with_plan(plan: &PlanVersion, member: &Member, shares: &[Share<'_>]) -> Fate {
    let has_it = |relation| {
        let mut shares = shares
            .iter()
            .filter(move |share| share.relation == relation);
        shares
            .next()
            .map(|share| Fate::Kept(KeepReason::OfPlanNamed(share.plan.to_owned())))
    };
    // If another plan replaces this plan, it owns the object now. If this plan replaces another
    // plan, that plan takes the object back.
    if let Some(fate) = has_it(Relation::After).or_else(|| has_it(Relation::Before)) {
        return fate;
    }
    let fate = Fate::with_plan(member, plan.intent.on_plan_deletion);
    fate.unless_found(plan.was_found(member))
}
