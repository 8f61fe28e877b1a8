//! Generates random plans, and random changes of existing plans.

use fastrand::Rng;
use portolan_core_install::ObjectRef;
use serde_json::{Value, json};

use crate::decide::{definition, deployment, namespace, ship};
use crate::kit::{config_map, stage, with};
use crate::model::identity;

/// The values that consecutive versions of a plan set in the same object.
const VALUES: [&str; 2] = ["value", "newer"];

pub(super) fn pick<T: Clone>(rng: &mut Rng, all: &[T]) -> T {
    all[rng.usize(..all.len())].clone()
}

fn claim() -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"namespace": "harbor", "name": "hold"}, "spec": {"size": 1},
    })
}

/// Returns the objects that plans and other clients may create.
pub(super) fn pool() -> Vec<Value> {
    let maps = ["a", "b", "c", "d", "e"].map(config_map);
    [vec![claim(), deployment("x"), deployment("y")], maps.into()].concat()
}

/// Returns objects of other users that transformations of plans may delete.
pub(super) fn old() -> Vec<Value> {
    let old = |name: &&str| {
        let labels = json!({"app": "ferry"});
        with(config_map(name), "/metadata/labels", labels)
    };
    ["old-1", "old-2", "old-3"].iter().map(old).collect()
}

/// Returns the objects that can only be changed by deleting and recreating them.
pub(super) fn frozen() -> [ObjectRef; 2] {
    [deployment("y"), config_map("e")].map(|manifest| identity(&manifest))
}

/// Returns a random plan that replaces all earlier plans.
pub(super) fn spec(rng: &mut Rng, before: &[String]) -> Value {
    let mut first = Vec::new();
    let mut second = pool();
    second.retain(|_| rng.u8(..5) > 1);
    for manifest in &mut second {
        let value = pick(rng, &VALUES);
        if manifest["kind"] == "ConfigMap" {
            *manifest = with(manifest.clone(), "/data", json!({"key": value}));
        } else if manifest["metadata"]["name"] == "y" {
            *manifest = with(
                manifest.clone(),
                "/spec/replicas",
                json!(1 + value.len() % 2),
            );
        }
    }
    if rng.bool() {
        first.push(namespace());
    }
    if rng.u8(..3) == 0 {
        first.push(definition());
        second.push(ship("one"));
    }
    if second.is_empty() {
        second.push(config_map("a"));
    }
    rng.shuffle(&mut second);
    let mut last = second.split_off(second.len() - usize::from(second.len() > 2));
    if rng.bool() {
        second.append(&mut last);
    }
    let parts = [("first", first), ("second", second), ("last", last)];
    let mut stages = Vec::new();
    for (name, manifests) in parts {
        if !manifests.is_empty() {
            stages.push(written_stage(rng, name, &manifests));
        }
    }
    let mut spec = json!({"stages": stages, "lifecycle": {}});
    for (pointer, values) in mutable() {
        spec = with(spec, pointer, pick(rng, &values));
    }
    // Three of four plans are not suspended, so that most plans can be completed.
    if rng.u8(..4) > 0 {
        spec["suspend"] = json!(false);
    }
    let replaces = before.iter().map(|name| json!({"name": name}));
    spec["replaces"] = replaces.collect();
    if rng.u8(..3) == 0 {
        spec["transformations"] = json!([transformation(rng, &spec)]);
    }
    spec
}

fn written_stage(rng: &mut Rng, name: &str, manifests: &[Value]) -> Value {
    let mut stage = stage(name, manifests);
    stage["order"] = json!(pick(rng, &["InOrder", "Any"]));
    stage["waitFor"] = json!(pick(rng, &["Ready", "Ready", "Applied"]));
    for resource in stage["resources"].as_array_mut().expect("resources") {
        let lifecycle = exceptions(rng, &resource["manifest"]);
        resource["lifecycle"] = lifecycle;
    }
    if rng.u8(..3) == 0 {
        let pod = json!({"restartPolicy": "Never", "containers": [{"name": "a"}]});
        let template = json!({"spec": {"template": {"spec": pod}}});
        let job = |name: &str| json!({"name": name, "retries": rng.u8(..3), "template": template});
        let names: &[&str] = &["migrate", "check"];
        let names = &names[..1 + name.len() % 2];
        stage["jobs"] = names.iter().copied().map(job).collect();
    }
    stage
}

/// Returns random settings with which a resource deviates from its plan.
fn exceptions(rng: &mut Rng, manifest: &Value) -> Value {
    let mut lifecycle = json!({});
    let is_precious = super::ledger::is_precious(&identity(manifest));
    let mut say = |field: &str, values: &[&str], odds: u8| {
        if rng.u8(..odds) == 0 {
            lifecycle[field] = json!(pick(rng, values));
        }
    };
    if is_precious {
        say("onRemoval", &["Keep", "Delete", "Delete"], 2);
    } else {
        say("onRemoval", &["Keep", "Delete"], 5);
    }
    say("onPlanDeletion", &["Keep", "Delete"], 10);
    say("onDrift", &["Report", "Revert", "Seal"], 6);
    say("onDeletion", &["Report", "Recreate"], 6);
    if !is_precious {
        say(
            "onImmutable",
            &["Fail", "Recreate", "Recreate", "Recreate"],
            1,
        );
    }
    if manifest["kind"] == "ConfigMap" && rng.u8(..8) == 0 {
        lifecycle["ignore"] = json!(["/data/key"]);
    }
    lifecycle
}

/// Returns the mutable fields of a plan, each with its possible values.
pub(super) fn mutable() -> [(&'static str, Vec<Value>); 7] {
    let words = |words: &[&str]| words.iter().map(|word| json!(word)).collect();
    [
        (
            "/collisions",
            words(&[
                "Refuse",
                "IfUnowned",
                "IfUnowned",
                "Adopt",
                "Adopt",
                "Adopt",
            ]),
        ),
        (
            "/suspend",
            [false, false, false, true].map(Value::from).into(),
        ),
        (
            "/abandonAfterSeconds",
            vec![Value::Null, Value::Null, json!(40)],
        ),
        ("/lifecycle/onPlanDeletion", words(&["Keep", "Delete"])),
        ("/lifecycle/onDrift", words(&["Report", "Revert", "Seal"])),
        ("/lifecycle/onDeletion", words(&["Report", "Recreate"])),
        ("/lifecycle/onFound", words(&["Keep", "Keep", "Own"])),
    ]
}

/// Returns a transformation with one member that replaces objects of other users. It selects these
/// objects by name or by labels.
fn transformation(rng: &mut Rng, spec: &Value) -> Value {
    let members: Vec<_> = resources(spec)
        .map(|resource| resource["manifest"].clone())
        .collect();
    let member = pick(rng, &members);
    let mut to = json!({"apiVersion": member["apiVersion"], "kind": member["kind"]});
    for key in ["namespace", "name"] {
        if member["metadata"][key].is_string() {
            to[key] = member["metadata"][key].clone();
        }
    }
    let mut from = json!({"apiVersion": "v1", "kind": "ConfigMap", "namespace": "harbor"});
    match rng.u8(..3) {
        0 => from["name"] = json!(pick(rng, &["old-1", "a", "e"])),
        _ => from["labelSelector"] = json!({"matchLabels": {"app": "ferry"}}),
    }
    json!({
        "from": [from], "to": [to], "order": pick(rng, &["Before", "After"]),
        "max": pick(rng, &[1, 2, 20]),
    })
}

/// The resources of a plan.
pub(super) fn resources(spec: &Value) -> impl Iterator<Item = &Value> {
    let stages = spec["stages"].as_array().into_iter().flatten();
    stages.flat_map(|stage| stage["resources"].as_array().into_iter().flatten())
}

/// Returns the resource of a plan that describes this object.
pub(super) fn resource<'s>(spec: &'s Value, object: &ObjectRef) -> Option<&'s Value> {
    resources(spec).find(|resource| identity(&resource["manifest"]) == *object)
}

pub(super) fn has(spec: &Value, object: &ObjectRef) -> bool {
    resource(spec, object).is_some()
}
