//! Tests errors of the API server, with its messages, and responses that are lost.

use portolan_core_operatorpolicy::{Action, StepOutcome};
use portolan_kit::proxy::Action as Trouble;
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until};
use portolan_runtime::lease::Fence;
use serde_json::json;

use super::author::{Author, done, refused, subscription};
use crate::detour;
use crate::operatorpolicy::bare::bare;

#[tokio::test]
async fn names_missing_namespace() -> Result<(), Failure> {
    let Some(bare) = bare("nowhere").await? else {
        return Ok(());
    };
    let mut manifest = subscription(&bare, json!({}));
    manifest["metadata"]["namespace"] = json!("nowhere");
    let outcome = Author::of(&bare)
        .does(Action::Create(manifest))
        .await
        .outcome;
    assert_eq!(refused(&outcome), r#"namespaces "nowhere" not found"#);
    Ok(())
}

#[tokio::test]
async fn reports_invalid_object_and_exceeded_quota() -> Result<(), Failure> {
    let Some(bare) = bare("quota").await? else {
        return Ok(());
    };
    let author = Author::of(&bare);
    let wrong = subscription(&bare, json!({"channel": 7}));
    let outcome = author.does(Action::Create(wrong)).await.outcome;
    assert!(refused(&outcome).contains("spec.channel"), "{outcome:?}");

    let quota = json!({
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "none", "namespace": &*bare.namespace},
        "spec": {"hard": {"configmaps": "0"}},
    });
    done(&author.does(Action::Create(quota)).await);
    until("the quota to hold", PATIENCE, async || {
        let note = json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "note", "namespace": &*bare.namespace},
        });
        let outcome = author.does(Action::Create(note)).await.outcome;
        Ok(match &outcome {
            StepOutcome::Refused(why) if why.contains("exceeded quota: none") => Seen::Yes(()),
            other => Seen::NotYet(format!("{other:?}")),
        })
    })
    .await
}

#[tokio::test]
async fn write_without_response_has_unknown_outcome() -> Result<(), Failure> {
    let Some(bare) = bare("lost").await? else {
        return Ok(());
    };
    let proxy = detour::proxy(&bare.cluster).await?;
    let client = detour::client(&proxy, PATIENCE)?;
    let author = Author::fenced(&client, Fence::open());
    proxy.at_write(1, Trouble::CutAfter);
    let manifest = subscription(&bare, json!({}));
    let outcome = author.does(Action::Create(manifest.clone())).await.outcome;
    assert!(matches!(outcome, StepOutcome::Lost(_)), "{outcome:?}");
    bare.read(Kind::Subscription, "hull").await?;

    proxy.answer("POST /apis/operators.coreos.com", 500, 1);
    let outcome = author.does(Action::Create(manifest.clone())).await.outcome;
    assert!(matches!(outcome, StepOutcome::Lost(_)), "{outcome:?}");

    proxy.freeze();
    let outcome = author.does(Action::Create(manifest)).await.outcome;
    let late = "the API server did not answer within 10 s";
    assert_eq!(outcome, StepOutcome::Lost(late.to_owned()));
    Ok(())
}
