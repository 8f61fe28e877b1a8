use std::time::Duration;

use jiff::Timestamp;
use portolan_api::CREATED_BY;
use portolan_core_operatorpolicy::{READS, StaleKind};
use portolan_kit::{World as Kit, world};
use portolan_stage::Stage;
use portolan_world::Trouble;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;

mod changes;
mod contents;
mod kinds;
mod shapes;
mod write_mode;

/// Informers that watch a stage, with the policies that they returned last.
struct ObservedStage {
    stage: Stage,
    informers: Informers,
}

impl ObservedStage {
    /// Creates informers that were refreshed once.
    async fn at(world: &Kit, rules: Rules) -> Self {
        let stage = Stage::of(world).reading(READS);
        let informers = Informers::of(&stage, rules);
        let mut looking = Self { stage, informers };
        looking.again().await;
        looking
    }

    /// Applies the changes. Observes the affected policies and returns their names.
    async fn again(&mut self) -> Vec<String> {
        // Tasks of the notifier report the changes, so this task waits for them.
        tokio::time::sleep(Duration::from_millis(1)).await;
        let touched = self.informers.look().await;
        for key in &touched {
            self.informers.observe(key);
        }
        touched.iter().map(ToString::to_string).collect()
    }

    async fn show(&mut self, world: &Kit) -> Vec<String> {
        self.stage.show(world);
        self.again().await
    }

    fn observe(&mut self, name: &str) -> Observed {
        let (namespace, name) = name.split_once('/').expect("a namespace");
        let seen = self.informers.observe(&Key::new(namespace, name));
        seen.expect("a policy").observed
    }
}

/// Returns the names of the policies that a change affects.
async fn named(before: &Kit, after: &Kit) -> Vec<String> {
    let mut looking = ObservedStage::at(before, Rules::default()).await;
    looking.show(after).await
}

/// Returns a world with a policy that is in another namespace than its operator.
fn policy(world: Kit, name: &str, (package, namespace): (&str, &str)) -> Kit {
    world.object(json!({
        "apiVersion": "policy.open-cluster-management.io/v1beta1",
        "kind": "OperatorPolicy",
        "metadata": {"name": name, "namespace": "west", "generation": 1, "uid": name},
        "spec": {
            "remediationAction": "enforce",
            "subscription": {"name": package, "namespace": namespace},
            "allowedCSVs": ["*"],
        },
    }))
}

/// Adds a policy without a namespace. It may apply to any namespace.
fn open(world: Kit, name: &str, package: &str) -> Kit {
    policy(world, name, (package, "")).edit(|policy| {
        policy["spec"]["subscription"] = json!({"name": package});
    })
}

/// Returns a world with the operator ferry in namespace harbor, the operator crane in namespace
/// pier, and a policy for each operator.
fn harbor() -> Kit {
    let world = world()
        .namespace("olm")
        .catalog_source("shop", "a:1")
        .namespace("harbor")
        .operator_group()
        .subscription("ferry", "stable")
        .csv("ferry.v1.0.0", "Succeeded")
        .owning(&["ferries.demo.example/v1/Ferry"])
        .namespace("pier")
        .operator_group()
        .csv("crane.v1.0.0", "Succeeded");
    let world = policy(world, "ferry", ("ferry", "harbor"));
    policy(world, "crane", ("crane", "pier"))
}

fn edited(world: Kit, kind: &str, name: &str, edit: impl FnOnce(&mut Value)) -> Kit {
    let mut objects = world.objects().to_vec();
    let mut found = objects.iter_mut();
    let found = found.find(|it| it["kind"] == kind && it["metadata"]["name"] == name);
    edit(found.expect("an object"));
    shapes::of(objects)
}

fn without(world: &Kit, kind: &str, name: &str) -> Kit {
    let mut objects = world.objects().to_vec();
    objects.retain(|it| it["kind"] != kind || it["metadata"]["name"] != name);
    shapes::of(objects)
}

fn crd(name: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name, "resourceVersion": "1"},
    })
}

const FERRY: &[&str] = &["west/ferry"];
const CRANE: &[&str] = &["west/crane"];
const NONE: &[&str] = &[];
const BOTH: &[&str] = &["west/crane", "west/ferry"];

/// Returns a world in which this field manager has written this status of the policy.
fn with_status(manager: &str, status: &Value) -> Kit {
    edited(harbor(), "OperatorPolicy", "ferry", |it| {
        it["metadata"]["resourceVersion"] = json!("2");
        it["metadata"]["managedFields"] = json!([
            {"manager": "kubectl", "operation": "Apply"},
            {
                "manager": manager,
                "operation": "Apply",
                "subresource": "status",
                "time": "2026-01-01T12:00:59Z",
            },
        ]);
        it["status"] = status.clone();
    })
}

/// Returns a world in which an operator in another namespace serves the namespace of the policy.
fn served(group: bool) -> Kit {
    let world = harbor().namespace("center");
    let world = if group {
        world.global_operator_group()
    } else {
        world.operator_group()
    };
    world.csv("crane.v2.0.0", "Succeeded")
}
