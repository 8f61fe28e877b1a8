//! Tests each value of the lifecycle options that no other test covers, for a whole plan and for a
//! single resource.

use futures::future::try_join_all;
use kube::api::{ListParams, Patch, PatchParams};
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::jobs::job;
use super::stage::{Engine, INSTALLER, config_map, deployment, engine, manifest, stage};

/// A change of objects by another client.
#[derive(Clone, Copy, PartialEq)]
enum Act {
    /// Changes the value of the object, and adds a field.
    Edit,
    Delete,
    /// Deletes the plan.
    DeletePlan,
}

/// The expected state of the object at the end.
#[derive(Clone, Copy)]
enum End {
    Gone,
    /// The object has this value. The flag is true if the object also has the added field.
    Has(&'static str, bool),
}

/// Values of lifecycle options, and their expected effect.
struct Row {
    name: &'static str,
    plan: Value,
    resource: Value,
    /// True if the object exists before the plan.
    is_found: bool,
    act: Act,
    /// The condition that the plan reports if it does not change an object: type, status and
    /// reason.
    reported: Option<[&'static str; 3]>,
    end: End,
}

const DRIFTED: Option<[&str; 3]> = Some(["Drifted", "True", "MembersDrifted"]);
const MISSING: Option<[&str; 3]> = Some(["Ready", "False", "MembersNotReady"]);

impl Row {
    fn new(name: &'static str, plan: Value, resource: Value, act: Act, end: End) -> Self {
        Self {
            name,
            plan,
            resource,
            is_found: false,
            act,
            reported: None,
            end,
        }
    }

    fn reporting(self, reported: Option<[&'static str; 3]>) -> Self {
        Self { reported, ..self }
    }

    fn found(self) -> Self {
        Self {
            is_found: true,
            ..self
        }
    }

    fn map(&self, engine: &Engine) -> Value {
        config_map([engine.namespace(), self.name], "1")
    }

    fn spec(&self, engine: &Engine) -> Value {
        let mut all = stage("all", &[self.map(engine)]);
        all["resources"][0]["lifecycle"] = self.resource.clone();
        json!({
            "serviceAccountName": INSTALLER, "collisions": "Adopt", "lifecycle": self.plan, "stages": [all],
        })
    }

    async fn begin(&self, engine: &Engine) -> Result<(), Failure> {
        if self.is_found {
            engine.make(&self.map(engine)).await?;
        }
        engine.plan_of(self.name, self.spec(engine)).await
    }

    async fn end(&self, engine: &Engine) -> Result<(), Failure> {
        engine.until_ready(self.name).await?;
        let map = self.map(engine);
        match self.act {
            Act::Edit => {
                let change = json!({"data": {"value": "theirs", "more": "1"}});
                engine.patch(&map, change).await?;
            }
            Act::Delete => engine.delete(&map).await?,
            Act::DeletePlan => {
                engine.delete_plan(self.name).await?;
                engine.until_gone(self.name).await?;
            }
        }
        if let Some(reported) = self.reported {
            engine.until(self.name, reported).await?;
        }
        let wanted = match self.end {
            End::Gone => None,
            End::Has(value, true) => Some(json!({"value": value, "more": "1"})),
            End::Has(value, false) => Some(json!({"value": value})),
        };
        let wanted_text = format!("{}: {wanted:?}", self.name);
        until(wanted_text, PATIENCE, async || {
            let found = engine.object(&map).await?;
            let data = found.map(|found| found.data["data"].clone());
            Ok(if data == wanted {
                Seen::Yes(())
            } else {
                Seen::NotYet(format!("{data:?}"))
            })
        })
        .await
    }
}

/// The lifecycle options of a resource take precedence over those of the plan.
#[tokio::test]
async fn every_lifecycle_value_has_its_effect() -> Result<(), Failure> {
    use Act::{Delete, DeletePlan, Edit};
    use End::{Gone, Has};
    let Some(engine) = engine("pl-knobs").await? else {
        return Ok(());
    };
    // The option `onFound: Own` permits the plan to delete an object of another owner.
    engine.cluster().allow_foreign_deletes(engine.namespace());
    engine.allow_all().await?;
    let none = || json!({});
    let drift = |value: &str| json!({"onDrift": value});
    let deletion = |value: &str| json!({"onDeletion": value});
    let removal = |value: &str| json!({"onPlanDeletion": value});
    let found = |value: &str| json!({"onPlanDeletion": "Delete", "onFound": value});
    let row = Row::new;
    let rows = [
        row(
            "drift-report",
            drift("Report"),
            none(),
            Edit,
            Has("theirs", true),
        )
        .reporting(DRIFTED),
        row(
            "drift-revert",
            drift("Revert"),
            none(),
            Edit,
            Has("1", true),
        ),
        row("drift-seal", drift("Seal"), none(), Edit, Has("1", false)),
        row(
            "one-report",
            drift("Revert"),
            drift("Report"),
            Edit,
            Has("theirs", true),
        )
        .reporting(DRIFTED),
        row(
            "one-revert",
            drift("Seal"),
            drift("Revert"),
            Edit,
            Has("1", true),
        ),
        row(
            "one-seal",
            drift("Report"),
            drift("Seal"),
            Edit,
            Has("1", false),
        ),
        row("deletion-report", deletion("Report"), none(), Delete, Gone).reporting(MISSING),
        row(
            "deletion-recreate",
            deletion("Recreate"),
            none(),
            Delete,
            Has("1", false),
        ),
        row(
            "one-left-out",
            deletion("Recreate"),
            deletion("Report"),
            Delete,
            Gone,
        )
        .reporting(MISSING),
        row(
            "one-made-again",
            deletion("Report"),
            deletion("Recreate"),
            Delete,
            Has("1", false),
        ),
        row(
            "removal-keep",
            removal("Keep"),
            none(),
            DeletePlan,
            Has("1", false),
        ),
        row(
            "removal-delete",
            removal("Delete"),
            none(),
            DeletePlan,
            Gone,
        ),
        row(
            "one-kept",
            removal("Delete"),
            removal("Keep"),
            DeletePlan,
            Has("1", false),
        ),
        row(
            "one-deleted",
            removal("Keep"),
            removal("Delete"),
            DeletePlan,
            Gone,
        ),
        row(
            "found-keep",
            found("Keep"),
            none(),
            DeletePlan,
            Has("1", false),
        )
        .found(),
        row("found-own", found("Own"), none(), DeletePlan, Gone).found(),
    ];
    try_join_all(rows.iter().map(|row| row.begin(&engine))).await?;
    try_join_all(rows.iter().map(|row| row.end(&engine))).await?;
    Ok(())
}

/// If a later plan does not contain an object, the object is deleted or kept as its resource
/// specifies. The default depends on the kind. The later plan finds the earlier plan by its labels.
#[tokio::test]
async fn dropped_objects_are_deleted_as_their_resource_specifies() -> Result<(), Failure> {
    let Some(engine) = engine("pl-knobs-lack").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let namespace = engine.namespace();
    let claim = |name: &str| {
        let mut claim = manifest("v1", "PersistentVolumeClaim", [namespace, name]);
        claim["spec"] = json!({
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
        });
        claim
    };
    let map = |name: &str| config_map([namespace, name], "1");
    let old = [
        (map("kept"), json!({"onRemoval": "Keep"})),
        (map("usual"), json!({})),
        (map("deleted"), json!({"onRemoval": "Delete"})),
        (claim("data-kept"), json!({"onRemoval": "Keep"})),
        (claim("data-usual"), json!({})),
        (claim("data-deleted"), json!({"onRemoval": "Delete"})),
    ];
    let resources = old
        .iter()
        .map(|(manifest, lifecycle)| json!({"manifest": manifest, "lifecycle": lifecycle}));
    let resources: Vec<_> = resources.collect();
    let api = "plans.portolan.dev/v1alpha1";
    let mut plan = manifest(api, "InstallPlan", [namespace, "ferry-1"]);
    plan["metadata"]["labels"] = json!({"line": "ferry"});
    plan["spec"] = json!({
        "serviceAccountName": INSTALLER, "stages": [{"name": "all", "resources": resources}],
    });
    engine.make(&plan).await?;
    engine.until_ready("ferry-1").await?;

    let next = json!({
        "serviceAccountName": INSTALLER,
        "replaces": [{"labelSelector": {"matchLabels": {"line": "ferry"}}}],
        "stages": [stage("all", &[map("new")])],
    });
    engine.plan_of("ferry-2", next).await?;
    engine.until_ready("ferry-2").await?;
    until("the objects to be deleted", PATIENCE, async || {
        let mut left = Vec::new();
        for (manifest, _) in &old {
            let object = engine.object(manifest).await?;
            left.extend(object.and_then(|object| object.metadata.name));
        }
        Ok(if left == ["kept", "data-kept", "data-usual"] {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{left:?}"))
        })
    })
    .await?;
    // The old plan has nothing more to do.
    engine
        .until("ferry-1", ["Replaced", "True", "HandedOver"])
        .await?;
    Ok(())
}

/// After the time that the plan specifies, a blocked deletion is abandoned.
#[tokio::test]
async fn blocked_deletion_is_abandoned_after_timeout() -> Result<(), Failure> {
    let Some(engine) = engine("pl-knobs-abandon").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let map = config_map([engine.namespace(), "held"], "1");
    let spec = json!({
        "serviceAccountName": INSTALLER,
        "lifecycle": {"onPlanDeletion": "Delete"},
        "abandonAfterSeconds": 3,
        "stages": [stage("all", std::slice::from_ref(&map))],
    });
    engine.plan_of("held", spec).await?;
    engine.until_ready("held").await?;
    let finalizers = |all: &[&str]| json!({"metadata": {"finalizers": all}});
    engine.patch(&map, finalizers(&["ferry.test/hold"])).await?;
    engine.delete_plan("held").await?;
    engine.until_gone("held").await?;
    let left = engine.object(&map).await?.expect("the object");
    assert!(left.metadata.deletion_timestamp.is_some());
    engine.patch(&map, finalizers(&[])).await
}

/// A stage that exceeds its deadline is reported, and continues.
#[tokio::test]
async fn stage_beyond_its_deadline_is_reported_and_continues() -> Result<(), Failure> {
    let Some(engine) = engine("pl-knobs-late").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let mut ferry = deployment([engine.namespace(), "ferry"], "ferry");
    let berth = format!("{}.test/berth", engine.namespace());
    // No node matches the selector, so the Pod is never scheduled.
    ferry["spec"]["template"]["spec"]["nodeSelector"] = json!({&berth: "free"});
    let mut all = stage("all", &[ferry]);
    all["deadlineSeconds"] = json!(2);
    engine.plan("ferry", json!([all])).await?;
    let message = engine
        .until("ferry", ["Applied", "False", "StageDeadlineExceeded"])
        .await?;
    assert!(
        message.contains("stage all takes longer than 2 s"),
        "{message}"
    );
    let nodes = engine.api(&json!({"apiVersion": "v1", "kind": "Node"}));
    let node = nodes.list(&ListParams::default()).await?.items.remove(0);
    let name = node.metadata.name.expect("a name");
    let free = json!({"metadata": {"labels": {&berth: "free"}}});
    nodes
        .patch(&name, &PatchParams::default(), &Patch::Merge(free))
        .await?;
    engine.until_ready("ferry").await
}

/// A failed Job is retried as often as it specifies.
#[tokio::test]
async fn job_is_retried_as_often_as_specified() -> Result<(), Failure> {
    let Some(engine) = engine("pl-knobs-retries").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let mut first = stage("first", &[config_map([engine.namespace(), "a"], "1")]);
    let mut again = job("migrate", "1");
    again["retries"] = json!(1);
    first["jobs"] = json!([again]);
    engine.plan("ferry", json!([first])).await?;
    until("both runs to have failed", PATIENCE, async || {
        let status = engine.status("ferry").await?;
        let is_over = status["jobs"][0]["run"] == 2 && status["phase"] == "Failed";
        Ok(if is_over {
            Seen::Yes(())
        } else {
            Seen::NotYet(status.to_string())
        })
    })
    .await
}

/// If an object is replaced, the old object is deleted before or after the new object is created,
/// as the plan specifies.
#[tokio::test]
async fn replaced_object_is_deleted_before_or_after() -> Result<(), Failure> {
    let Some(engine) = engine("pl-knobs-moment").await? else {
        return Ok(());
    };
    engine.cluster().allow_foreign_deletes(engine.namespace());
    engine.allow_all().await?;
    let namespace = engine.namespace();
    for (order, first) in [("Before", "delete"), ("After", "patch")] {
        let at = |what: &str| {
            [
                namespace.to_owned(),
                format!("{what}-{}", order.to_lowercase()),
            ]
        };
        let [old, new] = ["old", "new"].map(|what| {
            let [namespace, name] = at(what);
            config_map([&namespace, &name], "1")
        });
        engine.make(&old).await?;
        let of = |map: &Value| {
            json!({
                "apiVersion": "v1", "kind": "ConfigMap", "namespace": namespace,
                "name": map["metadata"]["name"],
            })
        };
        let spec = json!({
            "serviceAccountName": INSTALLER,
            "stages": [stage("all", std::slice::from_ref(&new))],
            "transformations": [{"from": [of(&old)], "to": [of(&new)], "order": order}],
        });
        let plan = order.to_lowercase();
        engine.plan_of(&plan, spec).await?;
        engine.until_ready(&plan).await?;
        assert!(engine.object(&old).await?.is_none(), "{order}");
        let names = [&old, &new].map(|map| map["metadata"]["name"].as_str().unwrap_or_default());
        let asked = engine.asked()?.within(namespace).of("configmaps").writes();
        let written = asked.only(|it| it.is_kept() && names.contains(&it.name.as_str()));
        let verbs: Vec<_> = written.records().iter().map(|it| &*it.verb).collect();
        assert_eq!(verbs.len(), 2, "{order}: {verbs:?}");
        assert_eq!(verbs[0], first, "{order}");
    }
    Ok(())
}

/// A plan adopts an object without an owner, but not an object of another owner.
#[tokio::test]
async fn claimed_object_is_not_taken_over() -> Result<(), Failure> {
    let Some(engine) = engine("pl-knobs-claims").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let namespace = engine.namespace();
    let [free, claimed] = ["free", "claimed"].map(|name| config_map([namespace, name], "1"));
    for (map, annotations) in [
        (&free, json!({})),
        (&claimed, json!({"meta.helm.sh/release-name": "ferry"})),
    ] {
        let mut theirs = map.clone();
        theirs["metadata"]["annotations"] = annotations;
        engine.make(&theirs).await?;
        let name = map["metadata"]["name"].as_str().expect("a name");
        let spec = json!({
            "serviceAccountName": INSTALLER,
            "collisions": "IfUnowned",
            "stages": [stage("all", std::slice::from_ref(map))],
        });
        engine.plan_of(name, spec).await?;
    }
    engine.until_ready("free").await?;
    let refused = ["Applied", "False", "ObjectNotOwned"];
    let message = engine.until("claimed", refused).await?;
    assert!(message.contains("the Helm release"), "{message}");
    // The plan would mark the object with its label. The object does not have this label.
    let found = engine.object(&claimed).await?.expect("the object");
    assert!(found.metadata.labels.is_none(), "{found:?}");
    // The other owner releases the object.
    let free = json!({"metadata": {"annotations": {"meta.helm.sh/release-name": null}}});
    engine.patch(&claimed, free).await?;
    engine.until_ready("claimed").await
}
