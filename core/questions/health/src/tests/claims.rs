//! An independent check of healthy Verdicts. This check is slower than the crate, builds no tree of
//! facts, and uses only the objects.

use portolan_core_olm::{Condition, CustomResourceDefinition};

use crate::*;

/// Returns the conditions for a healthy Verdict that an operator violates.
pub(super) fn broken(operator: &Operator, all: &Namespace) -> Vec<String> {
    let mut broken = hidden_kinds(operator, all);
    match all.groups.objects.as_slice() {
        [only] if !only.is_deleting() => {}
        groups => broken.push(format!("{} groups", groups.len())),
    }
    let mut csvs = all.csvs.objects.iter();
    match csvs.find(|csv| csv.observed.object.name == operator.csv) {
        None => broken.push("no csv".to_owned()),
        Some(csv) => broken.extend(of_csv(csv, all)),
    }
    broken
}

/// Returns the kinds that were not read completely, if they are relevant for the operator.
fn hidden_kinds(operator: &Operator, all: &Namespace) -> Vec<String> {
    let Operator {
        subject,
        csv,
        replaces,
        ..
    } = operator;
    let is_asked_for = subject.kind == Kind::Subscription;
    let csvs = all.csvs.objects.iter();
    let own = csvs.filter(|one| one.observed.object.name == *csv);
    let runs: Vec<_> = own.flat_map(|csv| csv.deployments()).collect();
    let sights = [
        dim("subscriptions", &all.subscriptions.sight, |name| {
            !is_asked_for || name == subject.name
        }),
        dim("groups", &all.groups.sight, |_| true),
        dim("csvs", &all.csvs.sight, |name| {
            name == csv || name == replaces
        }),
        dim("deployments", &all.deployments.sight, |name| {
            runs.iter().any(|wanted| wanted.name == name)
        }),
    ];
    sights.into_iter().flatten().collect()
}

fn dim(kind: &str, sight: &Sight, bears: impl Fn(&str) -> bool) -> Option<String> {
    let is_dim = match sight {
        Sight::Clear => false,
        Sight::Odd(odd) => odd.keys().any(|(_, name)| bears(name)),
        Sight::Dim(_) => true,
    };
    is_dim.then(|| format!("{kind} are dim"))
}

fn of_csv(csv: &Csv, all: &Namespace) -> Vec<String> {
    let mut broken = Vec::new();
    if csv.status.phase != CsvPhase::Succeeded || csv.is_deleting() {
        broken.push("the csv has not succeeded".to_owned());
    }
    for wanted in csv.deployments() {
        let mut others = all.deployments.objects.iter();
        let is_well = others
            .any(|one| one.observed.object.name == wanted.name && runs(one, wanted.replicas()));
        if !is_well {
            broken.push(format!("deployment {}", wanted.name));
        }
    }
    let custom = &csv.spec.custom_resources;
    if !custom.owned.is_empty() {
        let owns = |name: &str| custom.owned.iter().any(|api| api.name == name);
        broken.extend(dim("definitions", &all.crds.sight, owns));
    }
    for api in custom.owned.iter().chain(&custom.required) {
        let mut others = all.crds.objects.iter();
        if !others.any(|one| one.name() == api.name && is_served(one, &api.version)) {
            broken.push(format!("definition {}", api.name));
        }
    }
    let served = &csv.spec.served;
    for api in served.owned.iter().chain(&served.required) {
        let name = api.api_service();
        let mut others = all.served.objects.iter();
        if !others.any(|one| one.name() == name && is(&one.status.conditions, "Available")) {
            broken.push(format!("api {name}"));
        }
    }
    broken
}

fn runs(one: &Workload, wanted: i32) -> bool {
    let status = &one.status;
    (one.replicas() > 0 || wanted <= 0 && one.replicas() == 0)
        && status.observed_generation >= one.generation()
        && status.updated_replicas >= one.replicas()
        && status.available_replicas >= one.replicas()
        && status.replicas <= status.updated_replicas
        && !one.is_deleting()
        && !one.spec.paused
        && is(&status.conditions, "Available")
        && !is(&status.conditions, "ReplicaFailure")
}

fn is_served(one: &Item<CustomResourceDefinition>, version: &str) -> bool {
    let mut versions = one.spec.versions.iter();
    let mut stored = one.status.stored_versions.iter();
    !one.is_deleting()
        && is(&one.status.conditions, "Established")
        && (version.is_empty() || versions.any(|one| one.name == version && one.served))
        && stored.all(|name| one.spec.versions.iter().any(|one| one.name == *name))
}

fn is(conditions: &[Condition], kind: &str) -> bool {
    let mut said = conditions.iter();
    said.any(|said| said.r#type == kind && said.is_true())
}
