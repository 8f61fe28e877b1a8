//! Returns healthy objects for tests. Only the Pods are not ready, because Pods are inspected only
//! if they are not ready.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, OwnerReference, Time};
use kube_core::ObjectMeta;
use portolan_core_olm::*;

use super::HOME;
use crate::{Below, Csv, Item, Judged, Object, ObjectVersion, Workload};

pub(crate) fn observed(kind: crate::Kind, namespace: &str, name: &str) -> ObjectVersion {
    ObjectVersion {
        object: Object::new(kind, namespace, name),
        uid: format!("uid-{name}"),
        resource_version: "7".to_owned(),
    }
}

fn metadata(namespace: &str, name: &str) -> ObjectMeta {
    ObjectMeta {
        namespace: Some(namespace.to_owned()),
        name: Some(name.to_owned()),
        uid: Some(format!("uid-{name}")),
        resource_version: Some("7".to_owned()),
        generation: Some(1),
        ..ObjectMeta::default()
    }
}

pub(crate) fn item<K: Judged>(object: K) -> Item<K> {
    Item::from(Arc::new(object))
}

/// Returns a deletion timestamp.
pub(crate) fn deleted() -> Option<Time> {
    Some(Time(k8s_openapi::jiff::Timestamp::UNIX_EPOCH))
}

pub(crate) fn condition(kind: &str, status: &str, reason: &str, message: &str) -> Condition {
    Condition {
        r#type: kind.to_owned(),
        status: status.to_owned(),
        reason: reason.to_owned(),
        message: message.to_owned(),
        ..Condition::default()
    }
}

pub(crate) fn subscription(package: &str, csv: &str) -> Item<Subscription> {
    item(Subscription {
        metadata: metadata(HOME, package),
        spec: SubscriptionSpec {
            package: package.to_owned(),
            channel: "stable".to_owned(),
            source_namespace: "olm".to_owned(),
            source: "ports".to_owned(),
            ..SubscriptionSpec::default()
        },
        status: SubscriptionStatus {
            state: "AtLatestKnown".to_owned(),
            current_csv: csv.to_owned(),
            installed_csv: csv.to_owned(),
            install_plan_ref: plan_ref("install-a"),
            conditions: Vec::new(),
        },
    })
}

pub(crate) fn plan_ref(name: &str) -> Option<InstallPlanRef> {
    let name = name.to_owned();
    (!name.is_empty()).then_some(InstallPlanRef { name })
}

pub(crate) fn group(name: &str) -> Item<OperatorGroup> {
    item(OperatorGroup {
        metadata: metadata(HOME, name),
        ..OperatorGroup::default()
    })
}

/// Returns a selector by labels.
pub(crate) fn selector() -> Option<LabelSelector> {
    let labels = [("team".to_owned(), "harbor".to_owned())];
    Some(LabelSelector {
        match_labels: Some(labels.into()),
        ..LabelSelector::default()
    })
}

pub(crate) fn plan(name: &str, csvs: &[&str]) -> Item<InstallPlan> {
    item(InstallPlan {
        metadata: metadata(HOME, name),
        spec: InstallPlanSpec {
            csvs: csvs.iter().map(ToString::to_string).collect(),
            approved: true,
            ..InstallPlanSpec::default()
        },
        status: InstallPlanStatus {
            phase: InstallPlanPhase::Complete,
            ..InstallPlanStatus::default()
        },
    })
}

/// Returns an operator with the Deployment `ferry`, which owns `ferries.demo.example`.
pub(crate) fn csv(name: &str) -> Csv {
    let mut metadata = metadata(HOME, name);
    label(&mut metadata, &component("ferry"), "");
    item(ClusterServiceVersion {
        metadata,
        spec: ClusterServiceVersionSpec {
            version: "1.0.0".to_owned(),
            install_modes: modes(&[InstallModeType::AllNamespaces]),
            install: InstallStrategy {
                spec: InstallStrategySpec {
                    deployments: vec![wanted("ferry", Some(1))],
                    ..InstallStrategySpec::default()
                },
            },
            custom_resources: Described {
                owned: vec![api("ferries.demo.example")],
                required: Vec::new(),
            },
            ..ClusterServiceVersionSpec::default()
        },
        status: ClusterServiceVersionStatus {
            phase: CsvPhase::Succeeded,
            reason: "InstallSucceeded".to_owned(),
            message: "install strategy completed with no errors".to_owned(),
            ..ClusterServiceVersionStatus::default()
        },
    })
}

/// Returns the label with which OLM finds the objects of an operator.
pub(crate) fn component(package: &str) -> String {
    format!("{}{package}.{HOME}", COMPONENT.name())
}

pub(crate) fn label(metadata: &mut ObjectMeta, name: &str, value: &str) {
    let labels = metadata.labels.get_or_insert_default();
    labels.insert(name.to_owned(), value.to_owned());
}

pub(crate) fn modes(supported: &[InstallModeType]) -> Vec<InstallMode> {
    let modes = supported.iter().map(|r#type| InstallMode {
        r#type: r#type.clone(),
        supported: true,
    });
    modes.collect()
}

pub(crate) fn wanted(name: &str, replicas: Option<i32>) -> WantedDeployment {
    WantedDeployment {
        name: name.to_owned(),
        spec: WantedDeploymentSpec {
            replicas,
            ..WantedDeploymentSpec::default()
        },
    }
}

pub(crate) fn api(name: &str) -> CustomResource {
    CustomResource {
        name: name.to_owned(),
        version: "v1".to_owned(),
        kind: "Ferry".to_owned(),
    }
}

/// Returns the API that the APIService of this name serves.
pub(crate) fn served_api(name: &str) -> ServedApi {
    let (version, group) = name.split_once('.').unwrap_or((name, ""));
    ServedApi {
        group: group.to_owned(),
        version: version.to_owned(),
        kind: "Ferry".to_owned(),
    }
}

pub(crate) fn requirement(kind: &str, name: &str, status: &str) -> Requirement {
    Requirement {
        kind: kind.to_owned(),
        name: name.to_owned(),
        status: status.to_owned(),
        ..Requirement::default()
    }
}

pub(crate) fn rule(status: &str, rule: &str) -> Dependent {
    Dependent {
        kind: "PolicyRule".to_owned(),
        status: status.to_owned(),
        message: rule.to_owned(),
    }
}

pub(crate) fn deployment(name: &str, owner: &str) -> Workload {
    let mut deployment = Deployment {
        metadata: metadata(HOME, name),
        status: DeploymentStatus {
            observed_generation: 1,
            conditions: vec![
                condition("Available", "True", "MinimumReplicasAvailable", ""),
                condition("Progressing", "True", "NewReplicaSetAvailable", ""),
            ],
            ..DeploymentStatus::default()
        },
        ..Deployment::default()
    };
    counts(&mut deployment, [1, 1, 1, 1]);
    label(&mut deployment.metadata, OWNER.name(), owner);
    Workload {
        deployment: item(deployment),
        below: Below::NotLooked,
    }
}

/// Sets the numbers of desired, existing, updated and available replicas.
pub(crate) fn counts(one: &mut Deployment, [wanted, all, updated, available]: [i32; 4]) {
    one.spec.replicas = Some(wanted);
    one.status.replicas = all;
    one.status.updated_replicas = updated;
    one.status.available_replicas = available;
}

pub(crate) fn looked_below(pods: Vec<Item<Pod>>, events: Vec<Item<Event>>) -> Below {
    Below::Looked {
        replica_sets: vec![replica_set("ferry-1", 1)].into(),
        pods: pods.into(),
        events: events.into(),
    }
}

pub(crate) fn replica_set(name: &str, revision: i64) -> Item<ReplicaSet> {
    let mut metadata = metadata(HOME, name);
    let annotations = metadata.annotations.get_or_insert_default();
    let name = "deployment.kubernetes.io/revision".to_owned();
    annotations.insert(name, revision.to_string());
    item(ReplicaSet {
        metadata,
        ..ReplicaSet::default()
    })
}

/// Returns a running Pod of the ReplicaSet `ferry-1` that is not ready.
pub(crate) fn pod(name: &str) -> Item<Pod> {
    let mut pod = Pod {
        metadata: metadata(HOME, name),
        spec: PodSpec::default(),
        status: PodStatus {
            phase: "Running".to_owned(),
            conditions: vec![
                condition("PodScheduled", "True", "", ""),
                condition("Ready", "False", "ContainersNotReady", ""),
            ],
            container_statuses: vec![ContainerStatus {
                name: "manager".to_owned(),
                image: "registry.example/ferry:1".to_owned(),
                state: ContainerState {
                    running: Some(ContainerRunning {}),
                    ..ContainerState::default()
                },
                ..ContainerStatus::default()
            }],
            ..PodStatus::default()
        },
    };
    owned_by(&mut pod.metadata, "uid-ferry-1");
    item(pod)
}

pub(crate) fn owned_by(metadata: &mut ObjectMeta, uid: &str) {
    metadata.owner_references = Some(vec![OwnerReference {
        uid: uid.to_owned(),
        controller: Some(true),
        ..OwnerReference::default()
    }]);
}

/// Makes the container wait with this reason.
pub(crate) fn set_waiting(container: &mut ContainerStatus, reason: &str, message: &str) {
    container.state.running = None;
    container.state.waiting = Some(ContainerWaiting {
        reason: reason.to_owned(),
        message: message.to_owned(),
    });
}

pub(crate) fn terminated(
    exit_code: i32,
    reason: &str,
    message: &str,
) -> Option<ContainerTerminated> {
    Some(ContainerTerminated {
        exit_code,
        reason: reason.to_owned(),
        message: message.to_owned(),
    })
}

pub(crate) fn crd(name: &str) -> Item<CustomResourceDefinition> {
    item(CustomResourceDefinition {
        metadata: metadata("", name),
        spec: CustomResourceDefinitionSpec {
            versions: vec![version("v1", true)],
        },
        status: CustomResourceDefinitionStatus {
            conditions: vec![
                condition("NamesAccepted", "True", "NoConflicts", ""),
                condition("Established", "True", "InitialNamesAccepted", ""),
            ],
            stored_versions: vec!["v1".to_owned()],
        },
    })
}

pub(crate) fn version(name: &str, served: bool) -> DefinedVersion {
    DefinedVersion {
        name: name.to_owned(),
        served,
        storage: false,
    }
}

pub(crate) fn served(name: &str) -> Item<ApiService> {
    item(ApiService {
        metadata: metadata("", name),
        status: ApiServiceStatus {
            conditions: vec![condition("Available", "True", "Passed", "")],
        },
        ..ApiService::default()
    })
}

pub(crate) fn catalog(name: &str) -> Item<CatalogSource> {
    item(CatalogSource {
        metadata: metadata("olm", name),
        spec: CatalogSourceSpec {
            address: "ports.example:50051".to_owned(),
            ..CatalogSourceSpec::default()
        },
        status: CatalogSourceStatus {
            connection: connection("READY"),
            ..CatalogSourceStatus::default()
        },
    })
}

pub(crate) fn connection(state: &str) -> Option<ConnectionState> {
    Some(ConnectionState {
        state: state.to_owned().into(),
        ..ConnectionState::default()
    })
}

pub(crate) fn operator_condition(name: &str) -> Item<OperatorCondition> {
    item(OperatorCondition {
        metadata: metadata(HOME, name),
        ..OperatorCondition::default()
    })
}

/// Returns a warning about a Pod.
pub(crate) fn event(pod: &str) -> Item<Event> {
    item(Event {
        involved_object: InvolvedObject {
            kind: Pod::KIND.to_owned(),
            namespace: HOME.to_owned(),
            name: pod.to_owned(),
            uid: String::new(),
            field_path: String::new(),
        },
        ..Event::default()
    })
}
