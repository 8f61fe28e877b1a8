//! Tests plans with many objects, and plans with large objects.

use std::time::{Duration, Instant};

use futures::{StreamExt as _, TryStreamExt as _};
use kube::api::{DynamicObject, Patch, PatchParams};
use portolan_core_install::{Predecessors, Recipe, canonical, digest, make, pack};
use portolan_rig::{Failure, PATIENCE, Seen, until, until_gone};
use serde_json::{Value, json};

use super::jobs::job;
use super::stage::{Engine, INSTALLER, config_map, engine, manifest, stage};
use crate::is_soak;

/// A size that is slightly larger than the maximum size of an object in a plan, in bytes.
const LIMIT: usize = 1_568_768;
const A_LITTLE: usize = 1_024;
/// The maximum time until the API server serves a new kind. A kind whose CRD is too large is never
/// served.
const SERVED: Duration = Duration::from_secs(10);
/// The number of objects that the test creates at the same time.
const AT_ONCE: usize = 8;

/// A plan contains sixty objects in two stages, and a Job between the stages.
#[tokio::test]
async fn plan_with_sixty_objects_in_two_stages_and_a_job_becomes_ready() -> Result<(), Failure> {
    let Some(engine) = engine("pl-sixty").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let maps: Vec<_> = (0..60)
        .map(|place| config_map([engine.namespace(), &format!("map-{place}")], "1"))
        .collect();
    let (first, second) = maps.split_at(30);
    let mut first = stage("first", first);
    first["jobs"] = json!([job("migrate", "0")]);
    let stages = json!([first, stage("second", second)]);
    let begun = Instant::now();
    engine.plan("ferry", stages).await?;
    engine.until_ready("ferry").await?;
    println!(
        "engine: 60 objects and a Job: {} ms",
        begun.elapsed().as_millis()
    );
    let status = engine.status("ferry").await?;
    let counts = json!({"members": 60, "applied": 60, "ready": 60});
    assert_eq!(status["counts"], counts);
    assert_eq!(status["jobs"][0]["state"], "Succeeded");
    Ok(())
}

/// Returns a CRD. The spec of its kind has these fields.
fn crd(group: &str, fields: Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("barges.{group}")},
        "spec": {
            "group": group,
            "names": {"kind": "Barge", "plural": "barges"},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {
                "openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": fields},
                }},
            }}],
        },
    })
}

/// The next version of a plan contains a new version of a CRD, and objects that are only valid in
/// this version.
#[tokio::test]
async fn crd_and_its_objects_are_upgraded_together() -> Result<(), Failure> {
    let Some(engine) = engine("pl-kind-next").await? else {
        return Ok(());
    };
    engine.allow_everywhere().await?;
    let group = format!("{}.test", engine.namespace());
    let barge = |spec: Value| {
        let mut barge = manifest(&format!("{group}/v1"), "Barge", [engine.namespace(), "one"]);
        barge["spec"] = spec;
        barge
    };
    let oars = json!({"oars": {"type": "integer"}});
    let old = [crd(&group, oars), barge(json!({"oars": 2}))];
    engine.plan("old", json!([stage("all", &old)])).await?;
    engine.until_ready("old").await?;

    let sails = json!({"sails": {"type": "string", "enum": ["red", "white"]}});
    let new = [crd(&group, sails), barge(json!({"sails": "red"}))];
    let spec = json!({
        "serviceAccountName": INSTALLER,
        "replaces": [{"name": "old"}],
        "stages": [stage("all", &new)],
    });
    engine.plan_of("new", spec).await?;
    engine.until_ready("new").await?;
    let found = engine.object(&new[1]).await?.expect("the object");
    assert_eq!(found.data["spec"], json!({"sails": "red"}));
    Ok(())
}

/// The plan contains more ConfigMaps than fit into one object. Each ConfigMap is in a
/// ResourceManifest.
#[tokio::test]
async fn plan_of_two_thousand_resource_manifests_is_applied() -> Result<(), Failure> {
    let Some(engine) = engine("pl-many").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let count = if is_soak() { 2_000 } else { 500 };
    let maps: Vec<_> = (0..count)
        .map(|place| config_map([engine.namespace(), &format!("map-{place}")], "1"))
        .collect();
    let recipe = Recipe {
        name: "many".to_owned(),
        namespace: Some(engine.namespace().to_owned()),
        service_account: INSTALLER.to_owned(),
        predecessors: Predecessors::None,
        on_plan_deletion: None,
        collisions: None,
        is_split: true,
        heeds_annotations: false,
    };
    let made = make(&maps, &recipe).expect("a plan");
    assert_eq!(made.beside.len(), count);
    let begun = Instant::now();
    let all = futures::stream::iter(&made.beside).map(|object| engine.make(object));
    let all = all.buffer_unordered(AT_ONCE);
    all.try_collect::<Vec<()>>().await?;
    let stored = begun.elapsed();
    engine.make(&made.plan).await?;
    let name = made.plan["metadata"]["name"].as_str().expect("a name");
    engine.until_ready(name).await?;
    println!(
        "engine: {count} objects beside their plan: {} ms to store, {} ms to apply",
        stored.as_millis(),
        (begun.elapsed() - stored).as_millis(),
    );
    let status = engine.status(name).await?;
    assert_eq!(status["counts"]["ready"], count);
    Ok(())
}

/// Returns a CRD of this size. Most of the bytes are in the description of a field.
fn large(group: &str, bytes: usize) -> Value {
    let filled = |letters: usize| {
        let text = "x".repeat(letters);
        let cargo = json!({"type": "string", "description": text});
        crd(group, json!({"cargo": cargo}))
    };
    let frame = canonical(&filled(0)).len();
    filled(bytes.saturating_sub(frame))
}

/// Returns true if the API server accepts the CRD in an apply like that of a plan, and then serves
/// the kind. The stored object is larger than the applied object.
async fn is_accepted(engine: &Engine, crd: &Value) -> Result<bool, Failure> {
    let bytes = canonical(crd).len();
    let begun = Instant::now();
    if let Err(error) = apply(engine, crd).await {
        println!("engine: {bytes} bytes: {error:?}");
        return Ok(false);
    }
    // A size just above the limit must also be served, so the test waits longer for it.
    let must_be_served = bytes <= LIMIT + A_LITTLE;
    let patience = if must_be_served { PATIENCE } else { SERVED };
    let served = until("the kind to be served", patience, async || {
        let found = engine.object(crd).await?;
        let conditions = found.map(|found| found.data["status"]["conditions"].clone());
        let mut all = conditions.iter().filter_map(Value::as_array).flatten();
        let is_so = all.any(|one| one["type"] == "Established" && one["status"] == "True");
        Ok(if is_so {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{conditions:?}"))
        })
    });
    let served = served.await;
    let is_served = served.is_ok();
    if must_be_served {
        served?;
    }
    let took = begun.elapsed().as_millis();
    println!("engine: {bytes} bytes: served: {is_served}, {took} ms");
    remove(engine, crd).await?;
    Ok(is_served)
}

/// Deletes a CRD. If the CRD is so large that it cannot be written again, the API server cannot
/// delete it. So this function first removes its fields.
async fn remove(engine: &Engine, large: &Value) -> Result<(), Failure> {
    let group = large["spec"]["group"].as_str().expect("a group");
    let small = crd(group, json!({}));
    apply(engine, &small).await?;
    until("the CRD to be gone", PATIENCE, async || {
        if engine.object(&small).await?.is_none() {
            return Ok(Seen::Yes(()));
        }
        let deleted = engine.delete(&small).await;
        Ok(Seen::NotYet(format!("{deleted:?}")))
    })
    .await
}

async fn apply(engine: &Engine, crd: &Value) -> Result<(), Failure> {
    let api = engine.api(crd);
    let name = crd["metadata"]["name"].as_str().expect("a name");
    let object: DynamicObject =
        serde_json::from_value(crd.clone()).map_err(Failure::read("a manifest"))?;
    let params =
        PatchParams::apply("plans.portolan.dev/00000000-0000-0000-0000-000000000000").force();
    api.patch(name, &params, &Patch::Apply(&object)).await?;
    Ok(())
}

/// Returns the maximum size of a CRD that this API server accepts, in bytes. The result is rounded
/// to a kilobyte.
async fn most(engine: &Engine, group: &str) -> Result<usize, Failure> {
    let (mut taken, mut refused) = (1 << 20, 2 << 20);
    while refused - taken > 1 << 10 {
        let middle = usize::midpoint(taken, refused);
        // Each CRD has another group, because the API server becomes slower each time that the same
        // CRD is deleted.
        let group = format!("of-{middle}.{group}");
        if is_accepted(engine, &large(&group, middle)).await? {
            taken = middle;
        } else {
            refused = middle;
        }
    }
    Ok(taken)
}

/// The API server accepts and serves a CRD of the maximum size for plans. A plan with a larger CRD
/// is rejected before an object is written. The error contains the size and the limit.
#[tokio::test]
async fn largest_allowed_crd_is_applied_and_a_larger_crd_is_rejected() -> Result<(), Failure> {
    let Some(engine) = engine("pl-largest").await? else {
        return Ok(());
    };
    engine.allow_everywhere().await?;
    let group = format!("{}.test", engine.namespace());
    let most = most(&engine, &group).await?;
    println!("engine: CRDs of {most} bytes are served");
    assert!(most > LIMIT, "{LIMIT} bytes must be served: {most}");
    let below = large(&format!("below.{group}"), LIMIT - A_LITTLE);
    plan(&engine, "below", &below).await?;
    engine.until_ready("below").await?;
    engine.delete(&below).await?;
    let crd = below["metadata"]["name"].as_str().expect("a name");
    until_gone(&engine.api(&below), crd).await?;
    let above = large(&format!("above.{group}"), LIMIT + A_LITTLE);
    let other = plan(&engine, "above", &above).await?;
    let wrong = ["Valid", "False", "ManifestInvalid"];
    let message = engine.until("above", wrong).await?;
    println!("engine: {message}");
    let limit = format!("an API server stores at most {LIMIT}");
    assert!(message.contains(&limit), "{message}");
    assert!(engine.object(&other).await?.is_none(), "nothing is written");
    Ok(())
}

/// Creates a plan with a CRD in a ResourceManifest. Another object is applied before the CRD.
/// Returns this object.
async fn plan(engine: &Engine, name: &str, crd: &Value) -> Result<Value, Failure> {
    let at = [engine.namespace(), name];
    let mut stored = manifest("plans.portolan.dev/v1alpha1", "ResourceManifest", at);
    stored["spec"] = json!({"digest": digest(crd), "compressed": pack(crd)});
    engine.make(&stored).await?;
    let other = config_map(at, "1");
    let resources = json!([{"manifest": other}, {"ref": {"name": name}}]);
    let stages = json!([{"name": "all", "resources": resources}]);
    engine.plan(name, stages).await?;
    Ok(other)
}
