//! A controller that is killed at writes of it, once each, in the soak at every single one: of a plan that is applied and
//! deleted, of one that puts right what others did, and of one that takes the place of another.

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

/// Each story has more writes than these, however many there are each time.
const LEAST: usize = 20;

/// What is done to a plan, one act after the other.
struct Story {
    /// How many objects the plan has.
    objects: usize,
    /// What is over before the controller comes that is killed.
    before: &'static [Act],
    acts: &'static [Act],
    /// Whether nothing comes to be so again that was so before, and was told.
    is_told_once: bool,
}

/// What a story came to.
struct Played {
    /// What there was at the end of each act.
    ends: Vec<Value>,
    writes: usize,
    is_killed: bool,
}

/// Whoever carries the plan on comes to the same end, and makes nothing twice.
#[tokio::test]
async fn a_controller_killed_at_any_write_leaves_work_for_the_next_one() -> Result<(), Failure> {
    let story = Story {
        objects: 4,
        before: &[],
        acts: &[Act::Apply, Act::Delete],
        is_told_once: true,
    };
    play_all("pl-killed", &story).await
}

/// What a plan made goes with it, whoever carries that on.
#[tokio::test]
async fn a_controller_killed_while_it_deletes_is_carried_on() -> Result<(), Failure> {
    let story = Story {
        objects: 24,
        before: &[Act::Apply],
        acts: &[Act::Delete],
        is_told_once: true,
    };
    play_all("pl-killed-gone", &story).await
}

/// What others changed and deleted is put right by whoever comes next, and nothing else.
#[tokio::test]
async fn a_controller_killed_while_it_puts_right_is_carried_on() -> Result<(), Failure> {
    let story = Story {
        objects: 14,
        before: &[Act::Apply],
        acts: &[Act::Disturb, Act::Delete],
        is_told_once: false,
    };
    play_all("pl-killed-back", &story).await
}

/// A plan that takes the place of another has it in the end, with all that both have, and nothing is
/// left that only the old one made.
#[tokio::test]
async fn a_controller_killed_while_a_plan_takes_over_is_carried_on() -> Result<(), Failure> {
    let story = Story {
        objects: 6,
        before: &[Act::Apply],
        acts: &[Act::Replace, Act::DropOld, Act::Delete],
        is_told_once: true,
    };
    play_all("pl-killed-next", &story).await
}

/// Plays a story unharmed, and then once for each write at which its controller is killed.
async fn play_all(namespace: &str, story: &Story) -> Result<(), Failure> {
    let Some(mut engine) = engine(namespace).await? else {
        return Ok(());
    };
    engine.stop();
    engine.allow_all().await?;
    let wanted = play(&mut engine, story, "unharmed", None).await?;
    println!("engine: {} writes without a fault", wanted.writes);
    assert!(
        wanted.writes > LEAST,
        "a story has more writes than {LEAST}"
    );
    for at in detour::kills(wanted.writes) {
        let played = play(&mut engine, story, &format!("write-{at}"), Some(at)).await?;
        assert_eq!(played.ends, wanted.ends, "killed at write {at}");
        if !played.is_killed {
            // On a busy machine the first one may have written something twice.
            assert!(at > LEAST, "it is killed at write {at}");
            break;
        }
    }
    Ok(())
}

/// Plays a story once. Where its controller is to be killed, another one follows it.
async fn play(
    engine: &mut Engine,
    story: &Story,
    name: &str,
    killed: Option<usize>,
) -> Result<Played, Failure> {
    let scene = Scene::new(engine.namespace(), name, story.objects);
    if !story.before.is_empty() {
        engine.start().await?;
        for act in story.before {
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
    for act in story.acts {
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
    if story.is_told_once {
        scene.is_told_once(engine).await?;
    }
    Ok(played)
}
