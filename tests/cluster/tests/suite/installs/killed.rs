//! A controller that is killed at writes of it, once each, in the soak at every single one, while an Install is
//! created, approved, changed and deleted.

use std::sync::Arc;

use portolan_kit::proxy::Matcher;
use portolan_rig::Failure;
use serde_json::Value;
use tokio::sync::Notify;

use super::stage::{APPROVER, HOME, Yard, condition, is_looked_at, yard};
use crate::detour;
use crate::health::written;

/// The story has more writes than these, however many there are each time.
const LEAST: usize = 12;
const INSTALL: &str = "
apiVersion: operators.coreos.com/v2alpha1
kind: Install
metadata: {name: plumbus}
spec:
  content:
  - type: Raw
    raw: {apiVersion: v1, kind: ConfigMap, metadata: {name: killed, namespace: harbor}, data: {a: VALUE}}
";

/// What somebody does.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Act {
    Create,
    Approve,
    Change,
    Delete,
}

#[tokio::test]
async fn whoever_comes_after_one_that_was_killed_grants_and_installs_the_same()
-> Result<(), Failure> {
    let Some(mut yard) = yard().await? else {
        return Ok(());
    };
    yard.kills();
    yard.applies(APPROVER).await?;
    let (wanted, writes, _) = play(&mut yard, None).await?;
    println!("installs: {writes} writes without a fault: {wanted:#?}");
    assert!(writes > LEAST, "{writes} writes");
    for at in detour::kills(writes) {
        let (ends, _, is_killed) = play(&mut yard, Some(at)).await?;
        assert!(is_killed || at > LEAST, "it is killed at write {at}");
        assert_eq!(ends, wanted, "killed at write {at}");
    }
    Ok(())
}

/// Plays it once. Returns what there was after each act, how many writes there were, and whether the controller
/// was killed.
async fn play(
    yard: &mut Yard,
    killed: Option<usize>,
) -> Result<(Vec<String>, usize, bool), Failure> {
    let proxy = detour::proxy(yard.cluster()).await?;
    let landed = Arc::new(Notify::new());
    if let Some(at) = killed {
        detour::kill_at(&proxy, at, &landed);
    }
    let (through, _folder) = written::through(&proxy);
    yard.starts_at(&through).await;
    let (mut ends, mut is_killed) = (Vec::new(), false);
    for act in [Act::Create, Act::Approve, Act::Change, Act::Delete] {
        begin(yard, act).await?;
        let landing = async {
            if killed.is_some() && !is_killed {
                landed.notified().await;
            } else {
                std::future::pending().await
            }
        };
        let ended = tokio::select! {
            ended = until_ended(yard, act) => Some(ended?),
            () = landing => None,
        };
        if ended.is_none() {
            is_killed = true;
            yard.kills();
            yard.starts().await?;
            until_ended(yard, act).await?;
        }
        ends.push(end(yard).await?);
    }
    let writes = proxy.count(Matcher::writes());
    yard.kills();
    Ok((ends, writes, is_killed))
}

async fn begin(yard: &Yard, act: Act) -> Result<(), Failure> {
    match act {
        Act::Create => yard.applies(&INSTALL.replace("VALUE", "one")).await,
        Act::Change => yard.applies(&INSTALL.replace("VALUE", "two")).await,
        Act::Approve => {
            let (is_done, said) = yard.approves("approver", &["install/plumbus"]).await?;
            assert!(is_done, "{said}");
            Ok(())
        }
        Act::Delete => {
            let install = "install.operators.coreos.com/plumbus";
            yard.says(&["delete", install, "--wait=false"]).await?;
            Ok(())
        }
    }
}

async fn until_ended(yard: &Yard, act: Act) -> Result<(), Failure> {
    let is_asking = |it: &Value| {
        is_looked_at(it) && condition(it, "PendingApproval") == "True UnsatisfiedPermissions"
    };
    let is_ready = |it: &Value| is_looked_at(it) && condition(it, "Ready") == "True Installed";
    match act {
        Act::Create => drop(yard.until_install("plumbus", "asks", is_asking).await?),
        Act::Approve | Act::Change => {
            yard.until_install("plumbus", "ready", is_ready).await?;
            // The plan before goes once the one after it is ready.
            yard.until_said(&plans(), |said| said.lines().count() == 1)
                .await?;
        }
        Act::Delete => {
            yard.until_gone(&["install.operators.coreos.com/plumbus"])
                .await?;
            let accounts = ["-n", HOME, "get", "serviceaccounts", "-o=name"];
            yard.until_said(&accounts, |said| !said.contains("plumbus"))
                .await?;
        }
    }
    Ok(())
}

fn plans() -> [&'static str; 5] {
    [
        "-n",
        HOME,
        "get",
        "installplans.plans.portolan.dev",
        "-o=name",
    ]
}

/// What there is, but for names that are others each time.
async fn end(yard: &Yard) -> Result<String, Failure> {
    let map = [
        "-n=harbor",
        "get",
        "--ignore-not-found",
        "configmap/killed",
        "-o=jsonpath={.data.a}",
    ];
    let map = yard.says(&map).await?;
    let plans = yard.says(&plans()).await?.lines().count();
    let roles = ["-n=harbor", "get", "roles,rolebindings", "-o=name"];
    let roles = yard.says(&roles).await?;
    let roles = roles.lines().filter(|it| it.contains("plumbus")).count();
    // The collector takes these when it comes to them.
    let roles = if plans == 0 && map.is_empty() {
        0
    } else {
        roles
    };
    Ok(format!(
        "settings {map:?}, {plans} plans, {roles} roles and bindings"
    ))
}
