//! Functions that build plans and their fields for tests.

use portolan_api::plan::{InstallPlan, InstallPlanSpec, Intent, ResourceManifest};
use portolan_core_install::{
    Contents, Discovery, GroupKind, Members, ObjectRef, ServedKind, canonical, digest, pack,
};
use serde_json::{Value, json};

/// Returns an Intent with a ServiceAccount and these fields of the spec.
pub(crate) fn intent(fields: Value) -> Intent {
    let mut spec = json!({"serviceAccountName": "installer"});
    let fields = fields.as_object().cloned().unwrap_or_default();
    spec.as_object_mut().expect("an object").extend(fields);
    let plan = InstallPlan::new("plan", InstallPlanSpec::from(spec));
    Intent::parse(&plan).unwrap_or_else(|refusals| panic!("an Intent must come of it: {refusals}"))
}

/// Returns a stage with these manifests inline.
pub(crate) fn stage(name: &str, manifests: &[Value]) -> Value {
    let resources: Vec<_> = manifests
        .iter()
        .map(|manifest| json!({"manifest": manifest}))
        .collect();
    json!({"name": name, "resources": resources})
}

/// Returns the first plan of a lineage, in namespace harbor.
pub(crate) fn plan_of(lineage: &str, name: &str) -> InstallPlan {
    let mut plan = InstallPlan::new(name, InstallPlanSpec::from(json!({})));
    plan.metadata.namespace = Some("harbor".to_owned());
    plan.metadata.uid = Some(lineage.to_owned());
    plan
}

pub(crate) fn plan_identity() -> ObjectRef {
    ObjectRef {
        kind: GroupKind::new("plans.portolan.dev", "InstallPlan"),
        namespace: Some("harbor".to_owned()),
        name: "plan".to_owned(),
    }
}

pub(crate) fn members(intent: &Intent) -> Members {
    let members = Members::read(intent, &plan_identity(), &Contents::default());
    members.unwrap_or_else(|faults| {
        panic!("members must come of it: {}", describe(&faults).join("\n"))
    })
}

/// Returns the faults of a plan with these manifests in one stage.
pub(crate) fn faults(manifests: &[Value]) -> Vec<String> {
    faults_of(&json!({"stages": [stage("all", manifests)]}))
}

/// Returns the faults in the manifests of a plan.
pub(crate) fn faults_of(spec: &Value) -> Vec<String> {
    let intent = intent(spec.clone());
    let members = Members::read(&intent, &plan_identity(), &Contents::default());
    members.map_or_else(|faults| describe(&faults), |_| Vec::new())
}

pub(crate) fn describe<T: ToString>(all: &[T]) -> Vec<String> {
    all.iter().map(ToString::to_string).collect()
}

pub(crate) fn config_map(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"namespace": "harbor", "name": name},
        "data": {"key": "value"},
    })
}

/// Returns the manifest with this value at a pointer.
pub(crate) fn with(mut manifest: Value, pointer: &str, value: Value) -> Value {
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let parent = manifest.pointer_mut(parent).expect("what it is to be in");
    parent[key] = value;
    manifest
}

/// Returns a ResourceManifest that contains a compressed manifest.
pub(crate) fn packed(manifest: &Value) -> ResourceManifest {
    let spec = json!({"digest": digest(manifest), "compressed": pack(manifest)});
    ResourceManifest::new("stored", spec.into())
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// Returns the canonical text of a manifest.
pub(crate) fn canonical_text(manifest: &Value) -> String {
    text(&canonical(manifest))
}

/// Returns the usual kinds of a cluster.
pub(crate) fn discovery() -> Discovery {
    let kinds = [
        ("", "ConfigMap", "configmaps", true),
        ("", "Namespace", "namespaces", false),
        ("", "PersistentVolumeClaim", "persistentvolumeclaims", true),
        ("", "Secret", "secrets", true),
        ("", "Service", "services", true),
        ("apps", "Deployment", "deployments", true),
        ("batch", "Job", "jobs", true),
        ("apiregistration.k8s.io", "APIService", "apiservices", false),
        (
            "apiextensions.k8s.io",
            "CustomResourceDefinition",
            "customresourcedefinitions",
            false,
        ),
        ("rbac.authorization.k8s.io", "Role", "roles", true),
        (
            "rbac.authorization.k8s.io",
            "RoleBinding",
            "rolebindings",
            true,
        ),
        (
            "rbac.authorization.k8s.io",
            "ClusterRole",
            "clusterroles",
            false,
        ),
        (
            "rbac.authorization.k8s.io",
            "ClusterRoleBinding",
            "clusterrolebindings",
            false,
        ),
    ];
    let kinds = kinds.map(|(group, kind, plural, is_namespaced)| {
        let served = ServedKind {
            plural: plural.to_owned(),
            is_namespaced,
            is_listed: true,
            versions: ["v1".to_owned()].into(),
        };
        (GroupKind::new(group, kind), served)
    });
    kinds.into_iter().collect()
}
