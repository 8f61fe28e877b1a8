//! What is there of an operator, and what becomes of each object.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_core::Resource;
use portolan_api::{Remove, RemovedObject};
use portolan_core_olm::{InstallPlan, InstallPlanPhase};

use super::fate::{Fate, Stay};
use super::ground::Ground;
use super::own::Own;
use super::stage::Stage;
use super::{definitions, groups};
use crate::desired::Target;

/// Every object that is to go or to stay, by stage, namespace, name and uid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inventory {
    pub(super) items: Vec<Item>,
    /// The InstallPlan that is about to bring a ClusterServiceVersion which would have to go.
    pub(super) coming: Option<String>,
}

/// One object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) stage: Stage,
    pub(super) target: Target,
    pub(super) fate: Fate,
    pub(super) sight: Sight,
    /// What holds it once it is being deleted.
    pub(super) finalizers: Vec<String>,
    /// Whether it was written down to go.
    pub(super) is_recorded: bool,
}

/// How far an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    There,
    /// It is being deleted.
    Leaving,
    /// It was just deleted, and nothing is known to hold it.
    Deleted,
    Gone,
}

// === impl Inventory ===

impl Inventory {
    pub(super) fn of(ground: &Ground<'_>) -> Self {
        let own = Own::of(ground);
        let mut items = Vec::new();
        if let Some(subscription) = own.subscription {
            let fate = usual_fate(ground, &own, Stage::Subscriptions, &subscription.metadata);
            items.push(Item::seen(ground, Stage::Subscriptions, subscription, fate));
        }
        for csv in &own.csvs {
            let fate = usual_fate(ground, &own, Stage::Csvs, &csv.metadata);
            items.push(Item::seen(ground, Stage::Csvs, *csv, fate));
        }
        items.extend(definitions::items(ground, &own, &items));
        for plan in ground.plans() {
            let fate = plan_fate(ground, &own, plan);
            items.extend(fate.map(|fate| Item::seen(ground, Stage::Plans, &**plan, fate)));
        }
        items.extend(groups::items(ground, &own, &items));
        items.extend(gone(ground, &items));
        items.sort_by(|one, other| one.place().cmp(&other.place()));
        let coming = coming(ground, &own);
        Self { items, coming }
    }

    pub(super) fn at(&self, stage: Stage) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(move |item| item.stage == stage)
    }

    /// The stage that is at hand: the first of which something is still to go.
    pub(super) fn stage(&self) -> Option<Stage> {
        let mut all = Stage::ALL.iter().copied();
        all.find(|stage| {
            let is_coming = *stage == Stage::Csvs && self.coming.is_some();
            is_coming || self.at(*stage).any(Item::is_awaited)
        })
    }

    /// The same once an object is deleted.
    pub(super) fn delete(&mut self, target: &Target, holder: Option<&str>) {
        for item in &mut self.items {
            if item.target == *target {
                item.finalizers.extend(holder.map(str::to_owned));
                item.sight = match item.finalizers.is_empty() {
                    true => Sight::Deleted,
                    false => Sight::Leaving,
                };
            }
        }
    }
}

// === impl Item ===

impl Item {
    pub(super) fn seen<K: Resource<DynamicType = ()>>(
        ground: &Ground<'_>,
        stage: Stage,
        object: &K,
        fate: Fate,
    ) -> Self {
        let (api_version, kind) = stage.kind();
        let metadata = object.meta();
        Self {
            stage,
            target: Target::of(api_version, kind, object),
            fate,
            sight: match metadata.deletion_timestamp {
                Some(_) => Sight::Leaving,
                None => Sight::There,
            },
            finalizers: metadata.finalizers.clone().unwrap_or_default(),
            is_recorded: ground.is_recorded(stage, metadata),
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
            fate: Fate::Goes,
            sight: Sight::Gone,
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
        match self.sight {
            Sight::There | Sight::Leaving => true,
            Sight::Deleted | Sight::Gone => false,
        }
    }

    /// Whether it is to go and has not.
    pub(super) fn is_awaited(&self) -> bool {
        self.fate.goes() && self.is_there()
    }

    /// Why it stays, if it does.
    pub(super) fn stays(&self) -> Option<String> {
        match &self.fate {
            Fate::Stays(stay) => Some(stay.why(self.stage)),
            Fate::Goes => None,
        }
    }
}

/// Once its Subscription is gone, only the record tells whose an InstallPlan is.
fn is_own(ground: &Ground<'_>, own: &Own<'_>, plan: &InstallPlan) -> bool {
    ground.is_listed(Stage::Plans, &plan.metadata) || own.has_plan(ground, plan)
}

/// What becomes of an InstallPlan; None if it is not of this operator.
fn plan_fate(ground: &Ground<'_>, own: &Own<'_>, plan: &InstallPlan) -> Option<Fate> {
    let other = own.other_owner(ground, plan);
    let other = other.filter(|_| !ground.is_recorded(Stage::Plans, &plan.metadata));
    let is_own = is_own(ground, own, plan);
    match other {
        // The garbage collector leaves it as well, for the sake of the other one.
        Some(other) if is_own || plan.spec.csvs.iter().any(|name| own.is_bundle(name)) => {
            let by = format!("the Subscription {other}");
            Some(told(ground, Stage::Plans).unwrap_or(Fate::Stays(Stay::Shared(by))))
        }
        Some(_) => None,
        None => is_own.then(|| usual_fate(ground, own, Stage::Plans, &plan.metadata)),
    }
}

/// Without its Subscription OLM goes on with an InstallPlan that it has begun.
fn coming(ground: &Ground<'_>, own: &Own<'_>) -> Option<String> {
    let is_there = |name: &&String| {
        let mut there = ground.csvs().iter();
        let mut recorded = ground.recorded(Stage::Csvs);
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
    let plans = ground.plans().iter().filter(|plan| {
        let is_own = is_own(ground, own, plan);
        let mut csvs = plan.spec.csvs.iter();
        let is_coming = |name: &String| (is_own || own.is_bundle(name)) && !is_there(&name);
        is_begun(plan) && csvs.any(is_coming)
    });
    let name = plans.filter_map(|plan| plan.metadata.name.clone()).min()?;
    let fate = usual_fate(ground, own, Stage::Csvs, &ObjectMeta::default());
    fate.goes().then_some(name)
}

/// What becomes of an object that nobody else has a say in.
fn usual_fate(ground: &Ground<'_>, own: &Own<'_>, stage: Stage, metadata: &ObjectMeta) -> Fate {
    let removing = stage.removing(&ground.intent.removal);
    told(ground, stage)
        .or_else(|| once_recorded(ground, own, stage, metadata))
        .or_else(|| elsewhere(ground, own))
        .or_else(|| {
            let is_allowed = removing.is_explicit || own.is_made;
            (!is_allowed).then_some(Fate::Stays(Stay::Foreign))
        })
        .unwrap_or(Fate::Goes)
}

/// Whether the policy or what is in its way decides already.
pub(super) fn told(ground: &Ground<'_>, stage: Stage) -> Option<Fate> {
    let removing = stage.removing(&ground.intent.removal);
    match (removing.remove, &ground.obstacle) {
        (Remove::Keep, _) => Some(Fate::Stays(Stay::Told)),
        (Remove::Delete | Remove::DeleteIfUnused, Some(why)) => {
            Some(Fate::Stays(Stay::Obstacle(why.clone())))
        }
        (Remove::Delete | Remove::DeleteIfUnused, None) => None,
    }
}

/// What was written down to go goes; what only has its name does not, nor what has come with a new
/// Subscription of that name.
pub(super) fn once_recorded(
    ground: &Ground<'_>,
    own: &Own<'_>,
    stage: Stage,
    metadata: &ObjectMeta,
) -> Option<Fate> {
    if ground.is_recorded(stage, metadata) {
        return Some(Fate::Goes);
    }
    let is_namesake = |object: &RemovedObject| Some(&object.name) == metadata.name.as_ref();
    let is_new = own.is_succeeded || ground.recorded(stage).any(is_namesake);
    is_new.then_some(Fate::Stays(Stay::Successor))
}

/// Whether the operator is that of another namespace. Once a removal is on its way, its own
/// ClusterServiceVersions are missing for another reason.
pub(super) fn elsewhere(ground: &Ground<'_>, own: &Own<'_>) -> Option<Fate> {
    let is_under_way = Stage::ALL
        .iter()
        .any(|stage| ground.recorded(*stage).next().is_some());
    let namespaces = ground.scene.elsewhere.iter();
    let namespaces = namespaces.map(|csv| csv.metadata.namespace.as_deref());
    let namespace = namespaces.min()?.unwrap_or_default();
    let is_elsewhere = own.csvs.is_empty() && !is_under_way;
    let place = format!("the namespace {namespace}");
    is_elsewhere.then_some(Fate::Stays(Stay::Elsewhere(place)))
}

/// What was written down to go and is no longer there.
fn gone(ground: &Ground<'_>, there: &[Item]) -> Vec<Item> {
    let is_gone = |object: &&RemovedObject| {
        let uid = object.uid.as_deref().unwrap_or_default();
        !there.iter().any(|item| item.target.uid == uid)
    };
    let of_stage = |stage: &Stage| {
        let recorded = ground.recorded(*stage).filter(is_gone);
        recorded.map(|object| Item::gone(*stage, object)).collect()
    };
    Stage::ALL
        .iter()
        .map(of_stage)
        .collect::<Vec<Vec<_>>>()
        .concat()
}
