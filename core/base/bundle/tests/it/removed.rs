//! Tests of removed Kubernetes APIs in the objects and permissions of a bundle.

use portolan_core_names::removed::RemovedApiUse;

use crate::kit::{CSV, ferry};

const EXTRA: &str = "manifests/extra.yaml";

fn lines(uses: &[RemovedApiUse]) -> Vec<String> {
    let lines = uses.iter().map(|RemovedApiUse { api, name }| {
        let (version, resource) = (api.api_version(), api.resource());
        format!("1.{}: {version} {resource} of {name}", api.minor)
    });
    lines.collect()
}

#[test]
fn finds_removed_apis_of_objects() {
    let budget = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n";
    let role =
        "apiVersion: rbac.authorization.k8s.io/v1beta1\nkind: ClusterRole\nmetadata: {name: b}\n";
    let bundle = ferry().plus(EXTRA, budget).plus("manifests/z.yaml", role);
    let removed = bundle.read().removed_apis();
    assert_eq!(
        lines(&removed.objects),
        [
            "1.22: rbac.authorization.k8s.io/v1beta1 clusterroles of b",
            "1.25: policy/v1beta1 poddisruptionbudgets of a",
        ]
    );
    assert_eq!(removed.permissions, []);
}

#[test]
fn finds_removed_apis_of_permissions() {
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: b}\n\
                rules:\n- {apiGroups: [policy, ''], resources: [podsecuritypolicies, pods], verbs: [use]}\n";
    let account = "apiGroups: [extensions, apps]\n          resources: [deployments]";
    let bundle = ferry().plus(EXTRA, role).with(
        CSV,
        "apiGroups: [ferry.example]\n          resources: [ships]",
        account,
    );
    let removed = bundle.read().removed_apis();
    assert_eq!(
        lines(&removed.permissions),
        [
            "1.16: extensions/v1beta1 deployments of ferryman",
            "1.25: policy/v1beta1 podsecuritypolicies of b",
        ]
    );
    assert_eq!(removed.objects, []);
}

#[test]
fn bundle_with_served_apis_uses_no_removed_api() {
    assert_eq!(ferry().read().removed_apis(), Default::default());
}
