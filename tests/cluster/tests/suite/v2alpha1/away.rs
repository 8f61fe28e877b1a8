//! Tests a webhook that is unavailable for some time, and an Operator that is deleted while objects
//! have its label.

use portolan_rig::{Failure, PATIENCE, Seen, until};

use serde_json::Value;

use super::stage::{Quay, V1, V2, components, quay};

/// A Namespace with the label of an Operator. OLM creates an Operator for the label, even if no
/// user wrote one. OLM watches Namespaces, but no ConfigMaps of other owners.
const LABELED: &str = "
apiVersion: v1
kind: Namespace
metadata: {name: NAME, labels: {operators.coreos.com/NAME: ''}}
";
const WRITTEN: &str = "
apiVersion: operators.coreos.com/v2alpha1
kind: Operator
metadata: {name: written}
spec: {updates: {type: CatalogSource}}
";

fn labeled(name: &str) -> String {
    LABELED.replace("NAME", name)
}

#[tokio::test]
async fn v1_works_without_the_webhook_and_deletion_removes_labels() -> Result<(), Failure> {
    let Some(mut quay) = quay().await? else {
        return Ok(());
    };
    for name in ["made", "written"] {
        quay.applies(&labeled(name)).await?;
    }
    quay.applies(WRITTEN).await?;
    for name in ["made", "written"] {
        let has = |it: &_| components(it) == [format!("Namespace {name}")];
        quay.until_operator(name, "its component", has).await?;
    }
    is_away(&mut quay).await?;
    goes(&quay).await?;
    quay.assert_no_forbidden_requests()
}

async fn is_away(quay: &mut Quay) -> Result<(), Failure> {
    quay.kills_webhook();
    // The API server may still respond from its cache. So the request is repeated until it needs
    // the webhook and fails.
    let read = ["get", V2, "made", "-v=0"];
    quay.until_output(
        &read,
        "conversion webhook for operators.coreos.com/v1, Kind=Operator failed",
    )
    .await?;
    // v1 can still be read. OLM and our controller can still write the Operator of OLM.
    quay.run(&["get", V1, "made"]).await?;
    quay.run(&["label", V1, "made", "a=b"]).await?;
    let second = labeled("made").replace("name: made", "name: second");
    quay.applies(&second).await?;
    let stored = "-o=jsonpath={.metadata.annotations.operators\\.portolan\\.dev/v2alpha1}";
    quay.until_output(&["get", V1, "made", stored], "\"name\":\"second\"")
        .await?;
    let olm = "-o=jsonpath={.status.components.refs[*].name}";
    quay.until_output(&["get", V1, "made", olm], "second")
        .await?;
    // The same is true for an Operator that a user wrote in v2alpha1. Its managedFields contain an
    // entry of v2alpha1.
    quay.run(&["label", V1, "written", "a=b"]).await?;

    quay.starts_webhook().await?;
    let has = |it: &_| components(it).len() == 2;
    quay.until_operator("made", "what was written meanwhile", has)
        .await?;
    Ok(())
}

/// OLM creates an Operator again if an object still has its label. Our controller removes the label
/// first, so this Operator is not created again.
async fn goes(quay: &Quay) -> Result<(), Failure> {
    quay.run(&["delete", V1, "written", "--timeout=180s"])
        .await?;
    let labels = quay.json(&["get", "namespace/written"]).await?;
    let labels = &labels["metadata"]["labels"];
    assert_eq!(labels["operators.coreos.com/written"], Value::Null);
    // When OLM has created the Operator for this label, it has also processed the deletion.
    quay.applies(&labeled("later")).await?;
    until("an Operator of OLM", PATIENCE, async || {
        let names = quay.run(&["get", V1, "-o=name"]).await?;
        Ok(if names.contains("/later") {
            Seen::Yes(())
        } else {
            Seen::NotYet(names)
        })
    })
    .await?;
    let names = quay.run(&["get", V1, "-o=name"]).await?;
    assert!(!names.contains("/written"), "{names}");
    Ok(())
}
