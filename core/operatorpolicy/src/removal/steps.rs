//! What is to be done now.

use jiff::SignedDuration;
use portolan_api::Remove;

use super::case::RemovalCase;
use super::crds::{CustomResources, custom_resources};
use super::inventory::{Inventory, Item, Progress};
use super::stage::Stage;
use super::summary::summarize;
use crate::desired::{Action, Step};

/// What the API server puts on an object whose dependents are to stay.
const ORPHAN: &str = "orphan";
/// How soon to look again at custom resources, which nobody watches.
pub(super) const POLL: SignedDuration = SignedDuration::from_secs(10);

/// The deletes of the stage at hand. What goes was written down before.
pub(super) fn steps(removal: &RemovalCase<'_>, inventory: &Inventory) -> Vec<Step> {
    let Some(stage) = inventory.stage() else {
        return Vec::new();
    };
    let mut steps = Vec::new();
    let mut then = inventory.clone();
    let due = |item: &&Item| item.disposition.is_delete() && item.progress == Progress::Present;
    for item in inventory.at(stage).filter(due) {
        if !may_go(removal, item) {
            continue;
        }
        let is_orphaning = is_orphaning(removal, stage);
        then.delete(&item.target, is_orphaning.then_some(ORPHAN));
        let (done, related) = summarize(removal, &then, stage);
        steps.push(Step {
            action: Action::Delete {
                object: item.target.clone(),
                is_orphaning,
            },
            type_: stage.condition(),
            done,
            related,
        });
    }
    let is_new = |item: &Item| item.is_awaited() && !item.is_recorded;
    if !steps.is_empty() && inventory.items.iter().any(is_new) {
        steps.insert(0, unchanged(removal, inventory, Action::WriteStatus));
    }
    steps
}

/// A step after which the Subscription is as it was.
pub(super) fn unchanged(removal: &RemovalCase<'_>, inventory: &Inventory, action: Action) -> Step {
    let stage = Stage::Subscriptions;
    let (done, related) = summarize(removal, inventory, stage);
    Step {
        action,
        type_: stage.condition(),
        done,
        related,
    }
}

/// A definition goes only if it is known what goes with it.
fn may_go(removal: &RemovalCase<'_>, item: &Item) -> bool {
    match item.stage {
        Stage::Crds => match custom_resources(removal, &item.target.name) {
            CustomResources::Listed(_) => true,
            CustomResources::Unlistable(_) | CustomResources::NotListed => false,
        },
        Stage::Subscriptions | Stage::Csvs | Stage::Groups | Stage::Plans => true,
    }
}

/// InstallPlans are owned by Subscriptions and would go with the last of them.
fn is_orphaning(removal: &RemovalCase<'_>, stage: Stage) -> bool {
    match (stage, removal.intent.removal.install_plans.remove) {
        (Stage::Subscriptions, Remove::Keep) => true,
        (Stage::Subscriptions, Remove::Delete | Remove::DeleteIfUnused)
        | (Stage::Crds | Stage::Csvs | Stage::Groups | Stage::Plans, _) => false,
    }
}
