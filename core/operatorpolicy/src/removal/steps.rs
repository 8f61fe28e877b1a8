//! What is to be done now.

use jiff::SignedDuration;
use portolan_api::Remove;

use super::definitions::{Consequence, consequence};
use super::ground::Ground;
use super::inventory::{Inventory, Item, Sight};
use super::say::say;
use super::stage::Stage;
use crate::desired::{Action, Step};

/// What the API server puts on an object whose dependents are to stay.
const ORPHAN: &str = "orphan";
/// How soon to look again at custom resources, which nobody watches.
pub(super) const GLANCE: SignedDuration = SignedDuration::from_secs(10);

/// The deletes of the stage at hand. What goes was written down before.
pub(super) fn steps(ground: &Ground<'_>, inventory: &Inventory) -> Vec<Step> {
    let Some(stage) = inventory.stage() else {
        return Vec::new();
    };
    let mut steps = Vec::new();
    let mut then = inventory.clone();
    let due = |item: &&Item| item.fate.goes() && item.sight == Sight::There;
    for item in inventory.at(stage).filter(due) {
        if !may_go(ground, item) {
            continue;
        }
        let is_orphaning = is_orphaning(ground, stage);
        then.delete(&item.target, is_orphaning.then_some(ORPHAN));
        let (done, related) = say(ground, &then, stage);
        steps.push(Step {
            action: Action::Delete {
                object: item.target.clone(),
                is_orphaning,
            },
            of: stage.condition(),
            done,
            related,
        });
    }
    let is_new = |item: &Item| item.is_awaited() && !item.is_recorded;
    if !steps.is_empty() && inventory.items.iter().any(is_new) {
        steps.insert(0, unchanged(ground, inventory, Action::Record));
    }
    steps
}

/// A step after which the Subscription is as it was.
pub(super) fn unchanged(ground: &Ground<'_>, inventory: &Inventory, action: Action) -> Step {
    let stage = Stage::Subscriptions;
    let (done, related) = say(ground, inventory, stage);
    Step {
        action,
        of: stage.condition(),
        done,
        related,
    }
}

/// A definition goes only if it is known what goes with it.
fn may_go(ground: &Ground<'_>, item: &Item) -> bool {
    match item.stage {
        Stage::Definitions => match consequence(ground, &item.target.name) {
            Consequence::Known(_) => true,
            Consequence::Hidden(_) | Consequence::Unseen => false,
        },
        Stage::Subscriptions | Stage::Csvs | Stage::Groups | Stage::Plans => true,
    }
}

/// InstallPlans are owned by Subscriptions and would go with the last of them.
fn is_orphaning(ground: &Ground<'_>, stage: Stage) -> bool {
    match (stage, ground.intent.removal.install_plans.remove) {
        (Stage::Subscriptions, Remove::Keep) => true,
        (Stage::Subscriptions, Remove::Delete | Remove::DeleteIfUnused)
        | (Stage::Definitions | Stage::Csvs | Stage::Groups | Stage::Plans, _) => false,
    }
}
