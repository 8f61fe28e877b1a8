//! Limits the size of the rendered manifests, because rendering copies parts of a bundle many
//! times.

use serde_json::Value as Json;

use super::{Plan, RenderRefusal};
use crate::go;
use crate::validate::webhooks::CONVERSION;

/// Returns an error if the copies would exceed the maximum size of a bundle.
pub(super) fn hold(plan: &Plan<'_>) -> Result<(), RenderRefusal> {
    let limit = plan.bundle.limits.bytes;
    let mut all = 0_usize;
    for (what, bytes) in copies(plan) {
        all = all.saturating_add(bytes);
        if all > limit {
            return Err(RenderRefusal::Unsupported(format!(
                "{what} would make the manifests larger than {limit} bytes"
            )));
        }
    }
    Ok(())
}

/// Returns the parts that rendering copies, each with the approximate size of its copies in bytes.
fn copies(plan: &Plan<'_>) -> [(&'static str, usize); 4] {
    let csv = &plan.bundle.csv;
    let targets: usize = plan.targets.iter().map(|target| VALUE + target.len()).sum();
    let annotations = csv.annotations().iter();
    let annotations: usize = annotations
        .map(|(key, value)| 2 * VALUE + key.len() + value.len())
        .sum();
    let permissions = csv.spec.install.spec.permissions.iter();
    // In memory, a list of short texts is larger than its JSON.
    let permissions: usize = permissions
        .map(|entry| 4 * go::permission(&entry.value).len())
        .sum();
    let conversions = csv.webhooks().iter().enumerate();
    let conversions = conversions.filter(|(_, webhook)| webhook.value.kind == CONVERSION);
    let conversions = conversions.map(|(at, webhook)| {
        let crds = webhook.value.conversion_crds.len();
        let copied = ["admissionReviewVersions", "webhookPath"];
        let bytes = copied.map(|key| bytes(&csv.webhook_json(at)[key]));
        crds.saturating_mul(bytes.iter().sum())
    });
    [
        (
            "the annotations of the ClusterServiceVersion, which each Deployment gets,",
            (annotations + targets).saturating_mul(csv.deployments().len()),
        ),
        (
            "the permissions, which each watched namespace gets,",
            permissions.saturating_mul(plan.targets.len()),
        ),
        (
            "the watched namespaces, which each webhook names,",
            targets.saturating_mul(csv.webhooks().len()),
        ),
        (
            "the conversion webhooks, which their definitions get,",
            conversions.fold(0, usize::saturating_add),
        ),
    ]
}

/// The size of a JSON value in memory without its content, in bytes.
const VALUE: usize = 48;

fn bytes(json: &Json) -> usize {
    match json {
        Json::String(text) => VALUE + text.len(),
        Json::Array(items) => VALUE + items.iter().map(bytes).sum::<usize>(),
        Json::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| key.len() + bytes(value));
            VALUE + fields.sum::<usize>()
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => VALUE,
    }
}
