//! Tests a replica that terminates while clients send requests.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use kube::api::{Api, DynamicObject, ListParams};
use portolan_rig::Failure;
use tokio::time::sleep;

use super::balancer::Balancer;
use super::stage::{Berth, berth, kind};

/// The number of clients that send requests at the same time.
const CALLERS: usize = 4;

#[tokio::test]
async fn no_request_fails_while_a_replica_terminates() -> Result<(), Failure> {
    let Some(berth) = berth().await? else {
        return Ok(());
    };
    let (port, _, other) = berth.replica().await?;
    berth.until_ready(port).await?;
    let balancer = Balancer::of([berth.port, port]).await?;
    berth.leads_to(balancer.port).await?;
    berth.until_called().await?;
    let is_over = AtomicBool::new(false);
    let answered = AtomicUsize::new(0);
    let load = join_all((0..CALLERS).map(|_| ask(&berth, &is_over, &answered)));
    let ends = async {
        sleep(Duration::from_secs(2)).await;
        // Removes the endpoint before the process is terminated, as Kubernetes does.
        balancer.leave(port);
        sleep(Duration::from_secs(1)).await;
        let before = answered.load(Ordering::Relaxed);
        drop(other);
        sleep(Duration::from_secs(5)).await;
        is_over.store(true, Ordering::Relaxed);
        before
    };
    let (failed, before) = tokio::join!(load, ends);
    let failed: Vec<_> = failed.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
    assert_eq!(failed, Vec::<String>::new());
    let answered = answered.into_inner();
    assert!(
        before > 20 && answered > before + 20,
        "{before} and {answered}"
    );
    berth.assert_no_forbidden_requests()
}

/// Sends list requests again and again. Returns the errors.
async fn ask(
    berth: &Berth,
    is_over: &AtomicBool,
    answered: &AtomicUsize,
) -> Result<Vec<String>, Failure> {
    let client = berth.cluster().client()?;
    let installed = Api::<DynamicObject>::all_with(client, &kind());
    let mut failed = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        match installed.list(&ListParams::default()).await {
            Ok(list) if !list.items.is_empty() => {
                answered.fetch_add(1, Ordering::Relaxed);
            }
            other => failed.push(format!("{:?}", other.map(|list| list.items.len()))),
        }
    }
    Ok(failed)
}
