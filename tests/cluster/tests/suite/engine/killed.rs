//! Kills the controller at one of its writes, in each run at another write. A soak test covers all
//! writes. In the scenarios, a plan is applied and deleted, a plan reverts drift, and a plan
//! replaces another plan.

mod scene;

use std::sync::Arc;

use portolan_kit::proxy::Matcher;
use portolan_rig::Failure;
use serde_json::Value;
use tokio::sync::Notify;

use self::scene::{Act, Scene};
use super::stage::{Engine, engine};
use crate::detour;
use crate::health::written;

/// The minimum number of writes in a scenario. The number differs between runs.
const LEAST: usize = 20;

/// A scenario: a list of acts.
struct Scenario {
    /// The number of objects in the plan.
    objects: usize,
    /// The acts that are complete before the controller starts that will be killed.
    before: &'static [Act],
    acts: &'static [Act],
    /// True if no state may be reported twice.
    is_reported_once: bool,
}

/// The result of a scenario.
struct Played {
    /// The objects after each act.
    ends: Vec<Value>,
    writes: usize,
    is_killed: bool,
}

/// The next controller completes the plan. The result is the same, and no object is created twice.
#[tokio::test]
async fn next_controller_completes_plan_after_kill() -> Result<(), Failure> {
    let scenario = Scenario {
        objects: 4,
        before: &[],
        acts: &[Act::Apply, Act::Delete],
        is_reported_once: true,
    };
    play_all("pl-killed", &scenario).await
}

/// The members of a deleted plan are deleted, even if another controller must continue the
/// deletion.
#[tokio::test]
async fn next_controller_completes_deletion_after_kill() -> Result<(), Failure> {
    let scenario = Scenario {
        objects: 24,
        before: &[Act::Apply],
        acts: &[Act::Delete],
        is_reported_once: true,
    };
    play_all("pl-killed-gone", &scenario).await
}

/// The next controller reverts the changes and deletions of other clients, and writes nothing else.
#[tokio::test]
async fn next_controller_completes_reverts_after_kill() -> Result<(), Failure> {
    let scenario = Scenario {
        objects: 14,
        before: &[Act::Apply],
        acts: &[Act::Disturb, Act::Delete],
        is_reported_once: false,
    };
    play_all("pl-killed-back", &scenario).await
}

/// At the end, the new plan has the objects of both plans. Objects that only the old plan contains
/// are deleted.
#[tokio::test]
async fn next_controller_completes_handover_after_kill() -> Result<(), Failure> {
    let scenario = Scenario {
        objects: 6,
        before: &[Act::Apply],
        acts: &[Act::Replace, Act::DropOld, Act::Delete],
        is_reported_once: true,
    };
    play_all("pl-killed-next", &scenario).await
}

/// Runs a scenario without a fault, and then once for each write at which its controller is killed.
async fn play_all(namespace: &str, scenario: &Scenario) -> Result<(), Failure> {
    let Some(mut engine) = engine(namespace).await? else {
        return Ok(());
    };
    engine.stop();
    engine.allow_all().await?;
    let wanted = play(&mut engine, scenario, "unharmed", None).await?;
    println!("engine: {} writes without a fault", wanted.writes);
    assert!(
        wanted.writes > LEAST,
        "a scenario has more writes than {LEAST}"
    );
    for at in detour::kills(wanted.writes) {
        let played = play(&mut engine, scenario, &format!("write-{at}"), Some(at)).await?;
        assert_eq!(played.ends, wanted.ends, "killed at write {at}");
        if !played.is_killed {
            // On a busy machine, the controller may have written an object twice in the first run.
            assert!(at > LEAST, "the controller is killed at write {at}");
            break;
        }
    }
    Ok(())
}

/// Runs a scenario once. After its controller is killed, another controller continues.
async fn play(
    engine: &mut Engine,
    scenario: &Scenario,
    name: &str,
    killed: Option<usize>,
) -> Result<Played, Failure> {
    let scene = Scene::new(engine.namespace(), name, scenario.objects);
    if !scenario.before.is_empty() {
        engine.start().await?;
        for act in scenario.before {
            act.begin(engine, &scene).await?;
            act.until_ended(engine, &scene).await?;
        }
        engine.stop();
    }
    let proxy = detour::proxy(engine.cluster()).await?;
    let landed = Arc::new(Notify::new());
    if let Some(at) = killed {
        detour::kill_at(&proxy, at, &landed);
    }
    let (through, _folder) = written::through(&proxy);
    engine.start_at(&through).await;
    let mut played = Played {
        ends: Vec::new(),
        writes: 0,
        is_killed: false,
    };
    for act in scenario.acts {
        act.begin(engine, &scene).await?;
        let landing = async {
            match killed {
                Some(_) if !played.is_killed => landed.notified().await,
                Some(_) | None => std::future::pending().await,
            }
        };
        let ended = tokio::select! {
            ended = act.until_ended(engine, &scene) => Some(ended?),
            () = landing => None,
        };
        if ended.is_none() {
            played.is_killed = true;
            engine.stop();
            engine.start().await?;
            act.until_ended(engine, &scene).await?;
        }
        played.ends.push(scene.end(engine).await?);
    }
    played.writes = proxy.count(Matcher::writes());
    engine.stop();
    scene.leaves_nothing(engine).await?;
    if scenario.is_reported_once {
        scene.is_reported_once(engine).await?;
    }
    Ok(played)
}
