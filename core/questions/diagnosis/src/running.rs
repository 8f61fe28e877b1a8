//! The workloads that Portolan has installed, and the workloads of Portolan itself.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use portolan_api::plan::JobStatus;
use portolan_core_health::{Item, ObservedObjects};
use portolan_core_names::Version;
use portolan_core_olm::{
    Condition, EXTENSION, Event, LINEAGE, OWNER, PART, Pod, ReplicaSet, WorkloadKind,
    is_of_portolan, tag_of_portolan,
};

use crate::{Object, words};

/// The kind of Jobs in the objects of workloads.
const JOB: &str = "Job.batch";
/// The reason of the condition `Progressing` if the rollout of the newest revision is complete.
const COMPLETE: &str = "NewReplicaSetAvailable";

/// A workload, with its Pods and ReplicaSets.
#[derive(Debug, Clone, PartialEq)]
pub struct RunningWorkload {
    /// The workload, such as `Deployment.apps harbor/ferry`.
    pub object: Object,
    /// The uid of the workload. Empty if it is unknown.
    pub uid: String,
    /// The lineage of the InstallPlan that applied the workload. Empty for other workloads.
    pub lineage: String,
    /// The component of Portolan that the workload runs, such as `controller`. Empty for other
    /// workloads.
    pub component: String,
    /// The version of Portolan, from the tag of the image. None if the workload is no part of
    /// Portolan, or if the tag is not a version.
    pub version: Option<Version>,
    /// The ClusterServiceVersion that owns the workload. Empty for other workloads.
    pub csv: String,
    /// The ClusterExtension of OLM v1 that installed the workload. Empty for other workloads.
    pub extension: String,
    /// The metadata of the workload. Its annotations and managed fields show the tools that write
    /// the workload.
    pub metadata: ObjectMeta,
    /// The number of ready Pods.
    pub ready: i32,
    /// The number of desired Pods.
    pub desired: i32,
    /// The time since which too few Pods are available. None if enough Pods are available, or if
    /// the time is unknown.
    pub unavailable_since: Option<Time>,
    /// True if Kubernetes is starting the Pods of a new revision.
    pub is_rolling_out: bool,
    /// The Pods and ReplicaSets of the workload. None if they were not read.
    pub below: Option<PodsBelow>,
}

/// The Pods and ReplicaSets of a workload.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PodsBelow {
    /// The ReplicaSets. Empty if the workload is not a Deployment.
    pub replica_sets: ObservedObjects<Item<ReplicaSet>>,
    /// The Pods of the workload.
    pub pods: ObservedObjects<Item<Pod>>,
    /// The warning Events about the ReplicaSets and Pods.
    pub events: ObservedObjects<Item<Event>>,
}

/// The observed workloads.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Workloads {
    /// The workloads of InstallPlans or of Portolan, in any order.
    pub all: Vec<RunningWorkload>,
    /// Other Deployments, in any order. They are in the [namespaces that explain a
    /// problem](crate::OwnObjects::namespaces_to_inspect), or belong to ClusterExtensions.
    pub nearby: Vec<RunningWorkload>,
    /// For each reason why workloads or their Pods may be missing, one sentence.
    pub troubles: Vec<String>,
}

/// Parses a version, such as `0.1.0` or `v0.1.0`, from an image tag or from the value of a label.
pub(crate) fn version(text: &str) -> Option<Version> {
    Version::parse(text.strip_prefix('v').unwrap_or(text)).ok()
}

// === impl RunningWorkload ===

impl RunningWorkload {
    /// Returns a workload of this kind. Its Pods and ReplicaSets are not read yet.
    pub fn of(kind: &'static str, workload: &impl WorkloadKind) -> Self {
        let (metadata, spec, status) = workload.workload();
        let (ready, desired) = status.counts(spec);
        let namespace = metadata.namespace.clone().unwrap_or_default();
        let name = metadata.name.clone().unwrap_or_default();
        let available = Condition::about(&status.conditions, "Available");
        let unavailable = available.filter(|said| said.is_false());
        let progress = Condition::about(&status.conditions, "Progressing");
        let is_rolling_out = progress.is_some_and(|said| said.is_true() && said.reason != COMPLETE);
        let label = |label: portolan_core_olm::Label| label.of(metadata).unwrap_or_default();
        Self {
            object: Object::new(kind, namespace, name),
            uid: metadata.uid.clone().unwrap_or_default(),
            lineage: label(LINEAGE).to_owned(),
            component: label(PART).to_owned(),
            version: tag_of_portolan(&spec.template)
                .filter(|_| is_of_portolan(metadata))
                .and_then(version),
            csv: label(OWNER).to_owned(),
            extension: label(EXTENSION).to_owned(),
            metadata: metadata.clone(),
            ready,
            desired,
            unavailable_since: unavailable.and_then(|said| said.last_transition_time.clone()),
            is_rolling_out,
            below: None,
        }
    }

    /// Returns the run of a Job in a plan. Its Pods are not read yet.
    pub fn of_job(namespace: &str, job: &JobStatus) -> Self {
        Self {
            object: Object::new(JOB, namespace, &job.job),
            uid: job.uid.clone().unwrap_or_default(),
            lineage: String::new(),
            component: String::new(),
            version: None,
            csv: String::new(),
            extension: String::new(),
            metadata: ObjectMeta::default(),
            ready: 0,
            desired: 1,
            unavailable_since: None,
            is_rolling_out: false,
            below: None,
        }
    }

    /// Returns true if the workload is a Job.
    pub(crate) fn is_job(&self) -> bool {
        self.object.kind == JOB
    }

    /// Returns true if the workload is the Job run that this status describes.
    pub(crate) fn is_run(&self, namespace: &str, job: &JobStatus) -> bool {
        let Object {
            namespace: own,
            name,
            ..
        } = &self.object;
        self.is_job() && own == namespace && *name == job.job
    }

    /// Returns true if enough Pods are ready.
    pub fn is_ready(&self) -> bool {
        self.ready >= self.desired
    }
    /// Returns the end of a sentence about a workload that has no ready Pod, such as `is scaled to
    /// 0`.
    pub(crate) fn stop(&self) -> String {
        match &self.unavailable_since {
            _ if self.desired <= 0 => "is scaled to 0".to_owned(),
            Some(since) => format!("has had no ready Pod since {}", words::time(since)),
            None => "has no ready Pod".to_owned(),
        }
    }
}
