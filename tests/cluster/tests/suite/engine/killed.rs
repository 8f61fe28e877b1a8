//! A controller that is killed at every single write of it, once each.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_kit::proxy::{Action, Matcher};
use portolan_rig::Failure;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::stage::{Engine, config_map, engine, manifest, stage};
use crate::detour;
use crate::health::written;

/// A plan has more writes than these.
const LEAST: usize = 20;
/// More writes than a plan has.
const MANY: usize = 100;

/// Whoever carries the plan on comes to the same end, and makes nothing twice.
#[tokio::test]
async fn a_controller_killed_at_any_write_leaves_work_for_the_next_one() -> Result<(), Failure> {
    let Some(mut engine) = engine("pl-killed").await? else {
        return Ok(());
    };
    engine.stop();
    engine.allow_all().await?;
    let (wanted, writes, _) = story(&mut engine, "unharmed", None).await?;
    println!("engine: {writes} writes without a fault: {wanted:#?}");
    assert!(writes > LEAST, "a plan has more writes than {writes}");
    for at in 1..=writes {
        let (end, _, is_killed) = story(&mut engine, &format!("write-{at}"), Some(at)).await?;
        assert_eq!(end, wanted, "killed at write {at}");
        if !is_killed {
            // On a busy machine the first one may have written something twice.
            assert!(at > LEAST, "it is killed at write {at}");
            break;
        }
    }
    println!("engine: killed at each of {writes} writes");
    Ok(())
}

/// Carries out a plan that begins by taking over an object. Returns what there is at the end, without
/// the name of the story, how many writes there were, and whether the controller was killed.
async fn story(
    engine: &mut Engine,
    name: &str,
    killed: Option<usize>,
) -> Result<(Vec<Value>, usize, bool), Failure> {
    let namespace = engine.namespace().to_owned();
    let at = |last: &str| format!("{name}-{last}");
    let objects = [
        config_map([&namespace, &at("taken")], "1"),
        config_map([&namespace, &at("first")], "2"),
        manifest("v1", "Secret", [&namespace, &at("secret")]),
        config_map([&namespace, &at("last")], "3"),
    ];
    engine
        .make(&config_map([&namespace, &at("taken")], "theirs"))
        .await?;
    let proxy = detour::proxy(engine.cluster()).await?;
    let landed = Arc::new(Notify::new());
    if let Some(at) = killed {
        let [lands, goes_on] = [landed.clone(), landed.clone()];
        proxy.at_write(at, Action::call_after(move || lands.notify_one()));
        // Of writes at the same time one may fail before the other has landed, which ends both.
        proxy.at_write(at + 1, Action::call(move || goes_on.notify_one()));
        proxy.at_write(at, Action::CutAfter);
        (at + 1..at + MANY).for_each(|later| proxy.at_write(later, Action::CutBefore));
    }
    let (through, _folder) = written::through(&proxy);
    engine.start_at(&through).await;
    let stages = json!([
        stage("first", &objects[..2]),
        stage("second", &objects[2..])
    ]);
    let account = super::stage::INSTALLER;
    let spec = json!({
        "serviceAccountName": account,
        "collisions": "Adopt",
        "lifecycle": {"onPlanDeletion": "Delete"},
        "stages": stages,
    });
    engine.plan_of(name, spec).await?;
    let mut end = Vec::new();
    let is_killed = played(engine, (name, &objects), (killed, &landed), &mut end).await?;
    let writes = proxy.count(Matcher::writes());
    engine.stop();
    Ok((end, writes, is_killed))
}

/// Waits until the plan is ready, deletes it, and waits until it is gone. Where the controller is to
/// be killed, another one follows it. Keeps what there is at both ends.
async fn played(
    engine: &mut Engine,
    (name, objects): (&str, &[Value]),
    (killed, landed): (Option<usize>, &Notify),
    end: &mut Vec<Value>,
) -> Result<bool, Failure> {
    let mut is_killed = false;
    for is_deleted in [false, true] {
        if is_deleted {
            engine.delete_plan(name).await?;
        }
        let lands = async {
            match killed {
                Some(_) if !is_killed => landed.notified().await,
                Some(_) | None => std::future::pending().await,
            }
        };
        let ended = tokio::select! {
            ended = ended(engine, name, is_deleted) => Some(ended?),
            () = lands => None,
        };
        if ended.is_none() {
            is_killed = true;
            engine.stop();
            engine.start().await?;
            self::ended(engine, name, is_deleted).await?;
        }
        if !is_deleted {
            end.push(without_times(engine.status(name).await?, name));
        }
        end.push(left(engine, objects).await?);
    }
    // One that was not made before the controller was killed is not made any more.
    let events = engine.events(name).await?;
    let different: BTreeSet<_> = events.iter().collect();
    assert_eq!(different.len(), events.len(), "{name}: {events:?}");
    Ok(is_killed)
}

async fn ended(engine: &Engine, name: &str, is_deleted: bool) -> Result<(), Failure> {
    if is_deleted {
        engine.until_gone(name).await
    } else {
        engine.until_ready(name).await
    }
}

/// What there is of the objects.
async fn left(engine: &Engine, objects: &[Value]) -> Result<Value, Failure> {
    let mut left = Vec::new();
    for object in objects {
        let found = engine.object(object).await?;
        left.push(found.map(|found| {
            let managers = found.metadata.managed_fields.iter().flatten();
            let managers = managers.filter_map(|entry| entry.manager.clone());
            let ours = managers.filter(|manager| manager.starts_with("plans.portolan.dev/"));
            json!({"data": found.data["data"], "entries": ours.count()})
        }));
    }
    Ok(json!(left))
}

/// A status without its times, uids, digests and the name of the story.
fn without_times(status: Value, story: &str) -> Value {
    let mut status = status;
    for condition in status["conditions"].as_array_mut().into_iter().flatten() {
        if let Some(condition) = condition.as_object_mut() {
            condition.remove("lastTransitionTime");
        }
    }
    status["lineage"] = "uid".into();
    if let Some(record) = status["record"].as_object_mut() {
        record.remove("digest");
        let found = record["found"].as_object_mut().expect("a map");
        found.values_mut().for_each(|uid| *uid = "uid".into());
    }
    serde_json::from_str(&status.to_string().replace(story, "story")).expect("JSON")
}
