//! The related objects of one stage.

use portolan_api::{Form, RelatedObject};

use super::case::RemovalCase;
use super::disposition::Disposition;
use super::inventory::{Inventory, Item, Progress};
use super::stage::Stage;
use crate::contribution::{known, related};

const ABSENT: &str = "Resource not found as expected";
const PRESENT: &str = "Resource found but should not exist";
const DELETED: &str = "K8s deletion success";
const IGNORED_BY_MUSTNOTHAVE: &str = "Resource found but will not be handled in mustnothave mode";
const IGNORED: &str = "Resource found but is not checked when an operator is removed";

const COMPLIANT: &str = "Compliant";
const NON_COMPLIANT: &str = "NonCompliant";

/// Returns the related objects of a stage. Without related objects, returns one placeholder entry.
pub(super) fn relate(
    removal: &RemovalCase<'_>,
    inventory: &Inventory,
    stage: Stage,
) -> Vec<RelatedObject> {
    let there = inventory
        .at(stage)
        .filter(|item| item.progress != Progress::Gone);
    let there: Vec<_> = there.map(|item| entry(removal, item)).collect();
    if there.is_empty() {
        vec![made_before(removal, inventory, absent(removal, stage))]
    } else {
        there
    }
}

/// Returns the reason for related objects of kinds that a removal does not check. The reason
/// depends on the form, because only the established form has `mustnothave`.
pub(super) fn ignored(removal: &RemovalCase<'_>) -> &'static str {
    match removal.intent.form {
        Form::Design => IGNORED,
        Form::Established => IGNORED_BY_MUSTNOTHAVE,
    }
}

fn entry(removal: &RemovalCase<'_>, item: &Item) -> RelatedObject {
    let target = &item.target;
    let is_plan = item.stage == Stage::Plans;
    let (compliant, reason) = match (&item.disposition, item.progress) {
        (Disposition::Delete, Progress::Present) => (Some(NON_COMPLIANT), PRESENT.to_owned()),
        (Disposition::Delete, Progress::Terminating) => (
            Some(NON_COMPLIANT),
            "The object is being deleted".to_owned(),
        ),
        (Disposition::Delete, Progress::Deleted | Progress::Gone) => {
            (Some(COMPLIANT), DELETED.to_owned())
        }
        (Disposition::Keep(_), _) if is_plan => (Some(COMPLIANT), ignored(removal).to_owned()),
        (Disposition::Keep(_), _) if is_one_of_many(removal, item.stage) => (
            Some(NON_COMPLIANT),
            "The OperatorGroup is not the only OperatorGroup of its namespace".to_owned(),
        ),
        (Disposition::Keep(reason), _) if reason.is_content(item.stage) => {
            (None, format!("Kept because {}", reason.why(item.stage)))
        }
        (Disposition::Keep(_), _) => (Some(NON_COMPLIANT), PRESENT.to_owned()),
    };
    let name = (target.namespace.as_deref(), target.name.as_str());
    let entry = related(item.stage.kind(), name, compliant, reason);
    known(entry, Some(target.uid.as_str()), is_made(removal, item))
}

fn is_one_of_many(removal: &RemovalCase<'_>, stage: Stage) -> bool {
    stage == Stage::Groups && removal.groups().len() > 1
}

fn is_made(removal: &RemovalCase<'_>, item: &Item) -> bool {
    let uid = Some(item.target.uid.as_str());
    let subscriptions = removal.subscriptions().iter().map(|each| &each.metadata);
    let groups = removal.groups().iter().map(|each| &each.metadata);
    let mut all = subscriptions.chain(groups);
    let metadata = all.find(|metadata| metadata.uid.as_deref() == uid);
    metadata.is_some_and(|metadata| removal.made(item.stage, metadata))
}

fn absent(removal: &RemovalCase<'_>, stage: Stage) -> RelatedObject {
    let place = Some(removal.namespace.name.as_str()).filter(|name| !name.is_empty());
    let wanted = removal.intent.operator_group.as_ref();
    let group = wanted.and_then(|group| group.name.as_deref());
    let (namespace, name, compliant, reason) = match stage {
        Stage::Subscriptions => (place, removal.package(), COMPLIANT, ABSENT),
        Stage::Crds => (
            None,
            "-",
            "Inapplicable",
            "No relevant CustomResourceDefinitions found",
        ),
        Stage::Csvs => (place, "-", COMPLIANT, ABSENT),
        Stage::Groups => (place, group.unwrap_or("-"), COMPLIANT, ABSENT),
        Stage::Plans => (
            place,
            "-",
            COMPLIANT,
            "There are no InstallPlans of the operator",
        ),
    };
    let name = (namespace, name);
    related(stage.kind(), name, Some(compliant), reason)
}

/// Marks the entry of the deleted Subscription as created by the policy. The removal still needs
/// this information, because it deletes the other objects later.
fn made_before(
    removal: &RemovalCase<'_>,
    inventory: &Inventory,
    entry: RelatedObject,
) -> RelatedObject {
    let stage = Stage::Subscriptions;
    let gone = removal
        .recorded_as_created(stage)
        .filter(|_| entry.object.kind == stage.kind().1 && inventory.stage().is_some());
    match gone {
        Some(gone) => known(entry, gone.uid.as_deref(), true),
        None => entry,
    }
}
