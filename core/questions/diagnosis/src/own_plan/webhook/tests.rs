use portolan_api::plan::InstallPlan;
use portolan_core_olm::AnyDeployment;
use rstest::rstest;
use serde_json::json;

use crate::own_plan::with_workloads;
use crate::running::RunningWorkload;
use crate::{Cause, Certainty, Diagnosis, Object, Workloads};

const UNREACHABLE: &str = "is retried: Internal error occurred: failed calling webhook \"pilot.example\": failed to call \
                           webhook: Post \"https://pilot.hooks.svc:443/a\": no endpoints available";

/// Returns a plan that replaces `ferry-1` and waits for a webhook.
fn waiting(message: &str) -> InstallPlan {
    let said = json!({
        "type": "Applied", "status": "False", "reason": "StageDeadlineExceeded",
        "message": format!("stage a takes longer than 600 s: {message}"),
        "lastTransitionTime": "2026-01-01T06:00:00Z",
    });
    let member = json!({
        "stage": "a", "index": 0, "object": "ConfigMap harbor/a", "state": "NotApplied",
        "message": message, "failingWebhook": "pilot.example",
    });
    let plan = json!({
        "apiVersion": "plans.portolan.dev/v1alpha1", "kind": "InstallPlan",
        "metadata": {"name": "ferry-2", "namespace": "harbor"},
        "spec": {
            "serviceAccountName": "installer", "replaces": [{"name": "ferry-1"}],
            "stages": [{"name": "a", "resources": [
                {"manifest": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}},
            ]}],
        },
        "status": {
            "observedGeneration": 2, "phase": "Applying", "conditions": [said], "members": [member],
            "counts": {"members": 2, "applied": 1, "ready": 1},
        },
    });
    serde_json::from_value(plan).expect("a plan")
}

/// Returns a Deployment without a ready Pod.
fn stopped(namespace: &str, name: &str) -> RunningWorkload {
    RunningWorkload {
        object: Object::new("Deployment.apps", namespace, name),
        ..RunningWorkload::of("Deployment.apps", &AnyDeployment::default())
    }
}

fn diagnosis(message: &str, nearby: Vec<RunningWorkload>) -> Diagnosis {
    let workloads = Workloads {
        nearby,
        ..Workloads::default()
    };
    with_workloads(&waiting(message), &workloads)
}

fn cause(message: &str, nearby: Vec<RunningWorkload>) -> Cause {
    diagnosis(message, nearby).cause.expect("a cause")
}

#[test]
fn headline_names_the_plan_whose_objects_stay() {
    let expected = "InstallPlan harbor/ferry-2 has been blocked since 2026-01-01 06:00 UTC. The \
                    plan has applied 1 of 2 objects. The other objects are still in the version of \
                    InstallPlan ferry-1, or are missing if they are new.";
    assert_eq!(diagnosis(UNREACHABLE, Vec::new()).headline, expected);
}

#[rstest]
#[case::webhook_with_a_service(
    UNREACHABLE,
    "The API server cannot call webhook pilot.example of Service hooks/pilot, so it refuses to write ConfigMap \
     harbor/a.",
    Some("Post \"https://pilot.hooks.svc:443/a\": no endpoints available")
)]
#[case::unknown_error_message(
    "is retried",
    "The API server cannot call webhook pilot.example, so it refuses to write ConfigMap harbor/a.",
    None
)]
fn message_begins_with_the_problem(
    #[case] message: &str,
    #[case] expected: &str,
    #[case] quoted: Option<&str>,
) {
    let cause = cause(message, Vec::new());
    let quote = cause.quotes.first().map(|quote| &*quote.text);
    assert_eq!(quote, quoted);
    assert_eq!(cause.message, expected);
    assert_eq!(cause.at_fault, Object::new("webhook", "", "pilot.example"));
}

/// Portolan does not compare the selector of the Service with the labels of the Pods. Therefore the
/// cause has the certainty "likely".
#[test]
fn only_stopped_deployment_in_the_namespace_of_the_service_is_at_fault() {
    let nearby = vec![stopped("hooks", "pilot"), stopped("sea", "tug")];
    let cause = cause(UNREACHABLE, nearby);
    assert_eq!(
        cause.at_fault,
        Object::new("Deployment.apps", "hooks", "pilot")
    );
    assert_eq!(cause.confidence.certainty, Certainty::Likely);
    let stopped = "Deployment.apps hooks/pilot has no ready Pod.";
    assert!(cause.message.contains(stopped), "{}", cause.message);
    let look = cause.remedy.look.first().map(|it| it.action.text());
    assert_eq!(
        look,
        Some("kubectl describe deployments.apps/pilot -n hooks")
    );
}

#[test]
fn several_stopped_deployments_are_named_but_not_at_fault() {
    let nearby = vec![stopped("hooks", "tug"), stopped("hooks", "ketch")];
    let cause = cause(UNREACHABLE, nearby);
    assert_eq!(cause.at_fault.kind, "webhook");
    let both = "The following objects have no ready Pod: Deployment.apps hooks/ketch, Deployment.apps hooks/tug.";
    assert!(cause.message.contains(both), "{}", cause.message);
}
