//! Tests certificates that expire while API servers send requests.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use jiff::SignedDuration;
use kube::api::{DynamicObject, PostParams};
use portolan_rig::{Failure, PATIENCE, Seen, until};
use portolan_webhook::{Lifetimes, Terms};
use serde_json::json;

use super::stage::{CONFIGURATION, Pier, pier};

use crate::objects::api;

/// The number of clients that send requests at the same time.
const CALLERS: usize = 4;

/// Returns very short lifetimes: a few seconds for certificates and certificate authorities, and
/// 100 ms for connections.
fn short() -> Terms {
    let seconds = SignedDuration::from_secs;
    Terms {
        lifetimes: Lifetimes {
            leaf: seconds(6),
            authority: seconds(16),
            successor: seconds(8),
            announced: seconds(2),
            backdated: seconds(1),
        },
        connection_age: Duration::from_millis(100),
    }
}

/// Checks that the webhook responds while its certificates are renewed. Without a response, the API
/// server would admit invalid objects.
#[tokio::test]
async fn webhook_answers_during_renewal_of_certificates_and_authorities() -> Result<(), Failure> {
    let Some(pier) = pier(short()).await? else {
        return Ok(());
    };
    // A second replica receives no requests, but renews the same certificates.
    let (_, _other) = pier.replica(short()).await?;
    let is_over = AtomicBool::new(false);
    let refused = AtomicUsize::new(0);
    let load = join_all((0..CALLERS).map(|_| ask(&pier, &is_over, &refused)));
    let renewed = async {
        let renewed = until_renewed(&pier).await;
        is_over.store(true, Ordering::Relaxed);
        renewed
    };
    let (lost, renewed) = tokio::join!(load, renewed);
    renewed?;
    let lost: Vec<_> = lost.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
    assert_eq!(lost, Vec::<String>::new());
    let refused = refused.into_inner();
    assert!(refused > 100, "{refused}");
    pier.assert_no_forbidden_requests()
}

/// Repeats a request that the webhook must reject. Returns the results of the requests that it did
/// not reject.
async fn ask(
    pier: &Pier,
    is_over: &AtomicBool,
    refused: &AtomicUsize,
) -> Result<Vec<String>, Failure> {
    let operators = ["operators.operatorframework.io/v1alpha1", "Operator", ""];
    let operators = api(&pier.cluster().client()?, operators);
    let wrong = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
        "metadata": {"generateName": "ferry-"},
        "spec": {"packageName": "ferry", "version": ">=2.0.0 <1.0.0"},
    });
    let wrong: DynamicObject = serde_json::from_value(wrong).map_err(Failure::read("an object"))?;
    let dry_run = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    let mut lost = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        match operators.create(&dry_run, &wrong).await {
            Err(kube::Error::Api(status)) if status.code == 422 => {
                refused.fetch_add(1, Ordering::Relaxed);
            }
            other => lost.push(format!("{:?}", other.map(|_| "made"))),
        }
    }
    Ok(lost)
}

/// Waits until the caBundle no longer contains the first certificate authority.
async fn until_renewed(pier: &Pier) -> Result<(), Failure> {
    let first = authorities(pier).await?;
    assert_eq!(first.len(), 1);
    until("another authority", PATIENCE, async || {
        let now = authorities(pier).await?;
        Ok(if now.contains(&first[0]) {
            Seen::NotYet(format!("there are {}", now.len()))
        } else {
            Seen::Yes(())
        })
    })
    .await
}

/// Returns the certificates in the caBundle of the webhook configuration.
async fn authorities(pier: &Pier) -> Result<Vec<String>, Failure> {
    let bundle = "-o=go-template={{(index .webhooks 0).clientConfig.caBundle | base64decode}}";
    let text = pier.types(&["get", CONFIGURATION, bundle]).await?;
    let all = text.split("-----END CERTIFICATE-----");
    let all = all.map(|text| text.trim().to_owned());
    Ok(all.filter(|text| !text.is_empty()).collect())
}
