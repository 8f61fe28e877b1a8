//! Tests of APIServices that a Deployment of the bundle serves.

use portolan_core_bundle::{Certificate, Options, Targets, certificates, render};
use serde_json::json;

use super::{of, one_of, plain, rendered, titles};
use crate::kit::{CSV, Files, ferry};

/// Returns the bundle `ferry` with two entries for APIServices: two kinds in the same group and
/// version.
fn ferry_with_api_services() -> Files {
    ferry().and(
        CSV,
        "  apiservicedefinitions:
    owned:
    - {name: tides, group: tides.ferry.example, version: v1, kind: Tide, deploymentName: ferry-controller, containerPort: 5443}
    - {name: winds, group: tides.ferry.example, version: v1, kind: Wind, deploymentName: ferry-controller, containerPort: 5443}
",
    )
}

#[test]
fn group_version_is_registered_once_with_its_service() {
    let bundle = ferry_with_api_services().read();
    let options = plain(Targets::All);
    let manifests = rendered(&bundle, &options);
    assert_eq!(
        one_of(&manifests, "APIService"),
        json!({
            "apiVersion": "apiregistration.k8s.io/v1",
            "kind": "APIService",
            "metadata": {
                "name": "v1.tides.ferry.example",
                "annotations": {"portolan.dev/inject-ca-from": "ns/ferry-controller-service-cert"},
            },
            "spec": {
                "group": "tides.ferry.example",
                "version": "v1",
                "groupPriorityMinimum": 2000,
                "versionPriority": 15,
                "service": {"namespace": "ns", "name": "ferry-controller-service", "port": 5443},
            },
        })
    );
    assert_eq!(
        one_of(&manifests, "Service")["spec"]["ports"],
        json!([{"name": "5443", "port": 5443, "targetPort": 5443}])
    );
    let pod = &one_of(&manifests, "Deployment")["spec"]["template"]["spec"];
    assert_eq!(
        pod["volumes"][0]["secret"]["secretName"],
        "ferry-controller-service-cert"
    );
    let reader = titles(&manifests);
    for title in [
        "ClusterRoleBinding ferry-controller-service-system:auth-delegator",
        "RoleBinding kube-system/ferry-controller-service-auth-reader",
    ] {
        assert!(reader.iter().any(|it| it == title), "{title} in {reader:?}");
    }
    let binding = manifests
        .iter()
        .find(|it| it.identity().name == "ferry-controller-service-auth-reader")
        .expect("a binding");
    assert_eq!(
        binding.object["subjects"],
        json!([{"kind": "ServiceAccount", "name": "ferryman", "namespace": "ns"}])
    );
    let names = [
        "ferry-controller-service.ns",
        "ferry-controller-service.ns.svc",
    ];
    let made = certificates(&bundle, &options);
    let [Certificate { names: made, .. }] = &made[..] else {
        panic!("one certificate: {made:?}")
    };
    for name in names {
        assert!(made.iter().any(|it| it == name), "{name} in {made:?}");
    }
}

/// A webhook and an APIService with the same port share one port of the Service.
#[test]
fn port_shared_with_webhooks_is_rendered_once() {
    let webhooks = "  - type: ValidatingAdmissionWebhook
    generateName: tides.ferry.example
    deploymentName: ferry-controller
    containerPort: 5443
    targetPort: 9443
    sideEffects: None
    admissionReviewVersions: [v1]
";
    let manifests = rendered(
        &ferry_with_api_services().webhooks(webhooks).read(),
        &plain(of(&["a"])),
    );
    assert_eq!(
        one_of(&manifests, "Service")["spec"]["ports"],
        json!([{"name": "5443", "port": 5443, "targetPort": 9443}])
    );
}

#[test]
fn olm_v1_rejects_api_services() {
    let refusals = render(&ferry_with_api_services().read(), &Options::of_olm_v1("ns"));
    let errors: Vec<_> = refusals
        .expect_err("no")
        .iter()
        .map(ToString::to_string)
        .collect();
    let why = "the bundle owns the APIService v1.tides.ferry.example, but OLM v1 does not install \
         APIServices";
    assert_eq!(errors, [why, why]);
}
