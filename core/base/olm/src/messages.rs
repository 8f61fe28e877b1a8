//! Parses messages of API servers, the kubelet and OLM. Portolan needs some facts that these
//! components report only as text.
//!
//! Each function recognizes the message for one fact. Portolan's own reports do not need this: they
//! have a reason, a code or a field.

mod admission;
mod conversion;
mod extension;
mod missing;
mod scheduling;
mod upgrade;

pub use self::admission::{Denial, Denier, denial};
pub use self::conversion::{ConversionFailure, conversion_failure};
pub use self::extension::{ExtensionMessage, ExtensionProblem};
pub use self::missing::{
    MissingReference, is_of_credentials, missing_object, missing_pull_secrets, missing_reference,
    registry, unserved_api,
};
pub use self::scheduling::{Unfit, UnfitNodes, unfit_nodes};
pub use self::upgrade::upgrade_blockers;

/// Part of the API server's message if a conversion webhook fails.
const CONVERSION: &str = "conversion webhook for";
/// Part of the API server's message if the call of an admission webhook fails.
const WEBHOOK: &str = "failed calling webhook";
/// Parts of the API server's messages if a server that it calls fails: a conversion webhook, or the
/// API server of an APIService.
const OTHER_SERVERS: [&str; 4] = [
    CONVERSION,
    "currently unable to handle the request",
    "error trying to reach service",
    "service unavailable",
];

/// Parts of the messages if a webhook, a policy, a quota or a LimitRange rejects an object, or if a
/// webhook fails. The parts do not match a missing permission, such as `is forbidden: User "a"
/// cannot create`.
const POLICIES: [&str; 10] = [
    "denied the request",
    WEBHOOK,
    "AdmissionPolicy '",
    "violates PodSecurity",
    "security context constraint",
    "pod security policy",
    "exceeded quota",
    "failed quota",
    " usage per ",
    "limit to request ratio per ",
];

/// OLM's messages about a requirement that the replaced ClusterServiceVersion has installed: a CRD or
/// a ServiceAccount. OLM accepts the object after the InstallPlan has updated it.
const OF_REPLACED: [&str; 2] = [
    "CRD installed alongside other CSV(s)",
    "Service account is owned by another ClusterServiceVersion",
];

/// Returns true if OLM reports a requirement as unsatisfied only because the InstallPlan of the
/// ClusterServiceVersion has not updated the object yet.
pub fn awaits_plan(message: &str) -> bool {
    OF_REPLACED.iter().any(|begin| message.starts_with(begin))
}

/// Returns the name of the admission webhook that an API server failed to call. Returns None for
/// other messages.
pub fn failing_webhook(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once(WEBHOOK)?;
    let (name, _) = rest.strip_prefix(" \"")?.split_once('"')?;
    Some(name)
}

/// Returns the Service of the admission webhook that an API server failed to call, as namespace and
/// name. API servers call Services at `https://NAME.NAMESPACE.svc:PORT`. Returns None for a webhook
/// at another address, and for other messages.
pub fn failing_service(message: &str) -> Option<(&str, &str)> {
    let (_, rest) = message.split_once(WEBHOOK)?;
    let (_, rest) = rest.split_once("\"https://")?;
    let (host, _) = rest.split_once([':', '/', '?', '"'])?;
    let (name, namespace) = host.strip_suffix(".svc")?.split_once('.')?;
    let is_label = |it: &str| !it.is_empty() && !it.contains('.');
    (is_label(name) && is_label(namespace)).then_some((namespace, name))
}

/// Returns the error of an API server that failed to call an admission webhook. The error follows
/// the name of the webhook. Returns None for other messages.
pub fn webhook_failure(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once(WEBHOOK)?;
    let (_, failure) = rest.split_once("\": ")?;
    let failure = failure
        .strip_prefix("failed to call webhook: ")
        .unwrap_or(failure);
    (!failure.is_empty()).then_some(failure)
}

/// Returns true if an API server fails to call an admission webhook or a conversion webhook.
pub fn is_of_webhook(message: &str) -> bool {
    [WEBHOOK, CONVERSION].iter().any(|it| message.contains(it))
}

/// Returns true if an API server reports that a server that it calls failed.
pub fn is_of_other_server(message: &str) -> bool {
    OTHER_SERVERS.iter().any(|it| message.contains(it))
}

/// Returns true if the API server rejects an object because its namespace is missing.
pub fn is_of_missing_namespace(message: &str, namespace: &str) -> bool {
    message.starts_with(&format!("namespaces \"{namespace}\" not found"))
}

/// Returns true if the API server rejects a write because a field is immutable.
pub fn is_of_immutable_field(message: &str) -> bool {
    message.contains("field is immutable")
}

/// Returns true if the API server rejects a dry run because a webhook does not support dry runs.
pub fn is_of_dry_run(message: &str) -> bool {
    message.contains("does not support dry run")
}

/// Returns true if the API server rejects a Pod because it exceeds a ResourceQuota.
pub fn is_of_quota(message: &str) -> bool {
    message.contains("exceeded quota")
}

/// Returns true if the scheduler reports nodes that lack a resource, such as `memory`.
pub fn is_of_lacking_resource(message: &str, resource: &str) -> bool {
    message.contains(&format!("Insufficient {resource}"))
}

/// Returns true if OLM installs an operator again because its Deployment differs from what OLM
/// wrote.
pub fn is_of_changed_deployment(message: &str) -> bool {
    message.contains("deployment changed old hash")
}

/// Returns the name of the ResourceQuota that rejects a Pod, and the limits or requests that the
/// containers of the Pod must set. Returns None for other messages.
pub fn unset_by_quota(message: &str) -> Option<(&str, Vec<&str>)> {
    let (_, rest) = message.split_once("failed quota: ")?;
    let (name, rest) = rest.split_once(": must specify ")?;
    let each = rest.split("; ");
    let names = each.map(|it| it.split_once(" for: ").map_or(it, |(name, _)| name));
    Some((name, names.map(str::trim).collect()))
}

/// Returns true if a webhook, a policy, a quota or a LimitRange rejects an object.
pub fn is_of_policy(message: &str) -> bool {
    POLICIES.iter().any(|it| message.contains(it))
}

/// Returns true if the kubelet reports that it waits before it pulls an image again.
pub fn is_of_pause(message: &str) -> bool {
    message.starts_with("Back-off pulling image")
}

/// Returns the image failure in a message of the kubelet. The failure is the same while the kubelet
/// pulls and while it waits before the next pull. Returns an empty text if the message reports only
/// the waiting.
pub fn pull_failure(message: &str) -> &str {
    if !is_of_pause(message) {
        return message;
    }
    let failure = message
        .split_once("\": ")
        .map_or("", |(_, failure)| failure);
    match failure.split_once(": ") {
        // While the kubelet waits, its message repeats the reason, such as "ErrImagePull", before
        // the failure.
        Some((reason, failure)) if !reason.contains(char::is_whitespace) => failure,
        Some(_) | None => failure,
    }
}

/// Returns the failed probe and its error, if the failure makes the kubelet restart the container.
/// Returns None for other messages, such as a failed readiness probe.
pub fn restarting_probe(message: &str) -> Option<(&'static str, &str)> {
    let probes = [
        ("liveness", "Liveness probe "),
        ("startup", "Startup probe "),
    ];
    probes.into_iter().find_map(|(probe, beginning)| {
        let (_, failure) = message.strip_prefix(beginning)?.split_once(": ")?;
        Some((probe, failure))
    })
}

/// Returns true if the message contains a specific error. The kubelet first reports the error, and
/// then only `Error: ImagePullBackOff`.
pub fn has_reason(message: &str) -> bool {
    let rest = message.strip_prefix("Error: ");
    rest.is_none_or(|rest| rest.contains(char::is_whitespace))
}

/// Returns true if OLM rejects a ClusterServiceVersion because the Kubernetes version of the
/// cluster is too low.
pub fn is_of_cluster_version(message: &str) -> bool {
    message.contains("minKubeVersion")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_of_a_quota_gives_the_required_fields() {
        let message = "Error creating: pods \"a-4tq2z\" is forbidden: failed quota: tight: must \
                       specify limits.cpu for: extract,pull; limits.memory for: extract,pull";
        let required = vec!["limits.cpu", "limits.memory"];
        assert_eq!(unset_by_quota(message), Some(("tight", required)));
        assert_eq!(
            unset_by_quota("exceeded quota: tight, requested: pods=1"),
            None
        );
    }

    #[test]
    fn missing_permissions_and_other_refusals_are_no_policies() {
        for refusal in [
            "admission webhook \"customs.example\" denied the request: no papers",
            "failed calling webhook \"customs.example\": EOF",
            "pods \"a\" is forbidden: ValidatingAdmissionPolicy 'papers' with binding 'all' denied request: no",
            "pods \"a\" is forbidden: violates PodSecurity \"restricted:latest\": privileged",
            "pods \"a\" is forbidden: unable to validate against any security context constraint: []",
            "pods \"a\" is forbidden: exceeded quota: tight, requested: pods=1",
            "pods \"a\" is forbidden: failed quota: tight: must specify limits.cpu for: manager",
            "pods \"a\" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi",
        ] {
            assert!(is_of_policy(refusal), "{refusal}");
        }
        for other in [
            "deployments.apps is forbidden: User \"system:serviceaccount:olm:a\" cannot create resource \"deployments\"",
            "pods \"a\" is forbidden: unable to create new content in namespace b because it is being terminated",
            "pods \"a\" is forbidden: error looking up service account b/c: serviceaccount \"c\" not found",
        ] {
            assert!(!is_of_policy(other), "{other}");
        }
    }

    #[test]
    fn message_of_the_kubelet_names_the_missing_secret_or_key() {
        let missing = |kind, name, key| Some(MissingReference { kind, name, key });
        let cases = [
            (
                "cannot be created (CreateContainerConfigError): secret \"rope\" not found",
                missing("Secret", "rope", None),
            ),
            (
                "configmap \"chart\" not found",
                missing("ConfigMap", "chart", None),
            ),
            (
                "couldn't find key knot in Secret harbor/rope",
                missing("Secret", "rope", Some("knot")),
            ),
            (
                "couldn't find key knot in ConfigMap harbor/chart.",
                missing("ConfigMap", "chart", Some("knot")),
            ),
            ("pod \"rope\" not found", None),
            ("secret \"rope\" is forbidden", None),
        ];
        for (message, expected) in cases {
            assert_eq!(missing_reference(message), expected, "{message}");
        }
    }

    #[test]
    fn pull_failure_is_the_same_while_the_kubelet_waits() {
        let failure =
            "rpc error: code = NotFound desc = failed to pull and unpack image \"a:1\": not found";
        let waits = format!("Back-off pulling image \"a:1\": ErrImagePull: {failure}");
        assert_eq!(pull_failure(failure), failure);
        assert_eq!(pull_failure(&waits), failure);
        for older in [
            "Back-off pulling image \"a:1\"",
            "Back-off pulling image a:1",
        ] {
            assert_eq!(pull_failure(older), "");
        }
    }

    #[test]
    fn only_a_failed_liveness_or_startup_probe_restarts_a_container() {
        let failed = |probe: &str| format!("{probe} probe failed: EOF");
        assert_eq!(
            restarting_probe(&failed("Liveness")),
            Some(("liveness", "EOF"))
        );
        assert_eq!(
            restarting_probe(&failed("Startup")),
            Some(("startup", "EOF"))
        );
        assert_eq!(restarting_probe(&failed("Readiness")), None);
    }

    #[test]
    fn message_of_a_failing_webhook_gives_its_name_and_service() {
        let message = "Internal error occurred: failed calling webhook \"pilot.example\": failed to call \
                       webhook: Post \"https://pilot.harbor.svc\": connection refused";
        assert_eq!(failing_webhook(message), Some("pilot.example"));
        assert_eq!(failing_service(message), Some(("harbor", "pilot")));
        let failure = "Post \"https://pilot.harbor.svc\": connection refused";
        assert_eq!(webhook_failure(message), Some(failure));
        assert!(is_of_webhook(message));
        for other in [
            "failed calling webhook",
            "failed calling webhook \"pilot",
            "",
        ] {
            assert_eq!(failing_webhook(other), None);
            assert_eq!(failing_service(other), None);
            assert_eq!(webhook_failure(other), None);
        }
    }

    #[test]
    fn message_of_a_webhook_with_a_url_gives_no_service() {
        for url in [
            "https://hooks.example:443/a",
            "https://a.b.c.svc/a",
            "https://.svc",
        ] {
            let message = format!(
                "failed calling webhook \"a\": failed to call webhook: Post \"{url}\": EOF"
            );
            assert_eq!(failing_service(&message), None, "{url}");
        }
    }
}
