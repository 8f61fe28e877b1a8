//! The plans of a scenario, the acts, and the state after an act.

use std::collections::BTreeSet;
use std::time::Duration;

use kube::api::{DynamicObject, ListParams};
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::super::stage::{Engine, INSTALLER, config_map, manifest, stage};

/// The label with which the test finds the objects of plans.
const LINEAGE: &str = "plans.portolan.dev/lineage";

/// The maximum delay between a revert and its report in the status.
const TOLD: Duration = Duration::from_secs(2);

/// A part of a scenario.
#[derive(Clone, Copy)]
pub(super) enum Act {
    /// The plan is created. It adopts one existing object first.
    Apply,
    /// Another client changes every second object of the plan, and deletes the other objects.
    Disturb,
    /// Another plan replaces the plan.
    Replace,
    /// The replaced plan is deleted.
    DropOld,
    /// The plan that has the objects is deleted.
    Delete,
}

/// The names and objects of a scenario.
pub(super) struct Scene {
    name: String,
    /// The objects of the first plan. The first object exists before the plan.
    old: Vec<Value>,
    /// The objects of the next plan. Some objects are unchanged, some are changed, and some are
    /// new.
    new: Vec<Value>,
}

// === impl Act ===

impl Act {
    pub(super) async fn begin(self, engine: &Engine, scene: &Scene) -> Result<(), Failure> {
        let (old, new) = (&scene.name, scene.next());
        match self {
            Self::Apply => {
                let mut theirs = scene.old[0].clone();
                theirs["data"] = json!({"value": "theirs"});
                engine.make(&theirs).await?;
                engine.plan_of(old, spec(&scene.old)).await
            }
            Self::Disturb => scene.disturb(engine).await,
            Self::Replace => {
                let mut spec = spec(&scene.new);
                spec["replaces"] = json!([{"name": old}]);
                engine.plan_of(&new, spec).await
            }
            Self::DropOld => engine.delete_plan(old).await,
            Self::Delete => engine.delete_plan(&scene.holder(engine).await?).await,
        }
    }

    pub(super) async fn until_ended(self, engine: &Engine, scene: &Scene) -> Result<(), Failure> {
        let (old, new) = (&scene.name, scene.next());
        match self {
            Self::Apply => until_calm(engine, old).await,
            Self::Disturb => {
                scene.until_right(engine).await?;
                until_calm(engine, old).await?;
                // Waits, because reverts are reported later. The condition may also be older than
                // the last object.
                tokio::time::sleep(TOLD).await;
                until_calm(engine, old).await
            }
            Self::Replace => {
                engine
                    .until(old, ["Replaced", "True", "HandedOver"])
                    .await?;
                until_calm(engine, &new).await?;
                until_taken_over(engine, &new, true).await
            }
            Self::DropOld => {
                engine.until_gone(old).await?;
                until_taken_over(engine, &new, false).await
            }
            Self::Delete => {
                engine.until_gone(old).await?;
                engine.until_gone(&new).await
            }
        }
    }
}

/// Waits until a plan reports that it has nothing more to do.
async fn until_calm(engine: &Engine, name: &str) -> Result<(), Failure> {
    engine.until_ready(name).await?;
    let calm = ["Drifted", "False", "NotDrifted"];
    engine.until(name, calm).await.map(drop)
}

/// Waits until a plan reports that it has taken over the objects. If `is_reported` is false, waits
/// until the plan no longer reports this.
async fn until_taken_over(engine: &Engine, name: &str, is_reported: bool) -> Result<(), Failure> {
    until(format!("{name} to take over"), PATIENCE, async || {
        let status = engine.status(name).await?;
        Ok(if status.get("takenOver").is_some() == is_reported {
            Seen::Yes(())
        } else {
            Seen::NotYet(status.to_string())
        })
    })
    .await
}

/// Returns the spec of a plan with two stages. Each stage contains half of the objects.
fn spec(objects: &[Value]) -> Value {
    let (first, second) = objects.split_at(objects.len() / 2);
    json!({
        "serviceAccountName": INSTALLER,
        "collisions": "Adopt",
        "lifecycle": {"onDrift": "Revert", "onDeletion": "Recreate", "onPlanDeletion": "Delete"},
        "stages": [stage("first", first), stage("second", second)],
    })
}

// === impl Scene ===

impl Scene {
    pub(super) fn new(namespace: &str, name: &str, objects: usize) -> Self {
        let of =
            |last: &str, value: &str| config_map([namespace, &format!("{name}-{last}")], value);
        let map = |place: usize, value: &str| of(&format!("map-{place}"), value);
        let secret = manifest("v1", "Secret", [namespace, &format!("{name}-secret")]);
        let rest = (1..objects - 1).map(|place| map(place, "1"));
        let first = [of("taken", "1"), secret];
        let old: Vec<_> = first.into_iter().chain(rest).collect();
        let mut new = old[..objects - 1].to_vec();
        new[2] = map(1, "2");
        new.push(of("added", "1"));
        Self {
            name: name.to_owned(),
            old,
            new,
        }
    }

    /// Returns the name of the plan that replaces the first plan.
    fn next(&self) -> String {
        format!("{}-next", self.name)
    }

    /// Returns the name of the plan that has the objects.
    async fn holder(&self, engine: &Engine) -> Result<String, Failure> {
        let next = engine.plans().get_opt(&self.next()).await?;
        Ok(next.map_or_else(|| self.name.clone(), |_| self.next()))
    }

    async fn disturb(&self, engine: &Engine) -> Result<(), Failure> {
        for (place, object) in self.old.iter().enumerate() {
            if place % 2 == 0 {
                let change = json!({"data": {"value": "another"}});
                engine.patch(object, change).await?;
            } else {
                engine.delete(object).await?;
            }
        }
        Ok(())
    }

    /// Waits until all objects equal their manifests in the plan.
    async fn until_right(&self, engine: &Engine) -> Result<(), Failure> {
        until("all objects to be reverted", PATIENCE, async || {
            for object in &self.old {
                let found = engine.object(object).await?;
                let data = found.as_ref().map(|found| &found.data["data"]);
                if data != Some(&object["data"]) {
                    return Ok(Seen::NotYet(format!("{}: {data:?}", object["metadata"])));
                }
            }
            Ok(Seen::Yes(()))
        })
        .await
    }

    /// Returns the state of the plans and the objects. Omits values that differ between runs.
    pub(super) async fn end(&self, engine: &Engine) -> Result<Value, Failure> {
        let mut plans = Vec::new();
        for name in [&self.name, &self.next()] {
            let plan = engine.plans().get_opt(name).await?;
            plans.push(plan.map(|plan| plan.data["status"].clone()));
        }
        let mut objects = Vec::new();
        for object in self.old.iter().chain(&self.new) {
            objects.push(engine.object(object).await?.map(|found| fields(&found)));
        }
        let mut end = json!({"plans": plans, "objects": objects});
        anonymize(&mut end, &self.name);
        Ok(end)
    }

    /// Checks that no two events are equal. An event may be missing, if the controller was killed
    /// before it created the event.
    pub(super) async fn is_reported_once(&self, engine: &Engine) -> Result<(), Failure> {
        for name in [&self.name, &self.next()] {
            let events = engine.events(name).await?;
            let different: BTreeSet<_> = events.iter().collect();
            assert_eq!(different.len(), events.len(), "{name}: {events:?}");
        }
        Ok(())
    }

    /// Checks that no object of the plan exists, regardless of its name.
    pub(super) async fn leaves_nothing(&self, engine: &Engine) -> Result<(), Failure> {
        for kind in ["ConfigMap", "Secret"] {
            let api = engine.api(&manifest("v1", kind, [engine.namespace(), ""]));
            let ours = api.list(&ListParams::default().labels(LINEAGE)).await?;
            // The object that existed before the plan is kept.
            let ours = ours
                .items
                .into_iter()
                .filter_map(|object| object.metadata.name);
            let left: Vec<_> = ours.filter(|name| !name.ends_with("-taken")).collect();
            assert_eq!(left, Vec::<String>::new(), "{}", self.name);
        }
        Ok(())
    }
}

/// Returns the content of an object, and how many of its field managers belong to plans.
fn fields(object: &DynamicObject) -> Value {
    let managers = object.metadata.managed_fields.iter().flatten();
    let managers = managers.filter_map(|entry| entry.manager.as_deref());
    let ours = managers.filter(|manager| manager.starts_with("plans.portolan.dev/"));
    json!({"data": object.data["data"], "entries": ours.count()})
}

/// Removes the values that differ between runs: times, uids, digests, and the name of the scenario.
/// Also removes the number of reverts, because a write without a response is not counted.
fn anonymize(value: &mut Value, scenario: &str) {
    match value {
        Value::Object(fields) => {
            for field in ["lastTransitionTime", "since", "digest", "made", "repairs"] {
                fields.remove(field);
            }
            fields
                .values_mut()
                .for_each(|value| anonymize(value, scenario));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| anonymize(item, scenario)),
        Value::String(text) if is_uid(text) => "uid".clone_into(text),
        Value::String(text) => *text = text.replace(scenario, "story"),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_uid(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12]
}
