use rstest::rstest;
use serde_json::{Value, json};

use super::*;

fn metadata(metadata: Value) -> ObjectMeta {
    serde_json::from_value(metadata).expect("metadata")
}

#[rstest]
#[case::argo_cd(
    json!({"annotations": {"argocd.argoproj.io/tracking-id": "edge:apps/Deployment:demo/ferry"}}),
    Some("Argo CD Application edge")
)]
#[case::argo_cd_with_a_label(
    json!({"labels": {"argocd.argoproj.io/instance": "edge"}}),
    Some("Argo CD Application edge")
)]
#[case::flux(
    json!({"labels": {"kustomize.toolkit.fluxcd.io/name": "apps", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"}}),
    Some("Flux Kustomization flux-system/apps")
)]
#[case::flux_with_helm(
    json!({
        "labels": {"helm.toolkit.fluxcd.io/name": "ferry"},
        "annotations": {"meta.helm.sh/release-name": "ferry"},
    }),
    Some("Flux HelmRelease ferry")
)]
#[case::helm(
    json!({"annotations": {"meta.helm.sh/release-name": "ferry", "meta.helm.sh/release-namespace": "demo"}}),
    Some("Helm release demo/ferry")
)]
#[case::terraform(json!({"managedFields": [{"manager": "olm"}, {"manager": "Terraform"}]}), Some("Terraform"))]
#[case::pulumi(json!({"managedFields": [{"manager": "pulumi-kubernetes-1a2b"}]}), Some("Pulumi"))]
#[case::another_controller(json!({"managedFields": [{"manager": "helmsman"}]}), None)]
#[case::status(json!({"managedFields": [{"manager": "helm", "subresource": "status"}]}), None)]
#[case::nothing(json!({}), None)]
fn names_the_tool_that_applies_an_object(#[case] of: Value, #[case] expected: Option<&str>) {
    assert_eq!(applying_tool(&metadata(of)).as_deref(), expected);
}

#[test]
fn names_the_contacts_of_the_owner() {
    let annotations =
        json!({"a8r.io/owner": "harbor team", "a8r.io/chat": "#harbor", "contact": ""});
    let contacts = contacts(&metadata(json!({"annotations": annotations})));
    assert_eq!(
        contacts.as_deref(),
        Some("a8r.io/owner: harbor team and a8r.io/chat: #harbor")
    );
    assert_eq!(super::contacts(&ObjectMeta::default()), None);
}
