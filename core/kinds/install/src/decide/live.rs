//! Computes the changes that a plan would make in the cluster now, from the existing objects and
//! from dry runs.
//!
//! The rules are those of [`decide`](super::decide()), but all stages are checked at once, and the
//! permissions of the ServiceAccount are ignored.

mod members;

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::plan::{JobState, MemberState, Moment, Reason};
use portolan_core_names::ObjectRef;
use portolan_core_olm::State;

use super::case::PlanContext;
use super::decision::Ask;
use super::handover::leftovers;
use super::observation::{Observation, Trial};
use super::relations::Relations;
use super::report::{Report, UndatedCondition};
use super::transform::Transformations;
use super::{Halt, case, discovery, invalid, transform, valid};
use crate::diff::FieldChange;
use crate::fields::OwnedField;
use crate::manifest::Members;

/// The fields that a dry-run apply would change, by object.
pub type Previews = BTreeMap<ObjectRef, Vec<FieldChange>>;

/// The changes that a plan would make in the cluster now.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Live {
    /// The objects to create. If an object needs another object that the plan creates too, the
    /// entry names this other object. In this case, no dry run was possible.
    pub created: Vec<(ObjectRef, Option<ObjectRef>)>,
    pub changed: Vec<LiveChange>,
    pub unchanged: usize,
    /// The objects to delete: objects that only replaced plans contain, and objects that
    /// transformations select.
    pub deleted: Vec<String>,
    /// The Jobs that the plan runs.
    pub jobs: Vec<ObjectRef>,
    /// The objects with fields that other owners have set to different values. The plan does not
    /// take these fields.
    pub conflicts: Vec<(ObjectRef, String)>,
    /// The objects that cannot be applied, each with the reason. If the plan cannot be carried out,
    /// the list contains the plan itself.
    pub refused: Vec<(String, String)>,
    /// The objects that the plan leaves unchanged although they differ from their manifests, each
    /// with the reason.
    pub left: Vec<(String, String)>,
    pub not_compared: Vec<(String, String)>,
}

/// An object to change.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveChange {
    pub object: ObjectRef,
    pub fields: Vec<FieldChange>,
    /// The fields that the plan takes from other owners.
    pub taken: Vec<OwnedField>,
    /// True if the object does not belong to a lineage of the plan yet.
    pub is_taken_over: bool,
    /// True if the object is deleted and recreated.
    pub is_made_again: bool,
}

/// Returns the changes that a plan would make in the cluster now.
///
/// # Errors
///
/// Returns the facts to look up first. For each [`Ask::Trial`], [`Ask::ForcedTrial`] and
/// [`Ask::Drift`], the caller makes one dry run. The caller adds its result to the observation and
/// to the previews.
pub fn live(observed: &Observation, previews: &Previews) -> Result<Live, BTreeSet<Ask>> {
    match compare(observed, previews) {
        Ok(live) => Ok(live),
        Err(Halt::Ask(asks)) => Err(asks),
        Err(Halt::Say(report)) => {
            let plan = observed.plan.identity.to_string();
            Ok(Live {
                refused: vec![(plan, report.why())],
                ..Live::default()
            })
        }
    }
}

impl Report {
    /// Returns the reason why nothing can be written.
    fn why(self) -> String {
        let all = [self.valid, self.permitted, self.applied];
        let mut all = all.into_iter();
        let said = all.find(|said| said.state != State::Yes);
        said.map_or_else(String::new, |UndatedCondition { message, .. }| message)
    }
}

fn compare(observed: &Observation, previews: &Previews) -> Result<Live, Halt> {
    let spec_invalid =
        |sentence: String| invalid(UndatedCondition::no(Reason::SpecInvalid, sentence));
    let intent = observed.intent.as_ref();
    let intent = intent.map_err(|refusals| spec_invalid(refusals.to_string()))?;
    let members = valid::members(observed, intent)?;
    let relations = Relations::of(observed);
    if let Some(refusal) = relations.refusal() {
        return Err(invalid(refusal.clone()));
    }
    let discovery = discovery(observed)?;
    valid::kinds(observed, &members, discovery)?;
    let case = case(observed, &relations, (intent, &members, discovery))?;
    let unseen = case.unseen(0..members.len());
    if !unseen.is_empty() {
        return Err(Halt::Ask(unseen));
    }
    if observed.status.record.is_none() {
        valid::order(&case)?;
    }
    let mut comparison = Comparison {
        case: &case,
        previews,
        asks: BTreeSet::new(),
        live: Live::default(),
    };
    for place in 0..members.len() {
        let looked = comparison.member(place);
        comparison.ask(looked)?;
    }
    comparison.jobs();
    let looked = comparison.leftovers(&members);
    comparison.ask(looked)?;
    let looked = comparison.transformations();
    comparison.ask(looked)?;
    let Comparison { asks, live, .. } = comparison;
    if asks.is_empty() {
        Ok(live)
    } else {
        Err(Halt::Ask(asks))
    }
}

struct Comparison<'c, 'o> {
    case: &'c PlanContext<'o>,
    previews: &'c Previews,
    asks: BTreeSet<Ask>,
    live: Live,
}

impl Comparison<'_, '_> {
    /// Records the missing facts, and continues with the next member.
    fn ask(&mut self, looked: Result<(), Halt>) -> Result<(), Halt> {
        match looked {
            Err(Halt::Ask(asks)) => {
                self.asks.extend(asks);
                Ok(())
            }
            looked => looked,
        }
    }

    fn identity(&self, place: usize) -> ObjectRef {
        self.case.members[place].identity.clone()
    }

    fn jobs(&mut self) {
        let (case, status) = (self.case, &self.case.observed.status);
        for (place, job) in case.members.jobs().iter().enumerate() {
            let mut known = status.jobs.iter();
            let known = known.find(|known| known.stage == job.stage && known.name == job.name);
            let identity = job.identity(case.job_owner(), 1);
            match (
                known.map(|known| known.state),
                case.observed.trial(&identity),
            ) {
                (Some(JobState::Succeeded | JobState::Running | JobState::Unknown), _) => {}
                (Some(JobState::Failed), _) => {}
                (None, None) => drop(self.asks.insert(Ask::JobTrial(place))),
                (None, Some(Trial::Refused(sentence))) => self.refuse(identity, &sentence.clone()),
                (None, Some(Trial::Accepted | Trial::Undecided | Trial::Immutable)) => {
                    self.live.jobs.push(identity);
                }
            }
        }
    }

    /// Adds the objects that only replaced plans contain.
    fn leftovers(&mut self, members: &Members) -> Result<(), Halt> {
        let old = leftovers::old(self.case.observed, self.case.relations, members)?;
        for told in leftovers::forecast(self.case, &old)? {
            match told.state {
                MemberState::Remaining => self.live.deleted.push(told.object),
                MemberState::Refused
                | MemberState::Failed
                | MemberState::NotApplied
                | MemberState::Missing
                | MemberState::NotReady
                | MemberState::Drifted
                | MemberState::Contested
                | MemberState::Held
                | MemberState::Terminating
                | MemberState::Unknown => self.live.left.push((told.object, told.message)),
            }
        }
        Ok(())
    }

    fn transformations(&mut self) -> Result<(), Halt> {
        let known = self.case.observed.status.transformed.clone();
        let begun: BTreeSet<_> = known.iter().map(|one| one.index).collect();
        let mut all = Transformations::new(known);
        for stage in 0..self.case.intent.stages.len() {
            for moment in [Moment::Before, Moment::After] {
                all.run(self.case, (stage, moment), false)?;
            }
        }
        if let Some(wrong) = all.wrong {
            let plan = self.case.observed.plan.identity.to_string();
            self.live.refused.push((plan, wrong.message));
        }
        let new = all.all.iter().filter(|one| !begun.contains(&one.index));
        let going = new.flat_map(|one| &one.objects);
        let going = going.map(|taken| transform::identity(taken).to_string());
        let going = going.chain(all.members.into_iter().map(|told| told.object));
        self.live.deleted.extend(going);
        Ok(())
    }
}
