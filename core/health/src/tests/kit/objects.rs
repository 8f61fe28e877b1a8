//! Objects with which all is well, but for Pods: those are looked at where they are not ready.

use std::collections::BTreeSet;

use super::HOME;
use crate::*;

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

pub(crate) fn subscription(package: &str, csv: &str) -> Subscription {
    Subscription {
        observed: observed(Kind::Subscription, HOME, package),
        package: package.to_owned(),
        channel: "stable".to_owned(),
        source_namespace: "olm".to_owned(),
        source: "ports".to_owned(),
        state: "AtLatestKnown".to_owned(),
        current_csv: csv.to_owned(),
        installed_csv: csv.to_owned(),
        plan: "install-a".to_owned(),
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

pub(crate) fn plan(name: &str, csvs: &[&str]) -> InstallPlan {
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

/// An operator that runs the Deployment `ferry` and brings `ferries.demo.example`.
pub(crate) fn csv(name: &str) -> Csv {
    Csv {
        observed: observed(Kind::ClusterServiceVersion, HOME, name),
        package: "ferry".to_owned(),
        version: "1.0.0".to_owned(),
        replaces: String::new(),
        phase: Phase::Succeeded,
        reason: "InstallSucceeded".to_owned(),
        message: "install strategy completed with no errors".to_owned(),
        is_deleting: false,
        modes: BTreeSet::from([InstallMode::AllNamespaces]),
        deployments: vec![WantedDeployment {
            name: "ferry".to_owned(),
            replicas: Some(1),
        }],
        owned: vec![api("ferries.demo.example")],
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

pub(crate) fn requirement(kind: &str, name: &str, status: &str) -> Requirement {
    Requirement {
        kind: kind.to_owned(),
        name: name.to_owned(),
        status: status.to_owned(),
        message: String::new(),
        dependents: Vec::new(),
    }
}

pub(crate) fn rule(status: &str, rule: &str) -> Dependent {
    Dependent {
        kind: "PolicyRule".to_owned(),
        status: status.to_owned(),
        message: rule.to_owned(),
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

pub(crate) fn looked(pods: Vec<Pod>, events: Vec<Event>) -> Below {
    Below::Looked {
        replica_sets: vec![replica_set("ferry-1", 1)].into(),
        pods: pods.into(),
        events: events.into(),
    }
}

pub(crate) fn replica_set(name: &str, revision: i64) -> ReplicaSet {
    ReplicaSet {
        observed: observed(Kind::ReplicaSet, HOME, name),
        revision,
        replicas: 1,
        conditions: Vec::new(),
    }
}

/// A Pod of the ReplicaSet `ferry-1` that runs and is not ready.
pub(crate) fn pod(name: &str) -> Pod {
    Pod {
        observed: observed(Kind::Pod, HOME, name),
        owner_uid: "uid-ferry-1".to_owned(),
        phase: "Running".to_owned(),
        reason: String::new(),
        message: String::new(),
        conditions: vec![
            condition("PodScheduled", "True", "", ""),
            condition("Ready", "False", "ContainersNotReady", ""),
        ],
        containers: vec![Container {
            name: "manager".to_owned(),
            image: "registry.example/ferry:1".to_owned(),
            is_init: false,
            is_ready: false,
            is_running: true,
            restarts: 0,
            waiting: None,
            terminated: None,
            last: None,
        }],
        is_deleting: false,
    }
}

pub(crate) fn ended(exit_code: i32, reason: &str, message: &str) -> Option<Terminated> {
    Some(Terminated {
        exit_code,
        reason: reason.to_owned(),
        message: message.to_owned(),
    })
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

pub(crate) fn served(name: &str) -> ServedApi {
    ServedApi {
        observed: observed(Kind::ApiService, "", name),
        conditions: vec![condition("Available", "True", "Passed", "")],
        is_deleting: false,
    }
}

pub(crate) fn catalog(name: &str) -> CatalogSource {
    CatalogSource {
        observed: observed(Kind::CatalogSource, "olm", name),
        address: Ok("ports.example:50051".to_owned()),
        connection: "READY".to_owned(),
        reason: String::new(),
        message: String::new(),
        is_deleting: false,
    }
}
