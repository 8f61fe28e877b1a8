//! Adds another operator to a namespace.

use super::kit::{component, label};
use crate::*;

/// Returns the objects of another scenario under other names, for use as another operator of the
/// same namespace. Omits OperatorGroups, because all operators of a namespace share them.
pub(super) fn neighbor(all: &Namespace) -> Namespace {
    let mut all = all.clone();
    all.groups.objects.clear();
    for one in &mut all.subscriptions.objects {
        rename(&mut one.observed.object.name);
        rename(&mut one.spec.package);
        rename(&mut one.spec.source);
        rename(&mut one.status.current_csv);
        rename(&mut one.status.installed_csv);
        if let Some(plan) = &mut one.status.install_plan_ref {
            rename(&mut plan.name);
        }
    }
    for csv in &mut all.csvs.objects {
        rename(&mut csv.observed.object.name);
        if let Some(package) = csv.package() {
            csv.metadata.labels = None;
            label(
                &mut csv.metadata,
                &component(&format!("raft-{package}")),
                "",
            );
        }
        let spec = &mut csv.spec;
        rename(&mut spec.replaces);
        let wanted = &mut spec.install.spec.deployments;
        wanted.iter_mut().for_each(|one| rename(&mut one.name));
        let custom = &mut spec.custom_resources;
        let custom = custom.owned.iter_mut().chain(&mut custom.required);
        custom.for_each(|api| rename(&mut api.name));
        let served = spec
            .served
            .owned
            .iter_mut()
            .chain(&mut spec.served.required);
        served.for_each(|api| rename(&mut api.version));
        let rows = csv.status.requirements.iter_mut();
        rows.for_each(|row| rename(&mut row.name));
    }
    for one in &mut all.deployments.objects {
        rename(&mut one.observed.object.name);
        if let Some(owner) = one.owner().filter(|owner| !owner.is_empty()) {
            let owner = format!("raft-{owner}");
            label(&mut one.metadata, "olm.owner", &owner);
        }
    }
    all.plans
        .objects
        .iter_mut()
        .for_each(|one| rename(&mut one.observed.object.name));
    all.conditions
        .objects
        .iter_mut()
        .for_each(|one| rename(&mut one.observed.object.name));
    all.crds
        .objects
        .iter_mut()
        .for_each(|one| rename(&mut one.observed.object.name));
    all.served
        .objects
        .iter_mut()
        .for_each(|one| rename(&mut one.observed.object.name));
    all.catalogs
        .objects
        .iter_mut()
        .for_each(|one| rename(&mut one.observed.object.name));
    all.copied.objects.iter_mut().for_each(rename);
    all
}

fn rename(name: &mut String) {
    if !name.is_empty() {
        name.insert_str(0, "raft-");
    }
}

/// Combines the objects of both operators.
pub(super) fn both(all: &Namespace, other: &Namespace) -> Namespace {
    let mut both = all.clone();
    let other = other.clone();
    both.subscriptions
        .objects
        .extend(other.subscriptions.objects);
    both.plans.objects.extend(other.plans.objects);
    both.csvs.objects.extend(other.csvs.objects);
    both.copied.objects.extend(other.copied.objects);
    both.conditions.objects.extend(other.conditions.objects);
    both.deployments.objects.extend(other.deployments.objects);
    both.crds.objects.extend(other.crds.objects);
    both.served.objects.extend(other.served.objects);
    both.catalogs.objects.extend(other.catalogs.objects);
    both
}
