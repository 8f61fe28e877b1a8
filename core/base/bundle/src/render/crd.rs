//! Renders CRDs.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::{Manifest, Plan, RenderRefusal, extra};
use crate::bundle::Bundle;
use crate::csv::Webhook;
use crate::validate::webhooks::CONVERSION;

pub(super) fn crds(plan: &Plan<'_>, manifests: &mut Vec<Manifest>) {
    for crd in &plan.bundle.crds {
        let mut object = crd.json.clone();
        extra::without_server_fields(&mut object);
        if plan.mends()
            && let Some(metadata) = object["metadata"].as_object_mut()
        {
            metadata.remove("namespace");
        }
        if let Some(webhook) = plan.conversions.get(&*crd.name) {
            convert(plan, webhook, &mut object);
        }
        manifests.push(Manifest {
            object,
            origin: Arc::clone(&crd.file),
            notes: Vec::new(),
        });
    }
}

/// Adds a refusal for each CRD that has a conversion webhook and preserves unknown fields. The
/// webhook would receive objects before they are pruned, so fields would be lost.
pub(super) fn refused(bundle: &Bundle, refusals: &mut Vec<RenderRefusal>) {
    let conversions = conversions(bundle);
    for crd in &bundle.crds {
        let keeps_all = crd.json["spec"]["preserveUnknownFields"] == true;
        if keeps_all && conversions.contains_key(&*crd.name) {
            refusals.push(RenderRefusal::Unsupported(format!(
                "{}:{}: CustomResourceDefinition {:?} has a conversion webhook, so that \
                 `preserveUnknownFields` must not be true",
                crd.file, crd.line, crd.name
            )));
        }
    }
}

/// Returns the first conversion webhook of each CRD.
pub(super) fn conversions(bundle: &Bundle) -> BTreeMap<&str, &Webhook> {
    let webhooks = bundle.csv.webhooks().iter().map(|webhook| &webhook.value);
    let conversions = webhooks.filter(|webhook| webhook.kind == CONVERSION);
    let of_crds = conversions.flat_map(|webhook| {
        let crds = webhook.conversion_crds.iter();
        crds.map(move |crd| (crd.as_str(), webhook))
    });
    let mut first = BTreeMap::new();
    for (crd, webhook) in of_crds {
        first.entry(crd).or_insert(webhook);
    }
    first
}

fn convert(plan: &Plan<'_>, webhook: &Webhook, object: &mut Json) {
    let deployment = &webhook.deployment_name;
    object["spec"]["conversion"] = json!({
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": {"service": {
                "namespace": plan.namespace(),
                "name": plan.service(deployment),
                "path": webhook.webhook_path.as_deref().unwrap_or("/"),
                "port": plan.port(webhook.container_port),
            }},
            "conversionReviewVersions": webhook.admission_review_versions,
        },
    });
    if let Some((key, value)) = plan.injection(deployment) {
        object["metadata"]["annotations"][key] = value.into();
    }
}
