//! Tests of webhooks with their Services and certificates, and of their errors.

use portolan_core_bundle::{Certificate, Certificates, Options, Targets, certificates, render};
use portolan_core_certificate::requested;
use rstest::rstest;
use serde_json::{Value as Json, json};

use super::{EXTRA, all_of, of, one_of, plain, rendered, titles};
use crate::kit::{CRD, CSV, Files, ferry};

/// Returns the bundle `ferry` with only the install mode AllNamespaces, and with a webhook of each
/// type.
fn with_webhooks() -> Files {
    let modes = "  - type: OwnNamespace\n    supported: true\n  - type: SingleNamespace\n    supported: true\n  - type: MultiNamespace\n    supported: true\n";
    ferry()
        .with(CSV, modes, "")
        .webhooks(include_str!("../ferry/webhooks.yaml"))
}

#[test]
fn each_webhook_calls_its_deployment_through_a_service() {
    let options = Options {
        certificates: Certificates::CertManager,
        ..plain(Targets::All)
    };
    let manifests = rendered(&with_webhooks().read(), &options);
    let inject = json!({"cert-manager.io/inject-ca-from": "ns/ferry-controller-service-cert"});
    assert_eq!(
        one_of(&manifests, "ValidatingWebhookConfiguration"),
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "ships.ferry.example", "annotations": inject},
            "webhooks": [{
                "name": "ships.ferry.example",
                "clientConfig": {"service": {
                    "namespace": "ns", "name": "ferry-controller-service", "port": 443, "path": "/ships",
                }},
                "rules": [{"apiGroups": ["ferry.example"], "apiVersions": ["v1"],
                    "operations": ["CREATE"], "resources": ["ships"]}],
                "failurePolicy": "Fail",
                "sideEffects": "None",
                "admissionReviewVersions": ["v1"],
            }],
        })
    );
    let mutating = one_of(&manifests, "MutatingWebhookConfiguration");
    assert_eq!(mutating["webhooks"][0]["reinvocationPolicy"], "IfNeeded");
    assert_eq!(
        mutating["webhooks"][0]["clientConfig"]["service"]["port"],
        9443
    );
    assert_eq!(
        one_of(&manifests, "Service"),
        json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "ferry-controller-service", "namespace": "ns"},
            "spec": {
                "selector": {"app": "ferry"},
                "ports": [
                    {"name": "443", "port": 443, "targetPort": 9443},
                    {"name": "9443", "port": 9443, "targetPort": 9443},
                ],
            },
        })
    );
    let crd = one_of(&manifests, "CustomResourceDefinition");
    assert_eq!(crd["metadata"]["annotations"], inject);
    assert_eq!(
        crd["spec"]["conversion"],
        json!({
            "strategy": "Webhook",
            "webhook": {
                "conversionReviewVersions": ["v1"],
                "clientConfig": {"service": {
                    "namespace": "ns", "name": "ferry-controller-service", "port": 9443, "path": "/",
                }},
            },
        })
    );
    let name = "ferry-controller-service-cert";
    assert_eq!(
        one_of(&manifests, "Certificate")["spec"],
        json!({
            "secretName": name,
            "commonName": "ferry-controller-service.ns",
            "dnsNames": [
                "ferry-controller-service.ns",
                "ferry-controller-service.ns.svc",
                "ferry-controller-service.ns.svc.cluster.local",
            ],
            "usages": ["server auth"],
            "duration": "17520h0m0s",
            "renewBefore": "24h0m0s",
            "issuerRef": {"name": format!("{name}-selfsigned-issuer")},
        })
    );
    assert_eq!(
        titles(&manifests).last().map(String::as_str),
        Some("Certificate.cert-manager.io ns/ferry-controller-service-cert")
    );
}

/// The volumes must have the order of OLM v0. Otherwise an adopted Deployment of OLM v0 would
/// restart its Pods.
#[rstest]
#[case::in_the_order_of_olm_v0(plain(Targets::All), false)]
#[case::in_the_order_of_olm_v1(
    Options {
        targets: Targets::All,
        certificates: Certificates::CertManager,
        ..Options::of_olm_v1("ns")
    },
    true
)]
fn certificate_volumes_replace_other_volumes_at_the_same_paths(
    #[case] options: Options,
    #[case] is_webhook_first: bool,
) {
    let bundle = with_webhooks()
        .with(
            CSV,
            "              containers:",
            "              volumes:\n              - name: own-cert\n                secret: {secretName: own}\n              \
             - name: data\n                emptyDir: {}\n              containers:",
        )
        .with(
            CSV,
            "                env:",
            "                volumeMounts:\n                - name: own-cert\n                  \
             mountPath: /tmp/k8s-webhook-server/serving-certs\n                - name: data\n                  \
             mountPath: /data\n                env:",
        )
        .read();
    let manifests = rendered(&bundle, &options);
    let pod = &one_of(&manifests, "Deployment")["spec"]["template"]["spec"];
    let secret = |certificate: &str, key: &str| {
        json!({"secretName": "ferry-controller-service-cert", "items": [
            {"key": "tls.crt", "path": certificate}, {"key": "tls.key", "path": key},
        ]})
    };
    let ordered = |api_service: Json, webhook: Json| {
        if is_webhook_first {
            [webhook, api_service]
        } else {
            [api_service, webhook]
        }
    };
    let [first, second] = ordered(
        json!({"name": "apiservice-cert", "secret": secret("apiserver.crt", "apiserver.key")}),
        json!({"name": "webhook-cert", "secret": secret("tls.crt", "tls.key")}),
    );
    let data = json!({"name": "data", "emptyDir": {}});
    assert_eq!(pod["volumes"], json!([data, first, second]));
    let [first, second] = ordered(
        json!({"name": "apiservice-cert", "mountPath": "/apiserver.local.config/certificates"}),
        json!({"name": "webhook-cert", "mountPath": "/tmp/k8s-webhook-server/serving-certs"}),
    );
    let data = json!({"name": "data", "mountPath": "/data"});
    assert_eq!(
        pod["containers"][0]["volumeMounts"],
        json!([data, first, second])
    );
}

#[test]
fn annotates_objects_with_the_name_of_their_certificate() {
    let bundle = with_webhooks().read();
    let options = plain(Targets::All);
    let manifests = rendered(&bundle, &options);
    let secret = "ferry-controller-service-cert";
    for kind in [
        "CustomResourceDefinition",
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
        "Service",
    ] {
        let annotations = &one_of(&manifests, kind)["metadata"]["annotations"];
        assert_eq!(
            *annotations,
            json!({"portolan.dev/inject-ca-from": format!("ns/{secret}")})
        );
    }
    assert_eq!(all_of(&manifests, "Certificate"), Vec::<Json>::new());
    assert_eq!(
        certificates(&bundle, &options),
        [Certificate {
            namespace: "ns".to_owned(),
            secret: secret.to_owned(),
            names: ["", ".svc", ".svc.cluster.local"]
                .map(|end| format!("ferry-controller-service.ns{end}"))
                .to_vec(),
        }]
    );
    assert_eq!(certificates(&ferry().read(), &options), []);
}

#[test]
fn webhook_service_of_a_deployment_with_a_long_name_has_a_valid_name() {
    let long = "f".repeat(56);
    let bundle = with_webhooks()
        .everywhere(CSV, "ferry-controller", &long)
        .read();
    let name = |options: &Options| {
        let manifests = rendered(&bundle, options);
        let service = one_of(&manifests, "Service");
        let webhook = one_of(&manifests, "MutatingWebhookConfiguration");
        let named = &webhook["webhooks"][0]["clientConfig"]["service"]["name"];
        assert_eq!(service["metadata"]["name"], *named);
        named.as_str().map(str::len)
    };
    assert_eq!(name(&plain(Targets::All)), Some(63));
    assert_eq!(name(&Options::of_olm_v1("ns")), Some(64));
    let manifests = rendered(&bundle, &plain(Targets::All));
    let certificate = requested(&one_of(&manifests, "Service")).expect("a Secret of its own");
    assert_eq!(certificate.map(|it| it.secret.len()), Some(63));
}

#[test]
fn webhook_is_limited_to_the_watched_namespaces() {
    let webhook = "  - type: MutatingAdmissionWebhook\n    generateName: a\n    deploymentName: ferry-controller\n    \
                   admissionReviewVersions: [v1]\n    sideEffects: None\n";
    let bundle = ferry().webhooks(webhook).read();
    let manifests = rendered(&bundle, &plain(of(&["a", "b"])));
    let webhook = &one_of(&manifests, "MutatingWebhookConfiguration")["webhooks"][0];
    assert_eq!(
        webhook["namespaceSelector"],
        json!({"matchExpressions": [
            {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["a", "b"]},
        ]})
    );
    // The webhook specifies no port, so it gets the default port.
    assert_eq!(webhook["clientConfig"]["service"]["port"], 443);
}

#[test]
fn renders_bundle_like_olm_v1_if_configured() {
    let webhook = "  - type: MutatingAdmissionWebhook\n    generateName: a\n    deploymentName: ferry-controller\n    \
                   admissionReviewVersions: [v1]\n    sideEffects: None\n";
    let bundle = ferry()
        .webhooks(webhook)
        .plus(EXTRA, "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: ferryman}\nsecrets: [{name: s}]\n")
        .plus("manifests/z.yaml", "apiVersion: autoscaling.k8s.io/v1\nkind: VerticalPodAutoscaler\nmetadata: {name: a, creationTimestamp: null}\n")
        .read();
    let manifests = rendered(&bundle, &Options::of_olm_v1("ns"));
    let webhook = one_of(&manifests, "MutatingWebhookConfiguration");
    assert_eq!(webhook["metadata"]["namespace"], "ns");
    assert_eq!(webhook["webhooks"][0]["clientConfig"]["service"]["port"], 0);
    assert_eq!(all_of(&manifests, "ServiceAccount").len(), 2);
    let autoscaler = one_of(&manifests, "VerticalPodAutoscaler");
    assert_eq!(
        autoscaler["metadata"],
        json!({"name": "a", "creationTimestamp": null})
    );

    let mended = Options {
        certificates: Certificates::CertManager,
        ..plain(Targets::All)
    };
    let manifests = rendered(&bundle, &mended);
    let autoscaler = one_of(&manifests, "VerticalPodAutoscaler");
    assert_eq!(
        autoscaler["metadata"],
        json!({"name": "a", "namespace": "ns"})
    );
}

#[test]
fn object_in_bundle_and_csv_is_rendered_once() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: ferry-controller-service, labels: {a: b}}\n\
                   spec:\n  ports: [{port: 1}]\n  type: ClusterIP\n";
    let account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: ferryman, labels: {a: b}}\nimagePullSecrets: [{name: s}]\n";
    let bundle = with_webhooks()
        .plus(EXTRA, service)
        .plus("manifests/account.yaml", account)
        .read();
    let manifests = rendered(&bundle, &plain(Targets::All));
    let service = one_of(&manifests, "Service");
    assert_eq!(service["metadata"]["labels"], json!({"a": "b"}));
    assert_eq!(service["spec"]["type"], "ClusterIP");
    // Webhooks with different ports need different ports of the Service.
    assert_eq!(service["spec"]["ports"].as_array().map(Vec::len), Some(2));
    let account = one_of(&manifests, "ServiceAccount");
    assert_eq!(account["imagePullSecrets"], json!([{"name": "s"}]));
    let notes: Vec<_> = manifests
        .iter()
        .flat_map(|manifest| &manifest.notes)
        .collect();
    assert_eq!(
        notes,
        [
            &format!(
                "ServiceAccount ns/ferryman comes from {CSV} and from manifests/account.yaml; \
                 where they differ, the latter is used"
            ),
            &format!(
                "Service ns/ferry-controller-service comes from {EXTRA} and from {CSV}; where \
                 they differ, the latter is used"
            ),
        ]
    );
}

#[test]
fn reports_all_errors_together() {
    let bundle = with_webhooks()
        .without(CRD)
        .and(CSV, "  apiservicedefinitions:\n    owned:\n    - {name: s, group: ferry.example, version: v1, kind: Ship}\n")
        .read();
    let options = Options {
        namespace: "Harbor".to_owned(),
        certificates: Certificates::None,
        ..plain(of(&["a"]))
    };
    let errors: Vec<_> = render(&bundle, &options)
        .expect_err("no")
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        errors,
        [
            "manifests/ferry.clusterserviceversion.yaml:16: the ClusterServiceVersion owns the CustomResourceDefinition \
             \"ships.ferry.example\", which the bundle does not have",
            "the APIService v1.ferry.example is served by the deployment \"\", which the bundle does not have",
            "certificates: the bundle has webhooks (3) and APIServices (1), which need a certificate; choose cert-manager, openshift or own",
            "namespace: \"Harbor\" is not a valid name of a namespace: it can contain only \
             lower-case letters, digits and hyphens",
            "targets: the bundle does not support SingleNamespace; it supports AllNamespaces",
        ]
    );
}

#[test]
fn rejects_conversion_webhook_for_crd_with_unknown_fields() {
    let files = with_webhooks().with(
        CRD,
        "  scope: Namespaced",
        "  scope: Namespaced\n  preserveUnknownFields: true",
    );
    let errors: Vec<_> = render(&files.read(), &plain(Targets::All))
        .expect_err("no")
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        errors,
        [
            "manifests/ships.ferry.example.yaml:1: CustomResourceDefinition \"ships.ferry.example\" has a conversion \
          webhook, so that `preserveUnknownFields` must not be true"
        ]
    );
}

#[test]
fn certificates_of_openshift_are_requested_by_annotations() {
    let options = Options {
        certificates: Certificates::ServiceCa,
        ..plain(Targets::All)
    };
    let manifests = rendered(&with_webhooks().read(), &options);
    let service = one_of(&manifests, "Service");
    assert_eq!(
        service["metadata"]["annotations"],
        json!({
            "service.beta.openshift.io/serving-cert-secret-name": "ferry-controller-service-cert"
        })
    );
    for kind in [
        "CustomResourceDefinition",
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
    ] {
        let annotations = &one_of(&manifests, kind)["metadata"]["annotations"];
        let expected = json!({"service.beta.openshift.io/inject-cabundle": "true"});
        assert_eq!(*annotations, expected, "{kind}");
    }
}
