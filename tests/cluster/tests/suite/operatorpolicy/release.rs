//! Tests the command that removes finalizers, without a running controller.

use kube::Api;
use kube::api::{ApiResource, DeleteParams, DynamicObject, PostParams};
use portolan_api::plan::InstallPlan;
use portolan_controller::{Freed, release_finalizers};
use portolan_rig::{Failure, Kind, until_gone};
use serde_json::{Value, json};

use super::bare::{Bare, delivered, own};
use crate::approval::crds::create_crd;
use crate::objects::make;

const DEFINITION: &str = "operatorpolicies.policy.open-cluster-management.io";

/// Creates a policy with these finalizers.
async fn policy(bare: &Bare, name: &str, finalizers: &[&str]) -> Result<(), Failure> {
    let body = json!({
        "metadata": {"finalizers": finalizers},
        "spec": {
            "remediationAction": "enforce",
            "subscription": {"name": name, "namespace": &*bare.namespace},
            "allowedCSVs": ["*"],
        },
    });
    bare.create("kubectl", Kind::OperatorPolicy, name, body)
        .await?;
    Ok(())
}

/// Removes all finalizers of Portolan. Returns the result and the output.
async fn release(bare: &Bare) -> (Freed, Vec<String>) {
    let mut reported = Vec::new();
    let print = |line: &str| reported.push(line.to_owned());
    let freed = release_finalizers(&bare.client, print).await;
    let freed = freed.expect("policies that can be listed");
    reported.sort();
    (freed, reported)
}

fn freed(count: usize) -> Freed {
    Freed {
        count,
        failures: Vec::new(),
    }
}

/// Creates InstallPlans. One of them has our finalizer and also another finalizer.
async fn plans(bare: &Bare) -> Result<Api<DynamicObject>, Failure> {
    create_crd(&bare.client, "installplans.plans.portolan.dev").await?;
    let resource = ApiResource::erase::<InstallPlan>(&());
    let plans = Api::namespaced_with(bare.client.clone(), &bare.namespace, &resource);
    let manifest = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
    let plan = json!({
        "apiVersion": "plans.portolan.dev/v1alpha1", "kind": "InstallPlan",
        "metadata": {"name": "ferry", "finalizers": ["a.test/first", "plans.portolan.dev/members"]},
        "spec": {
            "serviceAccountName": "installer",
            "stages": [{"name": "all", "resources": [{"manifest": manifest}]}],
        },
    });
    let plan = serde_json::from_value(plan).map_err(Failure::read("a plan"))?;
    plans.create(&PostParams::default(), &plan).await?;
    Ok(plans)
}

/// Creates a cluster-scoped Operator and Install, each with our finalizer.
async fn operators(bare: &Bare) -> Result<(), Failure> {
    create_crd(&bare.client, "operators.operators.operatorframework.io").await?;
    create_crd(&bare.client, "installs.operators.coreos.com").await?;
    let operator = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
        "metadata": {"name": "ferry", "finalizers": ["operators.portolan.dev/plans"]},
        "spec": {"packageName": "ferry"},
    });
    let install = json!({
        "apiVersion": "operators.coreos.com/v2alpha1", "kind": "Install",
        "metadata": {"name": "rope", "finalizers": ["operators.portolan.dev/installed"]},
        "spec": {"content": [{"type": "Raw", "raw": "{}"}]},
    });
    make(&bare.client, &operator).await?;
    make(&bare.client, &install).await
}

/// Before an uninstall, the command removes our finalizer from all policies, and no other
/// finalizer. A cluster without policies, or without their CRD, is not an error.
///
/// Behavior 112 in `tests/behaviors.md`.
#[tokio::test]
async fn release_removes_only_our_finalizers() -> Result<(), Failure> {
    let Some(bare) = own("released", delivered()?).await? else {
        return Ok(());
    };
    let here = &*bare.namespace;
    policy(&bare, "cutter", &["portolan.dev/removal"]).await?;
    let both = ["a.test/first", "portolan.dev/removal", "z.test/last"];
    policy(&bare, "tender", &both).await?;
    policy(&bare, "yawl", &["a.test/first"]).await?;
    policy(&bare, "launch", &[]).await?;

    let reported = ["cutter", "tender"].map(|name| format!("{here}/{name}: finalizer removed"));
    assert_eq!(release(&bare).await, (freed(2), reported.to_vec()));
    let finalizers = async |name: &str| {
        let policy = bare.read(Kind::OperatorPolicy, name).await?;
        Ok::<Value, Failure>(policy["metadata"]["finalizers"].clone())
    };
    assert_eq!(finalizers("cutter").await?, Value::Null);
    assert_eq!(
        finalizers("tender").await?,
        json!(["a.test/first", "z.test/last"])
    );
    assert_eq!(finalizers("yawl").await?, json!(["a.test/first"]));
    let policies = bare.objects(Kind::OperatorPolicy);
    policies.delete("cutter", &DeleteParams::default()).await?;
    until_gone(&policies, "cutter").await?;

    let plans = plans(&bare).await?;
    let reported = vec![format!("plan {here}/ferry: finalizer removed")];
    assert_eq!(release(&bare).await, (freed(1), reported));
    let ferry = plans.get("ferry").await?;
    assert_eq!(
        ferry.metadata.finalizers,
        Some(vec!["a.test/first".to_owned()])
    );

    operators(&bare).await?;
    let reported = vec![
        "install rope: finalizer removed".to_owned(),
        "operator ferry: finalizer removed".to_owned(),
    ];
    assert_eq!(release(&bare).await, (freed(2), reported));

    let nothing = vec![portolan_controller::NOTHING_HELD.to_owned()];
    assert_eq!(release(&bare).await, (freed(0), nothing.clone()));
    for name in ["tender", "yawl"] {
        let free = kube::api::Patch::Merge(json!({"metadata": {"finalizers": null}}));
        policies.patch(name, &Default::default(), &free).await?;
    }
    let all_crds = Kind::CustomResourceDefinition.everywhere(&bare.client);
    let now = DeleteParams::default();
    all_crds.delete(DEFINITION, &now).await?;
    until_gone(&all_crds, DEFINITION).await?;
    assert_eq!(release(&bare).await, (freed(0), nothing));
    Ok(())
}
