//! Builds healthy objects. Pods are unready, because the health crate inspects only unready Pods.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, OwnerReference, Time};
use kube_core::ObjectMeta;
use portolan_core_health::{Below, Csv, Item, Judged, ObservedObjects, Workload};
use portolan_core_olm::*;

use super::HOME;
use crate::OlmPart;

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

/// Returns the deletion timestamp of an object that is being deleted.
pub(crate) fn deleted() -> Option<Time> {
    Some(Time(k8s_openapi::jiff::Timestamp::UNIX_EPOCH))
}

pub(crate) fn label(metadata: &mut ObjectMeta, name: &str, value: &str) {
    let labels = metadata.labels.get_or_insert_default();
    labels.insert(name.to_owned(), value.to_owned());
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

pub(crate) fn source(namespace: &str, name: &str) -> Item<CatalogSource> {
    item(CatalogSource {
        metadata: metadata(namespace, name),
        spec: CatalogSourceSpec {
            address: "shop.example:50051".to_owned(),
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

pub(crate) fn subscription(name: &str, package: &str) -> Item<Subscription> {
    item(Subscription {
        metadata: metadata(HOME, name),
        spec: SubscriptionSpec {
            package: package.to_owned(),
            channel: "stable".to_owned(),
            source_namespace: "olm".to_owned(),
            source: "shop".to_owned(),
            ..SubscriptionSpec::default()
        },
        ..Subscription::default()
    })
}

pub(crate) fn plan_ref(name: &str) -> Option<InstallPlanRef> {
    let name = name.to_owned();
    Some(InstallPlanRef { name })
}

pub(crate) fn group(name: &str) -> Item<OperatorGroup> {
    item(OperatorGroup {
        metadata: metadata(HOME, name),
        ..OperatorGroup::default()
    })
}

pub(crate) fn install_plan(name: &str, csvs: &[&str]) -> Item<InstallPlan> {
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

/// Returns the name of the CustomResourceDefinition that the operator of a package owns.
pub(crate) fn defined(package: &str) -> String {
    format!("{package}s.demo.example")
}

/// Returns the package and the version in the name of a bundle.
pub(crate) fn parts(csv: &str) -> (&str, &str) {
    csv.split_once(".v")
        .expect("a bundle must be <package>.v<version>")
}

/// Returns a working operator that owns a CRD. Its Deployment has the name of the package.
pub(crate) fn operator(csv: &str) -> Csv {
    let (package, version) = parts(csv);
    let mut metadata = metadata(HOME, csv);
    let component = format!("{}{package}.{HOME}", COMPONENT.name());
    label(&mut metadata, &component, "");
    item(ClusterServiceVersion {
        metadata,
        spec: ClusterServiceVersionSpec {
            version: version.to_owned(),
            install_modes: modes(&[
                InstallModeType::OwnNamespace,
                InstallModeType::SingleNamespace,
                InstallModeType::AllNamespaces,
            ]),
            install: InstallStrategy {
                spec: InstallStrategySpec {
                    deployments: vec![WantedDeployment {
                        name: package.to_owned(),
                        ..WantedDeployment::default()
                    }],
                    ..InstallStrategySpec::default()
                },
            },
            custom_resources: Described {
                owned: vec![api(&defined(package))],
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

pub(crate) fn modes(supported: &[InstallModeType]) -> Vec<InstallMode> {
    let modes = supported.iter().map(|r#type| InstallMode {
        r#type: r#type.clone(),
        supported: true,
    });
    modes.collect()
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
    let (version, group) = name.split_once('.').expect("it must have a group");
    ServedApi {
        group: group.to_owned(),
        version: version.to_owned(),
        kind: "Ferry".to_owned(),
    }
}

pub(crate) fn requirement(kind: &str, name: &str, status: &str, message: &str) -> Requirement {
    Requirement {
        kind: kind.to_owned(),
        name: name.to_owned(),
        status: status.to_owned(),
        message: message.to_owned(),
        ..Requirement::default()
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
    count(&mut deployment, 1);
    label(&mut deployment.metadata, OWNER.name(), owner);
    Workload {
        deployment: item(deployment),
        below: Below::NotLooked,
    }
}

/// Sets the number of desired, existing, updated and available replicas.
pub(crate) fn count(one: &mut Deployment, replicas: i32) {
    one.spec.replicas = Some(replicas);
    one.status.replicas = replicas;
    one.status.updated_replicas = replicas;
    one.status.available_replicas = replicas;
}

/// Puts the Deployment into its first rollout. It has these Pods, and no Pod is available.
pub(crate) fn rolling(one: &mut Workload, pods: Vec<Item<Pod>>) {
    one.status.available_replicas = 0;
    one.status.conditions = vec![
        condition("Available", "False", "MinimumReplicasUnavailable", ""),
        condition("Progressing", "True", "ReplicaSetUpdated", ""),
    ];
    one.below = Below::Looked {
        replica_sets: vec![replica_set(one.name())].into(),
        pods: pods.into(),
        events: ObservedObjects::default(),
    };
}

/// Makes the Deployment unavailable after its rollout is complete. It has these Pods.
pub(crate) fn down(one: &mut Workload, pods: Vec<Item<Pod>>) {
    rolling(one, pods);
    one.status.conditions[1].reason = "NewReplicaSetAvailable".to_owned();
}

/// Puts the Deployment into the rollout of a new version that has exceeded its deadline. The new
/// version has these Pods. A Pod of the old version is still available.
pub(crate) fn late(one: &mut Workload, pods: Vec<Item<Pod>>) {
    rolling(one, pods);
    one.status.available_replicas = 1;
    one.status.replicas = 2;
    one.status.conditions = vec![
        condition("Available", "True", "MinimumReplicasAvailable", ""),
        condition(
            "Progressing",
            "False",
            "ProgressDeadlineExceeded",
            "timed out",
        ),
    ];
}

/// Adds a failed attempt of OLM to create the Deployments at each of these times, in seconds.
pub(crate) fn refused_at(csv: &mut ClusterServiceVersion, message: &str, seconds: &[i64]) {
    let at = |second: &i64| k8s_openapi::jiff::Timestamp::from_second(*second).expect("a time");
    let said = seconds.iter().map(|second| CsvCondition {
        phase: CsvPhase::Failed,
        reason: "InstallComponentFailed".to_owned(),
        message: format!("install strategy failed: {message}"),
        last_transition_time: Some(Time(at(second))),
    });
    csv.status.conditions = said.collect();
}

/// Sets a field in `spec.config` of a Subscription.
pub(crate) fn set(one: &mut Subscription, field: &str, value: serde_json::Value) {
    let config = one.spec.config.get_or_insert_default();
    config.insert(field.to_owned(), value);
}

pub(crate) fn replica_set(deployment: &str) -> Item<ReplicaSet> {
    item(ReplicaSet {
        metadata: metadata(HOME, &format!("{deployment}-1")),
        ..ReplicaSet::default()
    })
}

/// Returns a Pod of a Deployment. The Pod runs but is not ready.
pub(crate) fn pod(deployment: &str, change: impl FnOnce(&mut ContainerStatus)) -> Item<Pod> {
    let mut container = ContainerStatus {
        name: "manager".to_owned(),
        image: format!("registry.example/{deployment}:1"),
        state: ContainerState {
            running: Some(ContainerRunning {}),
            ..ContainerState::default()
        },
        ..ContainerStatus::default()
    };
    change(&mut container);
    let mut metadata = metadata(HOME, &format!("{deployment}-1-a"));
    metadata.owner_references = Some(vec![OwnerReference {
        uid: format!("uid-{deployment}-1"),
        controller: Some(true),
        ..OwnerReference::default()
    }]);
    item(Pod {
        metadata,
        spec: PodSpec::default(),
        status: PodStatus {
            phase: "Running".to_owned(),
            conditions: vec![
                condition("PodScheduled", "True", "", ""),
                condition("Ready", "False", "ContainersNotReady", ""),
            ],
            container_statuses: vec![container],
            ..PodStatus::default()
        },
    })
}

/// Returns the containers of a Pod. The container `name` has this memory limit.
pub(crate) fn limited(name: &str, memory: &str) -> Vec<LimitedContainer> {
    let limits = ResourceLimits {
        memory: memory.to_owned(),
    };
    vec![LimitedContainer {
        name: name.to_owned(),
        resources: ContainerResources {
            limits,
            ..ContainerResources::default()
        },
    }]
}

/// Returns the containers of a Pod. Each container requests one of these amounts of memory.
pub(crate) fn requesting(memory: &[&str]) -> Vec<LimitedContainer> {
    let containers = memory.iter().map(|memory| LimitedContainer {
        resources: ContainerResources {
            requests: ResourceRequests {
                memory: (*memory).to_owned(),
                ..ResourceRequests::default()
            },
            ..ContainerResources::default()
        },
        ..LimitedContainer::default()
    });
    containers.collect()
}

/// Returns a change that makes a container wait for this reason.
pub(crate) fn waiting(reason: &str, message: &str) -> impl FnOnce(&mut ContainerStatus) {
    let waiting = ContainerWaiting {
        reason: reason.to_owned(),
        message: message.to_owned(),
    };
    |container| {
        container.state.running = None;
        container.state.waiting = Some(waiting);
    }
}

/// Makes the container crash-loop.
pub(crate) fn crashes(container: &mut ContainerStatus) {
    waiting("CrashLoopBackOff", "")(container);
    container.restart_count = 4;
    container.last_state.terminated = Some(ContainerTerminated {
        exit_code: 3,
        reason: "Error".to_owned(),
        message: "no tide table\n".to_owned(),
    });
}

/// Makes the container crash-loop, because it exceeds its memory limit.
pub(crate) fn exceeds_memory(container: &mut ContainerStatus) {
    crashes(container);
    container.last_state.terminated = Some(ContainerTerminated {
        exit_code: 137,
        reason: "OOMKilled".to_owned(),
        ..ContainerTerminated::default()
    });
}

pub(crate) fn crd(name: &str) -> Item<CustomResourceDefinition> {
    item(CustomResourceDefinition {
        metadata: metadata("", name),
        spec: CustomResourceDefinitionSpec {
            versions: vec![DefinedVersion {
                name: "v1".to_owned(),
                served: true,
                storage: true,
            }],
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

pub(crate) fn served(name: &str, is_available: bool) -> Item<ApiService> {
    let available = if is_available {
        condition("Available", "True", "Passed", "")
    } else {
        condition("Available", "False", "MissingEndpoints", "no endpoints")
    };
    item(ApiService {
        metadata: metadata("", name),
        status: ApiServiceStatus {
            conditions: vec![available],
        },
        ..ApiService::default()
    })
}

/// Returns an OperatorCondition whose condition Upgradeable has this status and message.
pub(crate) fn operator_says(csv: &str, status: &str, message: &str) -> Item<OperatorCondition> {
    item(OperatorCondition {
        metadata: metadata(HOME, csv),
        status: OperatorConditionStatus {
            conditions: vec![Condition {
                observed_generation: Some(1),
                ..condition("Upgradeable", status, "Busy", message)
            }],
        },
        ..OperatorCondition::default()
    })
}

/// Returns a Job that unpacks the bundle of an image.
pub(crate) fn unpacking(name: &str, image: &str) -> Job {
    let mut job = Job {
        metadata: metadata("olm", name),
        ..Job::default()
    };
    job.spec.template.spec.init_containers = vec![TemplateContainer {
        name: "pull".to_owned(),
        image: image.to_owned(),
    }];
    job
}

/// Sets the image in the Deployment of the operator.
pub(crate) fn runs(csv: &mut ClusterServiceVersion, image: &str) {
    let wanted = &mut csv.spec.install.spec.deployments[0].spec.template.spec;
    wanted.containers = vec![TemplateContainer {
        name: "manager".to_owned(),
        image: image.to_owned(),
    }];
}

/// Returns a warning Event about a Pod.
pub(crate) fn warning(pod: &Item<Pod>, reason: &str, message: &str) -> Item<Event> {
    item(Event {
        metadata: metadata(HOME, "warning"),
        involved_object: InvolvedObject {
            kind: Pod::KIND.to_owned(),
            namespace: pod.namespace().to_owned(),
            name: pod.observed.object.name.clone(),
            uid: pod.observed.uid.clone(),
            field_path: String::new(),
        },
        reason: reason.to_owned(),
        message: message.to_owned(),
        ..Event::default()
    })
}

/// Adds an installation by OLM at each of these times, in seconds. Each installation begins because
/// a Deployment has changed.
pub(crate) fn reset_at(csv: &mut ClusterServiceVersion, seconds: &[i64]) {
    let at = |second: &i64| k8s_openapi::jiff::Timestamp::from_second(*second).expect("a time");
    let said = seconds.iter().map(|second| CsvCondition {
        phase: CsvPhase::InstallReady,
        message: "installing: deployment changed old hash=a, new hash=b".to_owned(),
        last_transition_time: Some(Time(at(second))),
        ..CsvCondition::default()
    });
    csv.status.conditions = said.collect();
}

/// Makes Argo CD and OLM both write the Deployment. Its label names the version `old`, and its
/// owner reference names the version `owner`.
pub(crate) fn claimed_by_argo(one: &mut Deployment, old: &str, owner: &str) {
    label(&mut one.metadata, OWNER.name(), old);
    one.metadata.owner_references = Some(vec![OwnerReference {
        kind: ClusterServiceVersion::KIND.to_owned(),
        name: owner.to_owned(),
        ..OwnerReference::default()
    }]);
    let tracked = "edge:apps/Deployment:demo/ferry".to_owned();
    let name = "argocd.argoproj.io/tracking-id".to_owned();
    one.metadata.annotations = Some([(name, tracked)].into());
    let entry = |manager: &str, second| ManagedFieldsEntry {
        manager: Some(manager.to_owned()),
        time: k8s_openapi::jiff::Timestamp::from_second(second)
            .ok()
            .map(Time),
        ..ManagedFieldsEntry::default()
    };
    one.metadata.managed_fields = Some(vec![entry("argocd-controller", 7), entry("olm", 8)]);
}

/// Returns a controller of OLM in namespace `olm`. Its Deployment is unavailable and has these
/// Pods.
pub(crate) fn olm_part(controller: OlmController, pods: Vec<Item<Pod>>) -> OlmPart {
    let mut deployment = OlmDeployment {
        metadata: metadata("olm", controller.name()),
        ..OlmDeployment::default()
    };
    deployment.status.conditions = vec![condition(
        "Available",
        "False",
        "MinimumReplicasUnavailable",
        "",
    )];
    OlmPart {
        controller,
        deployment: Arc::new(deployment),
        pods,
    }
}
