//! What a Verdict of Yes claims, written down a second time: slower, without a tree of facts, and
//! by nothing but the objects.

use crate::*;

/// What is claimed of an operator that is well and is not so.
pub(super) fn broken(operator: &Operator, all: &Namespace) -> Vec<String> {
    let mut broken = seen(all);
    match all.groups.objects.as_slice() {
        [only] if !only.is_deleting => {}
        groups => broken.push(format!("{} groups", groups.len())),
    }
    let mut csvs = all.csvs.objects.iter();
    match csvs.find(|csv| csv.observed.object.name == operator.csv) {
        None => broken.push("no csv".to_owned()),
        Some(csv) => broken.extend(of_csv(csv, all)),
    }
    broken
}

/// Kinds that always bear on operators.
fn seen(all: &Namespace) -> Vec<String> {
    let sights = [
        ("subscriptions", &all.subscriptions.sight),
        ("groups", &all.groups.sight),
        ("csvs", &all.csvs.sight),
        ("deployments", &all.deployments.sight),
    ];
    let dim = sights
        .into_iter()
        .filter(|(_, sight)| **sight != Sight::Clear);
    dim.map(|(kind, _)| format!("{kind} are dim")).collect()
}

fn of_csv(csv: &Csv, all: &Namespace) -> Vec<String> {
    let mut broken = Vec::new();
    if csv.phase != Phase::Succeeded || csv.is_deleting {
        broken.push("the csv has not succeeded".to_owned());
    }
    for wanted in &csv.deployments {
        let mut others = all.deployments.objects.iter();
        let is_well = others.any(|one| {
            one.observed.object.name == wanted.name && runs(one, wanted.replicas.unwrap_or(1))
        });
        if !is_well {
            broken.push(format!("deployment {}", wanted.name));
        }
    }
    if !csv.owned.is_empty() && all.definitions.sight != Sight::Clear {
        broken.push("definitions are dim".to_owned());
    }
    for api in csv.owned.iter().chain(&csv.required) {
        let mut others = all.definitions.objects.iter();
        if !others.any(|one| one.observed.object.name == api.name && is_served(one, &api.version)) {
            broken.push(format!("definition {}", api.name));
        }
    }
    for api in csv.serves.iter().chain(&csv.needs_served) {
        let mut others = all.served.objects.iter();
        if !others
            .any(|one| one.observed.object.name == api.name && is(&one.conditions, "Available"))
        {
            broken.push(format!("api {}", api.name));
        }
    }
    broken
}

fn runs(one: &Deployment, wanted: i32) -> bool {
    (one.replicas > 0 || wanted <= 0 && one.replicas == 0)
        && one.observed_generation >= one.generation
        && one.updated >= one.replicas
        && one.available >= one.replicas
        && one.current <= one.updated
        && !one.is_deleting
        && !one.is_paused
        && is(&one.conditions, "Available")
        && !is(&one.conditions, "ReplicaFailure")
}

fn is_served(one: &Definition, version: &str) -> bool {
    !one.is_deleting
        && is(&one.conditions, "Established")
        && (version.is_empty() || one.served.contains(version))
        && one.stored.is_subset(&one.versions)
}

fn is(conditions: &[Condition], kind: &str) -> bool {
    let mut said = conditions.iter();
    said.any(|said| said.kind == kind && said.status == "True")
}
