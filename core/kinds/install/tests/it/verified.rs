//! Tests that a decision about an applied plan checks only changed objects. In every test,
//! [`Shell`] asserts after each decision that a process that checks all objects decides the same.

use fastrand::Rng;
use serde_json::json;

use crate::crash::world;
use crate::decide::deployment;
use crate::kit::{config_map, stage};
use crate::model::{Server, identity};
use crate::shell::Shell;

const WORLDS: u64 = 150;
/// The number of actions by other users in each test run.
const ACTS: usize = 12;

#[test]
fn only_changed_objects_are_judged_again() {
    let stages = [stage("all", &[config_map("a"), deployment("b")])];
    let spec = json!({"lifecycle": {"onDrift": "Report"}, "stages": stages});
    let mut server = Server::new();
    let mut shell = Shell::new(&spec, &server);
    shell.run(&mut server, None);
    shell.decide(&server);
    assert_eq!(shell.verified(), 2);
    // A member that does not match its manifest is checked in each decision.
    server.edit(&config_map("a"), "/data/key", json!("other"), "editor");
    shell.decide(&server);
    assert_eq!(shell.verified(), 1);
    server.edit(&config_map("a"), "/data/key", json!("value"), "editor");
    shell.decide(&server);
    assert_eq!(shell.verified(), 2);
    server.objects.remove(&identity(&deployment("b")));
    shell.decide(&server);
    assert_eq!(shell.verified(), 1);
}

/// Other users change and delete objects of plans with different settings. A process with cached
/// facts must repair or report these changes like a process that checks all objects.
#[test]
fn random_changes_give_the_same_decisions_as_a_full_check() {
    let mut verified = 0;
    for seed in 0..WORLDS {
        let rng = &mut Rng::with_seed(seed);
        let mut world = world(seed);
        let value = |rng: &mut Rng, all: &[&'static str]| all[rng.usize(..all.len())];
        world.spec["lifecycle"] = json!({
            "onDrift": value(rng, &["Report", "Revert", "Seal"]),
            "onDeletion": value(rng, &["Report", "Recreate"]),
            "onFound": value(rng, &["Keep", "Own"]),
        });
        let mut server = world.server;
        let mut shell = Shell::new(&world.spec, &server);
        shell.run(&mut server, None);
        for _ in 0..ACTS {
            act(&mut server, rng);
            shell.run(&mut server, None);
            verified += shell.verified();
        }
    }
    println!("{verified} judgments were spared in {WORLDS} worlds");
    assert!(verified > WORLDS as usize, "{verified}");
}

/// Makes a random change, as another user.
fn act(server: &mut Server, rng: &mut Rng) {
    let all: Vec<_> = server.objects.keys().cloned().collect();
    if all.is_empty() {
        return;
    }
    let identity = all[rng.usize(..all.len())].clone();
    let object = server.objects[&identity].clone();
    match rng.u8(..8) {
        0 => drop(server.objects.remove(&identity)),
        1 => {
            // Another object with the same name replaces it.
            let mut other = object.clone();
            let metadata = other["metadata"].as_object_mut().expect("metadata");
            metadata
                .retain(|key, _| !["managedFields", "resourceVersion", "uid"].contains(&&**key));
            *server = std::mem::replace(server, Server::new()).with(other);
        }
        2 => server.edit(&object, "/metadata/labels/more", json!("1"), "editor"),
        3 => server.edit(
            &object,
            "/metadata/labels/plans.portolan.dev~1lineage",
            json!("u-other"),
            "editor",
        ),
        4 => server.edit(
            &object,
            "/metadata/annotations/plans.portolan.dev~1digest",
            json!("x"),
            "editor",
        ),
        5 => server.later(700),
        _ if identity.kind.kind == "ConfigMap" => {
            server.edit(&object, "/data/key", json!("other"), "editor");
        }
        _ => server.is_allowed = !server.is_allowed,
    }
}
