//! Selects replaced plans whose deletion deletes no objects, and the objects that store the
//! manifests of these plans.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::installs::INSTALL;
use portolan_api::operator::OPERATOR;
use portolan_api::plan::{ConditionType, InstallPlan, Reason};
use portolan_core_olm::Label;

use crate::make::PLAN_NAME;
use crate::object::items;

/// A plan, or an object that stores a manifest beside a plan, that may be deleted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Prunable {
    Plan(String),
    ResourceManifest(String),
    Secret(String),
}

/// A plan in the history of its lineages.
#[derive(Debug, Clone)]
pub struct PastPlan<'p> {
    /// The lineages of the plan. Its own lineage comes first. A plan that merges other plans also
    /// belongs to their lineages, and counts as the newest plan of each.
    pub lineages: Vec<&'p str>,
    /// True if another plan has taken over all objects of this plan. In this case, the deletion of
    /// this plan deletes no objects.
    pub is_over: bool,
    /// The objects that store manifests of the plan.
    pub beside: BTreeSet<Prunable>,
}

/// The plans that exceed the history limit, and the objects beside them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outdated {
    /// The indices of the plans.
    pub plans: Vec<usize>,
    /// The objects that store manifests only for these plans.
    pub beside: BTreeSet<Prunable>,
}

/// Returns the replaced plans of one namespace that exceed the history limit, and the objects that
/// only these plans refer to. The history contains the `keep` newest replaced plans of each
/// lineage. `plans` must be sorted, with the newest plan first.
pub fn outdated(plans: &[PastPlan<'_>], keep: usize) -> Outdated {
    let mut newer: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut gone, mut needed, mut beside) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for (place, plan) in plans.iter().enumerate() {
        let own = plan.lineages.first().copied().unwrap_or_default();
        let newer_than_it = newer.get(own).copied().unwrap_or_default();
        if plan.is_over && newer_than_it >= keep {
            gone.push(place);
            beside.extend(plan.beside.iter().cloned());
        } else {
            needed.extend(&plan.beside);
        }
        for lineage in plan.lineages.iter().filter(|_| plan.is_over) {
            *newer.entry(lineage).or_default() += 1;
        }
    }
    beside.retain(|object| !needed.contains(object));
    Outdated {
        plans: gone,
        beside,
    }
}

/// Returns the plans of one namespace that may be deleted, and the objects that only these plans
/// refer to. The `keep` newest replaced plans of each lineage are kept for rollbacks.
///
/// # Guarantees
///
/// A plan counts as replaced if another plan has taken over all its objects. In this case, its
/// deletion deletes no objects. The result contains only plans that `plan make` created and the
/// objects stored beside them. The plans are identified by their label, and the objects by their
/// names. The plans of Operators and Installs are never included.
pub fn prunable(plans: &[&InstallPlan], keep: usize) -> Vec<Prunable> {
    let mut plans = plans.to_vec();
    plans.sort_by_key(|plan| std::cmp::Reverse(age(plan)));
    let past = plans.iter().map(|plan| PastPlan {
        lineages: lineages(plan).collect(),
        is_over: is_over(plan),
        beside: referenced(plan),
    });
    let past: Vec<_> = past.collect();
    let Outdated {
        plans: mut gone,
        beside,
    } = outdated(&past, keep);
    gone.sort_by_key(|place| past[*place].lineages.first().copied());
    let is_made = |object: &Prunable| {
        let mut makers = gone.iter();
        makers
            .any(|place| past[*place].beside.contains(object) && is_named_by(plans[*place], object))
    };
    let names = gone
        .iter()
        .filter_map(|place| plans[*place].metadata.name.clone());
    let names = names.map(Prunable::Plan);
    names.chain(beside.into_iter().filter(is_made)).collect()
}

impl Prunable {
    pub fn name(&self) -> &str {
        match self {
            Self::Plan(name) | Self::ResourceManifest(name) | Self::Secret(name) => name,
        }
    }

    /// Returns the resource name for kubectl.
    pub fn resource(&self) -> &'static str {
        match self {
            Self::Plan(_) => "installplans.plans.portolan.dev",
            Self::ResourceManifest(_) => "resourcemanifests.plans.portolan.dev",
            Self::Secret(_) => "secrets",
        }
    }
}

fn is_over(plan: &InstallPlan) -> bool {
    let status = plan.status.as_ref();
    let replaced = status.and_then(|status| status.condition(ConditionType::Replaced));
    let is_over = replaced.is_some_and(|said| said.reason == Reason::HandedOver.as_str());
    is_over && is_of_make(plan) && plan.metadata.deletion_timestamp.is_none()
}

/// Returns true if the name of the object starts with the plan name without its digest. All objects
/// that `plan make` stores beside a plan have such a name. The plan may also refer to other
/// Secrets.
fn is_named_by(plan: &InstallPlan, object: &Prunable) -> bool {
    let labels = plan.metadata.labels.as_ref();
    let name = labels.and_then(|labels| labels.get(PLAN_NAME.name()));
    let rest = name.and_then(|name| object.name().strip_prefix(name.as_str()));
    rest.is_some_and(|rest| rest.starts_with('-'))
}

/// Returns true if a user created the plan with `plan make`. Returns false for the plan of an
/// Operator or an Install.
fn is_of_make(plan: &InstallPlan) -> bool {
    let labels = plan.metadata.labels.as_ref();
    let has = |label: Label| labels.is_some_and(|labels| labels.contains_key(label.name()));
    has(PLAN_NAME) && !has(OPERATOR) && !has(INSTALL)
}

/// Returns the lineages of a plan. Its own lineage comes first.
fn lineages(plan: &InstallPlan) -> impl Iterator<Item = &str> {
    let status = plan.status.iter();
    let lineages = status.flat_map(|status| status.lineages());
    lineages.map(String::as_str)
}

/// Returns the key that sorts plans by age. Plans that were created in the same second are sorted
/// by name.
fn age(plan: &InstallPlan) -> (Option<jiff::Timestamp>, Option<&str>) {
    (created(plan), plan.metadata.name.as_deref())
}

fn created(plan: &InstallPlan) -> Option<jiff::Timestamp> {
    let created = plan.metadata.creation_timestamp.as_ref();
    created.map(|created| created.0)
}

/// Returns the objects that a plan refers to.
pub fn referenced(plan: &InstallPlan) -> BTreeSet<Prunable> {
    let stages = items(plan.spec.as_json(), "/stages").iter();
    let resources = stages.flat_map(|stage| items(stage, "/resources"));
    let named = resources.filter_map(|resource| {
        let reference = resource.get("ref")?;
        let text = |field| reference.get(field)?.as_str().map(str::to_owned);
        let stored = || text("name").map(Prunable::ResourceManifest);
        text("secret").map(Prunable::Secret).or_else(stored)
    });
    named.collect()
}
