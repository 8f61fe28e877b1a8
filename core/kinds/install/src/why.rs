//! The explanation of an object's state: the stage of the object, the other plans that contain it,
//! and its outcome at deletion.

use portolan_api::plan::{MOST_MEMBERS, MemberStatus, Source};

use crate::fate::{Fate, KeepReason};
use crate::manifest::Member;
use crate::version::PlanVersion;

/// The information in a plan about an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Why<'p> {
    pub stage: &'p str,
    pub source: &'p Source,
    pub standing: ReportedState<'p>,
    /// True if the object existed before the plan. None if the plan has not begun yet.
    pub was_found: Option<bool>,
    /// The other plans that have the object, in the given order.
    pub shares: Vec<Share<'p>>,
    pub with_plan: Fate,
    /// The outcome for the object if the next plan does not contain it.
    pub when_lacking: Fate,
}

/// The state of an object, according to the status of its plan.
#[derive(Debug, Clone, PartialEq)]
pub enum ReportedState<'p> {
    /// The plan has written nothing yet.
    NotBegun,
    Fine,
    NotFine(&'p MemberStatus),
    /// The status does not contain the object. The list in the status is truncated, so the state is
    /// unknown.
    Unlisted,
}

/// Another plan that has an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Share<'p> {
    pub plan: &'p str,
    pub relation: Relation,
    /// True if the other plan has the same manifest of the object.
    pub is_same: bool,
}

/// The relation of another plan to a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// The plan replaces the other plan.
    Before,
    /// The other plan has replaced the plan.
    After,
    /// Neither plan replaces the other. One of them rejects the objects of the other.
    Other,
}

impl<'p> Why<'p> {
    /// Returns the information in a plan about one of its members, compared with the other plans.
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
    // A plan that replaces this plan has the object now. A plan that this plan replaces takes the
    // object back.
    if let Some(fate) = has_it(Relation::After).or_else(|| has_it(Relation::Before)) {
        return fate;
    }
    let fate = Fate::with_plan(member, plan.intent.on_plan_deletion);
    fate.unless_found(plan.was_found(member))
}
