//! Lists the existing objects of an operator, and decides for each if it is deleted or kept.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_core::Resource;
use portolan_api::{Remove, RemovedObject, Removing};
use portolan_core_olm::{InstallPlan, InstallPlanPhase};

use super::case::RemovalCase;
use super::disposition::{Disposition, KeepReason};
use super::operator::OperatorObjects;
use super::stage::Stage;
use super::{crds, groups};
use crate::desired::Target;

/// The objects of the operator, each with the decision to delete or keep it. Sorted by stage,
/// namespace, name and uid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inventory {
    pub(super) items: Vec<Item>,
    /// The InstallPlan with which OLM is about to install a ClusterServiceVersion that must be
    /// deleted. None if there is no such InstallPlan.
    pub(super) coming: Option<String>,
}

/// An object of the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) stage: Stage,
    pub(super) target: Target,
    pub(super) disposition: Disposition,
    pub(super) progress: Progress,
    /// The finalizers that delay the deletion of the object.
    pub(super) finalizers: Vec<String>,
    /// True if the object was recorded for deletion.
    pub(super) is_recorded: bool,
}

/// The progress of the deletion of one object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    Present,
    /// The API server has begun to delete the object.
    Terminating,
    /// The controller has just requested the deletion, and no known finalizer delays it.
    Deleted,
    Gone,
}

// === impl Inventory ===

impl Inventory {
    pub(super) fn of(removal: &RemovalCase<'_>) -> Self {
        let own = OperatorObjects::of(removal);
        let mut items = Vec::new();
        if let Some(subscription) = own.subscription {
            let disposition =
                usual_disposition(removal, &own, Stage::Subscriptions, &subscription.metadata);
            items.push(Item::from_object(
                removal,
                Stage::Subscriptions,
                subscription,
                disposition,
            ));
        }
        for csv in &own.csvs {
            let disposition = usual_disposition(removal, &own, Stage::Csvs, &csv.metadata);
            items.push(Item::from_object(removal, Stage::Csvs, *csv, disposition));
        }
        items.extend(crds::items(removal, &own, &items));
        for plan in removal.plans() {
            let disposition = plan_disposition(removal, &own, plan);
            items.extend(
                disposition.map(|disposition| {
                    Item::from_object(removal, Stage::Plans, &**plan, disposition)
                }),
            );
        }
        items.extend(groups::items(removal, &own, &items));
        items.extend(gone(removal, &items));
        items.sort_by(|one, other| one.place().cmp(&other.place()));
        let coming = coming(removal, &own);
        Self { items, coming }
    }

    pub(super) fn at(&self, stage: Stage) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(move |item| item.stage == stage)
    }

    /// Returns the current stage. This is the first stage that still has objects to delete. Returns
    /// None if no object must be deleted.
    pub(super) fn stage(&self) -> Option<Stage> {
        let mut all = Stage::ALL.iter().copied();
        all.find(|stage| {
            let is_coming = *stage == Stage::Csvs && self.coming.is_some();
            is_coming || self.at(*stage).any(Item::is_awaited)
        })
    }

    /// Marks an object as deleted. `holder` is a finalizer that the deletion adds to the object.
    pub(super) fn delete(&mut self, target: &Target, holder: Option<&str>) {
        for item in &mut self.items {
            if item.target == *target {
                item.finalizers.extend(holder.map(str::to_owned));
                item.progress = if item.finalizers.is_empty() {
                    Progress::Deleted
                } else {
                    Progress::Terminating
                };
            }
        }
    }
}

// === impl Item ===

impl Item {
    pub(super) fn from_object<K: Resource<DynamicType = ()>>(
        removal: &RemovalCase<'_>,
        stage: Stage,
        object: &K,
        disposition: Disposition,
    ) -> Self {
        let (api_version, kind) = stage.kind();
        let metadata = object.meta();
        Self {
            stage,
            target: Target::of(api_version, kind, object),
            disposition,
            progress: match metadata.deletion_timestamp {
                Some(_) => Progress::Terminating,
                None => Progress::Present,
            },
            finalizers: metadata.finalizers.clone().unwrap_or_default(),
            is_recorded: removal.is_recorded(stage, metadata),
        }
    }

    fn gone(stage: Stage, object: &RemovedObject) -> Self {
        let (api_version, kind) = stage.kind();
        Self {
            stage,
            target: Target {
                api_version,
                kind,
                namespace: object.namespace.clone(),
                name: object.name.clone(),
                uid: object.uid.clone().unwrap_or_default(),
                resource_version: String::new(),
            },
            disposition: Disposition::Delete,
            progress: Progress::Gone,
            finalizers: Vec::new(),
            is_recorded: true,
        }
    }

    fn place(&self) -> (Stage, Option<&str>, &str, &str) {
        let Target {
            namespace,
            name,
            uid,
            ..
        } = &self.target;
        (self.stage, namespace.as_deref(), name, uid)
    }

    pub(super) fn is_there(&self) -> bool {
        match self.progress {
            Progress::Present | Progress::Terminating => true,
            Progress::Deleted | Progress::Gone => false,
        }
    }

    /// Returns true if the object must be deleted but still exists.
    pub(super) fn is_awaited(&self) -> bool {
        self.disposition.is_delete() && self.is_there()
    }

    /// Returns the reason why the object is kept. Returns None if the object is deleted.
    pub(super) fn keep_reason(&self) -> Option<String> {
        match &self.disposition {
            Disposition::Keep(reason) => Some(reason.why(self.stage)),
            Disposition::Delete => None,
        }
    }
}

fn is_own(removal: &RemovalCase<'_>, own: &OperatorObjects<'_>, plan: &InstallPlan) -> bool {
    removal.is_listed(Stage::Plans, &plan.metadata) || own.has_plan(removal, plan)
}

/// Decides about an InstallPlan. Returns None if the InstallPlan does not belong to this operator.
fn plan_disposition(
    removal: &RemovalCase<'_>,
    own: &OperatorObjects<'_>,
    plan: &InstallPlan,
) -> Option<Disposition> {
    if let Some(disposition) = obsolete(removal, own, plan) {
        return Some(disposition);
    }
    let other = own.other_owner(removal, plan);
    let other = other.filter(|_| !removal.is_recorded(Stage::Plans, &plan.metadata));
    let is_own = is_own(removal, own, plan);
    match other {
        // The InstallPlan has another owner, so the garbage collector does not delete it.
        Some(other) if is_own || plan.spec.csvs.iter().any(|name| own.is_bundle(name)) => {
            let by = format!("Subscription {other}");
            Some(
                decided(removal, Stage::Plans).unwrap_or(Disposition::Keep(KeepReason::Shared(by))),
            )
        }
        Some(_) => None,
        None => is_own.then(|| usual_disposition(removal, own, Stage::Plans, &plan.metadata)),
    }
}

/// Decides about an obsolete InstallPlan. Such an InstallPlan waits for approval, has another
/// operator as second owner, and installs a bundle of this operator, whose Subscription is removed.
/// Returns None for any other InstallPlan.
///
/// The InstallPlan has not installed anything yet. While it waits, OLM creates no other InstallPlan
/// for the other operator. If it were approved, OLM would reinstall this operator.
fn obsolete(
    removal: &RemovalCase<'_>,
    own: &OperatorObjects<'_>,
    plan: &InstallPlan,
) -> Option<Disposition> {
    let (stage, metadata) = (Stage::Plans, &plan.metadata);
    let Removing {
        remove,
        is_explicit,
    } = stage.removing(&removal.intent.removal);
    let waits = plan.status.phase == InstallPlanPhase::RequiresApproval && !plan.spec.approved;
    let is_shared = own.other_owner(removal, plan).is_some();
    let is_recorded = removal.is_recorded(stage, metadata);
    let is_own = is_recorded || plan.spec.csvs.iter().any(|name| own.is_bundle(name));
    let is_kept = remove == Remove::Keep && is_explicit;
    let still_wanted = own.subscription.is_some_and(|wanted| {
        !usual_disposition(removal, own, Stage::Subscriptions, &wanted.metadata).is_delete()
    });
    if !waits || !is_shared || !is_own || is_kept || still_wanted {
        return None;
    }
    let obstacle = removal.obstacle.clone().map(KeepReason::Obstacle);
    let kept = obstacle.map(Disposition::Keep);
    let kept = kept.or_else(|| once_recorded(removal, own, stage, metadata));
    kept.or_else(|| elsewhere(removal, own))
        .or(Some(Disposition::Delete))
}

/// Returns the name of an InstallPlan that OLM has begun to execute. Returns None if there is no
/// such InstallPlan. OLM completes this InstallPlan even after its Subscription is deleted.
fn coming(removal: &RemovalCase<'_>, own: &OperatorObjects<'_>) -> Option<String> {
    let is_there = |name: &&String| {
        let mut there = removal.csvs().iter();
        let mut recorded = removal.recorded(Stage::Csvs);
        there.any(|csv| csv.metadata.name.as_ref() == Some(*name))
            || recorded.any(|csv| csv.name == **name)
    };
    let is_begun = |plan: &InstallPlan| match plan.status.phase {
        InstallPlanPhase::Installing => true,
        InstallPlanPhase::RequiresApproval => plan.spec.approved,
        InstallPlanPhase::Planning
        | InstallPlanPhase::Complete
        | InstallPlanPhase::Failed
        | InstallPlanPhase::Other(_) => false,
    };
    let plans = removal.plans().iter().filter(|plan| {
        let is_own = is_own(removal, own, plan);
        let mut csvs = plan.spec.csvs.iter();
        let is_coming = |name: &String| (is_own || own.is_bundle(name)) && !is_there(&name);
        is_begun(plan) && csvs.any(is_coming)
    });
    let name = plans.filter_map(|plan| plan.metadata.name.clone()).min()?;
    let disposition = usual_disposition(removal, own, Stage::Csvs, &ObjectMeta::default());
    disposition.is_delete().then_some(name)
}

/// Decides about an object that no other operator owns.
fn usual_disposition(
    removal: &RemovalCase<'_>,
    own: &OperatorObjects<'_>,
    stage: Stage,
    metadata: &ObjectMeta,
) -> Disposition {
    let removing = stage.removing(&removal.intent.removal);
    decided(removal, stage)
        .or_else(|| once_recorded(removal, own, stage, metadata))
        .or_else(|| elsewhere(removal, own))
        .or_else(|| {
            let is_allowed = removing.is_explicit || own.is_made;
            (!is_allowed).then_some(Disposition::Keep(KeepReason::Foreign))
        })
        .unwrap_or(Disposition::Delete)
}

/// Decides by the settings of the policy, or by the reason why nothing may be removed. Returns None
/// if neither of them decides.
pub(super) fn decided(removal: &RemovalCase<'_>, stage: Stage) -> Option<Disposition> {
    let removing = stage.removing(&removal.intent.removal);
    match (removing.remove, &removal.obstacle) {
        (Remove::Keep, _) => Some(Disposition::Keep(KeepReason::ByPolicy)),
        (Remove::Delete | Remove::DeleteIfUnused, Some(why)) => {
            Some(Disposition::Keep(KeepReason::Obstacle(why.clone())))
        }
        (Remove::Delete | Remove::DeleteIfUnused, None) => None,
    }
}

/// Decides about an object after the record was written. Returns None if nothing decides yet.
///
/// A recorded object is deleted. An object with the name of a recorded object and another uid is
/// kept. If a new Subscription has replaced the recorded one, all objects that were not recorded
/// are kept.
pub(super) fn once_recorded(
    removal: &RemovalCase<'_>,
    own: &OperatorObjects<'_>,
    stage: Stage,
    metadata: &ObjectMeta,
) -> Option<Disposition> {
    if removal.is_recorded(stage, metadata) {
        return Some(Disposition::Delete);
    }
    let is_namesake = |object: &RemovedObject| Some(&object.name) == metadata.name.as_ref();
    let is_new = own.is_succeeded || removal.recorded(stage).any(is_namesake);
    is_new.then_some(Disposition::Keep(KeepReason::Successor))
}

/// Keeps the object if the operator is installed in another namespace and this namespace has no
/// ClusterServiceVersion of it. Returns None otherwise, or if a removal has already begun. In that
/// case, the removal itself has deleted the ClusterServiceVersions of this namespace.
pub(super) fn elsewhere(
    removal: &RemovalCase<'_>,
    own: &OperatorObjects<'_>,
) -> Option<Disposition> {
    let is_under_way = Stage::ALL
        .iter()
        .any(|stage| removal.recorded(*stage).next().is_some());
    let namespaces = removal.namespace.elsewhere.iter();
    let namespaces = namespaces.map(|csv| csv.metadata.namespace.as_deref());
    let namespace = namespaces.min()?.unwrap_or_default();
    let is_elsewhere = own.csvs.is_empty() && !is_under_way;
    let place = format!("namespace {namespace}");
    is_elsewhere.then_some(Disposition::Keep(KeepReason::Elsewhere(place)))
}

/// Returns the objects that were recorded for deletion and no longer exist.
fn gone(removal: &RemovalCase<'_>, there: &[Item]) -> Vec<Item> {
    let is_gone = |object: &&RemovedObject| {
        let uid = object.uid.as_deref().unwrap_or_default();
        !there.iter().any(|item| item.target.uid == uid)
    };
    let of_stage = |stage: &Stage| {
        let recorded = removal.recorded(*stage).filter(is_gone);
        recorded.map(|object| Item::gone(*stage, object)).collect()
    };
    Stage::ALL
        .iter()
        .map(of_stage)
        .collect::<Vec<Vec<_>>>()
        .concat()
}
