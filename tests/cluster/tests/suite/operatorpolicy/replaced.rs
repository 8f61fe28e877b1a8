//! Tests the CRD of policies. It is replaced with a CRD that has fewer fields, and is then
//! restored.

use kube::Api;
use kube::api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use portolan_api::FINALIZER;
use portolan_controller::release_finalizers;
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until, until_gone, until_object};
use serde_json::{Value, json};

use super::bare::{Bare, delivered, own};
use super::beside::{Controller, established};
use crate::objects::api;

const CRD: &str = "operatorpolicies.policy.open-cluster-management.io";
/// The policies of the test. Each has fields that the other CRD lacks.
const POLICIES: [&str; 3] = ["hull", "keel", "mast"];

/// Creates a policy in the design form. No CRD has a schema for some of its fields.
async fn policy(bare: &Bare, name: &str) -> Result<(), Failure> {
    let here = &*bare.namespace;
    let body = json!({
        "metadata": {"finalizers": [FINALIZER]},
        "spec": {
            "remediationAction": "enforce",
            "operatorGroup": {"name": "own", "target": {"namespaces": [here]}},
            "subscription": {
                "name": name, "namespace": here, "channel": "stable",
                "source": "fleet", "sourceNamespace": "olm",
                "config": {"nodeSelector": {"a.test/b": "c"}},
            },
            "allowedCSVs": [format!("{name}@>=1.0.0 <2.0.0"), "hull.v3.0.0"],
            "removalBehavior": {"installPlans": "Delete", "apiServiceDefinitions": "Keep"},
            "statusConfig": {"upgradesAvailable": "NonCompliant"},
        },
    });
    bare.create("kubectl", Kind::OperatorPolicy, name, body)
        .await?;
    Ok(())
}

/// Replaces the CRD, and waits until the API server serves the new CRD.
async fn replace(bare: &Bare, mut crd: Value, has_own: bool) -> Result<(), Failure> {
    let crds = Kind::CustomResourceDefinition.everywhere(&bare.client);
    let live = crds.get(CRD).await?;
    crd["metadata"]["resourceVersion"] = json!(live.metadata.resource_version);
    let crd: DynamicObject = serde_json::from_value(crd).map_err(Failure::read("a CRD"))?;
    crds.replace(CRD, &PostParams::default(), &crd).await?;
    let policies = bare.objects(Kind::OperatorPolicy);
    let what = format!("spec.allowedCSVs, or not: {has_own}");
    let is_served =
        |policy: &DynamicObject| has_own != policy.data["spec"]["allowedCSVs"].is_null();
    until_object(&policies, "hull", &what, is_served).await?;
    Ok(())
}

async fn specs(policies: &Api<DynamicObject>) -> Result<Vec<String>, Failure> {
    let mut all = Vec::new();
    for name in POLICIES {
        all.push(policies.get(name).await?.data["spec"].to_string());
    }
    Ok(all)
}

/// Waits until each policy has an Event which reports that the controller writes nothing.
async fn reported(bare: &Bare) -> Result<(), Failure> {
    let events = api(&bare.client, ["v1", "Event", &bare.namespace]);
    let read_only = ListParams::default().fields("reason=ReadOnly");
    until("an Event of each policy", PATIENCE, async || {
        let all = events.list(&read_only).await?.items;
        let is_about = |name: &str| {
            all.iter()
                .any(|it| it.data["involvedObject"]["name"] == name)
        };
        Ok(if POLICIES.iter().all(|name| is_about(name)) {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{} Events", all.len()))
        })
    })
    .await
}

async fn has_status(policies: &Api<DynamicObject>, name: &str, part: &str) -> Result<(), Failure> {
    let says = |policy: &DynamicObject| policy.data["status"].to_string().contains(part);
    until_object(policies, name, part, says).await?;
    Ok(())
}

/// The API server drops the fields that the CRD lacks, when it decodes an object. Each write would
/// store the object without these fields. So the controller must write nothing.
#[tokio::test]
async fn specs_are_unchanged_after_a_crd_without_their_fields() -> Result<(), Failure> {
    let Some(bare) = own("replaced", delivered()?).await? else {
        return Ok(());
    };
    let policies = bare.objects(Kind::OperatorPolicy);
    for name in POLICIES {
        policy(&bare, name).await?;
    }
    let before = specs(&policies).await?;
    let running = Controller::start(&bare, "running", &[]).await?;
    for name in POLICIES {
        has_status(&policies, name, "PolicyValidated").await?;
    }

    replace(&bare, established()?, false).await?;
    running
        .until_metric("portolan_controller_read_only 1")
        .await?;
    reported(&bare).await?;
    drop(running);
    let takes_over = Controller::start(&bare, "takes-over", &["--take-over"]).await?;
    takes_over
        .until_metric("cluster_policy_governance_info{")
        .await?;
    let freed = release_finalizers(&bare.client, |_| {}).await;
    let freed = freed.expect("policies that can be listed");
    assert_eq!((freed.count, freed.failures.len()), (0, POLICIES.len()));

    replace(&bare, delivered()?, true).await?;
    assert_eq!(specs(&policies).await?, before);
    // After the CRD is restored, the controller writes again.
    for name in POLICIES {
        let change = json!({"spec": {"severity": "low"}});
        let change = Patch::Merge(change);
        let policy = policies
            .patch(name, &PatchParams::default(), &change)
            .await?;
        let seen = format!(
            "\"observedGeneration\":{}",
            policy.metadata.generation.unwrap_or(0)
        );
        has_status(&policies, name, &seen).await?;
    }
    drop(takes_over);
    finalizers_can_be_removed(&bare).await
}

/// The command also works for a policy that another client wrote meanwhile, so that the fields of
/// its form are lost.
async fn finalizers_can_be_removed(bare: &Bare) -> Result<(), Failure> {
    let policies = bare.objects(Kind::OperatorPolicy);
    policies.delete("keel", &DeleteParams::default()).await?;
    replace(bare, established()?, false).await?;
    let freed = release_finalizers(&bare.client, |_| {}).await;
    let freed = freed.expect("policies that can be listed");
    assert_eq!((freed.count, freed.failures.len()), (1, 2), "{freed:?}");
    until_gone(&policies, "keel").await?;
    let theirs = Patch::Merge(json!({"status": {"compliant": "Compliant"}}));
    let us = PatchParams {
        field_manager: Some("portolan".to_owned()),
        ..PatchParams::default()
    };
    policies.patch_status("mast", &us, &theirs).await?;

    replace(bare, delivered()?, true).await?;
    let mast = policies.get("mast").await?;
    assert_eq!(mast.data["spec"]["allowedCSVs"], Value::Null, "the hazard");
    let _works = Controller::start(bare, "works", &[]).await?;
    has_status(&policies, "mast", "InvalidPolicySpec").await?;
    policies.delete("mast", &DeleteParams::default()).await?;
    until_gone(&policies, "mast").await
}
