//! Tests a policy that Open Cluster Management distributes. The test replaces the status controller
//! of its framework: it reads the events about the parent policy and the history of the policy, and
//! writes the status of the parent policy.

use kube::Api;
use kube::api::{ApiResource, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::core::GroupVersionKind;
use portolan_kit::catalog;
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until};
use serde_json::{Value, json};

use crate::approval::crds::create_crd_from;
use crate::approval::policy::policy;
use crate::objects::api;
use crate::operatorpolicy::stage::{Stage, stage};

/// The name of the parent policy. The framework creates it in the same namespace.
const PARENT: &str = "policies.harbor";
const GROUP: &str = "policy.open-cluster-management.io";

/// The same message counts as one report if it is reported again within this many nanoseconds.
const AT_ONCE: i64 = 5_000;

/// A reported state of the policy: the time in nanoseconds, the message, and the source of the
/// report.
type Reported = (i64, String, String);

#[tokio::test]
async fn framework_receives_the_status_of_its_policies() -> Result<(), Failure> {
    let offered = catalog("sampan: 1.0.0").installable();
    let Some(stage) = stage("framework", &offered).await? else {
        return Ok(());
    };
    let here = stage.world.namespace();
    let body = stage.about(policy("sampan").informs()).body(here);
    let parent = parent(&stage, &body).await?;
    let mut body = body;
    body["metadata"] = json!({
        "labels": {
            "policy.open-cluster-management.io/cluster-name": here,
            "policy.open-cluster-management.io/cluster-namespace": here,
            "policy.open-cluster-management.io/policy": PARENT,
        },
        "ownerReferences": [{
            "apiVersion": "policy.open-cluster-management.io/v1", "kind": "Policy", "name": PARENT,
            "uid": parent.metadata.uid, "controller": true, "blockOwnerDeletion": true,
        }],
    });
    let kind = Kind::OperatorPolicy;
    stage.editor.create(kind, "sampan", body).await?;
    until_reported(&stage, &parent, "NonCompliant").await?;
    stage
        .rewrite("sampan", json!({"complianceType": "mustnothave"}))
        .await?;
    let states = until_reported(&stage, &parent, "Compliant").await?;
    let is_so = |state: &str| {
        states
            .iter()
            .any(|(_, output, _)| output.starts_with(state))
    };
    assert!(is_so("NonCompliant") && is_so("Compliant"), "{states:?}");
    Ok(())
}

/// Creates the parent policy of the framework, with our policy as a template.
async fn parent(stage: &Stage, ours: &Value) -> Result<DynamicObject, Failure> {
    let anything = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let crd = json!({
        "metadata": {"name": format!("policies.{GROUP}")},
        "spec": {
            "group": GROUP,
            "names": {"kind": "Policy", "listKind": "PolicyList", "plural": "policies", "singular": "policy"},
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {
                    "type": "object", "properties": {"spec": anything, "status": anything},
                }},
            }],
        },
    });
    let kind = Kind::CustomResourceDefinition;
    let crd = kind.object(&format!("policies.{GROUP}"), crd)?;
    create_crd_from(stage.world.client(), &crd).await?;
    let template = json!({
        "apiVersion": format!("{GROUP}/v1beta1"), "kind": "OperatorPolicy",
        "metadata": {"name": "sampan"}, "spec": ours["spec"],
    });
    let spec = json!({"disabled": false, "policy-templates": [{"objectDefinition": template}]});
    let mut parent = DynamicObject::new(PARENT, &policies_kind());
    parent.data = json!({"spec": spec});
    let policies = policies(stage);
    Ok(policies.create(&PostParams::default(), &parent).await?)
}

fn policies_kind() -> ApiResource {
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(GROUP, "v1", "Policy"), "policies")
}

fn policies(stage: &Stage) -> Api<DynamicObject> {
    let (client, here) = (stage.world.client().clone(), stage.world.namespace());
    Api::namespaced_with(client, here, &policies_kind())
}

/// Waits until the status of the parent policy has this compliance. Returns all reports.
async fn until_reported(
    stage: &Stage,
    parent: &DynamicObject,
    wanted: &str,
) -> Result<Vec<Reported>, Failure> {
    let what = format!("the framework to hear {wanted}");
    until(what, PATIENCE, async || {
        let states = reported(stage, parent).await?;
        sync(stage, &states).await?;
        let status = policies(stage).get(PARENT).await?.data["status"].clone();
        Ok(if status["compliant"] == wanted {
            Seen::Yes(states)
        } else {
            Seen::NotYet(status.to_string())
        })
    })
    .await
}

/// Returns the reports in the events about the parent policy and in the history of our policy, the
/// newest first.
async fn reported(stage: &Stage, parent: &DynamicObject) -> Result<Vec<Reported>, Failure> {
    let here = stage.world.namespace();
    let events = api(stage.world.client(), ["v1", "Event", here]);
    let mut states = Vec::new();
    for event in events.list(&ListParams::default()).await?.items {
        let about = &event.data["involvedObject"];
        if about["uid"] != json!(parent.metadata.uid) {
            continue;
        }
        assert_eq!(event.data["reason"], format!("policy: {here}/sampan"));
        assert_eq!(
            (
                &about["apiVersion"],
                &about["kind"],
                &about["name"],
                &about["namespace"]
            ),
            (
                &json!(format!("{GROUP}/v1")),
                &json!("Policy"),
                &json!(PARENT),
                &json!(here)
            )
        );
        // The name of the event ends with the time, after the last dot.
        let name = event.metadata.name.as_deref().unwrap_or_default();
        let instant = name.rsplit('.').next().unwrap_or_default();
        let instant = i64::from_str_radix(instant, 16).expect("an instant");
        states.push((instant, message(&event.data), "an event".to_owned()));
    }
    let ours = stage
        .editor
        .objects(Kind::OperatorPolicy)
        .get("sampan")
        .await?;
    let history = ours.data["status"]["history"].as_array().cloned();
    for entry in history.unwrap_or_default() {
        let instant = entry["lastTimestamp"].as_str().unwrap_or_default();
        let instant: jiff::Timestamp = instant.parse().expect("an instant");
        let nanoseconds = i64::try_from(instant.as_nanosecond()).expect("an instant of today");
        states.push((nanoseconds, message(&entry), "the history".to_owned()));
    }
    states.sort_by(|one, other| other.cmp(one));
    states.dedup_by(|later, kept| kept.1 == later.1 && kept.0 - later.0 < AT_ONCE);
    Ok(states)
}

fn message(value: &Value) -> String {
    value["message"]
        .as_str()
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// Writes the status of the parent policy, as the status controller of the framework does.
async fn sync(stage: &Stage, states: &[Reported]) -> Result<(), Failure> {
    let Some((_, newest, _)) = states.first() else {
        return Ok(());
    };
    for (at, (_, output, from)) in states.iter().enumerate().skip(1) {
        assert_ne!(
            &states[at - 1].1,
            output,
            "{from} repeats a report: {states:?}"
        );
    }
    let state = if newest.to_lowercase().starts_with("compliant") {
        "Compliant"
    } else {
        "NonCompliant"
    };
    let history: Vec<_> = states
        .iter()
        .take(10)
        .map(|(_, output, _)| json!({"message": output}))
        .collect();
    let details = json!([{
        "compliant": state, "history": history, "templateMeta": {"name": "sampan"},
    }]);
    let status = json!({"status": {"compliant": state, "details": details}});
    let params = PatchParams::default();
    let policies = policies(stage);
    policies
        .patch_status(PARENT, &params, &Patch::Merge(&status))
        .await?;
    Ok(())
}
