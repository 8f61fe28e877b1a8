//! Finds the namespaces of workloads that installers other than OLM v0 have installed.

use std::collections::BTreeSet;

use portolan_api::plan::{ResourceManifest, Stored};
use portolan_core_install::opened;
use portolan_core_olm::messages::failing_service;
use serde_json::Value;

/// The kinds of objects that create Pods.
const WORKLOADS: [&str; 7] = [
    "CronJob",
    "DaemonSet",
    "Deployment",
    "Job",
    "Pod",
    "ReplicaSet",
    "StatefulSet",
];

/// Returns the namespaces of the workloads that an object names. Such objects are Operators,
/// Installs, ClusterExtensions, InstallPlans of `plans.portolan.dev` and ResourceManifests. The
/// result includes the namespaces of webhooks that an InstallPlan waits for, and the namespace of
/// Portolan itself. Other objects have no such namespaces.
pub(crate) fn workload_namespaces(object: &Value) -> BTreeSet<String> {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
    let group = text("/apiVersion").and_then(|version| version.split('/').next());
    let own = text("/metadata/namespace").unwrap_or_default();
    let mut found = BTreeSet::new();
    let fields: &[&str] = match (group.unwrap_or_default(), text("/kind").unwrap_or_default()) {
        ("operators.operatorframework.io", "Operator") => &[
            "/spec/namespace",
            "/status/plan/namespace",
            "/status/adoption/namespace",
        ],
        ("operators.coreos.com", "Install") => &["/status/plan/namespace"],
        ("olm.operatorframework.io", "ClusterExtension") => &["/spec/namespace"],
        ("plans.portolan.dev", "InstallPlan") => {
            gather(&object["spec"], own, &mut found);
            found.extend(webhook_namespaces(&object["status"]));
            &["/metadata/namespace"]
        }
        ("plans.portolan.dev", "ResourceManifest") => {
            let manifest = manifest(&object["spec"]).unwrap_or_default();
            gather(&manifest, own, &mut found);
            &[]
        }
        // The dump contains only the Leases of Portolan, so their namespace is the namespace of
        // Portolan.
        ("coordination.k8s.io", "Lease") => &["/metadata/namespace"],
        ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration") => {
            &["/webhooks/0/clientConfig/service/namespace"]
        }
        _ => &[],
    };
    found.extend(
        fields
            .iter()
            .filter_map(|field| text(field))
            .map(str::to_owned),
    );
    found.retain(|namespace| !namespace.is_empty());
    found
}

/// Returns the namespaces of webhook Services that the API server cannot call for an InstallPlan.
/// The status of the InstallPlan names these Services.
fn webhook_namespaces(status: &Value) -> impl Iterator<Item = String> {
    let members = status["members"].as_array().into_iter().flatten();
    let failing = members.filter(|member| member["failingWebhook"].is_string());
    let messages = failing.filter_map(|member| member["message"].as_str());
    let services = messages.filter_map(failing_service);
    services.map(|(namespace, _)| namespace.to_owned())
}

/// Returns the content of a ResourceManifest.
fn manifest(spec: &Value) -> Option<Value> {
    let written = ResourceManifest {
        spec: spec.clone().into(),
        ..ResourceManifest::default()
    };
    opened(Stored::parse(&written).ok()?.body).ok()
}

/// Adds the namespace of each workload in a value. A manifest without a namespace is applied in the
/// namespace of its InstallPlan.
fn gather(value: &Value, own: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            let kind = fields.get("kind").and_then(Value::as_str);
            if kind.is_some_and(|kind| WORKLOADS.contains(&kind)) {
                let namespace = value.pointer("/metadata/namespace").and_then(Value::as_str);
                found.insert(namespace.unwrap_or(own).to_owned());
            }
            fields.values().for_each(|value| gather(value, own, found));
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, own, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use portolan_core_install::{digest, pack};
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn deployment(namespace: &str) -> Value {
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "namespace": namespace}})
    }

    #[rstest]
    #[case::operator(
        "operators.operatorframework.io/v1alpha1", "Operator",
        json!({"spec": {"namespace": "harbor"}, "status": {"plan": {"namespace": "plans", "name": "ferry-1"}}}),
        &["harbor", "plans"]
    )]
    #[case::install(
        "operators.coreos.com/v2alpha1", "Install",
        json!({"status": {"plan": {"namespace": "installs", "name": "a"}}}),
        &["installs"]
    )]
    #[case::extension(
        "olm.operatorframework.io/v1", "ClusterExtension",
        json!({"spec": {"namespace": "harbor"}}),
        &["harbor"]
    )]
    #[case::plan(
        "plans.portolan.dev/v1alpha1", "InstallPlan",
        json!({
            "metadata": {"namespace": "plans"},
            "spec": {"stages": [{"resources": [{"manifest": deployment("dock")}, {"manifest": {"kind": "Role", "metadata": {"namespace": "kube-system"}}}]}]},
        }),
        &["dock", "plans"]
    )]
    #[case::plan_that_waits_for_a_webhook(
        "plans.portolan.dev/v1alpha1", "InstallPlan",
        json!({
            "metadata": {"namespace": "plans"},
            "status": {"members": [
                {"failingWebhook": "a", "message": "failed calling webhook \"a\": failed to call webhook: Post \"https://pilot.hooks.svc:443/\": EOF"},
                {"message": "failed calling webhook \"a\": failed to call webhook: Post \"https://pilot.other.svc:443/\": EOF"},
            ]},
        }),
        &["hooks", "plans"]
    )]
    #[case::controller_of_portolan(
        "coordination.k8s.io/v1", "Lease",
        json!({"metadata": {"name": "portolan-controller", "namespace": "portolan"}}),
        &["portolan"]
    )]
    #[case::webhook_of_portolan(
        "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration",
        json!({"webhooks": [{"clientConfig": {"service": {"name": "portolan-webhook", "namespace": "hooks"}}}]}),
        &["hooks"]
    )]
    #[case::olm(
        "operators.coreos.com/v1alpha1", "Subscription",
        json!({"metadata": {"namespace": "olm"}, "spec": {"sourceNamespace": "olm"}}),
        &[]
    )]
    fn finds_namespaces_of_workloads(
        #[case] version: &str,
        #[case] kind: &str,
        #[case] mut object: Value,
        #[case] namespaces: &[&str],
    ) {
        object["apiVersion"] = version.into();
        object["kind"] = kind.into();
        let found = workload_namespaces(&object);
        assert_eq!(found.iter().collect::<Vec<_>>(), namespaces);
    }

    #[test]
    fn finds_workloads_in_compressed_manifests() {
        let manifest = deployment("dock");
        let spec = json!({"digest": digest(&manifest), "compressed": pack(&manifest)});
        let stored = json!({
            "apiVersion": "plans.portolan.dev/v1alpha1",
            "kind": "ResourceManifest",
            "metadata": {"name": "a", "namespace": "plans"},
            "spec": spec,
        });
        assert_eq!(workload_namespaces(&stored), ["dock".to_owned()].into());
    }
}
