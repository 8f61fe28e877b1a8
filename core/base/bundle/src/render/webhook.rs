//! Renders admission webhooks, and the Services through which API servers call them.

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde_json::{Value as Json, json};

use super::{Certificates, Manifest, Plan, api_service};
use crate::csv::Webhook;
use crate::validate::webhooks::{MUTATING, VALIDATING};

/// The Service port for webhooks and APIServices that specify no port.
pub(super) const DEFAULT_PORT: i32 = 443;

/// The annotation of a Service for which OpenShift creates a certificate.
const SERVING_CERTIFICATE: &str = "service.beta.openshift.io/serving-cert-secret-name";

/// The fields of a webhook that are copied unchanged.
const COPIED: [&str; 7] = [
    "rules",
    "failurePolicy",
    "matchPolicy",
    "objectSelector",
    "sideEffects",
    "timeoutSeconds",
    "admissionReviewVersions",
];

/// Adds one configuration object for each webhook. Validating webhooks come before mutating
/// webhooks.
pub(super) fn configurations(plan: &Plan<'_>, manifests: &mut Vec<Manifest>) {
    for (kind, configuration) in [
        (VALIDATING, "ValidatingWebhookConfiguration"),
        (MUTATING, "MutatingWebhookConfiguration"),
    ] {
        for (at, webhook) in plan.bundle.csv.webhooks().iter().enumerate() {
            if webhook.value.kind == kind {
                let written = plan.bundle.csv.webhook_json(at);
                let hook = &webhook.value;
                manifests.push(plan.made(object(plan, configuration, hook, written)));
            }
        }
    }
}

fn object(plan: &Plan<'_>, configuration: &str, hook: &Webhook, written: &Json) -> Json {
    let name = hook.generate_name.trim_end_matches('-');
    let mut service = json!({
        "namespace": plan.namespace(),
        "name": plan.service(&hook.deployment_name),
        "port": plan.port(hook.container_port),
    });
    if let Some(path) = &hook.webhook_path {
        service["path"] = path.as_str().into();
    }
    let mut webhook = json!({"name": name, "clientConfig": {"service": service}});
    let reinvocation = (hook.kind == MUTATING).then_some("reinvocationPolicy");
    for key in COPIED.into_iter().chain(reinvocation) {
        if let Some(value) = written.get(key) {
            webhook[key] = value.clone();
        }
    }
    if !plan.watches_all() {
        webhook["namespaceSelector"] = json!({"matchExpressions": [{
            "key": "kubernetes.io/metadata.name",
            "operator": "In",
            "values": plan.targets,
        }]});
    }
    let mut metadata = json!({"name": name});
    if !plan.mends() {
        metadata["namespace"] = plan.namespace().into();
    }
    if let Some((key, value)) = plan.injection(&hook.deployment_name) {
        metadata["annotations"] = json!({key: value});
    }
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": configuration,
        "metadata": metadata,
        "webhooks": [webhook],
    })
}

/// Adds one Service for each deployment that API servers call.
pub(super) fn services(plan: &Plan<'_>, manifests: &mut Vec<Manifest>) {
    let csv = &plan.bundle.csv;
    for (at, deployment) in csv.deployments().iter().enumerate() {
        let name = &deployment.value.name;
        if !plan.is_called(name) {
            continue;
        }
        let mut spec = json!({"ports": ports(plan, name)});
        let labels = &csv.deployment_spec(at)["selector"]["matchLabels"];
        if labels.is_object() {
            spec["selector"] = labels.clone();
        }
        let mut metadata = json!({"name": plan.service(name), "namespace": plan.namespace()});
        if let Some((key, value)) = issuance(plan, name) {
            metadata["annotations"] = json!({key: value});
        }
        manifests.push(plan.made(json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": metadata,
            "spec": spec,
        })));
    }
}

/// Returns the annotation of a Service that makes a component create its certificate. Pods need the
/// certificate before a webhook configuration or an APIService names it.
fn issuance(plan: &Plan<'_>, deployment: &str) -> Option<(&'static str, String)> {
    match plan.options.certificates {
        Certificates::ServiceCa => Some((SERVING_CERTIFICATE, plan.secret(deployment))),
        Certificates::Own => plan.injection(deployment),
        Certificates::None | Certificates::CertManager => None,
    }
}

/// Returns the distinct ports of a deployment's webhooks and APIServices, in order.
fn ports(plan: &Plan<'_>, deployment: &str) -> Vec<Json> {
    let of_deployment = plan.webhooks.get(deployment).into_iter().flatten();
    let mut ports: BTreeSet<_> = of_deployment
        .map(|webhook| {
            let port = match webhook.container_port {
                0 => DEFAULT_PORT,
                port => port,
            };
            match &webhook.target_port {
                None => (port, port, ""),
                Some(IntOrString::Int(target)) => (port, *target, ""),
                Some(IntOrString::String(name)) => (port, 0, name.as_str()),
            }
        })
        .collect();
    for owned in plan.api_services.get(deployment).into_iter().flatten() {
        let port = api_service::port(owned);
        // A Service cannot contain a port number twice, even if the target ports differ.
        if !ports.iter().any(|(known, _, _)| *known == port) {
            ports.insert((port, port, ""));
        }
    }
    let ports = ports.into_iter().map(|(port, target, name)| {
        let target = match name {
            "" => Json::from(target),
            name => name.into(),
        };
        json!({"name": port.to_string(), "port": port, "targetPort": target})
    });
    ports.collect()
}
