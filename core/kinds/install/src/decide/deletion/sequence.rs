//! The order in which members are deleted. The last member of the plan is deleted first. A member
//! is deleted before the members that it needs.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::plan::Order;
use portolan_core_names::GroupKind;
use serde_json::Value;

use super::remaining::{RemainingMember, Remains};
use super::{Goal, held};
use crate::decide::Halt;
use crate::decide::decision::Step;
use crate::decide::dependency::Dependencies;
use crate::object::{is_terminating, items, text};

/// The steps that are possible now, and the members whose deletion is blocked.
#[derive(Default)]
pub(super) struct Sequence {
    pub(super) steps: Vec<Step>,
    pub(super) order: Option<Order>,
    /// The members that cannot be deleted although nothing must be deleted before them. Each has
    /// the reason. The key is the member index.
    pub(super) held: BTreeMap<usize, String>,
}

/// Determines the order for all remaining members.
///
/// # Errors
///
/// Returns `Halt::Ask` with the facts to look up first.
pub(super) fn sequence(goal: &Goal<'_>, remains: &Remains<'_>) -> Result<Sequence, Halt> {
    let mut sequence = Sequence {
        held: held::definitions(goal, remains)?,
        ..Sequence::default()
    };
    if !sequence.held.is_empty() {
        // Nothing is deleted yet, because a controller must still run to remove the objects that
        // block these CRDs.
        return Ok(sequence);
    }
    let needing = Needing::of(&remains.dependencies, remains);
    let mut ahead = Ahead::default();
    for place in needing.order() {
        let stage = goal.members[place].place.stage;
        let order = goal.of.stages[stage].order;
        let is_held_back = ahead.holds_back(stage, order)
            || needing
                .of_member(place)
                .any(|other| ahead.places.contains(other));
        let step = match &remains.at[&place] {
            RemainingMember::There(object) if !is_held_back && !is_terminating(object) => {
                match held::namespace(goal, remains, place)? {
                    None => Some((
                        object,
                        Step::Delete {
                            object: goal.members[place].identity.clone(),
                            uid: text(object, "/metadata/uid").to_owned(),
                        },
                    )),
                    Some(sentence) => {
                        sequence.held.insert(place, sentence);
                        None
                    }
                }
            }
            RemainingMember::There(_)
            | RemainingMember::Unreadable(_)
            | RemainingMember::Unanswered(_)
            | RemainingMember::Unserved => None,
        };
        let is_deleted_at_once = step.as_ref().is_some_and(|(object, _)| {
            is_deleted_at_once(&goal.members[place].identity.kind, object)
        });
        ahead.add(place, stage, is_deleted_at_once);
        if let Some((_, step)) = step {
            sequence.order = Some(order);
            sequence.steps.push(step);
        }
    }
    Ok(sequence)
}

/// Returns true if the object is gone immediately after the delete request.
fn is_deleted_at_once(kind: &GroupKind, object: &Value) -> bool {
    let has_finalizers = !items(object, "/metadata/finalizers").is_empty();
    !has_finalizers && !kind.is_namespace() && !kind.is_definition() && !kind.is("", "Pod")
}

/// The members that must be deleted before the next member in the order.
#[derive(Default)]
struct Ahead {
    places: BTreeSet<usize>,
    stages: BTreeSet<usize>,
    /// The stages with members that will still exist after the steps.
    waiting: BTreeSet<usize>,
}

impl Ahead {
    fn add(&mut self, place: usize, stage: usize, is_deleted_at_once: bool) {
        self.places.insert(place);
        self.stages.insert(stage);
        if !is_deleted_at_once {
            self.waiting.insert(stage);
        }
    }

    /// Returns true if a member must wait for members of other stages. With `InOrder`, it must also
    /// wait for later members of its own stage.
    fn holds_back(&self, stage: usize, order: Order) -> bool {
        let is_other = self.stages.iter().any(|other| *other != stage);
        is_other || (order == Order::InOrder && self.waiting.contains(&stage))
    }
}

/// For each member index, the members that depend on this member.
struct Needing(BTreeMap<usize, Vec<usize>>);

impl Needing {
    fn of(dependencies: &Dependencies, remains: &Remains<'_>) -> Self {
        let mut needing: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for place in remains.at.keys() {
            needing.entry(*place).or_default();
            let needed = dependencies
                .of_member(*place)
                .iter()
                .map(|needed| needed.on);
            for on in needed.filter(|on| remains.at.contains_key(on)) {
                needing.entry(on).or_default().push(*place);
            }
        }
        Self(needing)
    }

    fn of_member(&self, place: usize) -> impl Iterator<Item = &usize> {
        self.0.get(&place).into_iter().flatten()
    }

    /// Returns the member indexes in deletion order. It starts with the last index, and puts each
    /// member before the members that it needs.
    fn order(&self) -> Vec<usize> {
        let (mut order, mut seen) = (Vec::with_capacity(self.0.len()), BTreeSet::new());
        for place in self.0.keys().rev() {
            self.visit(*place, &mut seen, &mut order);
        }
        order
    }

    fn visit(&self, place: usize, seen: &mut BTreeSet<usize>, order: &mut Vec<usize>) {
        if !seen.insert(place) {
            return;
        }
        for other in self.0.get(&place).into_iter().flatten().rev() {
            self.visit(*other, seen, order);
        }
        order.push(place);
    }
}
