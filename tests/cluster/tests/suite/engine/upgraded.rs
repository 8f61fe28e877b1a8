//! A newer version of Portolan reads the objects that an earlier version stored. It still owns
//! them, and writes only the fields that it adds.
//!
//! The objects are in `tests/fixtures/stored`, in one folder for each released format, with a
//! placeholder for each uid. `PORTOLAN_WRITE_STORED=NAME` runs the scenario of this file, and
//! writes its objects to a folder of that name. Do this when the CRDs or the statuses of plans have
//! new fields.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use kube::api::{Api, DynamicObject, Patch, PatchParams, PostParams};
use portolan_core_install::manager;
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::ground::{Ground, own};
use crate::kubectl::ROOT;
use crate::objects::{api, api_of, listed};
use crate::operatorpolicy::fleet;
use crate::process::{Running, metrics};

const NAMESPACE: &str = "harbor";
const PLAN: [&str; 2] = ["plans.portolan.dev/v1alpha1", "InstallPlan"];
const USER: &str = "newer-controller";
const STORED: &str = "tests/fixtures/stored";

/// A namespace that is enabled for plans, and a ServiceAccount with all permissions.
const OPENED: &str = r#"
apiVersion: v1
kind: Namespace
metadata: {name: harbor, labels: {plans.portolan.dev/enabled: "true"}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: installer, namespace: harbor}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: installer-of-harbor}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: installer, namespace: harbor}]
"#;

/// Plans that have nothing more to do: a replaced plan, its successor, and a plan that keeps all
/// objects.
const PLANS: [(&str, &str); 4] = [
    (
        "captain",
        r#"
apiVersion: v1
kind: ConfigMap
metadata: {name: captain, namespace: harbor}
data: {name: ann}
"#,
    ),
    (
        "ferry-1",
        r#"
apiVersion: plans.portolan.dev/v1alpha1
kind: InstallPlan
metadata: {name: ferry-1, namespace: harbor}
spec:
  serviceAccountName: installer
  collisions: Adopt
  lifecycle: {onPlanDeletion: Delete, onDrift: Revert}
  stages:
  - name: settings
    resources:
    - manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: timetable, namespace: harbor}, data: {first: "06:00"}}
    - manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: captain, namespace: harbor}, data: {name: bo}}
    - manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: notice, namespace: harbor}, data: {text: "-"}}
    jobs:
    - name: moor
      retries: 1
      template: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "ferry.test/moor:1"}]}}}}
"#,
    ),
    (
        "ferry-2",
        r#"
apiVersion: plans.portolan.dev/v1alpha1
kind: InstallPlan
metadata: {name: ferry-2, namespace: harbor}
spec:
  serviceAccountName: installer
  lifecycle: {onPlanDeletion: Delete, onDrift: Revert, onDeletion: Recreate}
  replaces: [{name: ferry-1}]
  stages:
  - name: settings
    waitFor: Applied
    resources:
    - manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: timetable, namespace: harbor}, data: {first: "06:30"}}
    - manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: captain, namespace: harbor}, data: {name: bo}}
  - name: accounts
    resources:
    - manifest: {apiVersion: v1, kind: ServiceAccount, metadata: {name: ferry, namespace: harbor}}
      lifecycle: {onPlanDeletion: Keep}
"#,
    ),
    (
        "lights",
        r#"
apiVersion: plans.portolan.dev/v1alpha1
kind: InstallPlan
metadata: {name: lights, namespace: harbor}
spec:
  serviceAccountName: installer
  stages:
  - name: all
    resources:
    - manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: lights, namespace: harbor}, data: {color: red}}
"#,
    ),
];

#[tokio::test]
async fn stored_objects_of_earlier_versions_stay_unchanged() -> Result<(), Failure> {
    if let Some(name) = env::var_os("PORTOLAN_WRITE_STORED") {
        let Some(ground) = own("stored").await? else {
            return Ok(());
        };
        return record(&ground, &Path::new(ROOT).join(STORED).join(name)).await;
    }
    let folders = fs::read_dir(Path::new(ROOT).join(STORED));
    let folders = folders.map_err(Failure::touch("read the fixtures"))?;
    let folders: Vec<PathBuf> = folders.flatten().map(|entry| entry.path()).collect();
    assert!(!folders.is_empty(), "no fixture is stored");
    for folder in folders {
        let Some(ground) = own("stored").await? else {
            return Ok(());
        };
        found(&ground, &folder).await?;
    }
    Ok(())
}

/// Carries out the plans, and writes the resulting objects into files.
async fn record(ground: &Ground, folder: &Path) -> Result<(), Failure> {
    apply(ground, OPENED).await?;
    let _controller = controller(ground).await?;
    for (name, text) in PLANS {
        apply(ground, text).await?;
        if text.contains("kind: InstallPlan") {
            let plan = format!("installplan.plans.portolan.dev/{name}");
            let wait = [
                "-n",
                NAMESPACE,
                "wait",
                "--for=condition=Ready",
                "--timeout=180s",
                &plan,
            ];
            ground.kubectl().run(&wait).await?;
        }
    }
    until("the old plan to be at rest", PATIENCE, async || {
        let plan = plans(ground).get("ferry-2").await?;
        let is_done = plan.data["status"]["takenOver"].is_array();
        Ok(if is_done {
            Seen::Yes(())
        } else {
            Seen::NotYet(plan.data["status"].to_string())
        })
    })
    .await?;
    let mut all = Vec::new();
    for [api_version, kind] in [PLAN, ["v1", "ConfigMap"], ["v1", "ServiceAccount"]] {
        let objects = listed(&ground.client, [api_version, kind, NAMESPACE]).await?;
        all.extend(objects.into_iter().filter(is_ours));
    }
    let uids = all.iter().map(|object| {
        let uid = object.metadata.uid.clone().unwrap_or_default();
        let name = object.metadata.name.clone().unwrap_or_default();
        let kind = object.types.as_ref().map(|types| &*types.kind);
        (uid, word(kind.unwrap_or_default(), &name))
    });
    let uids: BTreeMap<_, _> = uids.collect();
    fs::create_dir_all(folder).map_err(Failure::touch("make a folder"))?;
    let stored: Vec<_> = all.iter().map(stored).collect();
    let mut text = serde_json::to_string_pretty(&json!({
        "apiVersion": "v1", "kind": "List", "items": stored,
    }))
    .map_err(Failure::read("a stored object"))?;
    for (uid, word) in &uids {
        text = text.replace(uid, word);
    }
    fs::write(folder.join("objects.json"), text).map_err(Failure::touch("write the fixture"))
}

/// Returns the placeholder for the uid of an object.
fn word(kind: &str, name: &str) -> String {
    format!("uid-of-{}-{name}", kind.to_lowercase())
}

fn is_ours(object: &DynamicObject) -> bool {
    let labels = object.metadata.labels.iter().flatten();
    let is_plan = object.data.get("spec").is_some();
    is_plan
        || labels
            .into_iter()
            .any(|(key, _)| key == "plans.portolan.dev/lineage")
}

/// Returns the part of an object that is written into a file: the fields of users and plans, and
/// the status.
fn stored(object: &DynamicObject) -> Value {
    let mut stored = json!(object);
    let metadata = stored["metadata"].as_object_mut().expect("metadata");
    let kept = ["annotations", "finalizers", "labels", "name", "namespace"];
    metadata.retain(|key, _| kept.contains(&key.as_str()));
    if let Some(annotations) = metadata
        .get_mut("annotations")
        .and_then(Value::as_object_mut)
    {
        annotations.retain(|key, _| key.starts_with("plans.portolan.dev/"));
    }
    stored
}

/// Creates the stored objects in the cluster, and starts a controller. The controller must have
/// nothing to do.
async fn found(ground: &Ground, folder: &Path) -> Result<(), Failure> {
    let text = fs::read_to_string(folder.join("objects.json"));
    let text = text.map_err(Failure::touch("read a fixture"))?;
    apply(ground, OPENED).await?;
    let before = brought(ground, &text).await?;
    let probes = controller(ground).await?;
    let looks = "portolan_controller_reconciles_total{controller=\"plans\",result=\"done\"} ";
    until("each plan to be reconciled", PATIENCE, async || {
        let metrics = metrics(probes.0).await.unwrap_or_default();
        let count = metrics
            .lines()
            .find_map(|line| line.strip_prefix(looks)?.parse().ok());
        Ok(if count.is_some_and(|count: u64| count >= 3) {
            Seen::Yes(())
        } else {
            Seen::NotYet(metrics)
        })
    })
    .await?;
    // If the controller checks a second time, it does so after five seconds.
    tokio::time::sleep(std::time::Duration::from_secs(7)).await;
    let writes = ground.cluster.audit()?.by(USER).within(NAMESPACE).writes();
    let others = writes.only(|record| record.resource != "installplans/status");
    assert!(
        others.is_empty(),
        "{}: {:#?}",
        folder.display(),
        others.records()
    );
    for object in before {
        let name = object.metadata.name.clone().unwrap_or_default();
        let now = api_of(&ground.client, &json!(object)).get(&name).await?;
        assert_eq!(now.metadata.uid, object.metadata.uid, "{name}");
        assert_eq!(
            now.metadata.generation, object.metadata.generation,
            "{name}"
        );
        assert_eq!(
            now.metadata.finalizers, object.metadata.finalizers,
            "{name}"
        );
        let [old, new] = [&object, &now].map(|object| object.data["status"].clone());
        assert!(is_kept(&old, &new), "{name}: {old:#}\n{new:#}");
        if old.is_null() {
            assert_eq!(
                now.metadata.resource_version, object.metadata.resource_version,
                "{name}"
            );
        }
    }
    Ok(())
}

/// Creates the objects. Replaces each placeholder with the uid that the owner has in this cluster.
/// Returns the objects.
async fn brought(ground: &Ground, text: &str) -> Result<Vec<DynamicObject>, Failure> {
    let read = |text: &str| {
        let list: Value = serde_json::from_str(text).expect("JSON");
        list["items"].as_array().cloned().expect("objects")
    };
    let mut text = text.to_owned();
    let all = read(&text).len();
    for at in 0..all {
        let mut object = read(&text).remove(at);
        object.as_object_mut().expect("an object").remove("status");
        let made = make(ground, &object).await?;
        let [kind, name] = ["/kind", "/metadata/name"].map(|at| object.pointer(at));
        let [kind, name] = [kind, name].map(|text| text.and_then(Value::as_str).expect("a text"));
        text = text.replace(&word(kind, name), &made.metadata.uid.expect("a uid"));
    }
    let mut brought = Vec::new();
    for object in read(&text) {
        let api = api_of(&ground.client, &object);
        let name = object["metadata"]["name"].as_str().expect("a name");
        let now = if object["status"].is_null() {
            api.get(name).await?
        } else {
            let status = Patch::Merge(json!({"status": object["status"]}));
            api.patch_status(name, &PatchParams::default(), &status)
                .await?
        };
        brought.push(now);
    }
    Ok(brought)
}

/// Creates a plan as a user does. Applies all other objects as a plan does.
async fn make(ground: &Ground, object: &Value) -> Result<DynamicObject, Failure> {
    let api = api_of(&ground.client, object);
    let lineage = object["metadata"]["labels"]["plans.portolan.dev/lineage"].as_str();
    let Some(lineage) = lineage else {
        let object = serde_json::from_value(object.clone()).map_err(Failure::read("a plan"))?;
        return Ok(api.create(&PostParams::default(), &object).await?);
    };
    let name = object["metadata"]["name"].as_str().expect("a name");
    let as_plan = PatchParams::apply(&manager(lineage));
    Ok(api.patch(name, &as_plan, &Patch::Apply(object)).await?)
}

/// Returns true if the new status still reports all facts of the old status. The texts may differ.
fn is_kept(old: &Value, new: &Value) -> bool {
    // A newer version of Portolan may use other texts in these fields.
    let worded = ["message", "reason"];
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => old.iter().all(|(key, old)| {
            let new = new.get(key);
            new.is_some_and(|new| worded.contains(&key.as_str()) || is_kept(old, new))
        }),
        (Value::Array(old), Value::Array(new)) => {
            old.len() <= new.len() && old.iter().zip(new).all(|(old, new)| is_kept(old, new))
        }
        (old, new) if old == "Resting" => new == "Superseded", // Earlier versions of Portolan wrote it.
        (old, new) => old == new,
    }
}

fn plans(ground: &Ground) -> Api<DynamicObject> {
    let [api_version, kind] = PLAN;
    api(&ground.client, [api_version, kind, NAMESPACE])
}

async fn apply(ground: &Ground, text: &str) -> Result<(), Failure> {
    let folder = portolan_kit::TempFolder::empty();
    let file = folder.join("objects.yaml");
    fs::write(&file, text).map_err(Failure::touch("write objects"))?;
    let file = file.display().to_string();
    ground.kubectl().run(&["apply", "-f", &file]).await?;
    Ok(())
}

async fn controller(ground: &Ground) -> Result<(std::net::SocketAddr, Running), Failure> {
    let kubeconfig = ground.cluster.admit(USER, Some("system:masters"))?;
    let flags = [
        fleet::kubeconfig_flag(&kubeconfig),
        "--no-lease".to_owned(),
        "--plans".to_owned(),
        format!("--only-namespace={NAMESPACE}"),
    ];
    Ok(fleet::probed_controller(flags).await)
}
