//! Tests with plans and objects of random content. The controller must report all faults, must
//! never panic, and must not write too early.

use fastrand::Rng;
use portolan_api::plan::{InstallPlan, Intent};
use portolan_core_install::{Contents, Expectation, Fields, Members, Owner, readiness};
use serde_json::{Value, json};

use crate::decide::{definition, deployment, namespace, ship};
use crate::kit::{config_map, plan_identity, stage};
use crate::model::Server;
use crate::shell::Shell;

const PLANS: u64 = 500;
const OBJECTS: u64 = 2_000;

fn spec() -> Value {
    let mut second = stage(
        "second",
        &[deployment("ferry"), ship("one"), config_map("a")],
    );
    second["order"] = json!("Any");
    second["deadlineSeconds"] = json!(60);
    json!({
        "serviceAccountName": "installer", "suspend": false, "collisions": "IfUnowned",
        "stages": [stage("first", &[namespace(), definition()]), second],
    })
}

/// Makes one random change in a JSON value: sets or removes a value, or adds an unknown field.
fn mutate(value: &mut Value, rng: &mut Rng) {
    let deeper = rng.u8(..8) > 0;
    match value {
        Value::Object(fields) if deeper && !fields.is_empty() => {
            let mut keys: Vec<_> = fields.keys().cloned().collect();
            keys.sort();
            let key = &keys[rng.usize(..keys.len())];
            match rng.u8(..12) {
                0 => drop(fields.remove(key)),
                1 => drop(fields.insert("strange".to_owned(), json!({"a": [1]}))),
                _ => mutate(&mut fields[key], rng),
            }
        }
        Value::Array(items) if deeper && !items.is_empty() => {
            let at = rng.usize(..items.len());
            match rng.u8(..6) {
                0 => items.push(items[at].clone()),
                1 => drop(items.remove(at)),
                _ => mutate(&mut items[at], rng),
            }
        }
        _ => {
            let values = [
                json!(null),
                json!(""),
                json!("../\u{202e}\n"),
                json!("Ready"),
                json!("v1"),
                json!(-1),
                json!(1e300),
                json!(true),
                json!([]),
                json!([[], {}, null]),
                json!({}),
                json!({"name": {"name": null}}),
                json!("x".repeat(300)),
            ];
            *value = values[rng.usize(..values.len())].clone();
        }
    }
}

#[test]
fn random_plan_is_rejected_or_executed() {
    let (mut refused, mut faulty, mut begun) = (0, 0, 0);
    for seed in 0..PLANS {
        let rng = &mut Rng::with_seed(seed);
        let mut spec = spec();
        for _ in 0..rng.usize(1..4) {
            // Most changes are in a manifest. Almost any other change makes the whole plan invalid.
            let place = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)][rng.usize(..5)];
            let manifest = format!("/stages/{}/resources/{}/manifest", place.0, place.1);
            match spec.pointer_mut(&manifest).filter(|_| seed % 4 > 0) {
                Some(manifest) => mutate(manifest, rng),
                None => mutate(&mut spec, rng),
            }
        }
        let plan = InstallPlan::new("plan", spec.clone().into());
        let intent = match Intent::parse(&plan) {
            Ok(intent) => intent,
            Err(refusals) => {
                let sentences = refusals.sentences();
                let is_whole =
                    |sentence: &String| sentence.starts_with("spec") && !sentence.contains('\n');
                assert!(sentences.iter().all(is_whole), "seed {seed}: {sentences:?}");
                refused += 1;
                continue;
            }
        };
        let members = Members::read(&intent, &plan_identity(), &Contents::default());
        faulty += u32::from(members.is_err());
        let mut server = Server::new();
        Shell::new(&spec, &server).run(&mut server, None);
        let is_begun = server.status.record.is_some();
        begun += u32::from(is_begun);
        assert!(
            is_begun || server.objects.is_empty(),
            "seed {seed}: {spec:#}"
        );
        assert!(!(is_begun && members.is_err()), "seed {seed}: {spec:#}");
        let messages = server
            .status
            .conditions
            .iter()
            .map(|condition| &condition.message);
        for message in messages {
            assert!(
                !message.contains(['\n', '\u{202e}']),
                "seed {seed}: {message:?}"
            );
        }
    }
    let all = [refused, faulty, begun];
    assert!(
        all.iter().all(|count| *count > 20),
        "of each there must be some: {all:?}"
    );
}

#[test]
fn random_object_is_judged_without_a_panic() {
    let condition = json!({"type": "Available", "status": "True", "reason": "a", "message": "b"});
    let managed = json!([{
        "manager": "ours", "operation": "Apply", "apiVersion": "v1",
        "fieldsV1": {"f:spec": {"f:ports": {"k:{\"port\":80}": {".": {}, "f:port": {}}, "v:1": {}, "i:0": {}}}},
    }]);
    let kinds = ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"];
    for seed in 0..OBJECTS {
        let rng = &mut Rng::with_seed(seed);
        let replicas = [i64::MIN, -1, 1, i64::MAX][rng.usize(..4)];
        let mut object = json!({
            "apiVersion": "apps/v1", "kind": kinds[rng.usize(..kinds.len())],
            "metadata": {"name": "a", "generation": 1, "finalizers": ["a"], "managedFields": managed},
            "spec": {"replicas": replicas, "ports": [{"port": 80}, 1, null], "updateStrategy": {"rollingUpdate": {"partition": i64::MIN}}},
            "status": {
                "observedGeneration": 1, "replicas": i64::MAX, "updatedReplicas": i64::MAX,
                "readyReplicas": i64::MAX, "conditions": [condition],
            },
        });
        for _ in 0..rng.usize(..4) {
            mutate(&mut object, rng);
        }
        let judged = readiness(
            &object,
            Expectation {
                wants_status: rng.bool(),
            },
        );
        assert!(judged.reasons.len() <= 1, "seed {seed}: {judged:?}");
        let fields = Fields::of(&object);
        for owner in ["ours", "others"].map(Owner::applies) {
            let lost = fields.lost(&object, &owner);
            let others = fields.others(&object, &owner);
            assert!(
                lost.iter().all(|lost| lost.field.starts_with('.')),
                "seed {seed}"
            );
            assert!(!others.contains_key(&owner), "seed {seed}");
        }
    }
}
