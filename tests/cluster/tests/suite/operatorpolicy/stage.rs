//! Prepares a namespace for tests of one policy.

use std::time::Instant;

use kube::api::DynamicObject;
use portolan_kit::TempFolder;
use portolan_rig::{Catalog, Failure, Kind, PATIENCE, Record, Seen, World, until};
use serde_json::{Value, json};

use super::fleet::Fleet;
use crate::approval::crds;
use crate::approval::policy::Policy;
use crate::editor::Editor;
use crate::{own_world, world};

/// A namespace on a cluster with OLM, a catalog, and the services and the controller of Portolan.
pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) fleet: Fleet,
    pub(crate) editor: Editor,
    pub(crate) catalog: Catalog,
    /// The folder with the first content of the catalog.
    pub(crate) folder: TempFolder,
}

/// Returns a stage with this catalog as `fleet`, or `None` if tests with a cluster are skipped.
pub(crate) async fn stage(
    test_name: &str,
    offered: &portolan_kit::Catalog,
) -> Result<Option<Stage>, Failure> {
    match world(test_name).await? {
        Some(world) => on(world, offered).await.map(Some),
        None => Ok(None),
    }
}

/// Returns a stage on a separate cluster.
pub(crate) async fn own_stage(
    test_name: &str,
    offered: &portolan_kit::Catalog,
) -> Result<Option<Stage>, Failure> {
    match own_world(test_name).await? {
        Some(world) => on(world, offered).await.map(Some),
        None => Ok(None),
    }
}

async fn on(world: World, offered: &portolan_kit::Catalog) -> Result<Stage, Failure> {
    let fleet = Fleet::of(&world).await?;
    stage_of(world, fleet, offered).await
}

/// Returns a stage with this fleet.
pub(crate) async fn stage_of(
    world: World,
    fleet: Fleet,
    offered: &portolan_kit::Catalog,
) -> Result<Stage, Failure> {
    crds::create_policy_crd(world.client()).await?;
    let folder = offered.temp();
    let catalog = world.catalog("fleet", &folder).await?;
    Ok(Stage {
        editor: Editor::of(world.client(), world.namespace()),
        world,
        fleet,
        catalog,
        folder,
    })
}

impl Stage {
    /// Returns a policy for the catalog of the test.
    pub(crate) fn about(&self, policy: Policy) -> Policy {
        let here = self.world.namespace();
        policy
            .asks("channel", "stable".into())
            .asks("source", "fleet".into())
            .asks("sourceNamespace", here.into())
    }

    /// Returns a policy in the design form. Its operator watches only the namespace of the test.
    pub(crate) fn at_home(&self, policy: Policy) -> Policy {
        let here = self.world.namespace();
        let group = json!({"name": "own", "target": {"namespaces": [here]}});
        self.about(policy).with("operatorGroup", group)
    }

    pub(crate) async fn write(&self, policy: &Policy) -> Result<(), Failure> {
        let body = policy.body(self.world.namespace());
        let kind = Kind::OperatorPolicy;
        self.editor.create(kind, &policy.name, body).await
    }

    /// Changes the spec of a policy.
    pub(crate) async fn rewrite(&self, policy: &str, change: Value) -> Result<(), Failure> {
        let change = json!({"spec": change});
        self.editor
            .patch(Kind::OperatorPolicy, policy, change)
            .await
    }

    /// Waits until the status of a policy contains each of these lines. A line is `Type Status
    /// Reason` for a condition (the reason can be omitted), `compliant: …`, or `field: value` of
    /// `status.upgrades`. Prints how long this took.
    pub(crate) async fn until_status(
        &self,
        policy: &str,
        wanted: &[&str],
    ) -> Result<Value, Failure> {
        let begun = Instant::now();
        let are_there = |status: &Value| {
            let lines = lines(status);
            let is_so = |line: &&str| {
                let mut lines = lines.iter().filter_map(|it| it.strip_prefix(*line));
                lines.any(|rest| rest.is_empty() || rest.starts_with(' '))
            };
            wanted.iter().all(is_so)
        };
        let status = self
            .shows(policy, &format!("{wanted:?}"), are_there)
            .await?;
        let (here, took) = (self.world.namespace(), begun.elapsed().as_millis());
        println!("operatorpolicy: {here}: {policy}: {}: {took} ms", wanted[0]);
        Ok(status)
    }

    /// Waits until a condition has this message.
    pub(crate) async fn explains(
        &self,
        policy: &str,
        condition: &str,
        wanted: &str,
    ) -> Result<Value, Failure> {
        self.shows(policy, condition, |status| {
            message(status, condition) == wanted
        })
        .await
    }

    /// Waits until the message of a condition contains this text.
    pub(crate) async fn mentions(
        &self,
        policy: &str,
        condition: &str,
        part: &str,
    ) -> Result<Value, Failure> {
        self.shows(policy, part, |status| {
            message(status, condition).contains(part)
        })
        .await
    }

    /// Waits until the history of a policy contains these parts of messages. The oldest comes
    /// first. The history is short, so old messages disappear.
    pub(crate) async fn recalls(&self, policy: &str, wanted: &[&str]) -> Result<Value, Failure> {
        let are_there = |status: &Value| {
            let history = status["history"].as_array().into_iter().flatten();
            let mut reported = history.rev().filter_map(|event| event["message"].as_str());
            wanted
                .iter()
                .all(|wanted| reported.any(|message| message.contains(wanted)))
        };
        self.shows(policy, wanted[0], are_there).await
    }

    async fn shows(
        &self,
        policy: &str,
        what: &str,
        is_there: impl Fn(&Value) -> bool,
    ) -> Result<Value, Failure> {
        let policies = self.editor.objects(Kind::OperatorPolicy);
        let what = format!("{policy} to show {what}");
        until(what, PATIENCE, async || {
            let found = policies.get_opt(policy).await?;
            let status = found.map_or(Value::Null, |found| found.data["status"].clone());
            Ok(if is_there(&status) {
                Seen::Yes(status)
            } else {
                Seen::NotYet(format!("{status:#}"))
            })
        })
        .await
    }

    pub(crate) async fn object(
        &self,
        kind: Kind,
        name: &str,
    ) -> Result<Option<DynamicObject>, Failure> {
        Ok(self.editor.objects(kind).get_opt(name).await?)
    }

    /// Returns the successful writes of the controller to objects of this kind.
    pub(crate) fn wrote(&self, resource: &str) -> Result<Vec<Record>, Failure> {
        let audit = self.world.cluster().audit()?;
        let audit = audit.by(&Fleet::user(&self.world)).writes().of(resource);
        let taken = audit.only(|record| record.code < 300);
        Ok(taken.records().to_vec())
    }

    /// Returns the successful writes of the controller to objects of OLM and to their CRDs.
    pub(crate) fn olm_writes(&self) -> Result<Vec<String>, Failure> {
        const MEANT: [&str; 5] = [
            "clusterserviceversions",
            "customresourcedefinitions",
            "installplans",
            "operatorgroups",
            "subscriptions",
        ];
        let audit = self.world.cluster().audit()?;
        let audit = audit.by(&Fleet::user(&self.world)).writes();
        let taken = audit.only(|it| it.code < 300 && MEANT.contains(&it.resource.as_str()));
        let all = taken.records().iter();
        Ok(all
            .map(|it| format!("{} {}", it.verb, it.resource))
            .collect())
    }

    /// Waits until an object no longer exists.
    pub(crate) async fn is_gone(&self, kind: Kind, name: &str) -> Result<(), Failure> {
        portolan_rig::until_gone(&self.editor.objects(kind), name).await
    }
}

/// Returns the lines of a status.
pub(crate) fn lines(status: &Value) -> Vec<String> {
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

/// Returns the message of a condition.
pub(crate) fn message(status: &Value, kind: &str) -> String {
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let mut conditions = conditions.filter(|condition| condition["type"] == kind);
    let message = conditions.next().map(|it| it["message"].as_str());
    message.flatten().unwrap_or_default().to_owned()
}
