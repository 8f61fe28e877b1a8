//! The certificates of webhooks and APIServices: their mounts, and the component that creates them.

use std::collections::BTreeSet;

use portolan_core_certificate::dns_names;
use serde_json::{Value as Json, json};

use super::{Certificates, Manifest, Oddities, Options, Plan};
use crate::bundle::Bundle;
use crate::go;
use crate::object::text;

/// The volume for a certificate: its name, its path, and the file names of certificate and key.
type Volume = (&'static str, &'static str, &'static str, &'static str);

/// The volumes in the order of OLM v0. OLM v1 adds them in reverse order. The order is part of the
/// Pod template. A Deployment of OLM v0 can be adopted without a restart only if the order stays
/// the same.
const VOLUMES: [Volume; 2] = [
    (
        "apiservice-cert",
        "/apiserver.local.config/certificates",
        "apiserver.crt",
        "apiserver.key",
    ),
    (
        "webhook-cert",
        "/tmp/k8s-webhook-server/serving-certs",
        "tls.crt",
        "tls.key",
    ),
];

/// A certificate that webhooks or APIServices need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// The namespace of the Secret of type `kubernetes.io/tls` that contains the certificate.
    pub namespace: String,
    pub secret: String,
    /// The DNS names of the certificate. The first name is the common name.
    pub names: Vec<String>,
}

/// Returns the certificates that the manifests of a bundle need, in the order of its deployments.
pub fn certificates(bundle: &Bundle, options: &Options) -> Vec<Certificate> {
    let plan = Plan::of(bundle, options, &[]);
    let deployments = bundle.csv.deployments().iter();
    let served = deployments.filter(|deployment| plan.is_called(&deployment.value.name));
    served
        .map(|deployment| Certificate {
            namespace: plan.namespace().to_owned(),
            secret: plan.secret(&deployment.value.name),
            names: dns_names(&plan.service(&deployment.value.name), plan.namespace()).into(),
        })
        .collect()
}

/// Adds an Issuer and a Certificate of cert-manager for each deployment that API servers call.
pub(super) fn objects(plan: &Plan<'_>, manifests: &mut Vec<Manifest>) {
    const VERSION: &str = "cert-manager.io/v1";
    if plan.options.certificates != Certificates::CertManager {
        return;
    }
    for certificate in certificates(plan.bundle, plan.options) {
        let Certificate {
            namespace,
            secret,
            names,
        } = certificate;
        let issuer = go::joined(&secret, "selfsigned-issuer");
        manifests.push(plan.made(json!({
            "apiVersion": VERSION,
            "kind": "Issuer",
            "metadata": {"name": issuer, "namespace": namespace},
            "spec": {"selfSigned": {}},
        })));
        manifests.push(plan.made(json!({
            "apiVersion": VERSION,
            "kind": "Certificate",
            "metadata": {"name": secret, "namespace": namespace},
            "spec": {
                "secretName": secret,
                "commonName": names.first(),
                "dnsNames": names,
                "usages": ["server auth"],
                "duration": "17520h0m0s",
                "renewBefore": "24h0m0s",
                "issuerRef": {"name": issuer},
            },
        })));
    }
}

/// Returns the volumes in the order in which they are added to a Pod.
fn volumes(oddities: Oddities) -> [Volume; 2] {
    let [api_service, webhook] = VOLUMES;
    match oddities {
        Oddities::Mend => [api_service, webhook],
        Oddities::Keep => [webhook, api_service],
    }
}

/// Mounts the certificate in all containers of a Pod. Replaces mounts with the same name or path.
pub(super) fn mount(secret: &str, oddities: Oddities, pod: &mut Json) {
    let volumes = volumes(oddities);
    let replaced = replaced(pod);
    if let Some(volumes) = pod["volumes"].as_array_mut() {
        volumes.retain(|volume| !replaced.contains(text(&volume["name"])));
    }
    for (name, _, certificate, key) in volumes {
        push(
            &mut pod["volumes"],
            json!({
                "name": name,
                "secret": {
                    "secretName": secret,
                    "items": [
                        {"key": "tls.crt", "path": certificate},
                        {"key": "tls.key", "path": key},
                    ],
                },
            }),
        );
    }
    for container in pod["containers"].as_array_mut().into_iter().flatten() {
        if let Some(mounts) = container["volumeMounts"].as_array_mut() {
            mounts.retain(|mount| !replaced.contains(text(&mount["name"])));
        }
        for (name, path, _, _) in volumes {
            let mount = json!({"name": name, "mountPath": path});
            push(&mut container["volumeMounts"], mount);
        }
    }
}

/// Returns the names of the volumes to replace: volumes with one of the two names or one of the two
/// mount paths.
fn replaced(pod: &Json) -> BTreeSet<String> {
    let containers = pod["containers"].as_array().into_iter().flatten();
    let mounts = containers.flat_map(|container| {
        let mounts = container["volumeMounts"].as_array();
        mounts.into_iter().flatten()
    });
    let there = mounts.filter(|mount| {
        let at = text(&mount["mountPath"]);
        VOLUMES.iter().any(|(_, path, _, _)| *path == at)
    });
    let names = there.map(|mount| text(&mount["name"]).to_owned());
    let ours = VOLUMES.iter().map(|(name, _, _, _)| (*name).to_owned());
    names.chain(ours).collect()
}

/// Appends an item to a list. Creates the list if it is missing.
pub(super) fn push(list: &mut Json, item: Json) {
    if let Json::Array(items) = list {
        items.push(item);
    } else {
        *list = Json::Array(vec![item]);
    }
}
