//! Plans that are over, and what lies beside them: what may be deleted without any object of a plan being lost.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::installs::INSTALL;
use portolan_api::operator::OPERATOR;
use portolan_api::plan::{ConditionType, InstallPlan, Intent, Reason, Source};
use portolan_core_olm::Label;

use crate::make::PLAN_NAME;

/// Something that may be deleted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Prunable {
    Plan(String),
    ResourceManifest(String),
    Secret(String),
}

/// Returns the plans of one namespace that may be deleted, and what only they refer to. Of each lineage the `keep` newest
/// plans that are over stay, for going back.
///
/// # Guarantees
/// A plan is over if another one has taken over all that it had: deleting it deletes no object. Only plans of `plan make`
/// count, by their label, and what lies beside them by its name. Plans of Operators and Installs stay.
pub fn prunable(plans: &[&InstallPlan], keep: usize) -> Vec<Prunable> {
    let mut over: BTreeMap<&str, Vec<&InstallPlan>> = BTreeMap::new();
    for plan in plans.iter().filter(|plan| is_over(plan)) {
        let status = plan.status.as_ref();
        let lineage = status.and_then(|status| status.lineage.as_deref());
        over.entry(lineage.unwrap_or_default())
            .or_default()
            .push(plan);
    }
    let mut pruned = Vec::new();
    for all in over.values_mut() {
        all.sort_by_key(|plan| std::cmp::Reverse((created(plan), plan.metadata.name.clone())));
        pruned.extend(all.iter().skip(keep).copied());
    }
    let is_pruned =
        |plan: &InstallPlan| pruned.iter().any(|it| it.metadata.uid == plan.metadata.uid);
    let kept = plans.iter().filter(|plan| !is_pruned(plan));
    let needed: BTreeSet<_> = kept.flat_map(|plan| beside(plan)).collect();
    let lonely = pruned.iter().flat_map(|plan| {
        let label = plan
            .metadata
            .labels
            .as_ref()
            .and_then(|labels| labels.get(PLAN_NAME.name()));
        let start = label.map(|name| format!("{name}-"));
        let own = beside(plan).into_iter();
        own.filter(move |it| {
            start
                .as_ref()
                .is_some_and(|start| it.name().starts_with(start))
        })
    });
    let lonely: BTreeSet<_> = lonely.filter(|it| !needed.contains(it)).collect();
    let names = pruned.iter().filter_map(|plan| plan.metadata.name.clone());
    names.map(Prunable::Plan).chain(lonely).collect()
}

impl Prunable {
    pub fn name(&self) -> &str {
        match self {
            Self::Plan(name) | Self::ResourceManifest(name) | Self::Secret(name) => name,
        }
    }

    /// The kind as kubectl takes it.
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

/// Returns true if `plan make` made a plan for users, and not for an Operator or an Install.
fn is_of_make(plan: &InstallPlan) -> bool {
    let labels = plan.metadata.labels.as_ref();
    let has = |label: Label| labels.is_some_and(|labels| labels.contains_key(label.name()));
    has(PLAN_NAME) && !has(OPERATOR) && !has(INSTALL)
}

fn created(plan: &InstallPlan) -> Option<jiff::Timestamp> {
    let created = plan.metadata.creation_timestamp.as_ref();
    created.map(|created| created.0)
}

/// The objects that a plan refers to. A plan that cannot be read refers to none; it is never over.
fn beside(plan: &InstallPlan) -> Vec<Prunable> {
    let intent = Intent::parse(plan);
    let stages = intent.iter().flat_map(|intent| &intent.stages);
    let sources = stages
        .flat_map(|stage| &stage.resources)
        .map(|resource| &resource.source);
    let named = sources.filter_map(|source| match source {
        Source::Inline(_) => None,
        Source::ResourceManifest(name) => Some(Prunable::ResourceManifest(name.clone())),
        Source::Secret(name) => Some(Prunable::Secret(name.clone())),
    });
    named.collect()
}
