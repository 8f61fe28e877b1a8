//! Removes an operator. In the design form, this happens when the policy is deleted. In the
//! established form, it happens when the policy has `mustnothave`.
//!
//! ```text
//! record the objects to delete and the objects to keep
//!   -> Subscription         so that OLM reinstalls nothing
//!   -> CRDs                 if deleted: while the operator runs, until its resources are gone
//!   -> ClusterServiceVersions
//!   -> OperatorGroup        unless another operator uses it
//!   -> InstallPlans         if deleted
//!   -> remove our finalizer from the policy
//! ```
//!
//! Each stage waits for the previous stage. The current stage is derived from the record and the
//! existing objects, so that an interrupted removal continues at the same stage. Only objects with
//! a recorded uid are deleted. An object with the same name and another uid is kept.

mod case;
mod crds;
mod disposition;
mod gate;
mod groups;
mod inventory;
mod operator;
mod record;
mod related;
mod report;
mod stage;
mod summary;

#[cfg(test)]
mod tests;

use std::iter;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use portolan_api::{Intent, Presence, RemainingObject, Remediation, RemovalRecord, RemovedObject};
use portolan_core_olm::CustomResourceDefinition;

use crate::case::Case;
use crate::desired::{Action, Desired, Report, Step};
use crate::not_judged::{NotJudged, label};
use crate::phrase::INFORMS;
use crate::{NamespaceState, Observed, WriteMode, managed};

pub(crate) use self::case::RemovalCase;
use self::crds::{CustomResources, custom_resources};
pub(crate) use self::gate::case_of;
use self::inventory::{Inventory, Item, Progress};
pub(crate) use self::record::is_begun;
use self::stage::Stage;
use self::summary::summarize;

/// The finalizer that the API server sets on an object whose dependents are orphaned.
const ORPHAN: &str = "orphan";
/// The interval between checks of custom resources. No watch reports their changes.
const POLL: SignedDuration = SignedDuration::from_secs(10);
/// The time within which OLM may execute an InstallPlan again, from a stale copy. If a
/// ClusterServiceVersion is deleted in this time, OLM recreates it. If a CRD is deleted in this
/// time, OLM removes the CRD's finalizer. The custom resources are then lost, and their own
/// finalizers are not processed.
const SETTLING: SignedDuration = SignedDuration::from_secs(10);

/// Decides the removal for a policy whose operator must not be installed.
pub(crate) fn must_not_have(case: &Case<'_>) -> Result<Desired, NotJudged> {
    if !case.observed.stale.is_empty() {
        return Err(NotJudged::RemovalUnseen);
    }
    let removal = case_of_unwanted(case);
    let inventory = Inventory::of(&removal);
    let before = removal.record().cloned();
    let (steps, record) = match (case.acts() && removal.obstacle.is_none(), inventory.stage()) {
        (true, Some(_)) => {
            let record = record::record(&removal, &inventory);
            (steps(&removal, &inventory), Some(record))
        }
        (true, None) => (Vec::new(), None),
        (false, _) => (Vec::new(), before.filter(|_| case.intent.is_enforced())),
    };
    let report = Report {
        removal: record,
        ..report::report(&removal, &inventory, Some(case))
    };
    let requeue_at = poll_at(&removal, &inventory).filter(|_| case.acts());
    Ok(Desired {
        report,
        steps,
        requeue_at,
    })
}

/// The objects that the deletion of a policy would delete, and the objects that it would keep.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// The objects, each as the removal would record it.
    pub objects: Vec<PreviewedObject>,
    /// The phase with which the removal would begin.
    pub phase: Option<String>,
    /// The custom resources that would block the removal.
    pub remaining: Vec<RemainingObject>,
}

/// An object and the decision about it.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviewedObject {
    /// The object, with the state that the removal would record.
    pub object: RemovedObject,
    /// The reason why the object is kept. None if the policy deletes the object. Also None for
    /// APIServices, because only OLM deletes them.
    pub stays: Option<String>,
}

/// Returns the objects that the deletion of the policy would delete, and the objects that it would
/// keep.
pub fn preview(intent: &Intent, observed: &Observed) -> Preview {
    let nowhere = NamespaceState::default();
    let namespace = observed.namespace.as_ref().unwrap_or(&nowhere);
    let obstacle = gate::until_named(Some(intent), observed);
    let removal = RemovalCase {
        obstacle: obstacle.or_else(|| gate::removable(Some(intent), observed).err()),
        ..RemovalCase::of(intent, observed, namespace, Timestamp::UNIX_EPOCH)
    };
    let inventory = Inventory::of(&removal);
    let RemovalRecord {
        objects,
        phase,
        remaining,
        started: _,
    } = record::plan(&removal, &inventory);
    let stays = inventory.items.iter().map(Item::keep_reason);
    // The list of objects ends with APIServices. OLM deletes them, so they have no reason.
    let stays = stays.chain(iter::repeat(None));
    let objects = objects.into_iter().zip(stays);
    Preview {
        objects: objects
            .map(|(object, stays)| PreviewedObject { object, stays })
            .collect(),
        phase,
        remaining,
    }
}

/// Returns the CRDs whose custom resources must be listed: CRDs that are being deleted, or that the
/// removal deletes next.
pub fn crds_to_delete(
    intent: Option<&Intent>,
    observed: &Observed,
) -> Vec<Arc<CustomResourceDefinition>> {
    let (Some(intent), Some(namespace)) = (intent, &observed.namespace) else {
        return Vec::new();
    };
    let Some(removal) = under_way(intent, observed, namespace) else {
        return Vec::new();
    };
    let inventory = Inventory::of(&removal);
    let is_next = inventory.stage() == Some(Stage::Crds);
    let awaited: Vec<_> = inventory
        .at(Stage::Crds)
        .filter(|item| is_next && item.is_awaited())
        .collect();
    let all = namespace.crds.iter().filter(|crd| {
        let uid = crd.metadata.uid.as_deref();
        awaited
            .iter()
            .any(|item| Some(item.target.uid.as_str()) == uid)
    });
    all.cloned().collect()
}

/// Returns the removal that the controller must carry out. Returns None if the policy removes
/// nothing.
fn under_way<'a>(
    intent: &'a Intent,
    observed: &'a Observed,
    namespace: &'a NamespaceState,
) -> Option<RemovalCase<'a>> {
    let is_leaving = observed.policy.metadata.deletion_timestamp.is_some();
    let obstacle = match (is_leaving, intent.presence) {
        (true, _) if !managed::has_finalizer(&observed.policy) => return None,
        (true, _) => gate::removable(Some(intent), observed).err(),
        (false, Presence::MustNotHave) => gate::others(intent, observed),
        (false, Presence::MustHave) => return None,
    };
    let is_idle = !intent.is_enforced() || observed.write_mode != WriteMode::ReadWrite;
    let removal = RemovalCase::of(intent, observed, namespace, Timestamp::UNIX_EPOCH);
    Some(removal).filter(|_| obstacle.is_none() && !is_idle)
}

fn case_of_unwanted<'a>(case: &Case<'a>) -> RemovalCase<'a> {
    let idle = match (case.intent.remediation, &case.observed.write_mode) {
        (Remediation::Inform, _) => Some(INFORMS.to_owned()),
        (Remediation::Enforce, WriteMode::ReadOnly(why)) => Some(why.clone()),
        (Remediation::Enforce, WriteMode::ReadWrite) => None,
    };
    // In inform mode, the status reports all objects that should be absent, even if other policies
    // need them.
    let others = gate::others(case.intent, case.observed);
    RemovalCase {
        obstacle: others.filter(|_| case.intent.is_enforced()),
        idle,
        ..RemovalCase::of(case.intent, case.observed, case.namespace, case.now)
    }
}

/// Decides the next steps for a policy that is being deleted. Continues the recorded removal, or
/// starts the removal if nothing is recorded.
pub(crate) fn leaving(removal: &RemovalCase<'_>) -> Desired {
    let inventory = Inventory::of(removal);
    let report = Report {
        removal: Some(record::record(removal, &inventory)),
        label: label(removal.observed),
        ..report::report(removal, &inventory, None)
    };
    let steps = match inventory.stage() {
        Some(_) => steps(removal, &inventory),
        // Writes the final status before the finalizer is removed. Afterwards, the policy no longer
        // exists.
        None => [Action::WriteStatus, Action::RemoveFinalizer]
            .map(|action| unchanged(removal, &inventory, action))
            .to_vec(),
    };
    Desired {
        report,
        steps,
        requeue_at: poll_at(removal, &inventory),
    }
}

/// Returns the time of the next check. Returns None if no check is needed. No event reports that
/// custom resources changed or that a delay has ended, so a timer is needed.
fn poll_at(removal: &RemovalCase<'_>, inventory: &Inventory) -> Option<Timestamp> {
    match inventory.stage()? {
        Stage::Crds => {
            let poll = removal.now + POLL;
            Some(settled_at(removal, inventory).map_or(poll, |settled| settled.min(poll)))
        }
        Stage::Csvs => {
            let awaited = inventory.at(Stage::Csvs).filter(|item| item.is_awaited());
            awaited
                .filter_map(|item| settles_at(removal, &item.target.name))
                .max()
        }
        Stage::Subscriptions | Stage::Groups | Stage::Plans => None,
    }
}

/// Returns the latest time at which OLM may still repeat the installation of one of the
/// ClusterServiceVersions. Returns None if OLM can no longer repeat an installation.
fn settled_at(removal: &RemovalCase<'_>, inventory: &Inventory) -> Option<Timestamp> {
    let csvs = inventory.at(Stage::Csvs);
    let settled = csvs.filter_map(|item| settles_at(removal, &item.target.name));
    settled.max()
}

/// Returns the latest time at which OLM may still repeat the installation of this
/// ClusterServiceVersion. Returns None if OLM can no longer repeat it.
fn settles_at(removal: &RemovalCase<'_>, csv: &str) -> Option<Timestamp> {
    let plans = removal.plans().iter();
    let plans = plans.filter(|plan| plan.spec.csvs.iter().any(|name| name == csv));
    let conditions = plans.flat_map(|plan| &plan.status.conditions);
    let installed = conditions.filter(|each| each.r#type == "Installed" && each.status == "True");
    let times = installed.filter_map(|each| Some(each.last_transition_time.as_ref()?.0 + SETTLING));
    // Ignores times from a wrong clock, because they would extend the delay of the removal.
    let is_to_come = |at: &Timestamp| *at > removal.now && *at <= removal.now + SETTLING * 2;
    times.filter(is_to_come).max()
}

/// Returns the steps that delete the objects of the current stage. If the status does not list all
/// of them yet, the first step writes the status.
fn steps(removal: &RemovalCase<'_>, inventory: &Inventory) -> Vec<Step> {
    let Some(stage) = inventory.stage() else {
        return Vec::new();
    };
    let mut steps = Vec::new();
    let mut then = inventory.clone();
    let due = |item: &&Item| item.disposition.is_delete() && item.progress == Progress::Present;
    for item in inventory.at(stage).filter(due) {
        if !may_go(removal, inventory, item) {
            continue;
        }
        // A Subscription owns its InstallPlans, so deleting it would also delete them. InstallPlans
        // show which work OLM is still doing. They must be deleted last.
        let is_orphaning = stage == Stage::Subscriptions;
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

/// Builds a step after which the Subscription's condition is the same as before.
fn unchanged(removal: &RemovalCase<'_>, inventory: &Inventory, action: Action) -> Step {
    let stage = Stage::Subscriptions;
    let (done, related) = summarize(removal, inventory, stage);
    Step {
        action,
        type_: stage.condition(),
        done,
        related,
    }
}

/// Returns true if the object may be deleted now. A CRD may be deleted only if its custom resources
/// are known. A CRD or ClusterServiceVersion may be deleted only when OLM can no longer repeat its
/// installation.
fn may_go(removal: &RemovalCase<'_>, inventory: &Inventory, item: &Item) -> bool {
    match item.stage {
        Stage::Crds => match custom_resources(removal, &item.target.name) {
            CustomResources::Listed(_) => settled_at(removal, inventory).is_none(),
            CustomResources::Unlistable(_) | CustomResources::NotListed => false,
        },
        Stage::Csvs => settles_at(removal, &item.target.name).is_none(),
        Stage::Subscriptions | Stage::Groups | Stage::Plans => true,
    }
}
