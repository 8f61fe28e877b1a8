//! A policy as Open Cluster Management distributes it, and what its framework reads of it. The framework is
//! played: as its status controller does, this takes the newest compliance event about the parent.

use kube::Api;
use kube::api::{ApiResource, DynamicObject, ListParams};
use kube::core::GroupVersionKind;
use portolan_kit::catalog;
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until};
use serde_json::json;

use crate::approval::policy::policy;
use crate::operatorpolicy::stage::{Stage, stage};

/// The parent, which the framework makes in the same namespace.
const PARENT: &str = "policies.harbor";

#[tokio::test]
async fn the_framework_hears_of_its_policies() -> Result<(), Failure> {
    let offered = catalog("sampan: 1.0.0").installable();
    let Some(stage) = stage("framework", &offered).await? else {
        return Ok(());
    };
    let here = stage.world.namespace();
    let mut body = stage.about(policy("sampan").informs()).body(here);
    body["metadata"] = json!({
        "labels": {
            "policy.open-cluster-management.io/cluster-name": here,
            "policy.open-cluster-management.io/cluster-namespace": here,
            "policy.open-cluster-management.io/policy": PARENT,
        },
        "ownerReferences": [{
            "apiVersion": "policy.open-cluster-management.io/v1", "kind": "Policy", "name": PARENT,
            "uid": "a8a45d8c-7a2f-4d3e-9f5e-0c1d2b3a4f5e", "controller": true, "blockOwnerDeletion": true,
        }],
    });
    let kind = Kind::OperatorPolicy;
    stage.editor.create(kind, "sampan", body).await?;
    hears(&stage, "NonCompliant").await?;
    stage
        .rewrite("sampan", json!({"complianceType": "mustnothave"}))
        .await?;
    hears(&stage, "Compliant").await
}

/// Waits until the newest event about the parent says this of the policy.
async fn hears(stage: &Stage, wanted: &str) -> Result<(), Failure> {
    let here = stage.world.namespace();
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Event"));
    let events: Api<DynamicObject> =
        Api::namespaced_with(stage.world.client().clone(), here, &kind);
    let about = format!("involvedObject.kind=Policy,involvedObject.name={PARENT}");
    let about = ListParams::default().fields(&about);
    let what = format!("the framework to hear {wanted}");
    until(what, PATIENCE, async || {
        let all = events.list(&about).await?;
        let newest = all.items.iter().max_by_key(|event| {
            let last = event.data["lastTimestamp"].as_str();
            (last, event.metadata.name.as_deref())
        });
        let Some(newest) = newest else {
            return Ok(Seen::NotYet("nothing".to_owned()));
        };
        assert_eq!(newest.data["reason"], format!("policy: {here}/sampan"));
        let message = newest.data["message"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let said = message.split_once(';').map(|(compliance, _)| compliance);
        Ok(if said == Some(wanted) {
            Seen::Yes(())
        } else {
            Seen::NotYet(message)
        })
    })
    .await
}
