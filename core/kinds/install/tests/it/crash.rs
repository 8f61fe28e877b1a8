//! Tests that the final result is the same if the controller stops after any write.

use fastrand::Rng;
use portolan_api::plan::{Phase, Status};
use portolan_core_install::ObjectRef;
use portolan_kit::assert_same;
use serde_json::{Value, json};

use crate::decide::{definition, deployment, namespace, ship};
use crate::kit::{config_map, with};
use crate::model::{End, Server, identity};
use crate::shell::Shell;

/// The number of random clusters. Each has one complete run, and one run for each write at which
/// the controller is stopped.
const WORLDS: u64 = 60;

pub(crate) struct World {
    pub(crate) spec: Value,
    pub(crate) server: Server,
    manifests: Vec<Value>,
    /// The objects that another client created before the plan.
    foreign: Vec<Value>,
}

/// Returns a random plan in a random cluster. The same seed always gives the same plan and cluster.
pub(crate) fn world(seed: u64) -> World {
    let rng = &mut Rng::with_seed(seed);
    let mut manifests = vec![
        namespace(),
        definition(),
        deployment("x"),
        deployment("y"),
        config_map("a"),
        config_map("b"),
        config_map("c"),
        ship("one"),
        ship("two"),
    ];
    // Usually the order is valid. One order in four is random.
    if rng.u8(..4) == 0 {
        rng.shuffle(&mut manifests);
    }
    manifests.retain(|manifest| manifest["kind"] == "CustomResourceDefinition" || rng.u8(..4) > 0);
    let mut stages: Vec<Vec<Value>> = vec![Vec::new()];
    for manifest in &manifests {
        if rng.u8(..3) == 0 && stages.last().is_some_and(|stage| !stage.is_empty()) {
            stages.push(Vec::new());
        }
        let stage = stages.last_mut().expect("a stage");
        stage.push(json!({"manifest": manifest}));
    }
    let stages: Vec<_> = stages
        .into_iter()
        .enumerate()
        .map(|(at, resources)| {
            let order = ["InOrder", "Any"][rng.usize(..2)];
            let wait_for = ["Applied", "Ready"][rng.usize(..2)];
            json!({
                "name": format!("s{at}"), "resources": resources,
                "order": order,
                "waitFor": wait_for,
            })
        })
        .collect();
    let collisions = ["Refuse", "IfUnowned", "Adopt"][rng.usize(..3)];
    let mut server = Server::new();
    let mut foreign = Vec::new();
    for name in ["a", "b", "c"] {
        if rng.u8(..6) == 0 {
            let labels =
                [json!({"app": "x"}), json!({"kapp.k14s.io/app": "x"})][rng.usize(..2)].clone();
            let data = [json!({"key": "value"}), json!({"key": "old"})][rng.usize(..2)].clone();
            let object = with(
                with(config_map(name), "/metadata/labels", labels),
                "/data",
                data,
            );
            server = server.with(object.clone());
            foreign.push(object);
        }
    }
    for manifest in &manifests {
        if rng.u8(..20) == 0 {
            server.stuck.insert(identity(manifest));
        }
        if rng.u8(..10) == 0 {
            server.unwanted.insert(identity(manifest));
        }
        if rng.u8(..30) == 0 {
            server.refuses.insert(identity(manifest));
        }
    }
    World {
        spec: json!({"collisions": collisions, "stages": stages}),
        server,
        manifests,
        foreign,
    }
}

/// Returns the existing objects. Omits the fields that differ between runs.
pub(crate) fn objects(server: &Server) -> Vec<(ObjectRef, Value)> {
    let objects = server.objects.iter().map(|(identity, object)| {
        let mut object = object.clone();
        let metadata = object["metadata"].as_object_mut().expect("metadata");
        metadata.remove("uid");
        metadata.remove("resourceVersion");
        (identity.clone(), object)
    });
    objects.collect()
}

pub(crate) fn end(server: &Server) -> (Vec<(ObjectRef, Value)>, Status) {
    let mut status = server.status.clone();
    if let Some(record) = &mut status.record {
        // Uids differ between runs.
        record.made = (record.made.len()).to_string();
    }
    (objects(server), status)
}

fn carry_on(world: &World, server: &mut Server, stop_after: Option<usize>) -> End {
    Shell::new(&world.spec, server).run(server, stop_after)
}

#[test]
fn plan_has_same_result_after_a_stop_at_any_write() {
    let mut stops = 0;
    for seed in 0..WORLDS {
        let world = world(seed);
        let mut whole = world.server.clone();
        carry_on(&world, &mut whole, None);
        let expected = end(&whole);
        for stop in 1..=whole.writes {
            let mut server = world.server.clone();
            assert_eq!(
                carry_on(&world, &mut server, Some(stop)),
                End::Stopped,
                "seed {seed}"
            );
            // The controller stops once more before it continues to the end.
            carry_on(&world, &mut server, Some(stop + 1 + stop % 3));
            carry_on(&world, &mut server, None);
            assert_same!(end(&server), expected);
            stops += 1;
        }
    }
    assert!(
        stops > 500,
        "the worlds must have something to do: {stops} writes"
    );
}

#[test]
fn completed_plan_has_no_more_steps() {
    for seed in 0..WORLDS {
        let world = world(seed);
        let mut server = world.server.clone();
        carry_on(&world, &mut server, None);
        let writes = server.writes;
        carry_on(&world, &mut server, None);
        assert_eq!(server.writes, writes, "seed {seed}: {:#?}", server.status);
    }
}

#[test]
fn unblocked_plan_becomes_ready_with_all_objects() {
    let mut ready = 0;
    for seed in 0..WORLDS {
        let world = world(seed);
        let mut server = world.server.clone();
        if !world.foreign.is_empty() || !server.stuck.is_empty() || !server.refuses.is_empty() {
            continue;
        }
        carry_on(&world, &mut server, None);
        let is_valid = server.status.conditions[0].status == "True";
        let found = world
            .manifests
            .iter()
            .filter(|each| server.objects.contains_key(&identity(each)));
        let expected = if is_valid { world.manifests.len() } else { 0 };
        assert_eq!(found.count(), expected, "seed {seed}: {:#?}", server.status);
        let is_ready = server.status.phase == Some(Phase::Ready);
        assert_eq!(is_ready, is_valid, "seed {seed}: {:#?}", server.status);
        ready += u32::from(is_ready);
    }
    assert!(ready > 8, "some worlds must be without trouble: {ready}");
}

#[test]
fn keeps_objects_of_other_owners_unless_the_plan_adopts() {
    let (mut left, mut taken) = (0, 0);
    for seed in 0..WORLDS * 3 {
        let world = world(seed);
        let mut server = world.server.clone();
        carry_on(&world, &mut server, None);
        for object in &world.foreign {
            let at = identity(object);
            let (before, after) = (&world.server.objects[&at], server.objects.get(&at));
            let after = after.expect("nothing is ever deleted");
            let is_same = before == after;
            let is_claimed = object["metadata"]["labels"]
                .get("kapp.k14s.io/app")
                .is_some();
            let is_other = object["data"] != config_map("a")["data"];
            let may_change = match world.spec["collisions"].as_str() {
                Some("Adopt") => true,
                Some("IfUnowned") => !is_claimed && !is_other,
                _ => false,
            };
            assert!(
                is_same || may_change,
                "seed {seed}: {before:#} became {after:#}"
            );
            left += u32::from(is_same);
            taken += u32::from(!is_same);
        }
    }
    assert!(
        left > 10 && taken > 10,
        "{left} were left alone and {taken} taken over"
    );
}
