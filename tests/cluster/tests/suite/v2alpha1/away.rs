//! A webhook that is unavailable and then available again, and an Operator that is deleted while
//! objects have its label.

use portolan_rig::{Failure, PATIENCE, Seen, until};

use serde_json::Value;

use super::stage::{Quay, V1, V2, components, quay};

/// OLM creates an Operator for a label, no matter if a user wrote an Operator. OLM watches
/// Namespaces, but no ConfigMaps of other owners.
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
    // v2alpha1 is unreadable from the first request for which the API server has no cached answer.
    let read = ["get", V2, "made", "-v=0"];
    quay.until_output(
        &read,
        "conversion webhook for operators.coreos.com/v1, Kind=Operator failed",
    )
    .await?;
    // v1 can still be read, and OLM and our controller can still write OLM's Operator.
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
    // The same applies to an Operator that was written in v2alpha1, although managedFields has an
    // entry of that version.
    quay.run(&["label", V1, "written", "a=b"]).await?;

    quay.starts_webhook().await?;
    let has = |it: &_| components(it).len() == 2;
    quay.until_operator("made", "what was written meanwhile", has)
        .await?;
    Ok(())
}

/// OLM recreates an Operator if an object has its label. This Operator is not recreated.
async fn goes(quay: &Quay) -> Result<(), Failure> {
    quay.run(&["delete", V1, "written", "--timeout=180s"])
        .await?;
    let labels = quay.json(&["get", "namespace/written"]).await?;
    let labels = &labels["metadata"]["labels"];
    assert_eq!(labels["operators.coreos.com/written"], Value::Null);
    // When OLM has created the Operator for another label, it has processed the deletion.
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
