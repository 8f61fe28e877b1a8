//! Tests the runtime of controllers with a simple kind: a Ferry, which needs one ConfigMap for each
//! piece of its cargo.

mod ferry;
mod watches;

use std::sync::Arc;

use kube::Client;
use kube::api::{DeleteParams, DynamicObject, ListParams};
use portolan_kit::proxy::{Action, Matcher};
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until};
use portolan_runtime::lease::{Election, Fence, LeaseRef, Terms};
use portolan_runtime::{
    FencedClient, ObservedObject, ResourceRef, StepOrder, StepResult, User, Write, WriteFailure,
    Writes, carry_out,
};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::timeout;

use self::ferry::{FINALIZER, Port, controller, port};
use crate::detour;
use crate::objects::api;

const CARGO: [&str; 3] = ["apples", "bricks", "coal"];

fn fenced(client: &Client, fence: Fence) -> FencedClient {
    FencedClient::new(client.clone(), fence, Writes::default())
}

fn open(client: &Client) -> FencedClient {
    fenced(client, Fence::open())
}

fn crate_of(port: &Port, name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": &*port.namespace},
        "data": {"of": "hull"},
    })
}

fn create(port: &Port, name: &str) -> Write {
    Write::create(crate_of(port, name)).expect("a write")
}

async fn loaded(port: &Port) -> Result<Vec<String>, Failure> {
    let crates = Kind::ConfigMap.within(&port.client, &port.namespace);
    let all = crates.list(&ListParams::default()).await?.items;
    let names = all.into_iter().filter_map(|each| each.metadata.name);
    Ok(names.filter(|name| CARGO.contains(&&**name)).collect())
}

/// Waits until the status of the ferry has this message.
async fn until_status(port: &Port, message: &str) -> Result<DynamicObject, Failure> {
    until(
        format!("the ferry to say {message}"),
        PATIENCE,
        async || {
            let ferry = port.ferries().get("hull").await?;
            let says = ferry.data["status"]["says"].as_str().unwrap_or_default();
            Ok(if says == message {
                Seen::Yes(ferry)
            } else {
                Seen::NotYet(ferry.data["status"].to_string())
            })
        },
    )
    .await
}

/// An apply that creates an object never takes over an existing object, on any API server. The
/// controller for InstallPlans depends on this. A second write is needed only if the controller
/// does not own some fields.
#[tokio::test]
async fn creating_apply_takes_over_no_existing_object() -> Result<(), Failure> {
    let Some(port) = port("creating").await? else {
        return Ok(());
    };
    let client = open(&port.client);
    let write = Write::create_by_apply(crate_of(&port, "apples")).expect("a write");
    let made = client.write(&write).await.expect("a new object");
    let made = made.expect("an object").metadata;
    let entries = made.managed_fields.iter().flatten();
    let operations: Vec<_> = entries
        .filter_map(|entry| entry.operation.as_deref())
        .collect();
    assert_eq!(operations, ["Apply"]);

    let mut other = crate_of(&port, "apples");
    other["data"]["of"] = json!("another");
    let another = client.managed_by("another");
    for again in [crate_of(&port, "apples"), other] {
        let write = Write::create_by_apply(again).expect("a write");
        for by in [&client, &another] {
            let failure = by.write(&write).await.expect_err("a conflict");
            assert!(matches!(failure, WriteFailure::Conflict(_)), "{failure:?}");
        }
    }
    let crates = Kind::ConfigMap.within(&port.client, &port.namespace);
    let left = crates.get("apples").await?;
    assert_eq!(left.data["data"], json!({"of": "hull"}));
    assert_eq!(left.metadata.resource_version, made.resource_version);
    Ok(())
}

#[tokio::test]
async fn controller_creates_repairs_and_deletes_with_finalizer() -> Result<(), Failure> {
    let Some(port) = port("controllers").await? else {
        return Ok(());
    };
    port.launch(&CARGO).await?;
    let _running = controller(&port, open(&port.client));
    let ferry = until_status(&port, "3 loaded").await?;
    assert_eq!(ferry.metadata.finalizers, Some(vec![FINALIZER.to_owned()]));
    assert_eq!(loaded(&port).await?, CARGO);

    let crates = Kind::ConfigMap.within(&port.client, &port.namespace);
    crates.delete("coal", &DeleteParams::default()).await?;
    until("coal to be loaded again".to_owned(), PATIENCE, async || {
        let names = loaded(&port).await?;
        Ok(if names == CARGO {
            Seen::Yes(())
        } else {
            Seen::NotYet(names.join(", "))
        })
    })
    .await?;

    port.ferries()
        .delete("hull", &DeleteParams::default())
        .await?;
    until("the ferry to be gone".to_owned(), PATIENCE, async || {
        Ok(match port.ferries().get_opt("hull").await? {
            None => Seen::Yes(()),
            Some(_) => Seen::NotYet("it still exists".to_owned()),
        })
    })
    .await?;
    assert_eq!(loaded(&port).await?, Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn write_conflicts_unless_the_object_is_unchanged() -> Result<(), Failure> {
    let Some(port) = port("conflict").await? else {
        return Ok(());
    };
    let client = open(&port.client);
    let first = client
        .write(&create(&port, "coal"))
        .await
        .expect("a new object");
    let first = first.expect("an object");
    let again = client.write(&create(&port, "coal")).await;
    assert!(matches!(again, Err(WriteFailure::Conflict(_))), "{again:?}");

    let seen = ObservedObject::of("v1", "ConfigMap", &first.metadata);
    let field = |value: &str| Write::field(seen.clone(), "/data/of", Some(json!(value)));
    client
        .write(&field("raft"))
        .await
        .expect("the object is unchanged");
    let late = client.write(&field("barge")).await;
    assert!(matches!(late, Err(WriteFailure::Conflict(_))), "{late:?}");

    let dry = client.dry_run().write(&create(&port, "bricks")).await;
    assert!(dry.is_ok(), "{dry:?}");
    assert_eq!(loaded(&port).await?, ["coal"], "a dry run keeps nothing");

    let another = ObservedObject {
        uid: "another".to_owned(),
        ..seen
    };
    let delete = Write::delete(another, portolan_runtime::Propagation::Background);
    let deleted = client.write(&delete).await;
    assert!(
        matches!(deleted, Err(WriteFailure::Conflict(_))),
        "{deleted:?}"
    );
    Ok(())
}

#[tokio::test]
async fn write_without_the_lease_is_not_sent() -> Result<(), Failure> {
    let Some(port) = port("fenced").await? else {
        return Ok(());
    };
    let lease = LeaseRef::of(&port.namespace, "ferries", "pod-1");
    let election = Election::start(port.client.clone(), lease, Terms::default());
    election.leads().await.expect("no other candidate");
    let ours = fenced(&port.client, election.fence());
    let theirs = ours.impersonating(User::service_account(&port.namespace, "mate"));
    ours.write(&create(&port, "apples"))
        .await
        .expect("a leader");

    let leases = ["coordination.k8s.io/v1", "Lease", &port.namespace];
    let leases = api(&port.client, leases);
    leases.delete("ferries", &DeleteParams::default()).await?;
    timeout(PATIENCE, election.lost())
        .await
        .expect("the loss must be noticed");
    for client in [ours, theirs] {
        let late = client.write(&create(&port, "coal")).await;
        assert!(matches!(late, Err(WriteFailure::Lost(_))), "{late:?}");
    }
    assert_eq!(loaded(&port).await?, ["apples"]);
    Ok(())
}

#[tokio::test]
async fn impersonated_service_account_gets_refused_writes() -> Result<(), Failure> {
    let Some(port) = port("impersonated").await? else {
        return Ok(());
    };
    let mate = User::service_account(&port.namespace, "mate");
    let client = open(&port.client).impersonating(mate);
    let order = {
        let mut order = StepOrder::default();
        let first = order.add([]);
        order.add([first]);
        order.add([]);
        order
    };
    let act = |place: usize| {
        let (client, write) = (client.clone(), create(&port, CARGO[place]));
        async move { client.write(&write).await.map(drop) }
    };
    let refused = carry_out(&order, 2, act).await;
    let name = format!("system:serviceaccount:{}:mate", &*port.namespace);
    let why = |step: &StepResult<(), WriteFailure>| match step {
        StepResult::Failed(WriteFailure::Refused(why)) => why.contains(&name),
        StepResult::Failed(_) | StepResult::Done(()) | StepResult::Blocked(_) => false,
    };
    assert!(why(&refused[0]) && why(&refused[2]), "{refused:?}");
    assert_eq!(refused[1], StepResult::Blocked(0));
    assert_eq!(loaded(&port).await?, Vec::<String>::new());

    port.grant("mate", &["create"]).await?;
    until("the grant to be known".to_owned(), PATIENCE, async || {
        let steps = carry_out(&order, 2, act).await;
        let is_there = |step: &StepResult<(), WriteFailure>| {
            step.is_done() || matches!(step, StepResult::Failed(WriteFailure::Conflict(_)))
        };
        Ok(if is_there(&steps[0]) && is_there(&steps[2]) {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{steps:?}"))
        })
    })
    .await?;
    // This user may only create ConfigMaps.
    let coal = Kind::ConfigMap.within(&port.client, &port.namespace);
    let coal = coal.get("coal").await?;
    let seen = ObservedObject {
        target: ResourceRef::named("v1", "ConfigMap", &coal.metadata),
        ..ObservedObject::of("v1", "ConfigMap", &coal.metadata)
    };
    let delete = Write::delete(seen, portolan_runtime::Propagation::Background);
    let deleted = client.write(&delete).await;
    assert!(
        matches!(deleted, Err(WriteFailure::Refused(_))),
        "{deleted:?}"
    );
    Ok(())
}

/// The controller writes a finalizer, three ConfigMaps and a status.
#[tokio::test]
async fn controller_killed_at_any_write_reaches_same_state() -> Result<(), Failure> {
    for write in 1..=5 {
        let Some(port) = port(&format!("killed-{write}")).await? else {
            return Ok(());
        };
        port.launch(&CARGO).await?;
        let proxy = Arc::new(detour::proxy(&port.cluster).await?);
        let landed = Arc::new(Notify::new());
        let (lands, way) = (landed.clone(), Arc::downgrade(&proxy));
        let ends = move || {
            if let Some(way) = way.upgrade() {
                way.freeze();
            }
            lands.notify_one();
        };
        proxy.at(write, Matcher::writes(), Action::call_after(ends));
        let first = controller(&port, open(&detour::client(&proxy, PATIENCE)?));
        timeout(PATIENCE, landed.notified())
            .await
            .expect("the kill was not reached in time");
        first.abort();

        let _second = controller(&port, open(&port.client));
        let ferry = until_status(&port, "3 loaded").await?;
        assert_eq!(ferry.metadata.finalizers, Some(vec![FINALIZER.to_owned()]));
        assert_eq!(loaded(&port).await?, CARGO);
    }
    Ok(())
}
