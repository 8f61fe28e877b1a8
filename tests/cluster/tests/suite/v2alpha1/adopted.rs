//! Tests a command that creates an Operator v2alpha1 for an existing Subscription, and then deletes
//! the Subscription.

use std::process::Command;

use portolan_rig::Failure;
use serde_json::json;

use super::stage::{Quay, V2, components, condition, quay};
use crate::operatorpolicy::fleet::kubeconfig_flag;
use crate::program::{output, portolan};

#[tokio::test]
async fn adopt_command_creates_an_operator_for_a_subscription() -> Result<(), Failure> {
    let Some(quay) = quay().await? else {
        return Ok(());
    };
    let operator = quay.world.operator("plumbus");
    operator.subscribe(&quay.catalog, "stable", None).await?;
    operator.install("plumbus.v1.0.0").await?;
    let here = quay.namespace().to_owned();
    let namespace = format!("-n={here}");
    let subscription = "subscriptions.operators.coreos.com/plumbus";
    // OLM writes this field a moment after it creates the ClusterServiceVersion. The command needs
    // the field.
    let installed = "-o=jsonpath={.status.installedCSV}";
    quay.until_output(
        &[&namespace, "get", subscription, installed],
        "plumbus.v1.0.0",
    )
    .await?;

    let message = adopts(&quay, &["--dry-run"]).await?;
    assert!(message.contains("plumbus created (dry run)"), "{message}");
    let message = quay.try_run(&["get", V2, "plumbus"]).await?;
    assert!(message.is_err(), "{message:?}");

    let message = adopts(&quay, &["--delete-subscription"]).await?;
    for line in ["plumbus created", "belongs to plumbus", "deleted"] {
        assert!(message.contains(line), "{line}: {message}");
    }
    quay.until_output(&[&namespace, "get", subscription], "not found")
        .await?;
    // The installed operator is kept and is a component of the Operator. The Operator reports an
    // update from the catalog of the Subscription.
    let reported = quay
        .until_operator("plumbus", "an update", |it| {
            condition(it, "UpdateAvailable") == "True UpdateFoundInAnotherChannel"
                && components(it).contains(&"ClusterServiceVersion plumbus.v1.0.0".to_owned())
        })
        .await?;
    let source = json!({
        "package": "plumbus", "channel": "stable", "approval": "Manual",
        "ref": {"name": "community", "namespace": here},
    });
    assert_eq!(reported["spec"]["updates"]["catalogSource"], source);
    assert!(
        components(&reported).contains(&"Deployment plumbus".to_owned()),
        "{reported}"
    );
    let phase = "-o=jsonpath={.status.phase}";
    quay.until_output(
        &[&namespace, "get", "csv/plumbus.v1.0.0", phase],
        "Succeeded",
    )
    .await
}

/// Runs `portolan adopt` as an administrator. Returns its output.
async fn adopts(quay: &Quay, words: &[&str]) -> Result<String, Failure> {
    let kubeconfig = quay.cluster().admit("adopter", Some("system:masters"))?;
    let mut command = Command::new(portolan().await?);
    command
        .args(["adopt", "plumbus", "--to", "operators.coreos.com"])
        .args(words)
        .arg(kubeconfig_flag(&kubeconfig));
    let output = output(command).await?;
    let message = [&output.stdout[..], &output.stderr[..]].concat();
    let message = String::from_utf8_lossy(&message).into_owned();
    assert!(output.status.success(), "{message}");
    Ok(message)
}
