use std::sync::Arc;

use portolan_api::policy::Policy;
use serde_json::json;

use crate::own::{Listed, OwnObjects, OwnQuestion, diagnose_own};

#[test]
fn tool_that_applies_a_policy_is_named() {
    let condition = json!({
        "type": "Accepted", "status": "False", "reason": "SpecInvalid", "message": "spec.a is unknown",
        "lastTransitionTime": "2026-01-01T06:00:00Z",
    });
    let annotations = json!({"a8r.io/owner": "harbor team"});
    let labels = json!({"argocd.argoproj.io/instance": "edge"});
    let policy = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Policy",
        "metadata": {"name": "weekends", "annotations": annotations, "labels": labels},
        "spec": {}, "status": {"observedGeneration": 1, "conditions": [condition]},
    });
    let policy: Policy = serde_json::from_value(policy).expect("a policy");
    let own = OwnObjects {
        policies: Listed {
            objects: vec![Arc::new(policy)],
            troubles: Vec::new(),
        },
        ..OwnObjects::default()
    };
    let [diagnosis] = diagnose_own(&own, OwnQuestion::default())
        .try_into()
        .expect("one diagnosis");
    let invalid = "has been invalid since 2026-01-01 06:00 UTC.";
    assert!(
        diagnosis.headline.ends_with(invalid),
        "{}",
        diagnosis.headline
    );
    let responsible = diagnosis.cause.expect("a cause").responsible;
    let who = "the author of the policy (a8r.io/owner: harbor team)";
    assert_eq!(responsible.who, who);
    let note = "Make this change in the source of Argo CD Application edge, because it applies \
                Policy.operators.operatorframework.io weekends and may undo a change that is made only in the cluster.";
    assert!(responsible.action.ends_with(note), "{}", responsible.action);
}
