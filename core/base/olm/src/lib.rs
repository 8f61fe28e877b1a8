//! The Kubernetes and OLM objects that Portolan reads, with only the fields that Portolan uses.
//!
//! The crate has these kinds:
//! - the kinds of OLM v0, and the catalogs and extensions of OLM v1
//! - of Kubernetes: workloads and the objects that they own, CRDs, APIServices, webhooks, Leases,
//!   and the Jobs that unpack bundles
//! - of OpenShift: the version of the cluster, the state of its components, and the request counts
//!   of its APIs
//!
//! Parsing skips the other fields of an object, and missing fields become empty. So older and newer
//! versions of OLM are read in the same way. If a field has an unexpected type, [`read`] omits only
//! this field and reports it.
//!
//! The crate also interprets fields. For example, it computes the registry address of a
//! [`CatalogSource`]. It defines the [`Verdict`] that services return about objects, with the codes
//! of the health service and of the approval service. It parses the APIs and requirements of
//! installed bundles with the types of `core/base/catalog`. It has no client and reads no files:
//! `services/world` reads the objects.
//!
//! ```
//! use portolan_core_olm::{CatalogSource, read};
//!
//! let shop = r#"{
//!     "metadata": {"name": "shop", "namespace": "olm"},
//!     "spec": {"sourceType": "grpc", "address": "10.0.0.7:50051", "priority": "high"}
//! }"#;
//! let (shop, faults) = read::<CatalogSource>(shop)?;
//! assert_eq!(shop.address().as_deref(), Ok("10.0.0.7:50051"));
//! assert_eq!(shop.spec.priority, 0);
//! assert_eq!(faults[0].field, "spec.priority");
//! # Ok::<_, portolan_core_olm::Unreadable>(())
//! ```

mod catalog_source;
mod cluster;
mod cluster_catalog;
mod cluster_extension;
mod cluster_service_version;
mod component;
mod component_operator;
mod condition;
mod definitions;
mod deployment;
mod event;
mod install_plan;
mod job;
mod lease;
pub mod messages;
mod metadata;
mod mirror_sets;
mod node;
mod olm_deployment;
mod openshift;
mod operator;
mod operator_condition;
mod operator_group;
mod pod;
mod properties;
mod reading;
mod resource;
mod subscription;
mod tool;
mod verdict;
mod webhook;
mod workload;

pub use catalog_source::{
    CatalogSource, CatalogSourceSpec, CatalogSourceStatus, ConnectionState, NoAddress,
    RegistryService, RegistryState, SourceType,
};
pub use cluster::{ClusterVersion, ClusterVersionStatus, Namespace, Release};
pub use cluster_catalog::{
    Availability, CATALOG_NAME, CatalogImage, CatalogImageSource, CatalogUrls, ClusterCatalog,
    ClusterCatalogSpec, ClusterCatalogStatus, NotServed,
};
pub use cluster_extension::{
    ClusterExtension, ClusterExtensionSpec, ClusterExtensionStatus, CrdEnforcement,
    CrdUpgradeSafety, EXTENSION, ExtensionAccount, ExtensionBundle, ExtensionChecks,
    ExtensionConfig, ExtensionInstall, ExtensionPackage, ExtensionPreflight, ExtensionSource,
    ExtensionValues, UpgradeConstraint, of_extensions,
};
pub use cluster_service_version::{
    COPIED_FROM, Cleanup, ClusterServiceVersion, ClusterServiceVersionSpec,
    ClusterServiceVersionStatus, CopiedCsv, CsvCondition, CsvPhase, CustomResource, Dependent,
    Described, InstallMode, InstallModeType, InstallStrategy, InstallStrategySpec, Requirement,
    ServedApi, StrategyPermission, WantedDeployment, WantedDeploymentSpec, WebhookDefinition,
};
pub use component::{COMPONENT, LONGEST_COMPONENT, component, cut_component, whole_component};
pub use component_operator::{ComponentOperator, ComponentOperatorStatus};
pub use condition::Condition;
pub use definitions::{
    ApiService, ApiServiceSpec, ApiServiceStatus, CustomResourceDefinition,
    CustomResourceDefinitionSpec, CustomResourceDefinitionStatus, DefinedVersion, ServiceRef,
};
pub use deployment::{
    DOWNSCALER_EXCLUDE, Deployment, DeploymentSpec, DeploymentStatus, ORIGINAL_REPLICAS, OWNER,
    PodTemplate, PodTemplateSpec, ReplicaSet, ReplicaSetSpec, ReplicaSetStatus, TRACKED,
    TemplateContainer, argo_cd_application, downscaler_schedule, last_scaler, original_replicas,
};
pub use event::{
    Event, EventSeries, EventType, InvolvedObject, JobEvent, PullSecretEvent, Repetition,
};
pub use install_plan::{
    BundleLookup, CatalogSourceRef, InstallPlan, InstallPlanPhase, InstallPlanSpec,
    InstallPlanStatus, PlannedBundle, Stated, Step, StepManifest, StepResource, StepStatus,
};
pub use job::{Job, JobSpec, JobStatus};
pub use lease::{Lease, LeaseSpec};
pub use metadata::{Annotation, Label, Managers, ObjectIdentity, READS, Reads};
pub use mirror_sets::{
    ImageContentSourcePolicy, ImageContentSourcePolicySpec, ImageDigestMirrorSet,
    ImageDigestMirrorSetSpec, ImageMirrors, ImageTagMirrorSet, ImageTagMirrorSetSpec,
    MirrorSourcePolicy,
};
pub use node::{Node, NodeSpec, Taint};
pub use olm_deployment::{OlmController, OlmDeployment};
pub use openshift::{
    ApiRequestCount, ApiRequestCountStatus, ClusterOperator, ClusterOperatorStatus, RequestsAtNode,
    RequestsInHour, RequestsOfUser,
};
pub use operator::{NamespaceObjects, Operator};
pub use operator_condition::{OperatorCondition, OperatorConditionSpec, OperatorConditionStatus};
pub use operator_group::{
    EXCLUDES_GLOBAL, INHERITED, OperatorGroup, OperatorGroupSpec, OperatorGroupStatus, PROVIDED,
    Targets, UpgradeStrategy,
};
pub use pod::{
    Container, ContainerResources, ContainerRunning, ContainerState, ContainerStatus,
    ContainerTerminated, ContainerWaiting, InitContainer, LimitedContainer, Pod, PodSpec,
    PodStatus, ResourceLimits, ResourceRequests,
};
pub use properties::{PROPERTIES, Properties, all_properties};
pub use reading::{FromJson, ReadFault, Unreadable, deserialize, read, read_value};
pub use resource::GROUP;
pub use subscription::{
    Approval, InstallPlanRef, Subscription, SubscriptionSpec, SubscriptionStatus,
};
pub use tool::{TOOL_ANNOTATIONS, TOOL_LABELS, applying_tool, contacts};
pub use verdict::{ApprovalCode, ApprovalTopic, HealthCode, HealthTopic, Reason, State, Verdict};
pub use webhook::{ConfiguredWebhook, ValidatingWebhookConfiguration, WebhookAddress};
pub use workload::{
    AnyDeployment, DaemonSet, LINEAGE, PART, PROGRAM, StatefulSet, VERSION, WorkloadKind,
    WorkloadSpec, WorkloadStatus, applied_by_plan, is_of_portolan, of_portolan, tag_of_portolan,
    version_of_portolan,
};

/// Calls a macro with all kinds of this crate.
#[macro_export]
macro_rules! kinds {
    ($then:path) => {
        $then!(
            $crate::AnyDeployment,
            $crate::ApiRequestCount,
            $crate::ApiService,
            $crate::CatalogSource,
            $crate::ClusterCatalog,
            $crate::ClusterExtension,
            $crate::ClusterOperator,
            $crate::ClusterServiceVersion,
            $crate::ClusterVersion,
            $crate::ComponentOperator,
            $crate::CopiedCsv,
            $crate::CustomResourceDefinition,
            $crate::DaemonSet,
            $crate::Deployment,
            $crate::Event,
            $crate::ImageContentSourcePolicy,
            $crate::ImageDigestMirrorSet,
            $crate::ImageTagMirrorSet,
            $crate::InstallPlan,
            $crate::Job,
            $crate::JobEvent,
            $crate::Lease,
            $crate::Namespace,
            $crate::Node,
            $crate::OlmDeployment,
            $crate::OperatorCondition,
            $crate::OperatorGroup,
            $crate::Pod,
            $crate::PullSecretEvent,
            $crate::ReplicaSet,
            $crate::StatefulSet,
            $crate::Subscription,
            $crate::ValidatingWebhookConfiguration,
        );
    };
}

kinds!(from_json);

/// The types for the APIs and requirements of bundles. Catalogs contain them for available bundles,
/// and annotations contain them for installed bundles.
pub use portolan_core_catalog::{
    Api, Clause, Constraint, PackageRequirement, Property, Requirement as Required, Requirements,
    Rule,
};
