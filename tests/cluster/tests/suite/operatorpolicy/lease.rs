//! Tests leader election between two processes.

use std::time::Duration;

use kube::Api;
use kube::api::{DeleteParams, DynamicObject};
use portolan_core_operatorpolicy::{Action, StepOutcome};
use portolan_rig::{Failure, Kind, PATIENCE};
use portolan_runtime::lease::{Election, LeaseRef, Terms};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::bare::{Bare, bare};
use super::write::{Author, subscription};
use crate::detour;
use crate::objects::api;

/// The terms of a Lease, shorter than the default terms.
const TERMS: Terms = Terms {
    duration: Duration::from_secs(9),
    deadline: Duration::from_secs(7),
    pace: Duration::from_secs(1),
    retry: Duration::from_millis(400),
};

fn seat(bare: &Bare, pod: &str) -> LeaseRef {
    LeaseRef::of(&bare.namespace, "portolan", pod)
}

async fn leads(election: &Election) {
    let led = timeout(PATIENCE, election.leads()).await;
    assert_eq!(led, Ok(Ok(())));
}

fn leases(bare: &Bare) -> Api<DynamicObject> {
    api(
        &bare.client,
        ["coordination.k8s.io/v1", "Lease", &bare.namespace],
    )
}

async fn lease(bare: &Bare) -> Result<Value, Failure> {
    Ok(leases(bare).get("portolan").await?.data["spec"].clone())
}

#[tokio::test]
async fn second_replica_leads_after_the_leader_resigns() -> Result<(), Failure> {
    let Some(bare) = bare("resign").await? else {
        return Ok(());
    };
    let (ours, theirs) = (seat(&bare, "pod-1"), seat(&bare, "pod-2"));
    let first = Election::start(bare.client.clone(), ours.clone(), TERMS);
    leads(&first).await;
    let second = Election::start(bare.client.clone(), theirs.clone(), TERMS);
    let early = timeout(TERMS.duration + TERMS.pace, second.leads()).await;
    assert!(early.is_err(), "the first renews its Lease");
    assert_eq!(
        (first.fence().permits(), second.fence().permits()),
        (true, false)
    );
    assert_eq!(lease(&bare).await?["holderIdentity"], ours.identity());

    let fence = first.fence();
    first.resign().await;
    assert!(!fence.permits());
    leads(&second).await;
    let held = lease(&bare).await?;
    assert_eq!(held["holderIdentity"], theirs.identity());
    assert_eq!(held["leaseTransitions"], 1);
    assert!(second.fence().permits());
    Ok(())
}

#[tokio::test]
async fn leader_without_renewal_stops_writing_at_its_deadline() -> Result<(), Failure> {
    let Some(bare) = bare("frozen-leader").await? else {
        return Ok(());
    };
    let proxy = detour::proxy(&bare.cluster).await?;
    let cut_off = detour::client(&proxy, PATIENCE)?;
    let first = Election::start(cut_off.clone(), seat(&bare, "pod-1"), TERMS);
    leads(&first).await;
    // The writes of this process would succeed, because only its Lease is unreachable.
    let author = Author::fenced(&bare.client, first.fence());
    let on_its_way = Author::fenced(&cut_off, first.fence());
    let create = || Action::Create(subscription(&bare, json!({})));
    proxy.freeze();
    let (begun, lost) = tokio::join!(on_its_way.does(create()), timeout(PATIENCE, first.lost()));
    let why = "this replica lost leadership before the API server answered".to_owned();
    assert_eq!(begun.outcome, StepOutcome::Lost(why));
    let lost = lost.expect("it must lose the lead");
    assert_eq!(
        lost.to_string(),
        "this replica is no longer the leader: it could not renew its Lease for 7 s"
    );
    let late = author.does(create()).await;
    let why = "this replica is not the leader, and writes nothing".to_owned();
    assert_eq!(late.outcome, StepOutcome::Lost(why));

    let second = Election::start(bare.client.clone(), seat(&bare, "pod-2"), TERMS);
    leads(&second).await;
    assert!(!first.fence().permits());
    let there = bare.objects(Kind::Subscription).get_opt("hull").await?;
    assert!(there.is_none(), "{there:?}");
    Ok(())
}

/// The only thread of this process is blocked. This has the same effect as a process that is
/// stopped.
#[tokio::test]
async fn resumed_leader_after_its_lease_expired_cannot_write() -> Result<(), Failure> {
    let Some(bare) = bare("stopped-leader").await? else {
        return Ok(());
    };
    let first = Election::start(bare.client.clone(), seat(&bare, "pod-1"), TERMS);
    leads(&first).await;
    let author = Author::fenced(&bare.client, first.fence());
    std::thread::sleep(TERMS.deadline + TERMS.pace);

    assert!(!first.fence().permits(), "before anything else runs");
    let late = author
        .does(Action::Create(subscription(&bare, json!({}))))
        .await;
    assert!(matches!(late.outcome, StepOutcome::Lost(_)), "{late:?}");
    timeout(PATIENCE, first.lost())
        .await
        .expect("it must lose the lead");
    Ok(())
}

#[tokio::test]
async fn deleted_lease_ends_leadership() -> Result<(), Failure> {
    let Some(bare) = bare("deleted-lease").await? else {
        return Ok(());
    };
    let only = Election::start(bare.client.clone(), seat(&bare, "pod-1"), TERMS);
    leads(&only).await;
    leases(&bare)
        .delete("portolan", &DeleteParams::default())
        .await?;
    let lost = timeout(PATIENCE, only.lost())
        .await
        .expect("it must lose the lead");
    let why = "this replica is no longer the leader: its Lease was deleted";
    assert_eq!(lost.to_string(), why);
    assert!(!only.fence().permits());
    Ok(())
}

#[tokio::test]
async fn idle_leader_only_renews_its_lease() -> Result<(), Failure> {
    let Some(bare) = bare("idle").await? else {
        return Ok(());
    };
    let proxy = detour::proxy(&bare.cluster).await?;
    let client = detour::client(&proxy, PATIENCE)?;
    let only = Election::start(client, seat(&bare, "pod-1"), TERMS);
    leads(&only).await;
    let before = proxy.requests().len();
    let idle = 4 * TERMS.pace;
    tokio::time::sleep(idle).await;
    let all = proxy.requests();
    let renewals = proxy.count("PUT /apis/coordination.k8s.io");
    assert!(renewals >= 1, "{all:?}");
    assert_eq!(all.len() - before, renewals, "{all:?}");
    assert!(renewals <= 4, "{all:?}");
    Ok(())
}
