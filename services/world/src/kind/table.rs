//! The properties of each kind that worlds can contain.

use kube::core::{Expression, Selector};
use portolan_api::{OperatorPolicy, OperatorPolicyStatus, installs, operator, plan, policy};
use portolan_core_names::{Gvk, removed};
use portolan_core_olm::{
    ApiRequestCount, ApiService, COPIED_FROM, CatalogSource, ClusterCatalog, ClusterExtension,
    ClusterOperator, ClusterServiceVersion, ClusterVersion, ComponentOperator, CopiedCsv, CsvPhase,
    CustomResourceDefinition, DaemonSet, Deployment, Event, EventType, ImageContentSourcePolicy,
    ImageDigestMirrorSet, ImageTagMirrorSet, InstallPlan, Job, Lease, Namespace, Node, OWNER,
    OperatorCondition, OperatorGroup, Pod, PodTemplate, ReplicaSet, StatefulSet, Subscription,
    ValidatingWebhookConfiguration,
};

use crate::cluster::DumpedKind;
use crate::dump::RegistryProbe;
use crate::kind::Kind;
use crate::watchable;

/// The annotations that a dump keeps of Operators.
const OF_OPERATORS: &[&str] = &[
    operator::ACCEPT_BREAKS,
    operator::APPROVE,
    operator::FORCE_DELETION,
];

/// The fields of APIRequestCounts that a dump leaves out: the verbs and programs of requests, and
/// the counts of the current hour. The counts of the last day already include the current hour.
const REQUEST_DETAILS: &[&[&str]] = &[
    &["status", "currentHour"],
    &[
        "status", "last24h", "*", "byNode", "*", "byUser", "*", "byVerb",
    ],
    &[
        "status",
        "last24h",
        "*",
        "byNode",
        "*",
        "byUser",
        "*",
        "userAgent",
    ],
];

/// Returns the kinds that worlds can contain. Kinds whose objects determine the relevance of other
/// objects come first.
pub(crate) fn dumped_kinds() -> [DumpedKind; 36] {
    [
        DumpedKind::of_olm::<Subscription>(),
        DumpedKind::of_olm::<ClusterServiceVersion>()
            .without(&[&["spec", "icon"], &["spec", "description"]]),
        DumpedKind::of_olm::<CatalogSource>(),
        DumpedKind::of_olm::<InstallPlan>(),
        DumpedKind::of_olm::<OperatorGroup>(),
        DumpedKind::running::<OperatorCondition>(),
        DumpedKind::of::<CopiedCsv>(),
        DumpedKind::of::<ClusterCatalog>(),
        DumpedKind::of::<ClusterExtension>(),
        DumpedKind::of::<CustomResourceDefinition>()
            .without(&[&["spec", "versions", "*", "schema"]]),
        DumpedKind::of::<ApiService>(),
        DumpedKind::of::<Namespace>(),
        DumpedKind::of::<Node>()
            .without(&[&["status"], &["spec", "providerID"]])
            .annotated(&[]),
        DumpedKind::of::<ClusterVersion>(),
        DumpedKind::of::<ClusterOperator>()
            .without(&[&["status", "relatedObjects"], &["status", "extension"]]),
        DumpedKind::of::<ApiRequestCount>()
            .named(removed::is_request_count)
            .without(REQUEST_DETAILS),
        DumpedKind::of::<ImageDigestMirrorSet>(),
        DumpedKind::of::<ImageTagMirrorSet>(),
        DumpedKind::of::<ImageContentSourcePolicy>(),
        DumpedKind::of::<OperatorPolicy>(),
        DumpedKind::of::<operator::Operator>().annotated(OF_OPERATORS),
        DumpedKind::of::<policy::Policy>().annotated(&[]),
        DumpedKind::of::<policy::PolicyBinding>().annotated(&[]),
        // With the digest of an InstallPlan, a user could check a guess of a redacted value, so the
        // digest is removed.
        DumpedKind::of::<plan::InstallPlan>()
            .annotated(&[plan::ABANDON, plan::RETRY, operator::HOP, operator::RETIRED])
            .without(&[&["status", "record", "digest"]]),
        DumpedKind::of::<plan::ResourceManifest>().annotated(&[]),
        DumpedKind::of::<installs::Install>().annotated(&[]),
        DumpedKind::of::<ComponentOperator>().annotated(&[]),
        DumpedKind::of::<ValidatingWebhookConfiguration>()
            .without(&[&["webhooks", "*", "rules"]])
            .annotated(&[]),
        DumpedKind::of::<Lease>().annotated(&[]),
        DumpedKind::running::<Deployment>(),
        DumpedKind::running::<StatefulSet>(),
        DumpedKind::running::<DaemonSet>(),
        DumpedKind::running::<ReplicaSet>(),
        DumpedKind::running::<Pod>(),
        DumpedKind::running::<Job>(),
        DumpedKind::running::<Event>(),
    ]
}

/// Returns true if dumps contain the kind in any version.
pub(crate) fn is_dumped(kind: &Gvk) -> bool {
    let mut kinds = dumped_kinds().into_iter().map(|kind| kind.name());
    kinds.any(|it| it.group == kind.group && it.kind == kind.kind)
}

portolan_core_olm::kinds!(watchable);

watchable!(
    OperatorPolicy,
    RegistryProbe,
    installs::Install,
    operator::Operator,
    plan::InstallPlan,
    plan::ResourceManifest,
    policy::Policy,
    policy::PolicyBinding,
);

impl Kind for CatalogSource {}

impl Kind for operator::Operator {}

impl Kind for policy::Policy {}

impl Kind for policy::PolicyBinding {}

/// The page is small because an InstallPlan with manifests may have a megabyte.
impl Kind for plan::InstallPlan {
    const PAGE: u32 = 20;
}

/// The page is small because an Install with manifests may have a megabyte.
impl Kind for installs::Install {
    const PAGE: u32 = 20;
}

/// The page is small because a ResourceManifest contains a manifest of up to a megabyte.
impl Kind for plan::ResourceManifest {
    const PAGE: u32 = 5;
}

impl Kind for ClusterCatalog {}

impl Kind for ClusterExtension {}

impl Kind for ImageContentSourcePolicy {}

impl Kind for ImageDigestMirrorSet {}

impl Kind for ImageTagMirrorSet {}

/// Copied ClusterServiceVersions are the separate kind `CopiedCsv`, because every namespace may
/// contain a copy.
impl Kind for ClusterServiceVersion {
    /// With its icon, description and examples, a ClusterServiceVersion may have a megabyte.
    const PAGE: u32 = 20;

    /// Removes conditions of past phase changes, except for those that a changed Deployment caused.
    /// While the ClusterServiceVersion has not succeeded, also keeps failed attempts to create its
    /// Deployments, and successes.
    ///
    /// Removes the Pod templates of a ClusterServiceVersion that has succeeded. They are needed
    /// only before, and nearly all ClusterServiceVersions have succeeded.
    fn trim(&mut self) {
        if self.status.phase == CsvPhase::Succeeded {
            for wanted in &mut self.spec.install.spec.deployments {
                wanted.spec.template = PodTemplate::default();
            }
        }
        let is_open = self.status.phase != CsvPhase::Succeeded;
        self.status.conditions.retain(|said| {
            let is_result = said.is_failed_attempt() || said.is_success();
            said.is_reset() || (is_open && is_result)
        });
        self.status.conditions.shrink_to_fit();
    }

    fn selector() -> Selector {
        Expression::DoesNotExist(COPIED_FROM.name().to_owned()).into()
    }
}

impl Kind for CopiedCsv {
    const METADATA_ONLY: bool = true;

    fn selector() -> Selector {
        Expression::Exists(COPIED_FROM.name().to_owned()).into()
    }
}

impl Kind for OperatorGroup {}

impl Kind for Subscription {
    fn shrink(&mut self) {
        self.status.conditions.shrink_to_fit();
    }
}

impl Kind for OperatorCondition {}

impl Kind for InstallPlan {
    /// An InstallPlan of OLM contains manifests of up to 1.5 megabytes.
    const PAGE: u32 = 5;

    fn shrink(&mut self) {
        self.status.steps.shrink_to_fit();
        self.status.conditions.shrink_to_fit();
    }
}

/// Only Deployments that belong to operators are read.
impl Kind for Deployment {
    fn shrink(&mut self) {
        self.status.conditions.shrink_to_fit();
    }

    fn selector() -> Selector {
        Expression::Exists(OWNER.name().to_owned()).into()
    }
}

/// Kinds that are selections of the objects of another kind. A dump contains their objects under
/// the other kind.
mod selections {
    use kube::core::Selector;
    use portolan_core_olm::{
        AnyDeployment, JobEvent, OlmController, OlmDeployment, PodTemplate, PullSecretEvent,
        is_of_portolan,
    };

    use crate::Kind;

    /// All Deployments, whether they belong to an operator or not.
    impl Kind for AnyDeployment {
        fn trim(&mut self) {
            if !is_of_portolan(&self.metadata) {
                self.spec.template = PodTemplate::default();
            }
        }
    }

    /// The Deployments of OLM itself.
    impl Kind for OlmDeployment {
        fn shrink(&mut self) {
            self.status.conditions.shrink_to_fit();
        }

        fn selector() -> Selector {
            OlmController::all_labeled()
        }
    }

    /// The Events about pull Secrets that kubelets cannot read.
    impl Kind for PullSecretEvent {
        const FIELDS: Option<&'static str> = Some(Self::FIELDS);

        fn is_wanted(&self) -> bool {
            self.is_selected()
        }
    }

    /// The Events about Jobs whose Pods are rejected.
    impl Kind for JobEvent {
        const FIELDS: Option<&'static str> = Some(Self::FIELDS);

        fn is_wanted(&self) -> bool {
            self.is_selected()
        }
    }
}

impl Kind for StatefulSet {
    fn trim(&mut self) {
        self.spec.template = PodTemplate::default();
    }
}

impl Kind for DaemonSet {
    fn trim(&mut self) {
        self.spec.template = PodTemplate::default();
    }
}

impl Kind for ComponentOperator {}

/// Only the webhook configurations of Portolan are read. They have the names in Portolan's
/// manifests.
impl Kind for ValidatingWebhookConfiguration {
    const FIELDS: Option<&'static str> = Some("metadata.name=portolan-webhook");

    fn is_wanted(&self) -> bool {
        self.metadata.name.as_deref() == Some("portolan-webhook")
    }
}

/// Only the Leases of Portolan's controllers are read. Most other Leases belong to nodes.
impl Kind for Lease {
    const FIELDS: Option<&'static str> = Some("metadata.name=portolan-controller");

    fn is_wanted(&self) -> bool {
        self.metadata.name.as_deref() == Some("portolan-controller")
    }
}

impl Kind for ReplicaSet {}

impl Kind for Pod {}

/// The Jobs with which OLM unpacks bundles.
impl Kind for Job {
    fn shrink(&mut self) {
        self.status.conditions.shrink_to_fit();
    }

    fn selector() -> Selector {
        Job::unpacking()
    }
}

/// Only Events of type Warning are read.
impl Kind for Event {
    const FIELDS: Option<&'static str> = Some("type=Warning");

    fn is_wanted(&self) -> bool {
        self.r#type == EventType::Warning
    }
}

impl Kind for CustomResourceDefinition {
    /// A CRD with its schemas may have a megabyte.
    const PAGE: u32 = 20;
}

impl Kind for ClusterVersion {
    fn shrink(&mut self) {
        self.status.history.shrink_to_fit();
    }
}

impl Kind for ClusterOperator {}

/// The page is small because an APIRequestCount lists up to ten users for each hour and each API
/// server.
impl Kind for ApiRequestCount {
    const PAGE: u32 = 20;
}

/// Only the metadata is requested, because only the existence of Namespaces is used.
impl Kind for Namespace {
    const METADATA_ONLY: bool = true;
}

/// Only cordoned nodes are read. They may explain why a Pod runs on no node.
impl Kind for Node {
    const FIELDS: Option<&'static str> = Some(Self::FIELDS);

    fn is_wanted(&self) -> bool {
        self.is_cordoned()
    }
}

impl Kind for ApiService {}

impl Kind for OperatorPolicy {
    fn shrink(&mut self) {
        let Some(status) = &mut self.status else {
            return;
        };
        status.related_objects.shrink_to_fit();
        status.conditions.shrink_to_fit();
        status.history.shrink_to_fit();
    }

    /// Removes the whole status except the compliance with its conditions, and the names of the
    /// Subscriptions and ClusterServiceVersions.
    fn trim(&mut self) {
        let Some(status) = &mut self.status else {
            return;
        };
        let mut related = std::mem::take(&mut status.related_objects);
        related.retain(|related| {
            ["Subscription", "ClusterServiceVersion"].contains(&&*related.object.kind)
        });
        related.shrink_to_fit();
        *status = OperatorPolicyStatus {
            compliant: status.compliant,
            conditions: std::mem::take(&mut status.conditions),
            observed_generation: status.observed_generation,
            resolved_subscription_label: status.resolved_subscription_label.take(),
            related_objects: related,
            ..OperatorPolicyStatus::default()
        };
    }
}
