//! Tests of deletions in which the controller stops after any write. The final state must always be
//! the same. The controller must delete only objects that the plan created.

use std::collections::BTreeSet;

use fastrand::Rng;
use portolan_api::plan::Status;
use portolan_core_install::{ObjectRef, Step, manager};
use portolan_kit::assert_same;
use serde_json::{Value, json};

use crate::crash::{end, world};
use crate::decide::ship;
use crate::kit::{config_map, with};
use crate::model::{End, LINEAGE, Server, identity};
use crate::shell::Shell;

const WORLDS: u64 = 200;

struct Deletion {
    spec: Value,
    /// The server at the time when the plan is deleted.
    server: Server,
    /// The uids of the objects that must not be deleted.
    spared: BTreeSet<String>,
}

fn uid(object: &Value) -> String {
    object["metadata"]["uid"]
        .as_str()
        .expect("a uid")
        .to_owned()
}

/// Changes existing objects, as another user would do. Adds the uids of objects that must not be
/// deleted to `spared`.
fn changed(server: &mut Server, rng: &mut Rng, spared: &mut BTreeSet<String>) {
    let identities: Vec<_> = server.objects.keys().cloned().collect();
    for identity in identities {
        let object = server.objects.get_mut(&identity).expect("it");
        match rng.u8(..24) {
            0 => {
                // Another client has recreated the object from a copy, so the object has another
                // uid.
                object["metadata"]["uid"] = json!(format!("u-again-{}", identity.name));
                object["metadata"]["managedFields"][0]["manager"] = json!("somebody");
                spared.insert(uid(object));
            }
            1 => {
                // Another lineage owns the object now.
                object["metadata"]["labels"]["plans.portolan.dev/lineage"] = json!("u-other");
                spared.insert(uid(object));
            }
            2..=4 => object["metadata"]["finalizers"] = json!(["ferry.example/dock"]),
            5 => {
                object["metadata"]["finalizers"] = json!(["ferry.example/dock"]);
                server.held.insert(identity);
            }
            _ => {}
        }
    }
}

/// Returns a random plan in a random cluster. It was carried out partly or completely, and then
/// deleted.
fn deletion(seed: u64) -> Deletion {
    let rng = &mut Rng::with_seed(seed ^ 0xdead);
    let world = world(seed);
    let (mut spec, mut server) = (world.spec, world.server);
    let word = ["Delete", "Delete", "Keep"][rng.usize(..3)];
    spec["lifecycle"] = json!({"onPlanDeletion": word});
    let removal = ["Delete", "Keep"];
    for stage in spec["stages"].as_array_mut().expect("stages") {
        for resource in stage["resources"].as_array_mut().expect("resources") {
            if rng.u8(..6) == 0 {
                resource["lifecycle"]["onPlanDeletion"] = json!(removal[rng.usize(..2)]);
            }
            if rng.u8(..4) > 0 {
                resource["lifecycle"]["onRemoval"] = json!(removal[rng.usize(..2)]);
            }
        }
    }
    let mut spared: BTreeSet<_> = server.objects.values().map(uid).collect();
    let stop = (rng.u8(..3) == 0).then(|| 1 + rng.usize(..12));
    Shell::new(&spec, &server).run(&mut server, stop);
    server.refuses.clear();
    server.unwanted.clear();
    server.tick();
    changed(&mut server, rng, &mut spared);
    for foreign in [ship("foreign"), config_map("foreign")] {
        let has_ships = server
            .objects
            .keys()
            .any(|identity| identity.kind.is_definition());
        if rng.u8(..5) == 0 && (has_ships || foreign["kind"] == "ConfigMap") {
            let labels = json!({"plans.portolan.dev/lineage": LINEAGE});
            server = server.with(with(foreign.clone(), "/metadata/labels", labels));
            spared.insert(uid(&server.objects[&identity(&foreign)]));
        }
    }
    (server.deleted, server.lost) = (Vec::new(), Vec::new());
    server.delete_plan();
    Deletion {
        spec,
        server,
        spared,
    }
}

fn carry_on(deletion: &Deletion, server: &mut Server, stop_after: Option<usize>) -> End {
    Shell::new(&deletion.spec, server).run(server, stop_after)
}

/// Returns the objects that exist at the end, and the last status. A plan that is gone has no
/// status.
fn left(server: &Server) -> (Vec<(ObjectRef, Value)>, Option<Status>) {
    let mut server = server.clone();
    server.tick();
    let (objects, status) = end(&server);
    (objects, (!server.is_gone).then_some(status))
}

#[test]
fn deletion_has_same_result_after_a_stop_at_any_write() {
    let mut stops = 0;
    for seed in 0..WORLDS {
        let deletion = deletion(seed);
        let mut whole = deletion.server.clone();
        carry_on(&deletion, &mut whole, None);
        let expected = left(&whole);
        for stop in deletion.server.writes + 1..=whole.writes {
            let mut server = deletion.server.clone();
            assert_eq!(
                carry_on(&deletion, &mut server, Some(stop)),
                End::Stopped,
                "seed {seed}"
            );
            carry_on(&deletion, &mut server, Some(stop + 1 + stop % 3));
            carry_on(&deletion, &mut server, None);
            assert_same!(left(&server), expected);
            stops += 1;
        }
    }
    assert!(
        stops > 300,
        "the worlds must have something to do: {stops} writes"
    );
}

#[test]
fn deletion_removes_only_created_objects_that_are_not_kept() {
    let (mut gone, mut deleted, mut blocked) = (0, 0, 0);
    for seed in 0..WORLDS * 5 {
        let deletion = deletion(seed);
        let mut server = deletion.server.clone();
        carry_on(&deletion, &mut server, None);
        server.later(60);
        carry_on(&deletion, &mut server, None);
        let shell = Shell::new(&deletion.spec, &server);
        let kept = kept(&deletion.spec, &shell);
        for object in &server.deleted {
            let name = identity(object);
            assert!(
                !deletion.spared.contains(&uid(object)),
                "seed {seed}: {name} is not the plan's"
            );
            assert!(!kept.contains(&name), "seed {seed}: {name} is to be kept");
        }
        assert_eq!(server.lost, Vec::<Value>::new(), "seed {seed}");
        gone += u32::from(server.is_gone);
        deleted += server.deleted.len();
        blocked += u32::from(!server.is_gone);
        if server.is_gone {
            // The only remaining objects of the plan are those that it keeps.
            for (name, object) in &server.objects {
                let is_marked =
                    object["metadata"]["labels"]["plans.portolan.dev/lineage"] == json!(LINEAGE);
                let is_written = object["metadata"]["managedFields"]
                    .to_string()
                    .contains(&manager(LINEAGE));
                let is_left = is_marked && is_written && !deletion.spared.contains(&uid(object));
                assert!(
                    !is_left || kept.contains(name),
                    "seed {seed}: {name} is left"
                );
            }
        } else {
            assert!(
                !server.status.members.is_empty(),
                "seed {seed}: {:#?}",
                server.status
            );
        }
    }
    assert!(
        gone > 50 && deleted > 200 && blocked > 20,
        "{gone} {deleted} {blocked}"
    );
}

/// Returns the objects that the settings of the plan keep, computed independently of the tested
/// code.
fn kept(spec: &Value, shell: &Shell) -> BTreeSet<ObjectRef> {
    let stages = spec["stages"].as_array().expect("stages").iter();
    let resources = stages.flat_map(|stage| stage["resources"].as_array().expect("resources"));
    let kept = resources.zip(shell.members()).filter(|(resource, member)| {
        let lifecycle = &resource["lifecycle"];
        let plan = &spec["lifecycle"]["onPlanDeletion"];
        let own = &lifecycle["onPlanDeletion"];
        let word = if own.is_null() { plan } else { own };
        let kind = member.identity.kind.kind.as_str();
        let is_precious = matches!(kind, "Namespace" | "CustomResourceDefinition");
        word != "Delete" || (is_precious && lifecycle["onRemoval"] != "Delete")
    });
    kept.map(|(_, member)| member.identity.clone()).collect()
}

#[test]
fn blocked_deletion_writes_nothing_more() {
    for seed in 0..WORLDS {
        let deletion = deletion(seed);
        let mut server = deletion.server.clone();
        carry_on(&deletion, &mut server, None);
        if server.is_gone {
            continue;
        }
        let writes = server.writes;
        carry_on(&deletion, &mut server, None);
        assert_eq!(server.writes, writes, "seed {seed}: {:#?}", server.status);
        let steps = Shell::new(&deletion.spec, &server).decide(&server).steps;
        assert_eq!(steps, Vec::<Step>::new(), "seed {seed}");
    }
}
