//! Objects with which all is well, but for Pods: those are looked at where they are not ready.

use super::HOME;
use portolan_core_health::*;
use std::collections::BTreeSet;

pub(crate) fn observed(kind: Kind, namespace: &str, name: &str) -> Observed {
    Observed {
        object: Object::new(kind, namespace, name),
        uid: format!("uid-{name}"),
        resource_version: "7".to_owned(),
    }
}

pub(crate) fn condition(kind: &str, status: &str, reason: &str, message: &str) -> Condition {
    Condition {
        kind: kind.to_owned(),
        status: status.to_owned(),
        reason: reason.to_owned(),
        message: message.to_owned(),
        generation: 0,
    }
}

pub(crate) fn source(namespace: &str, name: &str) -> CatalogSource {
    CatalogSource {
        observed: observed(Kind::CatalogSource, namespace, name),
        address: Ok("shop.example:50051".to_owned()),
        connection: "READY".to_owned(),
        reason: String::new(),
        message: String::new(),
        is_deleting: false,
    }
}

pub(crate) fn subscription(name: &str, package: &str) -> Subscription {
    Subscription {
        observed: observed(Kind::Subscription, HOME, name),
        package: package.to_owned(),
        channel: "stable".to_owned(),
        source_namespace: "olm".to_owned(),
        source: "shop".to_owned(),
        state: String::new(),
        current_csv: String::new(),
        installed_csv: String::new(),
        plan: String::new(),
        conditions: Vec::new(),
        is_deleting: false,
    }
}

pub(crate) fn group(name: &str) -> OperatorGroup {
    OperatorGroup {
        observed: observed(Kind::OperatorGroup, HOME, name),
        targets: Targets::All,
        account: String::new(),
        conditions: Vec::new(),
        is_deleting: false,
    }
}

pub(crate) fn install_plan(name: &str, csvs: &[&str]) -> InstallPlan {
    InstallPlan {
        observed: observed(Kind::InstallPlan, HOME, name),
        csvs: csvs.iter().map(ToString::to_string).collect(),
        is_approved: true,
        phase: PlanPhase::Complete,
        message: String::new(),
        conditions: Vec::new(),
        open_steps: Vec::new(),
    }
}

/// The name of the definition that the operator of a package brings.
pub(crate) fn defined(package: &str) -> String {
    format!("{package}s.demo.example")
}

/// The package and the version that the name of a bundle stands for in stories.
pub(crate) fn parts(csv: &str) -> (&str, &str) {
    csv.split_once(".v")
        .expect("a bundle must be <package>.v<version>")
}

/// An operator that works: it runs a Deployment of the name of its package, and brings a kind.
pub(crate) fn operator(csv: &str) -> Csv {
    let (package, version) = parts(csv);
    Csv {
        observed: observed(Kind::ClusterServiceVersion, HOME, csv),
        package: package.to_owned(),
        version: version.to_owned(),
        replaces: String::new(),
        phase: Phase::Succeeded,
        reason: "InstallSucceeded".to_owned(),
        message: "install strategy completed with no errors".to_owned(),
        is_deleting: false,
        modes: BTreeSet::from([
            InstallMode::OwnNamespace,
            InstallMode::SingleNamespace,
            InstallMode::AllNamespaces,
        ]),
        deployments: vec![WantedDeployment {
            name: package.to_owned(),
            replicas: Some(1),
        }],
        owned: vec![api(&defined(package))],
        required: Vec::new(),
        serves: Vec::new(),
        needs_served: Vec::new(),
        requirements: Vec::new(),
    }
}

pub(crate) fn api(name: &str) -> Api {
    Api {
        name: name.to_owned(),
        version: "v1".to_owned(),
        kind: "Ferry".to_owned(),
    }
}

pub(crate) fn requirement(kind: &str, name: &str, status: &str, message: &str) -> Requirement {
    Requirement {
        kind: kind.to_owned(),
        name: name.to_owned(),
        status: status.to_owned(),
        message: message.to_owned(),
        dependents: Vec::new(),
    }
}

pub(crate) fn deployment(name: &str, owner: &str) -> Deployment {
    Deployment {
        observed: observed(Kind::Deployment, HOME, name),
        owner: owner.to_owned(),
        generation: 1,
        observed_generation: 1,
        replicas: 1,
        current: 1,
        updated: 1,
        available: 1,
        is_paused: false,
        is_deleting: false,
        conditions: vec![
            condition("Available", "True", "MinimumReplicasAvailable", ""),
            condition("Progressing", "True", "NewReplicaSetAvailable", ""),
        ],
        below: Below::NotLooked,
    }
}

/// The Deployment is in its first rollout, and has one Pod.
pub(crate) fn rolling(one: &mut Deployment, pods: Vec<Pod>) {
    one.available = 0;
    one.conditions = vec![
        condition("Available", "False", "MinimumReplicasUnavailable", ""),
        condition("Progressing", "True", "ReplicaSetUpdated", ""),
    ];
    one.below = Below::Looked {
        replica_sets: vec![replica_set(&one.observed.object.name)].into(),
        pods: pods.into(),
        events: Seen::default(),
    };
}

/// The Deployment was rolled out, and is down.
pub(crate) fn down(one: &mut Deployment, pods: Vec<Pod>) {
    rolling(one, pods);
    one.conditions[1].reason = "NewReplicaSetAvailable".to_owned();
}

pub(crate) fn replica_set(deployment: &str) -> ReplicaSet {
    ReplicaSet {
        observed: observed(Kind::ReplicaSet, HOME, &format!("{deployment}-1")),
        revision: 1,
        replicas: 1,
        conditions: Vec::new(),
    }
}

/// A Pod of a Deployment that runs and is not ready.
pub(crate) fn pod(deployment: &str, change: impl FnOnce(&mut Container)) -> Pod {
    let mut container = Container {
        name: "manager".to_owned(),
        image: format!("registry.example/{deployment}:1"),
        is_init: false,
        is_ready: false,
        is_running: true,
        restarts: 0,
        waiting: None,
        terminated: None,
        last: None,
    };
    change(&mut container);
    Pod {
        observed: observed(Kind::Pod, HOME, &format!("{deployment}-1-a")),
        owner_uid: format!("uid-{deployment}-1"),
        phase: "Running".to_owned(),
        reason: String::new(),
        message: String::new(),
        conditions: vec![
            condition("PodScheduled", "True", "", ""),
            condition("Ready", "False", "ContainersNotReady", ""),
        ],
        containers: vec![container],
        is_deleting: false,
    }
}

/// The container waits for this.
pub(crate) fn waits(reason: &str, message: &str) -> impl FnOnce(&mut Container) {
    let waiting = Waiting {
        reason: reason.to_owned(),
        message: message.to_owned(),
    };
    |container| {
        container.is_running = false;
        container.waiting = Some(waiting);
    }
}

/// The container ends again and again.
pub(crate) fn crashes(container: &mut Container) {
    waits("CrashLoopBackOff", "")(container);
    container.restarts = 4;
    container.last = Some(Terminated {
        exit_code: 3,
        reason: "Error".to_owned(),
        message: "no tide table\n".to_owned(),
    });
}

pub(crate) fn definition(name: &str) -> Definition {
    Definition {
        observed: observed(Kind::CustomResourceDefinition, "", name),
        served: BTreeSet::from(["v1".to_owned()]),
        versions: BTreeSet::from(["v1".to_owned()]),
        stored: BTreeSet::from(["v1".to_owned()]),
        conditions: vec![
            condition("NamesAccepted", "True", "NoConflicts", ""),
            condition("Established", "True", "InitialNamesAccepted", ""),
        ],
        is_deleting: false,
    }
}

pub(crate) fn served(name: &str, is_available: bool) -> ServedApi {
    let available = match is_available {
        true => condition("Available", "True", "Passed", ""),
        false => condition("Available", "False", "MissingEndpoints", "no endpoints"),
    };
    ServedApi {
        observed: observed(Kind::ApiService, "", name),
        conditions: vec![available],
        is_deleting: false,
    }
}

/// What the operator says of being upgraded.
pub(crate) fn operator_says(csv: &str, status: &str, message: &str) -> OperatorCondition {
    OperatorCondition {
        observed: observed(Kind::OperatorCondition, HOME, csv),
        generation: 1,
        overrides: Vec::new(),
        conditions: vec![Condition {
            generation: 1,
            ..condition("Upgradeable", status, "Busy", message)
        }],
    }
}
