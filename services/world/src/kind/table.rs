//! What each kind is like.

use kube::core::{Expression, ObjectMeta, Selector};
use portolan_api::{
    CLUSTER_NAME, CLUSTER_NAMESPACE, CREATED_BY, DISABLE_TEMPLATES, MANAGED, OperatorPolicy,
    OperatorPolicyStatus,
};
use portolan_core_olm::{
    ApiService, COMPONENT, COPIED_FROM, CatalogSource, ClusterCatalog, ClusterServiceVersion,
    ClusterVersion, CopiedCsv, CsvPhase, CustomResourceDefinition, Deployment, EXCLUDES_GLOBAL,
    Event, EventType, InstallPlan, Job, Namespace, OWNER, OperatorCondition, OperatorGroup,
    PROPERTIES_ANNOTATION, Pod, PodTemplate, ReplicaSet, SERVES, Subscription,
};

use crate::cluster::WholeKind;
use crate::kind::{Kind, Managers};

/// Every kind that worlds are asked for, those first by which it is known what else is of interest.
pub(crate) fn all_kinds() -> [WholeKind; 18] {
    [
        WholeKind::of_olm::<Subscription>(),
        WholeKind::of_olm::<ClusterServiceVersion>()
            .without(&[&["spec", "icon"], &["spec", "description"]]),
        WholeKind::of_olm::<CatalogSource>(),
        WholeKind::of_olm::<InstallPlan>(),
        WholeKind::of_olm::<OperatorGroup>(),
        WholeKind::running::<OperatorCondition>(),
        WholeKind::of::<CopiedCsv>(),
        WholeKind::of::<ClusterCatalog>(),
        WholeKind::of::<CustomResourceDefinition>()
            .without(&[&["spec", "versions", "*", "schema"]]),
        WholeKind::of::<ApiService>(),
        WholeKind::of::<Namespace>(),
        WholeKind::of::<ClusterVersion>(),
        WholeKind::of::<OperatorPolicy>(),
        WholeKind::running::<Deployment>(),
        WholeKind::running::<ReplicaSet>(),
        WholeKind::running::<Pod>(),
        WholeKind::running::<Job>(),
        WholeKind::running::<Event>(),
    ]
}

impl Kind for CatalogSource {}

impl Kind for ClusterCatalog {}

/// Copies are a kind of their own: there may be one in every namespace.
impl Kind for ClusterServiceVersion {
    /// With icon, description and examples one may be a megabyte.
    const PAGE: u32 = 20;
    const KEEPS_FINALIZERS: bool = true;

    /// Only who deletes one asks what will hold it.
    fn drop_what_writers_read(&mut self) {
        drop_holders(&mut self.metadata);
    }

    /// Of one that is as it shall be nobody asks what that is made from, and nearly all are.
    fn shrink(&mut self) {
        if self.status.phase == CsvPhase::Succeeded {
            for wanted in &mut self.spec.install.spec.deployments {
                wanted.spec.template = PodTemplate::default();
            }
        }
    }

    fn selector() -> Selector {
        Expression::DoesNotExist(COPIED_FROM.to_owned()).into()
    }

    fn keeps_annotation(name: &str) -> bool {
        name == PROPERTIES_ANNOTATION
    }

    fn keeps_label(name: &str) -> bool {
        name.starts_with(COMPONENT)
    }
}

impl Kind for CopiedCsv {
    const METADATA_ONLY: bool = true;

    fn selector() -> Selector {
        Expression::Exists(COPIED_FROM.to_owned()).into()
    }

    fn keeps_label(name: &str) -> bool {
        name == COPIED_FROM
    }
}

impl Kind for OperatorGroup {
    const KEEPS_OWNERS: bool = true;
    const MANAGERS: Managers = Managers::OfSpec;

    fn keeps_annotation(name: &str) -> bool {
        [EXCLUDES_GLOBAL, MANAGED, CREATED_BY].contains(&name)
    }
}

impl Kind for Subscription {
    const MANAGERS: Managers = Managers::OfSpec;

    fn shrink(&mut self) {
        self.status.conditions.shrink_to_fit();
    }

    fn keeps_annotation(name: &str) -> bool {
        [MANAGED, CREATED_BY].contains(&name)
    }
}

impl Kind for OperatorCondition {}

impl Kind for InstallPlan {
    /// One carries manifests of up to a megabyte and a half.
    const PAGE: u32 = 5;
    const KEEPS_OWNERS: bool = true;

    /// Only who removes operators asks whose plan it is.
    fn drop_what_writers_read(&mut self) {
        self.metadata.managed_fields = None;
        self.metadata.owner_references = None;
    }

    fn shrink(&mut self) {
        self.status.steps.shrink_to_fit();
        self.status.conditions.shrink_to_fit();
    }
}

/// Those of operators.
impl Kind for Deployment {
    fn shrink(&mut self) {
        self.status.conditions.shrink_to_fit();
    }

    fn selector() -> Selector {
        Expression::Exists(OWNER.to_owned()).into()
    }

    fn keeps_label(name: &str) -> bool {
        name.starts_with(OWNER)
    }
}

impl Kind for ReplicaSet {
    const KEEPS_OWNERS: bool = true;

    fn keeps_annotation(name: &str) -> bool {
        name == "deployment.kubernetes.io/revision"
    }

    fn keeps_label(_name: &str) -> bool {
        false
    }
}

impl Kind for Pod {
    const KEEPS_OWNERS: bool = true;

    fn keeps_label(name: &str) -> bool {
        name == SERVES
    }
}

/// Those by which OLM unpacks bundles.
impl Kind for Job {
    fn shrink(&mut self) {
        self.status.conditions.shrink_to_fit();
    }

    fn selector() -> Selector {
        Job::unpacking()
    }

    fn keeps_label(_name: &str) -> bool {
        false
    }
}

/// Warnings.
impl Kind for Event {
    const FIELDS: Option<&'static str> = Some("type=Warning");

    fn is_wanted(&self) -> bool {
        self.r#type == EventType::Warning
    }

    fn keeps_label(_name: &str) -> bool {
        false
    }
}

impl Kind for CustomResourceDefinition {
    /// One with its schemas may be a megabyte.
    const PAGE: u32 = 20;
    const KEEPS_FINALIZERS: bool = true;

    /// Only who deletes one asks what will hold it.
    fn drop_what_writers_read(&mut self) {
        drop_holders(&mut self.metadata);
    }

    fn keeps_label(name: &str) -> bool {
        name.starts_with(COMPONENT)
    }
}

impl Kind for ClusterVersion {
    fn shrink(&mut self) {
        self.status.history.shrink_to_fit();
    }

    fn keeps_label(_name: &str) -> bool {
        false
    }
}

/// Whether they are there.
impl Kind for Namespace {
    const METADATA_ONLY: bool = true;

    fn keeps_label(_name: &str) -> bool {
        false
    }
}

impl Kind for ApiService {
    fn keeps_label(_name: &str) -> bool {
        false
    }
}

impl Kind for OperatorPolicy {
    const KEEPS_OWNERS: bool = true;
    const KEEPS_FINALIZERS: bool = true;
    const MANAGERS: Managers = Managers::OfStatus;

    fn shrink(&mut self) {
        let Some(status) = &mut self.status else {
            return;
        };
        status.related_objects.shrink_to_fit();
        status.conditions.shrink_to_fit();
        status.history.shrink_to_fit();
    }

    /// Of the status that leaves which Subscription it is about.
    fn drop_what_writers_read(&mut self) {
        self.metadata.managed_fields = None;
        let Some(status) = &mut self.status else {
            return;
        };
        let mut related = std::mem::take(&mut status.related_objects);
        related.retain(|related| related.object.kind == "Subscription");
        related.shrink_to_fit();
        *status = OperatorPolicyStatus {
            observed_generation: status.observed_generation,
            resolved_subscription_label: status.resolved_subscription_label.take(),
            related_objects: related,
            ..OperatorPolicyStatus::default()
        };
    }

    fn keeps_annotation(name: &str) -> bool {
        name == DISABLE_TEMPLATES
    }

    fn keeps_label(name: &str) -> bool {
        [CLUSTER_NAME, CLUSTER_NAMESPACE].contains(&name)
    }
}

/// What holds an object matters to all once it is being deleted.
fn drop_holders(metadata: &mut ObjectMeta) {
    metadata.managed_fields = None;
    let is_leaving = metadata.deletion_timestamp.is_some();
    metadata.finalizers = metadata.finalizers.take().filter(|_| is_leaving);
}
