//! Reads objects that an earlier version of Portolan stored about Operators with the current
//! version. The current version manages these objects without changing them. It reports the same
//! status, except for new fields.
//!
//! The objects are in `tests/fixtures/operators/stored`, with one folder for each released format.
//! `PORTOLAN_WRITE_STORED=NAME` runs the scenarios of this file and writes their objects to a
//! folder of that name. Do this when the statuses of Operators or the annotations of their plans
//! get new fields.

use std::path::{Path, PathBuf};
use std::{env, fs};

use portolan_api::operator::{APPROVE, Operator};
use portolan_core_operator::Step;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::adoption;
use crate::cluster::{Cluster, wish};

/// The files in a folder, each with the scenario that creates its objects.
const STORIES: [(&str, Story); 2] = [("hops.json", hops), ("adopted.json", adopted)];

type Story = fn() -> Cluster;

/// Returns Operators without pending work: after three hops, after the only hop, before a hop that
/// a user must approve, without a route, and required by other Operators.
fn hops() -> Cluster {
    let mut cluster = Cluster::with_ferry();
    for package in ["barge", "buoy", "rope"] {
        let versions = vec!["1.0.0", "1.1.0"];
        cluster.packages.insert(package.to_owned(), versions);
    }
    let needs = ("ferry".to_owned(), ">=1.2.0 <2.0.0".to_owned());
    cluster.requires.insert("rope.v1.1.0".to_owned(), needs);
    cluster.put("ferry", wish("ferry", "1.0.0"));
    cluster.settle();
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster.put("rope", json!({"packageName": "rope"}));
    let spec = |version| {
        json!({"packageName": "barge", "version": version, "settleSeconds": 0, "approval": "Manual",
            "config": {"env": [{"name": "A", "value": "1"}]}})
    };
    cluster.put("barge", spec("1.0.0"));
    cluster.annotate("barge", APPROVE, "barge.v1.0.0");
    cluster.put("buoy", wish("buoy", ">=2.0.0"));
    cluster.settle();
    cluster.put("barge", spec("1.1.0"));
    cluster.settle();
    cluster
}

/// Returns an Operator that has adopted an installation of OLM.
fn adopted() -> Cluster {
    let mut cluster = adoption::cluster();
    cluster.settle();
    cluster
}

/// Returns a cluster with the stored objects. The cluster renders bundles differently, like a newer
/// version of Portolan.
fn found(story: Story, stored: &Value) -> Cluster {
    let mut cluster = story();
    let known =
        ["operators", "plans"].map(|key| stored[key].as_object().cloned().expect("objects"));
    let [operators, plans] = known;
    let operators = operators.into_iter().map(|(name, it)| {
        let operator: Operator = serde_json::from_value(it).expect("an Operator");
        (name, operator)
    });
    cluster.operators = operators.collect();
    cluster.plans = plans.into_iter().collect();
    cluster.more.push(json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "new", "namespace": "harbor"},
    }));
    cluster.take_written();
    cluster
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a test finds what is stored by itself"
)]
fn accepts_objects_stored_by_earlier_versions_without_changes() {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/operators/stored");
    if let Some(name) = env::var_os("PORTOLAN_WRITE_STORED") {
        return record(&root.join(name));
    }
    let folders = fs::read_dir(&root).expect("a folder").flatten();
    let folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    assert!(!folders.is_empty(), "there is something stored");
    for folder in folders {
        for (file, story) in STORIES {
            let place = folder.join(file);
            let text = fs::read_to_string(&place).expect("a file");
            let stored: Value = serde_json::from_str(&text).expect("JSON");
            stays(&place, &stored, found(story, &stored));
        }
    }
}

fn stays(place: &Path, stored: &Value, mut cluster: Cluster) {
    let place = place.display();
    let operators = stored["operators"].as_object().expect("objects");
    assert!(!operators.is_empty(), "{place}");
    for (name, old) in operators {
        let decision = cluster.decide(name);
        // The current version suspends the plans that an earlier version replaced.
        let others = decision.steps.iter();
        let others: Vec<_> = others
            .filter(|it| !matches!(it, Step::Suspend { .. }))
            .collect();
        assert_eq!(others, Vec::<&Step>::new(), "{place}: {name}");
        let new = json!(decision.status);
        let old = &old["status"];
        assert!(is_kept(old, &new), "{place}: {name}: {old:#}\n{new:#}");
    }
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0], "{place}");
    for (name, old) in operators {
        let now = json!(cluster.operators[name]);
        for part in ["spec", "metadata"] {
            assert_eq!(now[part], old[part], "{place}: {name}");
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a test writes what it reads")]
fn record(folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    for (file, story) in STORIES {
        let cluster = story();
        let stored = json!({"operators": cluster.operators, "plans": cluster.plans});
        let text = serde_json::to_string_pretty(&stored).expect("JSON");
        fs::write(folder.join(file), text + "\n").expect("a file");
    }
}

/// Returns true if the new status contains every value of the old status. The texts of reasons and
/// messages may differ.
fn is_kept(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => old
            .iter()
            .filter(|(key, _)| !["reason", "message", "waitsFor"].contains(&key.as_str()))
            .all(|(key, old)| new.get(key).is_some_and(|new| is_kept(old, new))),
        (Value::Array(old), Value::Array(new)) => {
            old.len() <= new.len() && old.iter().zip(new).all(|(old, new)| is_kept(old, new))
        }
        (old, new) => old == new,
    }
}
