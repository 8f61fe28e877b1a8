//! The changes that a plan would make in the cluster now, based on the objects of its members and
//! on dry runs.
//!
//! The rules are those of [`decide`](super::decide()), but for all stages at once, and without the
//! permissions of the ServiceAccount.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::plan::{JobState, MemberState, Moment, Reason};
use portolan_core_names::ObjectRef;
use portolan_core_names::text::cite;
use portolan_core_olm::State;

use super::case::{Blocked, Case, View};
use super::drift::{self, Difference};
use super::handover::leftovers;
use super::observation::{Ask, Observation, Sight, Step, Trial};
use super::relations::Relations;
use super::report::{Report, UndatedCondition};
use super::transform::Transformations;
use super::{Halt, case, collision, discovery, transform, valid};
use crate::diff::{FieldChange, removed};
use crate::fields::Conflict;
use crate::manifest::Members;
use crate::object::is_terminating;

/// The fields that a dry-run apply changes, by object.
pub type Previews = BTreeMap<ObjectRef, Vec<FieldChange>>;

/// The changes that a plan would make in the cluster now.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Live {
    /// The objects to create. If an object needs another one from the plan, that one is listed with
    /// it, and no dry run is made.
    pub created: Vec<(ObjectRef, Option<ObjectRef>)>,
    pub changed: Vec<LiveChange>,
    pub unchanged: usize,
    /// The objects to delete: those of the plans that it replaces, and those that it transforms.
    pub deleted: Vec<String>,
    /// The Jobs to run.
    pub jobs: Vec<ObjectRef>,
    /// The objects with fields that others own with other values, and that the plan does not take.
    pub conflicts: Vec<(ObjectRef, String)>,
    /// The objects that cannot be applied, or the plan itself, with the reason.
    pub refused: Vec<(String, String)>,
    /// The objects that differ and that the plan leaves alone, with the reason.
    pub left: Vec<(String, String)>,
    pub not_compared: Vec<(String, String)>,
}

/// An object to change.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveChange {
    pub object: ObjectRef,
    pub fields: Vec<FieldChange>,
    /// The fields that are taken from other owners.
    pub taken: Vec<Conflict>,
    /// True if no plan of the lineage has the object yet.
    pub is_taken_over: bool,
    /// True if the object is deleted and recreated.
    pub is_made_again: bool,
}

/// Returns the changes that a plan would make in the cluster now.
///
/// # Errors
///
/// Returns the facts to look up first. For each [`Ask::Trial`], [`Ask::ForcedTrial`] and
/// [`Ask::Drift`], the caller adds the result of one dry run to the observation and to the
/// previews.
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
    /// Returns the reason why nothing is written.
    fn why(self) -> String {
        let all = [self.valid, self.permitted, self.applied];
        let mut all = all.into_iter();
        let said = all.find(|said| said.state != State::Yes);
        said.map_or_else(String::new, |UndatedCondition { message, .. }| message)
    }
}

fn compare(observed: &Observation, previews: &Previews) -> Result<Live, Halt> {
    let invalid =
        |sentence: String| valid::invalid(UndatedCondition::no(Reason::SpecInvalid, sentence));
    let intent = observed.intent.as_ref();
    let intent = intent.map_err(|refusals| invalid(refusals.to_string()))?;
    let members = valid::members(observed, intent)?;
    let relations = Relations::of(observed);
    if let Some(refusal) = relations.refusal() {
        return Err(valid::invalid(refusal.clone()));
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
    case: &'c Case<'o>,
    previews: &'c Previews,
    asks: BTreeSet<Ask>,
    live: Live,
}

impl Comparison<'_, '_> {
    /// Continues with the other members if a fact is missing.
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

    fn member(&mut self, place: usize) -> Result<(), Halt> {
        match self.case.sight(place) {
            Some(Sight::Absent) | None => self.absent(place),
            Some(Sight::Unreadable(sentence) | Sight::Unanswered(sentence)) => {
                let sentence = format!("cannot be read: {}", cite(sentence));
                let object = self.identity(place).to_string();
                self.live.not_compared.push((object, sentence));
                Ok(())
            }
            Some(Sight::Present(_)) => {
                let view = self.case.view(place)?;
                self.present(place, view)
            }
        }
    }

    /// Returns the first object that a member needs and that the plan creates.
    fn needed(&self, place: usize) -> Option<ObjectRef> {
        let mut needed = self.case.dependencies.of_member(place).iter();
        let needed = needed.find(|needed| valid::is_to_come(self.case, needed.on));
        needed.map(|needed| self.identity(needed.on))
    }

    fn absent(&mut self, place: usize) -> Result<(), Halt> {
        let object = self.identity(place);
        if self.case.is_applied && !self.case.recreates(place) {
            let sentence = "is gone, and stays so: lifecycle.onDeletion is Report".to_owned();
            self.live.left.push((object.to_string(), sentence));
            return Ok(());
        }
        let needed = self.needed(place);
        if needed.is_none() {
            match self.trial(place)? {
                Trial::Accepted | Trial::Undecided | Trial::Immutable => {}
                Trial::Refused(sentence) => {
                    self.refuse(object, &sentence);
                    return Ok(());
                }
            }
        }
        self.live.created.push((object, needed));
        Ok(())
    }

    fn refuse(&mut self, object: ObjectRef, sentence: &str) {
        let sentence = format!("the API server refuses it: {}", cite(sentence));
        self.live.refused.push((object.to_string(), sentence));
    }

    /// Returns the dry-run result of a member for its current object.
    fn trial(&self, place: usize) -> Result<Trial, Halt> {
        let object = &self.case.members[place].identity;
        let now = self.case.sight(place).and_then(Sight::shape);
        let trial = self.case.observed.trials.get(object);
        let trial = trial.filter(|(seen, _)| *seen == now);
        let (_, trial) = trial.ok_or_else(|| Ask::Trial(object.clone()))?;
        Ok(trial.clone())
    }

    fn present(&mut self, place: usize, view: View) -> Result<(), Halt> {
        match view {
            View::Settled(_) => self.settled(place),
            View::Absent => Ok(()),
            View::Blocked(blocked) => self.blocked(place, &blocked),
            View::Adoptable if self.case.is_applied => self.lost(place),
            View::Adoptable => match (self.trial(place)?, self.case.taken_over(place)?) {
                (_, View::Blocked(blocked)) => self.blocked(place, &blocked),
                (trial, _) => self.tried(place, trial),
            },
            View::Stale { .. } | View::Immutable(_) => {
                let trial = self.trial(place)?;
                self.tried(place, trial)
            }
        }
    }

    /// Handles a member that has its manifest. Only changes by others are reverted.
    fn settled(&mut self, place: usize) -> Result<(), Halt> {
        let object = self.identity(place);
        let sight = self.case.object(place);
        if sight.is_some_and(is_terminating) {
            let sentence = "is being deleted".to_owned();
            self.live.not_compared.push((object.to_string(), sentence));
            return Ok(());
        }
        let mut asks = BTreeSet::new();
        let difference = drift::changed(self.case, place, &mut asks);
        if !asks.is_empty() {
            return Err(Halt::Ask(asks));
        }
        match difference {
            None => self.live.unchanged += 1,
            Some(Difference {
                step: Some(step), ..
            }) => {
                let fields = match (step, sight) {
                    (Step::Seal { fields, .. }, Some(seen)) => removed(&object.kind, seen, &fields),
                    _ => self.fields(place),
                };
                self.change(place, fields, false);
            }
            Some(Difference { sentence, .. }) => {
                self.live.left.push((object.to_string(), sentence));
            }
        }
        Ok(())
    }

    fn fields(&self, place: usize) -> Vec<FieldChange> {
        let fields = self.previews.get(&self.case.members[place].identity);
        fields.cloned().unwrap_or_default()
    }

    fn change(&mut self, place: usize, fields: Vec<FieldChange>, is_made_again: bool) {
        let object = self.identity(place);
        let Observation { plan, attempts, .. } = self.case.observed;
        let taken = attempts.get(&object).into_iter();
        let taken = taken.flat_map(|attempt| &attempt.conflicts);
        let seen = self.case.object(place);
        self.live.changed.push(LiveChange {
            fields,
            // A plan that merges takes no fields from the plans that it merges.
            taken: taken
                .filter(|it| !plan.is_manager(&it.manager))
                .cloned()
                .collect(),
            is_taken_over: seen.is_some_and(|seen| !self.case.is_ours(seen)),
            is_made_again,
            object,
        });
    }

    fn blocked(&mut self, place: usize, blocked: &Blocked) -> Result<(), Halt> {
        let object = self.identity(place);
        let sentence = blocked.sentence.clone();
        let is = |reason| blocked.reason == reason;
        if is(Reason::CollisionRefused) && self.case.is_applied {
            return self.lost(place);
        }
        if is(Reason::FieldsOwned) {
            self.live.conflicts.push((object, sentence));
        } else if is(Reason::Applying) {
            // The object is created again once it is gone.
            self.live.created.push((object, None));
        } else if is(Reason::NotLookedAt) {
            self.live.not_compared.push((object.to_string(), sentence));
        } else {
            self.live.refused.push((object.to_string(), sentence));
        }
        Ok(())
    }

    /// Handles an applied member that is replaced by an object of others.
    fn lost(&mut self, place: usize) -> Result<(), Halt> {
        if let Some(seen) = self.case.object(place) {
            let sentence = collision::taken(seen, self.case.observed)?.sentence;
            let object = self.identity(place).to_string();
            self.live.left.push((object, sentence));
        }
        Ok(())
    }

    /// Handles a member that is applied to an existing object, after its dry run.
    fn tried(&mut self, place: usize, trial: Trial) -> Result<(), Halt> {
        let object = self.identity(place);
        match trial {
            Trial::Immutable => self.change(place, Vec::new(), true),
            Trial::Undecided => {
                let sentence = "the API server does not say what becomes of it".to_owned();
                self.live.not_compared.push((object.to_string(), sentence));
            }
            Trial::Refused(sentence) => match self.needed(place) {
                Some(needed) => {
                    let sentence =
                        format!("is refused before {needed} is applied: {}", cite(&sentence));
                    self.live.not_compared.push((object.to_string(), sentence));
                }
                None => self.refuse(object, &sentence),
            },
            Trial::Accepted => {
                let fields = self.fields(place);
                let seen = self.case.object(place);
                let is_ours = seen.is_some_and(|seen| self.case.is_ours(seen));
                if fields.is_empty() && is_ours {
                    self.live.unchanged += 1;
                } else {
                    self.change(place, fields, false);
                }
            }
        }
        Ok(())
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

    /// Adds the objects that only replaced plans have.
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
