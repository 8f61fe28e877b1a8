//! A controller that is killed after each of the first writes of every act, and in the soak after every single one, while
//! three Installs are created, approved, changed and deleted: one of manifests and one of an image, which are approved by
//! command, and one that is approved by a stamp. In the soak it is also killed at every write alone.

use std::sync::Arc;
use std::time::Instant;

use portolan_kit::TempFolder;
use portolan_kit::oci::Registry;
use portolan_kit::proxy::{Matcher, Proxy};
use portolan_rig::Failure;
use serde_json::Value;
use tokio::sync::Notify;

use super::images::bundle;
use super::stage::{APPROVER, HOME, Yard, condition, is_looked_at, yard_of_approvals};
use crate::health::written;
use crate::{detour, is_soak};

/// An act has more writes than these, however many there are each time.
const LEAST: usize = 12;
const ALL: [&str; 3] = ["plumbus", "plum", "quince"];

/// What somebody does of all three.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Act {
    Create,
    Approve,
    Change,
    Delete,
}

/// Each with how many controllers in a row are killed in it without a soak, after one write each.
const ACTS: [(Act, usize); 4] = [
    (Act::Create, 10),
    (Act::Approve, 12),
    (Act::Change, 10),
    (Act::Delete, 4),
];

/// A controller of which it is heard when it is to be killed.
struct Mortal {
    proxy: Proxy,
    landed: Arc<Notify>,
    _folder: TempFolder,
}

/// What came of a story.
#[derive(Debug, Default)]
struct Played {
    /// What there was after each act.
    ends: Vec<String>,
    /// Of each act.
    writes: Vec<usize>,
    kills: Vec<usize>,
}

/// The manifests of one, and the image of another.
fn raw(name: &str, value: &str) -> String {
    format!(
        "
apiVersion: operators.coreos.com/v2alpha1
kind: Install
metadata: {{name: {name}}}
spec:
  content:
  - type: Raw
    raw: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}, namespace: harbor}}, data: {{a: {value}}}}}
"
    )
}

fn installs(host: &str, value: &str) -> String {
    let image = format!(
        "
apiVersion: operators.coreos.com/v2alpha1
kind: Install
metadata: {{name: plum}}
spec:
  namespaces: [{{from: default, to: harbor}}]
  content: [{{type: ManifestImage, manifestImage: '{host}/plum:{value}'}}]
"
    );
    [raw("plumbus", value), image, raw("quince", value)].join("---")
}

#[tokio::test]
async fn whoever_comes_after_one_that_was_killed_grants_and_installs_the_same()
-> Result<(), Failure> {
    let Some(mut yard) = yard_of_approvals().await? else {
        return Ok(());
    };
    yard.applies(APPROVER).await?;
    let registry = Registry::start().await;
    for value in ["one", "two"] {
        registry.serve("plum", value, &bundle(value));
    }
    let host = registry.host();
    yard.asks(&[&host]).await?;
    yard.kills();
    let wanted = play(&mut yard, &host, |_, _| None).await?;
    println!("installs: {wanted:#?}");
    assert!(wanted.writes.iter().all(|it| *it > LEAST), "{wanted:?}");

    let begun = Instant::now();
    let killed = play(&mut yard, &host, |act, kills| {
        let mut acts = ACTS.into_iter();
        let (_, most) = acts.find(|(it, _)| *it == act).expect("an act");
        (is_soak() || kills < most).then_some(1)
    });
    let killed = killed.await?;
    println!(
        "installs: killed after {:?} writes in {} s",
        killed.kills,
        begun.elapsed().as_secs()
    );
    assert_eq!(killed.ends, wanted.ends);
    for ((act, most), kills) in ACTS.into_iter().zip(&killed.kills) {
        assert!(*kills >= most, "{act:?}: {killed:?}");
    }
    if !is_soak() {
        return Ok(());
    }
    for ((act, _), writes) in ACTS.into_iter().zip(&wanted.writes) {
        for at in 1..=*writes {
            let killed = play(&mut yard, &host, |it, kills| {
                (it == act && kills == 0).then_some(at)
            });
            let killed = killed.await?;
            let is_killed = killed.kills.iter().sum::<usize>() == 1;
            assert!(
                is_killed || at > LEAST,
                "{act:?}: it is killed at write {at}"
            );
            assert_eq!(killed.ends, wanted.ends, "{act:?}: killed at write {at}");
        }
    }
    Ok(())
}

/// Plays it once. `dies` says after which of its writes the next controller of an act is killed, by how many were before
/// it in this act.
async fn play(
    yard: &mut Yard,
    host: &str,
    dies: impl Fn(Act, usize) -> Option<usize>,
) -> Result<Played, Failure> {
    let mut played = Played::default();
    for (act, _) in ACTS {
        yard.kills();
        let (mut writes, mut kills) = (0, 0);
        let mut mortal = begins(yard, dies(act, 0)).await?;
        begin(yard, host, act).await?;
        loop {
            let ended = tokio::select! {
                ended = until_ended(yard, act) => Some(ended?),
                () = mortal.landed.notified() => None,
            };
            if ended.is_some() {
                break;
            }
            yard.kills();
            kills += 1;
            writes += mortal.proxy.count(Matcher::writes());
            mortal = begins(yard, dies(act, kills)).await?;
        }
        played.ends.push(end(yard).await?);
        played
            .writes
            .push(writes + mortal.proxy.count(Matcher::writes()));
        played.kills.push(kills);
    }
    yard.kills();
    Ok(played)
}

/// Starts a controller that dies after a write, or does not.
async fn begins(yard: &mut Yard, dies: Option<usize>) -> Result<Mortal, Failure> {
    let proxy = detour::proxy(yard.cluster()).await?;
    let landed = Arc::new(Notify::new());
    if let Some(at) = dies {
        detour::kill_at(&proxy, at, &landed);
    }
    let (through, folder) = written::through(&proxy);
    yard.starts_at(&through).await;
    Ok(Mortal {
        proxy,
        landed,
        _folder: folder,
    })
}

async fn begin(yard: &Yard, host: &str, act: Act) -> Result<(), Failure> {
    match act {
        Act::Create => yard.applies(&installs(host, "one")).await,
        Act::Change => yard.applies(&installs(host, "two")).await,
        Act::Approve => {
            for name in ["plumbus", "plum"] {
                let install = format!("install/{name}");
                let (is_done, said) = yard.approves("approver", &[&install]).await?;
                assert!(is_done, "{said}");
            }
            yard.until_approved_by("approver", "quince").await
        }
        Act::Delete => {
            for name in ALL {
                let install = format!("install.operators.coreos.com/{name}");
                yard.says(&["delete", &install, "--wait=false"]).await?;
            }
            Ok(())
        }
    }
}

async fn until_ended(yard: &Yard, act: Act) -> Result<(), Failure> {
    let is_asking = |it: &Value| {
        is_looked_at(it) && condition(it, "PendingApproval") == "True UnsatisfiedPermissions"
    };
    let is_ready = |it: &Value| is_looked_at(it) && condition(it, "Ready") == "True Installed";
    for name in ALL {
        match act {
            Act::Create => drop(yard.until_install(name, "asks", is_asking).await?),
            Act::Approve | Act::Change => {
                yard.until_install(name, "ready", is_ready).await?;
            }
            Act::Delete => {
                let install = format!("install.operators.coreos.com/{name}");
                yard.until_gone(&[&install]).await?;
            }
        }
    }
    match act {
        Act::Create => Ok(()),
        // The plan before goes once the one after it is ready.
        Act::Approve | Act::Change => {
            let all = |said: &str| said.lines().count() == ALL.len();
            yard.until_said(&plans(), all).await
        }
        Act::Delete => {
            let accounts = ["-n", HOME, "get", "serviceaccounts", "-o=name"];
            let is_none = |said: &str| !ALL.iter().any(|it| said.contains(&format!("/{it}-")));
            yard.until_said(&accounts, is_none).await
        }
    }
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
    let mut settings = Vec::new();
    for name in ["plumbus", "quince"] {
        let map = format!("configmap/{name}");
        let data = "-o=jsonpath={.data.a}";
        let words = ["-n=harbor", "get", "--ignore-not-found", &map, data];
        settings.push(yard.says(&words).await?);
    }
    let image = "-o=jsonpath={.spec.template.spec.containers[0].image}";
    let deployment = ["-n=harbor", "get", "--ignore-not-found", "deployment/plum"];
    let image = yard.says(&[&deployment[..], &[image]].concat()).await?;
    let plans = yard.says(&plans()).await?.lines().count();
    let roles = ["-n=harbor", "get", "roles,rolebindings", "-o=name"];
    let roles = yard.says(&roles).await?;
    let is_own = |line: &&str| ALL.iter().any(|it| line.contains(&format!("/{it}-")));
    let roles = roles.lines().filter(is_own).count();
    // The collector takes these when it comes to them.
    let roles = if plans == 0 && image.is_empty() {
        0
    } else {
        roles
    };
    Ok(format!(
        "settings {settings:?}, image {image:?}, {plans} plans, {roles} roles and bindings"
    ))
}
