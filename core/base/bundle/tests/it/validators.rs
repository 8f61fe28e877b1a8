//! Tests of bundles that OLM v1 rejects, and of bundles that it accepts.

use portolan_core_bundle::{Code, validate};
use portolan_kit::assert_same;
use rstest::rstest;

use crate::kit::{ANNOTATIONS, CRD, CSV, Files, fault_lines, ferry};

const EXTRA: &str = "manifests/extra.yaml";

/// Returns an admission webhook in YAML. `more` contains further lines.
fn hook(kind: &str, name: &str, more: &str) -> String {
    format!(
        "  - type: {kind}AdmissionWebhook\n    generateName: {name}\n    \
         deploymentName: ferry-controller\n    containerPort: 443\n    \
         sideEffects: None\n    admissionReviewVersions: [v1]\n{more}"
    )
}

fn conversion(name: &str, crd: &str) -> String {
    format!(
        "  - type: ConversionWebhook\n    generateName: {name}\n    deploymentName: ferry-controller\n    \
         containerPort: 443\n    conversionCRDs: [{crd}]\n    admissionReviewVersions: [v1]\n"
    )
}

fn all_namespaces_alone(files: Files) -> Files {
    let modes = "  - type: OwnNamespace\n    supported: true\n  - type: SingleNamespace\n    \
                 supported: true\n  - type: MultiNamespace\n    supported: true\n";
    files.with(CSV, modes, "")
}

const DEPLOYMENT: &str = "      - name: ferry-controller\n";

#[test]
fn valid_bundle_has_no_faults() {
    assert_eq!(validate(&ferry().read()), []);
    let with_webhooks = all_namespaces_alone(ferry()).webhooks(&format!(
        "{}{}{}",
        hook("Validating", "a.ferry.example", ""),
        hook("Mutating", "a.ferry.example", ""),
        conversion("c.ferry.example", "ships.ferry.example")
    ));
    assert_eq!(validate(&with_webhooks.read()), []);
}

#[rstest]
#[case::a_deployment_twice(
    ferry().with(CSV, DEPLOYMENT, &format!("{}{DEPLOYMENT}", deployment("ferry-controller"))),
    "manifests/ferry.clusterserviceversion.yaml:48: the ClusterServiceVersion has a second deployment \"ferry-controller\""
)]
#[case::deployment_without_a_valid_name(
    ferry().with(CSV, DEPLOYMENT, "      - name: Ferry\n"),
    "manifests/ferry.clusterserviceversion.yaml:41: \"Ferry\" is not a valid name of a Deployment: \"F\" is not a lower-case letter, digit, hyphen or dot"
)]
#[case::a_definition_twice(
    ferry().plus("manifests/z.yaml", include_str!("ferry/crd.yaml")),
    "manifests/z.yaml:1: a second CustomResourceDefinition \"ships.ferry.example\""
)]
#[case::a_missing_owned_crd(
    ferry().without(CRD),
    "manifests/ferry.clusterserviceversion.yaml:22: the ClusterServiceVersion owns the \
     CustomResourceDefinition \"ships.ferry.example\", which the bundle does not have"
)]
#[case::no_package(
    ferry().with(ANNOTATIONS, "  operators.operatorframework.io.bundle.package.v1: ferry\n", ""),
    "metadata/annotations.yaml: `operators.operatorframework.io.bundle.package.v1` does not name \
     a package"
)]
#[case::a_conversion_webhook_and_several_modes(
    ferry().webhooks(&conversion("c.ferry.example", "ships.ferry.example")),
    "manifests/ferry.clusterserviceversion.yaml:65: conversion webhook \"c.ferry.example\": objects are \
     converted for the whole cluster, so the one install mode must be AllNamespaces; supported are \
     [AllNamespaces, MultiNamespace, OwnNamespace, SingleNamespace]"
)]
#[case::a_webhook_of_another_deployment(
    ferry().webhooks(&hook("Validating", "a.b", "").replace("ferry-controller", "barge")),
    "manifests/ferry.clusterserviceversion.yaml:65: ValidatingAdmissionWebhook \"a.b\" is served by the deployment \"barge\", which does not exist"
)]
#[case::a_webhook_twice(
    ferry().webhooks(&hook("Validating", "a.b", "").repeat(2)),
    "manifests/ferry.clusterserviceversion.yaml:71: a second ValidatingAdmissionWebhook \"a.b\""
)]
#[case::a_webhook_that_ends_in_a_hyphen(
    ferry().webhooks(&hook("Mutating", "a-", "")),
    "manifests/ferry.clusterserviceversion.yaml:65: \"a-\" is not a valid name of a MutatingAdmissionWebhook: a letter or digit must come last"
)]
#[case::a_definition_of_two_conversions(
    all_namespaces_alone(ferry()).webhooks(&format!(
        "{}{}", conversion("c", "ships.ferry.example"), conversion("d", "ships.ferry.example")
    )),
    "manifests/ferry.clusterserviceversion.yaml:65: the CustomResourceDefinition \"ships.ferry.example\" has \
     several conversion webhooks: c, d"
)]
#[case::a_conversion_of_a_foreign_definition(
    all_namespaces_alone(ferry()).webhooks(&conversion("c", "barges.example")),
    "manifests/ferry.clusterserviceversion.yaml:59: conversion webhook \"c\" is for the CustomResourceDefinition \
     \"barges.example\", which the ClusterServiceVersion does not own"
)]
#[case::a_rule_for_everything(
    ferry().webhooks(&hook("Mutating", "a", "    rules:\n    - apiGroups: ['*']\n      resources: [pods]\n")),
    "manifests/ferry.clusterserviceversion.yaml:65: MutatingAdmissionWebhook \"a\" has a rule for all API groups, which is not allowed"
)]
#[case::a_rule_for_webhooks(
    ferry().webhooks(&hook("Mutating", "a",
        "    rules:\n    - apiGroups: [admissionregistration.k8s.io]\n      resources: [MutatingWebhookConfigurations]\n")),
    "manifests/ferry.clusterserviceversion.yaml:65: MutatingAdmissionWebhook \"a\" has a rule for \
     \"MutatingWebhookConfigurations\" of admissionregistration.k8s.io, which is not allowed"
)]
#[case::a_kind_that_no_bundle_brings(
    ferry().plus(EXTRA, "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: a}\n"),
    "manifests/extra.yaml:1: DaemonSet \"a\": bundles cannot contain objects of this kind"
)]
fn rejects_invalid_bundle(#[case] files: Files, #[case] expected: &str) {
    assert_eq!(
        fault_lines(&validate(&files.read())),
        format!("error: {expected}")
    );
}

/// Returns a deployment in YAML, with seven lines and without requirements.
fn deployment(name: &str) -> String {
    format!(
        "      - name: {name}\n        spec:\n          selector:\n            matchLabels: {{a: b}}\n          \
         template:\n            metadata:\n              labels: {{a: b}}\n"
    )
}

#[rstest]
#[case::a_rule_for_policies("[admissionregistration.k8s.io]", "[validatingadmissionpolicies]")]
#[case::a_rule_for_olm_v0("[operators.coreos.com]", "['*']")]
fn accepts_webhook_rule(#[case] groups: &str, #[case] resources: &str) {
    let rule = format!("    rules:\n    - apiGroups: {groups}\n      resources: {resources}\n");
    let bundle = ferry().webhooks(&hook("Mutating", "a", &rule)).read();
    assert_eq!(validate(&bundle), []);
}

#[test]
fn reports_all_faults_together() {
    let files = ferry()
        .without(CRD)
        .with(CSV, DEPLOYMENT, "      - name: Ferry\n");
    assert_eq!(validate(&files.read()).len(), 2);
}

#[rstest]
#[case::no_name(
    ferry().with(CSV, "  name: ferry.v1.0.0\n", ""),
    "manifests/ferry.clusterserviceversion.yaml:1: the ClusterServiceVersion has no name, and all \
     generated names begin with it"
)]
#[case::an_invalid_namespace(
    ferry().with(CSV, "    capabilities: Basic Install", "    operatorframework.io/suggested-namespace-template: '[]'"),
    "manifests/ferry.clusterserviceversion.yaml:1: the annotation \
     `operatorframework.io/suggested-namespace-template` is not a Namespace and is ignored: it is \
     no object"
)]
#[case::no_install_mode(
    ferry().with(CSV, "type: OwnNamespace", "type: OwnNamespacejl"),
    "manifests/ferry.clusterserviceversion.yaml:12: \"OwnNamespacejl\" is not an install mode; \
     install modes are \
     AllNamespaces, MultiNamespace, OwnNamespace, SingleNamespace"
)]
#[case::an_install_mode_twice(
    ferry().with(CSV, "type: OwnNamespace", "type: AllNamespaces"),
    "manifests/ferry.clusterserviceversion.yaml:18: install mode AllNamespaces appears twice; it \
     is supported if one entry supports it"
)]
#[case::annotations_that_clash(
    ferry().with(CSV, "              creationTimestamp: null", "              annotations: {capabilities: Full}"),
    "manifests/ferry.clusterserviceversion.yaml:41: the Pods of deployment \"ferry-controller\" and the ClusterServiceVersion have different values for the annotations capabilities; OLM v1 uses those of the Pods, OLM v0 the others"
)]
#[case::no_api_version(
    ferry().plus(EXTRA, "kind: Secret\nmetadata: {name: a}\n"),
    "manifests/extra.yaml:1: Secret \"a\" has no `apiVersion`, so every API server rejects it"
)]
#[case::an_object_without_a_name(
    ferry().plus(EXTRA, "apiVersion: v1\nkind: Secret\n"),
    "manifests/extra.yaml:1: a Secret without a name, which every API server rejects"
)]
#[case::a_version_of_old(
    ferry().plus(EXTRA, "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n"),
    "manifests/extra.yaml:1: PodDisruptionBudget \"a\" has the apiVersion policy/v1beta1, which \
     Kubernetes no longer serves since 1.25"
)]
#[case::an_object_twice(
    ferry().plus(EXTRA, "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n")
        .plus("manifests/z.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"),
    "manifests/z.yaml:1: Secret a appears twice in the bundle"
)]
#[case::a_definition_with_a_namespace(
    ferry().with(CRD, "  name: ships.ferry.example", "  name: ships.ferry.example\n  namespace: system"),
    "manifests/ships.ferry.example.yaml:1: CustomResourceDefinition \"ships.ferry.example\" is \
     cluster-scoped, but has the namespace \"system\""
)]
#[case::a_subject_with_a_namespace(
    ferry().plus(EXTRA, "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a}\nsubjects:\n\
        - {kind: ServiceAccount, name: b, namespace: system}\n"),
    "manifests/extra.yaml:1: RoleBinding \"a\" binds a ServiceAccount of the namespace \"system\", even if the operator is installed in another namespace"
)]
#[case::a_borrowed_kind(
    ferry().plus(EXTRA, "apiVersion: iam.example/v1\nkind: Role\nmetadata: {name: a}\n"),
    "manifests/extra.yaml:1: Role \"a\" is a custom resource of iam.example; OLM mistakes it for \
     a Role of Kubernetes"
)]
#[case::no_port(
    ferry().webhooks(&hook("Mutating", "a", "").replace("    containerPort: 443\n", "")),
    "manifests/ferry.clusterserviceversion.yaml:65: MutatingAdmissionWebhook \"a\" has no `containerPort`: OLM v1 renders port 0, which every API server rejects; write 443"
)]
#[case::two_target_ports_of_one_service_port(
    ferry().webhooks(&format!("{}{}", hook("Mutating", "a", "    targetPort: 1\n"), hook("Mutating", "b", "    targetPort: 2\n"))),
    "manifests/ferry.clusterserviceversion.yaml:72: MutatingAdmissionWebhook \"b\" and another webhook send port 443 of deployment \"ferry-controller\" to different target ports; API servers reject a Service with two ports of the same name"
)]
#[case::name_one_character_too_long(
    ferry().with(CSV, DEPLOYMENT, &format!("      - name: {}\n", "f".repeat(56)))
        .webhooks(&hook("Mutating", "a", "").replace("ferry-controller", &"f".repeat(56))),
    &format!("manifests/ferry.clusterserviceversion.yaml:41: OLM v1 names the Service of deployment \"{0}\" \"{0}-service\", which is one character too long", "f".repeat(56))
)]
#[case::a_conversion_without_a_webhook(
    ferry().with(CRD, "  scope: Namespaced", "  scope: Namespaced\n  conversion:\n    strategy: Webhook\n    webhook:\n      \
        conversionReviewVersions: [v1]\n      clientConfig: {service: {namespace: system, name: hook}}"),
    "manifests/ships.ferry.example.yaml:1: CustomResourceDefinition \"ships.ferry.example\" is converted by the Service system/hook, but no webhook of the ClusterServiceVersion defines it"
)]
#[case::a_missing_service_account(
    ferry().with(CSV, "serviceAccountName: ferryman\n              containers", "serviceAccountName: nobody\n              containers"),
    "manifests/ferry.clusterserviceversion.yaml:41: deployment \"ferry-controller\" runs as the ServiceAccount \"nobody\", which does not exist: it has no permissions, so OLM does not create it, and the bundle does not contain it"
)]
#[case::a_selector_of_other_pods(
    ferry().with(CSV, "            matchLabels:\n              app: ferry", "            matchLabels:\n              app: barge"),
    "manifests/ferry.clusterserviceversion.yaml:41: the selector of deployment \"ferry-controller\" does not match the labels of its own Pods, which every API server rejects"
)]
#[case::a_selector_of_all_pods(
    ferry().with(CSV, "            matchLabels:\n              app: ferry\n", "            matchLabels: {}\n"),
    "manifests/ferry.clusterserviceversion.yaml:41: the selector of deployment \"ferry-controller\" is empty, which every API server rejects"
)]
#[case::an_account_in_the_older_field(
    ferry().with(CSV, "serviceAccountName: ferryman\n              containers", "serviceAccount: nobody\n              containers"),
    "manifests/ferry.clusterserviceversion.yaml:41: deployment \"ferry-controller\" runs as the ServiceAccount \"nobody\", which does not exist: it has no permissions, so OLM does not create it, and the bundle does not contain it"
)]
fn warns_about_bundle(#[case] files: Files, #[case] expected: &str) {
    assert_eq!(
        fault_lines(&validate(&files.read())),
        format!("warning: {expected}")
    );
}

#[test]
fn accepts_service_account_of_the_bundle() {
    let files = ferry()
        .with(
            CSV,
            "serviceAccountName: ferryman\n              containers",
            "serviceAccountName: deckhand\n              containers",
        )
        .plus(
            EXTRA,
            "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: deckhand}\n",
        );
    assert_eq!(validate(&files.read()), []);
}

#[test]
fn page_documents_every_code() {
    let page = include_str!("../../../../../docs/bundles.md");
    let (_, codes) = page.split_once("\n## Codes").expect("a part about codes");
    let rows = codes.lines().filter(|line| line.starts_with("| `"));
    let rows: String = rows.map(|row| format!("{row}\n")).collect();
    assert_same!(rows, Code::rows());
}
