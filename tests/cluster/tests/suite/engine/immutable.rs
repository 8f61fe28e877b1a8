//! Tests with fields that the API server treats as immutable.

use portolan_rig::Failure;
use serde_json::{Value, json};

use super::jobs::job;
use super::stage::{Engine, INSTALLER, deployment, engine, manifest, stage};

/// An object that has two versions. An immutable field differs between the versions.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Subject {
    Deployment,
    Job,
    Service,
}

/// One of the two versions of an object.
#[derive(Debug, Clone, Copy)]
enum Version {
    First,
    Next,
}

impl Subject {
    fn manifest(self, namespace: &str, version: Version) -> Value {
        let at = [namespace, "ferry"];
        let value = self.values()[version as usize];
        match self {
            Self::Deployment => deployment(at, value),
            Self::Job => {
                let mut made = manifest("batch/v1", "Job", at);
                made["spec"] = job("ferry", "0")["template"]["spec"].clone();
                made["spec"]["template"]["spec"]["containers"][0]["image"] = json!(value);
                made
            }
            Self::Service => {
                let mut service = manifest("v1", "Service", at);
                service["spec"] = json!({"clusterIP": value, "ports": [{"port": 80}]});
                service
            }
        }
    }

    /// Returns the values of the immutable field in both versions.
    fn values(self) -> [&'static str; 2] {
        match self {
            Self::Deployment => ["ferry", "other"],
            Self::Job => ["ferry.test/ferry:1", "ferry.test/ferry:2"],
            Self::Service => ["10.0.0.211", "10.0.0.212"],
        }
    }

    fn field(self) -> &'static str {
        match self {
            Self::Deployment => "/spec/selector/matchLabels/app",
            Self::Job => "/spec/template/spec/containers/0/image",
            Self::Service => "/spec/clusterIP",
        }
    }

    /// Returns parts of the error with which the API server rejects the change of the field.
    fn refusal(self) -> &'static [&'static str] {
        match self {
            Self::Deployment => &["field is immutable"],
            Self::Job => &["spec.template: Invalid value", "field is immutable"],
            Self::Service => &["may not change once set"],
        }
    }

    /// Returns the path of a field, and a value that each API server rejects for this field.
    fn nonsense(self) -> (&'static str, Value) {
        match self {
            Self::Deployment | Self::Job => ("/spec/template/spec/containers", json!([])),
            Self::Service => ("/spec/ports", json!([{"port": 0}])),
        }
    }
}

/// Returns the spec of a plan that replaces `plan`.
fn next(plan: &str, manifest: &Value, lifecycle: Value) -> Value {
    let mut all = stage("all", std::slice::from_ref(manifest));
    all["resources"][0]["lifecycle"] = lifecycle;
    json!({"serviceAccountName": INSTALLER, "replaces": [{"name": plan}], "stages": [all]})
}

/// If a plan changes an immutable field, it writes nothing, and the earlier plan continues to work.
/// With `onImmutable: Recreate`, the object is deleted and created again, unless its manifest is
/// invalid.
#[tokio::test]
async fn immutable_change_is_rejected_or_recreates_the_object() -> Result<(), Failure> {
    let Some(engine) = engine("pl-immutable").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    for (name, subject) in [
        ("deployment", Subject::Deployment),
        ("job", Subject::Job),
        ("service", Subject::Service),
    ] {
        changes(&engine, name, subject).await?;
    }
    Ok(())
}

async fn changes(engine: &Engine, name: &str, subject: Subject) -> Result<(), Failure> {
    let [first, fails, wrong, recreating] = [1, 2, 3, 4].map(|at| format!("{name}-{at}"));
    let at = subject.manifest(engine.namespace(), Version::First);
    let stages = json!([stage("all", std::slice::from_ref(&at))]);
    engine.plan(&first, stages).await?;
    engine.until_ready(&first).await?;
    let old = engine.object(&at).await?.expect("the object");
    let wanted = subject.manifest(engine.namespace(), Version::Next);
    engine
        .plan_of(&fails, next(&first, &wanted, json!({})))
        .await?;
    let message = engine
        .until(&fails, ["Valid", "False", "DryRunRejected"])
        .await?;
    for word in subject.refusal() {
        assert!(message.contains(word), "{message}");
    }
    engine.until_ready(&first).await?;
    gone(engine, &fails).await?;

    let recreated = json!({"onImmutable": "Recreate"});
    let (place, nonsense) = subject.nonsense();
    let mut invalid = wanted.clone();
    *invalid.pointer_mut(place).expect("a place") = nonsense;
    engine
        .plan_of(&wrong, next(&first, &invalid, recreated.clone()))
        .await?;
    engine
        .until(&wrong, ["Valid", "False", "DryRunRejected"])
        .await?;
    let still = engine.object(&at).await?.expect("the object");
    assert_eq!(still.metadata.uid, old.metadata.uid);
    gone(engine, &wrong).await?;

    engine
        .plan_of(&recreating, next(&first, &wanted, recreated))
        .await?;
    engine.until_ready(&recreating).await?;
    let new = engine.object(&at).await?.expect("the object");
    assert_ne!(new.metadata.uid, old.metadata.uid);
    let value = new.data.pointer(subject.field());
    assert_eq!(value, Some(&json!(subject.values()[1])));
    Ok(())
}

async fn gone(engine: &Engine, plan: &str) -> Result<(), Failure> {
    engine.delete_plan(plan).await?;
    engine.until_gone(plan).await
}
