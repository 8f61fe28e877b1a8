//! The order in which members go: from the last to the first, and a member that needs another one
//! before that one.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::plan::Order;
use serde_json::Value;

use super::goal::Goal;
use super::held;
use super::remaining::{Remains, Standing};
use crate::decide::Halt;
use crate::decide::dependency::Dependencies;
use crate::decide::observation::Step;
use crate::object::{Kind, is_terminating, items, text};

/// The members that go now, and those that are kept from going.
#[derive(Default)]
pub(super) struct Sequence {
    pub(super) steps: Vec<Step>,
    pub(super) order: Option<Order>,
    /// The sentence that says what keeps a member from going whose turn it is, by its place.
    pub(super) held: BTreeMap<usize, String>,
}

/// Goes through all that remains.
///
/// # Errors
/// `Halt::Ask` with what is to be looked at first.
pub(super) fn sequence(goal: &Goal<'_>, remains: &Remains<'_>) -> Result<Sequence, Halt> {
    let mut sequence = Sequence {
        held: held::definitions(goal, remains)?,
        ..Sequence::default()
    };
    if !sequence.held.is_empty() {
        // Whoever looks after these objects is to be there until they are gone.
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
            Standing::There(object) if !is_held_back && !is_terminating(object) => {
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
            Standing::There(_)
            | Standing::Unreadable(_)
            | Standing::Unanswered(_)
            | Standing::Unserved => None,
        };
        let goes_at_once = step
            .as_ref()
            .is_some_and(|(object, _)| goes_at_once(&goal.members[place].identity.kind, object));
        ahead.add(place, stage, goes_at_once);
        if let Some((_, step)) = step {
            sequence.order = Some(order);
            sequence.steps.push(step);
        }
    }
    Ok(sequence)
}

/// Whether an object is gone as soon as it is deleted.
fn goes_at_once(kind: &Kind, object: &Value) -> bool {
    let has_finalizers = !items(object, "/metadata/finalizers").is_empty();
    !has_finalizers && !kind.is_namespace() && !kind.is_definition() && !kind.is("", "Pod")
}

/// The members that come before a member and are still there.
#[derive(Default)]
struct Ahead {
    places: BTreeSet<usize>,
    stages: BTreeSet<usize>,
    /// The stages with members that are not gone after these steps.
    waiting: BTreeSet<usize>,
}

impl Ahead {
    fn add(&mut self, place: usize, stage: usize, goes_at_once: bool) {
        self.places.insert(place);
        self.stages.insert(stage);
        if !goes_at_once {
            self.waiting.insert(stage);
        }
    }

    /// Whether a member of a stage waits: for those of other stages, and where it is in order also
    /// for what comes after it in its own.
    fn holds_back(&self, stage: usize, order: Order) -> bool {
        let is_other = self.stages.iter().any(|other| *other != stage);
        is_other || (order == Order::InOrder && self.waiting.contains(&stage))
    }
}

/// The members that need a member, by the place of that one.
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

    /// All from the last to the first, but those that need another one before it.
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
