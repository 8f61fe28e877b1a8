//! Where a story of a policy is played.

use std::time::Instant;

use kube::api::DynamicObject;
use portolan_kit::{TempFolder, assert_same};
use portolan_rig::{Catalog, Failure, Kind, PATIENCE, Seen, World, until};
use serde_json::{Value, json};

use super::fleet::Fleet;
use crate::approval::definition;
use crate::approval::policy::Policy;
use crate::hands::Hands;
use crate::world;

/// A namespace on a cluster with OLM, with a catalog, and Portolan at work.
pub(super) struct Stage {
    pub(super) world: World,
    pub(super) fleet: Fleet,
    pub(super) hands: Hands,
    pub(super) catalog: Catalog,
    _folder: TempFolder,
}

/// A stage with this catalog, which is called `fleet`; `None` if tests with a cluster are left out.
pub(super) async fn stage(
    story: &str,
    offered: &portolan_kit::Catalog,
) -> Result<Option<Stage>, Failure> {
    let Some(world) = world(story).await? else {
        return Ok(None);
    };
    definition::define(world.client()).await?;
    let folder = offered.temp();
    let catalog = world.catalog("fleet", &folder).await?;
    let fleet = Fleet::of(&world).await?;
    Ok(Some(Stage {
        hands: Hands::of(world.client(), world.namespace()),
        world,
        fleet,
        catalog,
        _folder: folder,
    }))
}

impl Stage {
    /// A policy about the catalog of the story.
    pub(super) fn about(&self, policy: Policy) -> Policy {
        let here = self.world.namespace();
        policy
            .asks("channel", "stable".into())
            .asks("source", "fleet".into())
            .asks("sourceNamespace", here.into())
    }

    /// One in the form of the design, for the namespace of the story alone.
    pub(super) fn at_home(&self, policy: Policy) -> Policy {
        let here = self.world.namespace();
        let group = json!({"name": "own", "target": {"namespaces": [here]}});
        self.about(policy).with("operatorGroup", group)
    }

    pub(super) async fn write(&self, policy: &Policy) -> Result<(), Failure> {
        let body = policy.body(self.world.namespace());
        let kind = Kind::OperatorPolicy;
        self.hands.create(kind, &policy.name, body).await
    }

    /// Changes the spec of a policy.
    pub(super) async fn rewrite(&self, policy: &str, change: Value) -> Result<(), Failure> {
        let change = json!({"spec": change});
        self.hands.patch(Kind::OperatorPolicy, policy, change).await
    }

    /// Waits until each of these lines is among what the status of a policy says: `Type Status
    /// Reason` for a condition, `compliant: …`, or `field: value` of `status.upgrades`. Prints how
    /// long that took.
    pub(super) async fn says(&self, policy: &str, wanted: &[&str]) -> Result<Value, Failure> {
        let begun = Instant::now();
        let policies = self.hands.objects(Kind::OperatorPolicy);
        let what = format!("{policy} to say {wanted:?}");
        let seen = until(what, PATIENCE, async || {
            let found = policies.get_opt(policy).await?;
            let status = found.map_or(Value::Null, |found| found.data["status"].clone());
            let lines = lines(&status);
            let are_there = wanted.iter().all(|line| lines.iter().any(|it| it == line));
            Ok(match are_there {
                true => Seen::Yes(status),
                false => Seen::NotYet(format!("{status:#}")),
            })
        });
        let status = seen.await?;
        let (here, took) = (self.world.namespace(), begun.elapsed().as_millis());
        println!("operatorpolicy: {here}: {policy}: {}: {took} ms", wanted[0]);
        Ok(status)
    }

    pub(super) async fn object(
        &self,
        kind: Kind,
        name: &str,
    ) -> Result<Option<DynamicObject>, Failure> {
        Ok(self.hands.objects(kind).get_opt(name).await?)
    }

    /// Waits until an object is gone.
    pub(super) async fn is_gone(&self, kind: Kind, name: &str) -> Result<(), Failure> {
        portolan_rig::until_gone(&self.hands.objects(kind), name).await
    }

    /// Wants the history of a policy to be these messages, the oldest first, each from its
    /// beginning.
    pub(super) fn remembers(&self, status: &Value, wanted: &[&str]) {
        let history = status["history"].as_array().cloned().unwrap_or_default();
        let told = history.iter().rev().map(|event| {
            let message = event["message"].as_str().unwrap_or_default();
            let ends = wanted.iter().find(|wanted| message.starts_with(*wanted));
            ends.map_or_else(|| message.to_owned(), |it| (*it).to_owned())
        });
        assert_same!(told.collect::<Vec<_>>(), wanted.to_vec());
    }
}

/// What a status says, a line each.
pub(super) fn lines(status: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let conditions = conditions.map(|condition| {
        let [kind, status, reason] = ["type", "status", "reason"].map(|it| text(&condition[it]));
        format!("{kind} {status} {reason}")
    });
    let upgrades = &status["upgrades"];
    let names = ["installed", "next", "target"].map(|field| {
        let name = text(&upgrades[field]["name"]);
        format!("{field}: {name}")
    });
    let whole = format!("compliant: {}", text(&status["compliant"]));
    conditions.chain(names).chain([whole]).collect()
}
