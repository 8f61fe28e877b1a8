//! Tests a status whose compliance another writer removes.

use kube::api::{DynamicObject, ListParams};
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until, until_object};
use serde_json::{Value, json};

use super::bare::{Bare, bare};
use super::beside::{Controller, patched, policy};
use super::fake_olm::only;
use super::killed::instant;

use crate::objects::api;

/// Returns the time in microseconds and the message of the last history entry.
fn last(status: &Value) -> (i64, String) {
    let line = &status["history"][0];
    let at = line["lastTimestamp"].as_str().unwrap_or_default();
    let at: jiff::Timestamp = at.parse().expect("a time");
    let message = line["message"].as_str().unwrap_or_default();
    (at.as_microsecond(), message.to_owned())
}

/// Waits until the Subscription matches the policy, and until the status reports this. Returns the
/// status.
async fn settled(bare: &Bare) -> Result<Value, Failure> {
    let policies = bare.objects(Kind::OperatorPolicy);
    let is_settled = |policy: &DynamicObject| {
        let status = &policy.data["status"];
        let mut conditions = status["conditions"].as_array().into_iter().flatten();
        // The controller has already called the resolver, which does not run. So no other message
        // follows.
        let output = status["history"][0]["message"].as_str();
        status["compliant"].is_string()
            && output.is_some_and(|output| output.contains("connect to 127.0.0.1:1"))
            && conditions.any(|it| it["reason"] == "SubscriptionMatches")
    };
    let policy = until_object(&policies, "hull", "SubscriptionMatches", is_settled).await?;
    Ok(policy.data["status"].clone())
}

/// Waits for an event with this time and message.
async fn until_event(bare: &Bare, (at, message): (i64, String)) -> Result<(), Failure> {
    let events = api(&bare.client, ["v1", "Event", &bare.namespace]);
    until(format!("the event at {at}"), PATIENCE, async || {
        let all = events.list(&ListParams::default()).await?.items;
        let is_reported = all.iter().any(|event| {
            let name = event.metadata.name.as_deref().unwrap_or_default();
            instant(name) == Some(at) && event.data["message"] == message
        });
        Ok(if is_reported {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{} others", all.len()))
        })
    })
    .await
}

/// A writer that removes a field does not own the field. Nevertheless the controller notices the
/// change, and sends the event again.
///
/// Behaviors 3 and 7 in `tests/behaviors.md`.
#[tokio::test]
async fn clearing_the_compliance_sends_its_event_again() -> Result<(), Failure> {
    let Some(bare) = bare("emptied").await? else {
        return Ok(());
    };
    policy(&bare).await?;
    let here = only(&bare.namespace);
    let _controller = Controller::start(&bare, "emptied", &["--take-over", &here]).await?;
    let before = settled(&bare).await?;
    let (at, message) = last(&before);
    until_event(&bare, (at, message.clone())).await?;

    let emptied = json!({"status": {"compliant": null}});
    patched(&bare, "kubectl", emptied, true).await?;
    let after = settled(&bare).await?;
    let (again, repeated) = last(&after);
    assert_eq!(repeated, message);
    assert!(again > at, "{after:#}");
    until_event(&bare, (again, repeated)).await
}
