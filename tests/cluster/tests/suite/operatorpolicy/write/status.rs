//! Tests the status of a policy, and its compliance events.

use std::collections::BTreeMap;

use jiff::Timestamp;
use kube::api::ListParams;
use portolan_api::{Compliance, HistoryEvent, Installed, OperatorPolicyStatus, Upgrades};
use portolan_controller::write::{WriteFailure, WrittenStep};
use portolan_core_operatorpolicy::{Action, ComplianceEvent, StatusUpdate};
use portolan_rig::{Failure, Kind};
use serde_json::{Value, json};

use super::author::{Author, done};
use crate::objects::api;
use crate::operatorpolicy::bare::{Bare, bare, delivered, own};

/// Returns a status update for a compliant policy with this message.
fn status_update(message: &str) -> StatusUpdate {
    let at = Timestamp::now();
    let history = json!([{"message": message, "lastTimestamp": micros(at)}]);
    let history: Vec<HistoryEvent> = serde_json::from_value(history).expect("a history");
    StatusUpdate {
        status: OperatorPolicyStatus {
            compliant: Some(Compliance::Compliant),
            history,
            upgrades: Some(Upgrades {
                installed: Some(Installed {
                    name: "hull.v1.0.0".to_owned(),
                    version: None,
                }),
                ..Upgrades::default()
            }),
            ..OperatorPolicyStatus::default()
        },
        event: Some(ComplianceEvent {
            is_compliant: true,
            message: message.to_owned(),
            at,
        }),
    }
}

/// Returns a time in the format of a history entry.
fn micros(at: Timestamp) -> String {
    format!(
        "{:.6}",
        Timestamp::from_microsecond(at.as_microsecond()).expect("a time")
    )
}

async fn events(bare: &Bare) -> Result<Vec<Value>, Failure> {
    let events = api(&bare.client, ["v1", "Event", &bare.namespace]);
    let all = events.list(&ListParams::default()).await?.items;
    Ok(all.iter().map(|event| json!(event)).collect())
}

fn known(tell: Result<Option<String>, WriteFailure>) -> Option<String> {
    tell.unwrap_or_else(|failure| panic!("the write must succeed: {failure:?}"))
}

#[tokio::test]
async fn publishes_status_once_with_its_event() -> Result<(), Failure> {
    let Some(bare) = bare("told").await? else {
        return Ok(());
    };
    let mut author = Author::of(&bare);
    author.policy(&bare, json!({"labels": {"a": "b"}})).await?;
    let output = status_update("Compliant; all is well");
    let version = known(
        author
            .writer
            .publish(&author.policy, std::slice::from_ref(&output))
            .await,
    );
    let there = bare.read(Kind::OperatorPolicy, "hull").await?;
    assert_eq!(there["status"], json!(output.status));
    assert_eq!(there["metadata"]["resourceVersion"], json!(version));
    let spec = (&there["metadata"]["labels"], &there["spec"]["subscription"]);
    assert_eq!(spec, (&json!({"a": "b"}), &json!({"name": "hull"})));

    let stale = author
        .writer
        .publish(&author.policy, &[status_update("Compliant; later")])
        .await;
    assert!(matches!(stale, Err(WriteFailure::Conflict(_))), "{stale:?}");
    author.look(&bare).await?;
    let same = author
        .writer
        .publish(&author.policy, std::slice::from_ref(&output))
        .await;
    assert_eq!(known(same), None);
    let again = author.writer.announce_again(&author.policy).await;
    assert_eq!(again, Ok(()));

    let events = events(&bare).await?;
    assert_eq!(events.len(), 1, "{events:?}");
    let event = &events[0];
    assert_eq!(event["message"], "Compliant; all is well");
    assert_eq!(
        event["reason"],
        format!("policy: {}/hull", &*bare.namespace)
    );
    assert_eq!(event["involvedObject"]["uid"], there["metadata"]["uid"]);
    Ok(())
}

#[tokio::test]
async fn creates_missing_events_after_restart() -> Result<(), Failure> {
    let Some(bare) = bare("restart").await? else {
        return Ok(());
    };
    let mut author = Author::of(&bare);
    author.policy(&bare, json!({})).await?;
    let before = status_update("NonCompliant; nothing is there")
        .status
        .history;
    let mut silent = status_update("Compliant; all is well");
    silent.status.history.extend(before);
    silent.event = None;
    known(author.writer.publish(&author.policy, &[silent]).await);
    assert_eq!(events(&bare).await?, Vec::<Value>::new());

    let mut next = Author::of(&bare);
    next.look(&bare).await?;
    for _ in 0..2 {
        assert_eq!(next.writer.announce_again(&next.policy).await, Ok(()));
    }
    let events = events(&bare).await?;
    let output: Vec<_> = events
        .iter()
        .map(|event| (&event["message"], &event["type"]))
        .collect();
    let expected = [
        (json!("NonCompliant; nothing is there"), json!("Warning")),
        (json!("Compliant; all is well"), json!("Normal")),
    ];
    assert_eq!(
        output,
        expected.each_ref().map(|(message, kind)| (message, kind))
    );
    Ok(())
}

/// Two statuses are written, one after the other. The type of each event must fit its message.
/// Defect D15 in `tests/behaviors.md`.
#[tokio::test]
async fn each_event_has_the_type_of_its_message() -> Result<(), Failure> {
    let Some(bare) = bare("early").await? else {
        return Ok(());
    };
    let mut author = Author::of(&bare);
    author.policy(&bare, json!({})).await?;
    let mut early = status_update("NonCompliant; it is missing");
    early.event = early.event.map(|event| ComplianceEvent {
        is_compliant: false,
        ..event
    });
    let all = [early, status_update("Compliant; it was made")];
    known(author.writer.publish(&author.policy, &all).await);
    let there = bare.read(Kind::OperatorPolicy, "hull").await?;
    assert_eq!(there["status"], json!(all[1].status));
    let events = events(&bare).await?;
    let output = events
        .iter()
        .map(|event| (event["message"].clone(), event["type"].clone()));
    let expected = BTreeMap::from([
        ("NonCompliant; it is missing".to_owned(), json!("Warning")),
        ("Compliant; it was made".to_owned(), json!("Normal")),
    ]);
    let output: BTreeMap<_, _> = output
        .map(|(message, kind)| (message.as_str().unwrap_or_default().to_owned(), kind))
        .collect();
    assert_eq!(output, expected);
    Ok(())
}

/// From one observation, the controller adds the finalizer, writes the status and removes the
/// finalizer.
#[tokio::test]
async fn writes_status_between_finalizer_steps() -> Result<(), Failure> {
    let Some(bare) = bare("recorded").await? else {
        return Ok(());
    };
    let mut author = Author::of(&bare);
    author.policy(&bare, json!({})).await?;
    let steps = vec![
        Action::AddFinalizer,
        Action::WriteStatus,
        Action::RemoveFinalizer,
    ];
    let written = author.does_all(steps).await;
    assert_eq!(written.len(), 3);
    written.iter().for_each(done);
    let there = bare.read(Kind::OperatorPolicy, "hull").await?;
    let after = WrittenStep::policy_after(&written, &author.policy);
    assert_eq!(json!(after.status), there["status"]);
    assert_eq!(there["status"]["compliant"], "NonCompliant");
    assert_eq!(
        json!(after.metadata.resource_version),
        there["metadata"]["resourceVersion"]
    );
    assert_eq!(there["metadata"].get("finalizers"), None);
    Ok(())
}

/// The API server does not limit the message of a core Event, so the longest message of a status
/// fits.
#[tokio::test]
async fn longest_message_is_sent_whole_for_the_owner() -> Result<(), Failure> {
    let Some(bare) = bare("long").await? else {
        return Ok(());
    };
    let mut author = Author::of(&bare);
    let owner = json!({
        "apiVersion": "policy.open-cluster-management.io/v1",
        "kind": "Policy",
        "name": format!("default.{}", "p".repeat(240)),
        "uid": "0c8a7f2e-0000-4000-8000-000000000000",
    });
    author
        .policy(&bare, json!({"ownerReferences": [owner]}))
        .await?;
    let message = format!("Compliant; {}", "ä".repeat(4085));
    known(
        author
            .writer
            .publish(&author.policy, &[status_update(&message)])
            .await,
    );
    let events = events(&bare).await?;
    let output: Vec<_> = events.iter().map(|event| &event["message"]).collect();
    assert_eq!(output, [&json!(message)]);
    assert_eq!(events[0]["involvedObject"]["name"], owner["name"]);
    assert_eq!(events[0]["related"]["name"], "hull");
    Ok(())
}

#[tokio::test]
async fn prunes_status_to_the_served_crd() -> Result<(), Failure> {
    let mut crd = delivered()?;
    let version = &mut crd["spec"]["versions"][0];
    let columns = version["additionalPrinterColumns"].as_array_mut();
    columns
        .expect("columns")
        .retain(|column| column["name"] == "Compliant");
    let status = &mut version["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"];
    for ours in ["removal", "upgrades"] {
        let gone = status
            .as_object_mut()
            .and_then(|fields| fields.remove(ours));
        assert!(gone.is_some(), "{ours} is ours");
    }
    let Some(bare) = own("established", crd).await? else {
        return Ok(());
    };
    let mut author = Author::of(&bare);
    author.policy(&bare, json!({})).await?;
    let output = status_update("Compliant; all is well");
    assert!(
        known(
            author
                .writer
                .publish(&author.policy, std::slice::from_ref(&output))
                .await
        )
        .is_some()
    );
    let there = bare.read(Kind::OperatorPolicy, "hull").await?;
    let mut cut = json!(output.status);
    cut.as_object_mut().expect("fields").remove("upgrades");
    assert_eq!(there["status"], cut);

    author.look(&bare).await?;
    assert_eq!(
        known(author.writer.publish(&author.policy, &[output]).await),
        None
    );
    Ok(())
}
