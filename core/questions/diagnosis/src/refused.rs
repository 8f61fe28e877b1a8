//! Explains Pods that the API server rejects.

use std::collections::BTreeMap;

use portolan_core_names::text::listed;
use portolan_core_olm::messages::{failing_webhook, unset_by_quota};
use serde_json::{Map, Value, json};

use crate::cure::Cure;
use crate::rollout::quota;
use crate::{Object, Procedure, Step};

/// For each resource, the default limit and the default request in a LimitRange. The values are
/// sufficient for small containers.
const DEFAULTS: [(&str, &str, &str); 2] = [("cpu", "1", "100m"), ("memory", "1Gi", "128Mi")];

/// Returns the ResourceQuota because of which the API server rejects a Pod, if the message names
/// one.
pub(crate) fn refuser(namespace: &str, message: &str) -> Option<Object> {
    let unset = unset_by_quota(message).map(|(name, _)| name.to_owned());
    let quota = unset.or_else(|| quota::exceeded(message).map(|quota| quota.name));
    quota.map(|name| Object::new("ResourceQuota", namespace, name))
}

/// Returns the cure for Pods that the API server rejects with this message.
pub(crate) fn cure(namespace: &str, message: &str) -> Cure {
    if let Some((name, unset)) = unset_by_quota(message) {
        let external = Cure::external(
            &format!("the administrator of namespace {namespace}"),
            &format!(
                "Remove the required resources from ResourceQuota {namespace}/{name}, or set \
                 default limits with a LimitRange. You do not have to raise the quota."
            ),
        );
        return Cure::choice_or(
            defaults(namespace, name, &unset).into_iter().collect(),
            external,
        );
    }
    if quota::exceeded(message).is_some() {
        return quota::cure(namespace, message);
    }
    match failing_webhook(message) {
        Some(webhook) => Cure::advised(
            &format!("the administrator of webhook {webhook}"),
            "Make it answer. The API server cannot call it, and refuses these objects until then.",
            vec![ignored(webhook)],
        ),
        None => Cure::external(
            "the owner of the webhook or policy",
            "Allow the Pod, or repair the webhook or policy.",
        ),
    }
}

/// Returns the change after which the API server ignores a webhook that it cannot call. There is no
/// command, because the configuration of the webhook was not read.
pub(crate) fn ignored(webhook: &str) -> Procedure {
    let title = format!(
        "In an emergency, set failurePolicy: Ignore for webhook {webhook} in its ValidatingWebhookConfiguration or \
         MutatingWebhookConfiguration. Set it back to Fail when the webhook answers."
    );
    let risk = "Until it is set back, the API server accepts objects that the webhook has not checked or changed. The \
                installer of the configuration may set Fail again.";
    Procedure::without_command(&title, risk)
}

/// Returns the LimitRange with default values for the resources that a quota requires. Returns None
/// if there is no default value for one of these resources.
fn defaults(namespace: &str, quota: &str, unset: &[&str]) -> Option<Procedure> {
    let mut fields: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for name in unset {
        let (bound, resource) = name.split_once('.').unwrap_or(("requests", name));
        let (_, limit, request) = DEFAULTS.iter().find(|(known, ..)| *known == resource)?;
        // If a container has a limit but no request, Kubernetes uses the limit as the request.
        let values = match bound {
            "limits" => &[("default", limit), ("defaultRequest", request)][..],
            "requests" => &[("defaultRequest", request)],
            _ => return None,
        };
        for (field, value) in values {
            let defaults = fields.entry(field).or_default();
            defaults.insert(resource.to_owned(), json!(value));
        }
    }
    let mut limit = json!({"type": "Container"});
    for (field, values) in fields {
        limit[field] = Value::Object(values);
    }
    let manifest = json!({
        "apiVersion": "v1", "kind": "LimitRange",
        "metadata": {"name": "container-defaults", "namespace": namespace},
        "spec": {"limits": [limit]},
    });
    let comment = "Set default limits for containers without limits";
    let step = Step::manifest(comment, format!("{manifest:#}\n"));
    let risk = "Each new container in the namespace without limits gets these default limits. \
                Kubernetes kills a container that needs more memory. Choose limits that are high \
                enough for the largest container in the namespace.";
    let stated = listed(unset);
    let title = format!(
        "Set default limits in namespace {namespace}. ResourceQuota {quota} is not exhausted. \
         Kubernetes rejects the containers because they do not set {stated}."
    );
    Some(Procedure::of(&title, vec![step], risk))
}
