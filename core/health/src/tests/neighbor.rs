//! Another operator in the same namespace.

use crate::*;

/// The objects of another story, as those of another operator of the namespace. Groups are left
/// out: all operators of a namespace have the same.
pub(super) fn neighbor(all: &Namespace) -> Namespace {
    let mut all = all.clone();
    all.groups.objects.clear();
    for wish in &mut all.subscriptions.objects {
        let Subscription {
            observed,
            package,
            source,
            current_csv,
            installed_csv,
            plan,
            ..
        } = wish;
        rename(&mut observed.object.name);
        [package, source, current_csv, installed_csv, plan]
            .into_iter()
            .for_each(rename);
    }
    for csv in &mut all.csvs.objects {
        rename(&mut csv.observed.object.name);
        rename(&mut csv.replaces);
        rename(&mut csv.package);
        csv.deployments
            .iter_mut()
            .for_each(|wanted| rename(&mut wanted.name));
        let apis = csv
            .owned
            .iter_mut()
            .chain(&mut csv.required)
            .chain(&mut csv.serves);
        apis.chain(&mut csv.needs_served)
            .for_each(|api| rename(&mut api.name));
        csv.requirements
            .iter_mut()
            .for_each(|row| rename(&mut row.name));
    }
    let deployments = all.deployments.objects.iter_mut();
    deployments.for_each(|one| {
        rename(&mut one.observed.object.name);
        rename(&mut one.owner);
    });
    all.plans
        .objects
        .iter_mut()
        .for_each(|one| rename(&mut one.observed.object.name));
    all.conditions
        .objects
        .iter_mut()
        .for_each(|one| rename(&mut one.observed.object.name));
    all.definitions
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

/// The objects of both.
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
    both.definitions.objects.extend(other.definitions.objects);
    both.served.objects.extend(other.served.objects);
    both.catalogs.objects.extend(other.catalogs.objects);
    both
}
