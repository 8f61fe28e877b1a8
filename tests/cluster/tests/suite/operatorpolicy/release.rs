//! Policies that are let go without a controller.

use kube::api::DeleteParams;
use portolan_controller::{Freed, release_finalizers};
use portolan_rig::{Failure, Kind, until_gone};
use serde_json::{Value, json};

use super::bare::{Bare, delivered, own};

const DEFINITION: &str = "operatorpolicies.policy.open-cluster-management.io";

/// A policy with these finalizers, if any.
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

/// Lets all policies go; returns what came of it, and what was told.
async fn release(bare: &Bare) -> (Freed, Vec<String>) {
    let mut told = Vec::new();
    let tell = |line: &str| told.push(line.to_owned());
    let freed = release_finalizers(&bare.client, tell).await;
    let freed = freed.expect("policies that can be listed");
    told.sort();
    (freed, told)
}

fn freed(count: usize) -> Freed {
    Freed {
        count,
        failures: Vec::new(),
    }
}

/// Before the controller goes for good, all policies are let go, of our finalizer and of no other;
/// it is no failure if there are none, or if nothing even knows of policies.
///
/// Behavior 112.
#[tokio::test]
async fn policies_are_let_go_before_the_controller_is() -> Result<(), Failure> {
    let Some(bare) = own("released", delivered()?).await? else {
        return Ok(());
    };
    let here = &*bare.namespace;
    policy(&bare, "cutter", &["portolan.dev/removal"]).await?;
    let both = ["a.test/first", "portolan.dev/removal", "z.test/last"];
    policy(&bare, "tender", &both).await?;
    policy(&bare, "yawl", &["a.test/first"]).await?;
    policy(&bare, "launch", &[]).await?;

    let told = ["cutter", "tender"].map(|name| format!("{here}/{name} is free"));
    assert_eq!(release(&bare).await, (freed(2), told.to_vec()));
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

    let nothing = vec!["no OperatorPolicy is held back: nothing to do".to_owned()];
    assert_eq!(release(&bare).await, (freed(0), nothing.clone()));
    for name in ["tender", "yawl"] {
        let free = kube::api::Patch::Merge(json!({"metadata": {"finalizers": null}}));
        policies.patch(name, &Default::default(), &free).await?;
    }
    let definitions = Kind::CustomResourceDefinition.everywhere(&bare.client);
    let now = DeleteParams::default();
    definitions.delete(DEFINITION, &now).await?;
    until_gone(&definitions, DEFINITION).await?;
    assert_eq!(release(&bare).await, (freed(0), nothing));
    Ok(())
}
