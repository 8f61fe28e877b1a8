//! Finds the operators of Operators, Installs and InstallPlans.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::{GroupKind, Key, ObjectRef};
use serde::Deserialize;

use super::{InstalledOperator, InventoryObjects, Manager, NextBundle};
use crate::installs::{self, INSTALL, Install};
use crate::metadata::annotation;
use crate::operator::{self, AdoptionStep, HOP, OPERATOR, Operator};
use crate::plan::{self, ConditionType, InstallPlan};

/// The adoptions of operators from OLM that are in progress.
#[derive(Debug, Default)]
pub(super) struct Adoptions {
    /// The ClusterServiceVersions that OLM no longer manages.
    pub(super) left: BTreeSet<Key>,
    /// The names of the Operators whose operator OLM still manages.
    pub(super) beside: BTreeSet<String>,
}

/// The value of the annotation [`HOP`], without the fields that the inventory ignores.
#[derive(Default, Deserialize)]
#[serde(default)]
struct RecordedHop {
    installs: Installs,
}

/// The bundle that a plan installs.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Installs {
    package: String,
    bundle: String,
    version: String,
}

/// Returns the adoptions in progress, from the statuses of Operators.
pub(super) fn adoptions(objects: &InventoryObjects<'_>) -> Adoptions {
    let originals = objects.csvs.iter().filter(|csv| !csv.is_copied());
    let csvs: BTreeSet<_> = originals.map(|csv| names(&csv.metadata)).collect();
    let mut adoptions = Adoptions::default();
    for operator in &objects.operators {
        let status = operator.status.as_ref();
        let Some(adoption) = status.and_then(|status| status.adoption.as_ref()) else {
            continue;
        };
        let csv = &*adoption.cluster_service_version;
        match adoption.step {
            AdoptionStep::Beside if csvs.contains(&(&*adoption.namespace, csv)) => {
                adoptions.beside.extend(operator.metadata.name.clone());
            }
            AdoptionStep::Leaving => {
                adoptions.left.insert(Key::new(&adoption.namespace, csv));
            }
            AdoptionStep::Beside | AdoptionStep::Adopted | AdoptionStep::Unknown => {}
        }
    }
    adoptions
}

/// Returns one entry for each Operator. Omits an Operator whose operator OLM still manages.
pub(super) fn operators(
    objects: &InventoryObjects<'_>,
    adoptions: &Adoptions,
) -> Vec<InstalledOperator> {
    let is_beside = |operator: &Operator| {
        let name = operator.metadata.name.as_deref().unwrap_or_default();
        adoptions.beside.contains(name)
    };
    let plans = objects.plans.iter();
    let plans: BTreeMap<_, _> = plans.map(|plan| (names(&plan.metadata), *plan)).collect();
    let operators = objects.operators.iter().filter(|it| !is_beside(it));
    let operators = operators.map(|operator| {
        let status = operator.status.as_ref();
        let plan = status.and_then(|status| status.plan.as_ref());
        let plan = plan.and_then(|plan| plans.get(&(&*plan.namespace, &*plan.name)));
        InstalledOperator::of_operator(operator, plan.copied())
    });
    operators.collect()
}

/// Returns one entry for each InstallPlan that a user created. Omits InstallPlans that a newer
/// InstallPlan replaces.
pub(super) fn plans(objects: &InventoryObjects<'_>) -> Vec<InstalledOperator> {
    let operators: BTreeMap<_, _> = objects
        .operators
        .iter()
        .filter_map(|it| Some((it.metadata.name.as_deref()?, *it)))
        .collect();
    let uids = objects.installs.iter();
    let uids: BTreeSet<_> = uids.filter_map(|it| it.metadata.uid.as_deref()).collect();
    let is_own = |plan: &InstallPlan| {
        let install = INSTALL.of(&plan.metadata);
        let operator = OPERATOR.of(&plan.metadata);
        install.is_some_and(|uid| uids.contains(uid))
            || operator.is_some_and(|name| {
                let operator = operators.get(name);
                operator.is_some_and(|operator| is_plan_of(plan, operator))
            })
    };
    let plans = objects.plans.iter().copied();
    let plans = plans.filter(|plan| !is_own(plan) && !is_replaced(plan));
    plans.map(InstalledOperator::of_plan).collect()
}

impl InstalledOperator {
    /// Returns the entry of an Operator. `plan` is the InstallPlan that its status names.
    pub fn of_operator(operator: &Operator, plan: Option<&InstallPlan>) -> Self {
        let name = operator.metadata.name.as_deref().unwrap_or_default();
        let kind = GroupKind::new(operator::GROUP, "Operator");
        let spec = operator.spec.as_json();
        let text = |field: &str| spec[field].as_str().unwrap_or_default().to_owned();
        let status = operator.status.clone().unwrap_or_default();
        let (bundle, catalog) = status
            .bundle
            .map(|bundle| (bundle.name, bundle.catalog))
            .unzip();
        let target = status.versions.target.filter(|target| {
            let installed = status.versions.installed.as_ref();
            installed != Some(target) || bundle.is_none()
        });
        let adopted = status.adoption.map(|it| it.namespace);
        let channels = spec["channels"].as_array().into_iter().flatten();
        let channels = channels.filter_map(|channel| channel.as_str().map(str::to_owned));
        Self {
            package: text("packageName"),
            versions: text("version"),
            channels: channels.collect(),
            catalog: catalog.unwrap_or_default(),
            namespace: Some(text("namespace"))
                .filter(|it| !it.is_empty())
                .or(adopted)
                .unwrap_or_default(),
            is_installed: bundle.is_some(),
            bundle: bundle.unwrap_or_default(),
            version: status.versions.installed.unwrap_or_default(),
            next: target.map(|version| NextBundle {
                bundle: plan.map_or_else(String::new, |plan| hop(plan).bundle),
                version,
            }),
            ..Self::new(Manager::Operator, ObjectRef::new(kind, None, name))
        }
    }

    /// Returns one entry for each bundle in the content of an Install. If the content has no
    /// bundle, returns one entry without a bundle.
    pub fn of_install(install: &Install) -> Vec<Self> {
        let name = install.metadata.name.as_deref().unwrap_or_default();
        let kind = GroupKind::new(installs::GROUP, "Install");
        let status = install.status.as_ref();
        let nothing = Self {
            is_installed: status.is_some_and(|status| status.plan.is_some()),
            ..Self::new(Manager::Install, ObjectRef::new(kind, None, name))
        };
        let resolved = status.into_iter().flat_map(|status| &status.resolved);
        let bundles = resolved.filter_map(|resolved| resolved.bundle.as_ref());
        let operators = bundles.map(|bundle| Self {
            bundle: bundle.name.clone(),
            version: bundle.version.clone(),
            ..nothing.clone()
        });
        let operators: Vec<_> = operators.collect();
        if operators.is_empty() {
            return vec![nothing];
        }
        operators
    }

    /// Returns the entry of an InstallPlan. An InstallPlan that remains after its Operator was
    /// deleted names its bundle in an annotation.
    pub fn of_plan(plan: &InstallPlan) -> Self {
        let (namespace, name) = names(&plan.metadata);
        let kind = GroupKind::new(plan::GROUP, "InstallPlan");
        let status = plan.status.as_ref();
        let Installs {
            package,
            bundle,
            version,
        } = hop(plan);
        Self {
            package,
            bundle,
            version,
            is_installed: status.is_some_and(|status| status.record.is_some()),
            ..Self::new(Manager::Plan, ObjectRef::new(kind, namespace, name))
        }
    }
}

/// Returns true if the plan is in the namespace for the plans of the Operator. A plan in another
/// namespace can have the label of any Operator, but does not belong to it.
fn is_plan_of(plan: &InstallPlan, operator: &Operator) -> bool {
    let status = operator.status.as_ref();
    let current = status.and_then(|status| status.plan.as_ref());
    let current = current.map(|plan| plan.namespace.as_str());
    let home = operator.plans_namespace().or(current);
    home.is_none_or(|home| plan.metadata.namespace.as_deref() == Some(home))
}

fn is_replaced(plan: &InstallPlan) -> bool {
    let status = plan.status.as_ref();
    status.is_some_and(|status| status.is_true(ConditionType::Replaced))
}

/// Returns the bundle in the annotation [`HOP`] of an InstallPlan. Returns empty fields if the
/// annotation is missing.
fn hop(plan: &InstallPlan) -> Installs {
    let text = annotation(&plan.metadata, HOP).unwrap_or_default();
    let hop: RecordedHop = serde_json::from_str(text).unwrap_or_default();
    hop.installs
}

fn names(metadata: &kube_core::ObjectMeta) -> (&str, &str) {
    let [namespace, name] = [&metadata.namespace, &metadata.name].map(Option::as_deref);
    (namespace.unwrap_or_default(), name.unwrap_or_default())
}
