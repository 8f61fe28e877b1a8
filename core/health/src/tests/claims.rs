//! What a Verdict of Yes claims, written down a second time: slower, without a tree of facts, and
//! by nothing but the objects.

use crate::*;

/// What is claimed of an operator that is well and is not so.
pub(super) fn broken(operator: &Operator, all: &Namespace) -> Vec<String> {
    let mut broken = seen(operator, all);
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

/// Kinds that always bear on operators, and of those that were not read whole the ones that do.
fn seen(operator: &Operator, all: &Namespace) -> Vec<String> {
    let Operator {
        subject,
        csv,
        replaces,
        ..
    } = operator;
    let is_asked_for = subject.kind == Kind::Subscription;
    let csvs = all.csvs.objects.iter();
    let own = csvs.filter(|one| one.observed.object.name == *csv);
    let runs: Vec<_> = own.flat_map(|csv| &csv.deployments).collect();
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
    if !csv.owned.is_empty() {
        let owns = |name: &str| csv.owned.iter().any(|api| api.name == name);
        broken.extend(dim("definitions", &all.definitions.sight, owns));
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
