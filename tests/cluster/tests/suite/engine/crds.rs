//! Tests the CRDs of plans and of their manifests: the descriptions, and the objects that they
//! accept or reject.

use kube::Api;
use kube::api::PostParams;
use portolan_api::plan::{InstallPlan, ResourceManifest};
use portolan_kit::assert_same;
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Map, Value, json};

use super::ground::{Ground, change, config_map, create, ground, refusal, spec};

const STAGES_NEVER: &str =
    "spec.stages is immutable; create another InstallPlan with the other stages";
const ACCOUNT_NEVER: &str = "spec.serviceAccountName is immutable; create another InstallPlan for \
                             the other ServiceAccount";
const MANIFEST_NEVER: &str = "the spec of a ResourceManifest is immutable; create another \
                              ResourceManifest, and an InstallPlan that refers to it";

#[tokio::test]
async fn api_server_accepts_both_crds_as_structural() -> Result<(), Failure> {
    let Some(ground) = ground("taken").await? else {
        return Ok(());
    };
    for name in ["installplans", "resourcemanifests"] {
        let name = format!("crd/{name}.plans.portolan.dev");
        let types = "jsonpath={range .status.conditions[*]}{.type}={.status} {end}";
        let conditions = ground.kubectl().run(&["get", &name, "-o", types]).await?;
        let mut conditions: Vec<_> = conditions.split_whitespace().collect();
        conditions.sort_unstable();
        // A CRD without a structural schema would have another condition.
        assert_eq!(conditions, ["Established=True", "NamesAccepted=True"]);
    }
    Ok(())
}

#[tokio::test]
async fn kubectl_explains_each_field() -> Result<(), Failure> {
    let Some(ground) = ground("explained").await? else {
        return Ok(());
    };
    for (of, fields) in [
        (
            "pplan.spec",
            "abandonAfterSeconds collisions lifecycle replaces serviceAccountName stages suspend \
             transformations",
        ),
        (
            "pplan.spec.stages",
            "deadlineSeconds jobs name order ready resources waitFor",
        ),
        ("pplan.spec.stages.ready", "cel kind"),
        (
            "pplan.spec.lifecycle",
            "onDeletion onDrift onFound onPlanDeletion",
        ),
        ("pplan.spec.replaces", "labelSelector name"),
        ("pplan.spec.transformations", "from max order to"),
        (
            "pplan.spec.transformations.from",
            "allNamespaces apiVersion kind labelSelector name namespace",
        ),
        ("pplan.spec.stages.jobs", "name retries template"),
        ("pplan.spec.stages.resources", "lifecycle manifest ref"),
        (
            "pplan.spec.stages.resources.lifecycle",
            "ignore onDeletion onDrift onImmutable onPlanDeletion onRemoval",
        ),
        ("pplan.spec.stages.resources.ref", "name secret"),
        (
            "pplan.status",
            "conditions counts deletionBlockedSince jobs lineage members mergedLineages missingControllerRole \
             missingNamespaceLabel missingNamespaces missingRules moreMissingRules observedGeneration phase predecessors \
             record repairs retried stage takenOver transformed",
        ),
        ("pman.spec", "compressed digest manifest"),
    ] {
        let page = explained(&ground, of).await?;
        println!("{page}\n");
        let names: Vec<_> = fields_of(&page).map(|(name, _)| name).collect();
        assert_eq!(names.join(" "), fields, "{page}");
        for (name, text) in fields_of(&page) {
            assert!(text.ends_with('.'), "{of}.{name}: {text:?}");
        }
    }
    Ok(())
}

/// Returns the output of `kubectl explain` for a field. Waits for it, because a new kind is served
/// after a short time.
async fn explained(ground: &Ground, of: &str) -> Result<String, Failure> {
    until(format!("{of} to be explained"), PATIENCE, async || {
        let page = ground.kubectl().try_run_uncached(&["explain", of]).await?;
        Ok(page.map_or_else(Seen::NotYet, Seen::Yes))
    })
    .await
}

/// Returns the fields in the output of `kubectl explain`, each with the last line of its
/// description.
fn fields_of(page: &str) -> impl Iterator<Item = (&str, &str)> {
    let fields = page.split("\nFIELDS:\n").nth(1).unwrap_or_default();
    let fields = fields.split("\n\n").map(str::trim_end);
    let fields = fields.filter(|field| field.contains('\t'));
    fields.map(|field| {
        let name = field.trim_start().split('\t').next().unwrap_or_default();
        (name, field.lines().last().unwrap_or_default().trim())
    })
}

#[tokio::test]
async fn stored_specs_equal_written_specs() -> Result<(), Failure> {
    let Some(ground) = ground("kept").await? else {
        return Ok(());
    };
    let made = create(&ground.plans(), "a", spec()).await?;
    assert_same!(json: made.spec.as_json(), spec());

    let mut stored = stored();
    stored["manifest"]["spec"] = json!(null);
    let manifest = ResourceManifest::new("a", stored.clone().into());
    let manifests = ground.manifests();
    let made = manifests.create(&PostParams::default(), &manifest).await?;
    assert_same!(json: made.spec.as_json(), stored);
    Ok(())
}

fn stored() -> Value {
    json!({"digest": format!("sha256:{}", "0".repeat(64)), "manifest": config_map()})
}

#[tokio::test]
async fn stages_and_service_account_of_a_plan_are_immutable() -> Result<(), Failure> {
    let Some(ground) = ground("never").await? else {
        return Ok(());
    };
    let plans = ground.plans();
    create(&plans, "a", spec()).await?;
    let other = json!({"spec": {"serviceAccountName": "other"}});
    let message = refusal(change(&plans, "a", other).await);
    assert!(message.contains(ACCOUNT_NEVER), "{message}");

    for (what, stages) in changed_stages() {
        let message = refusal(replace_stages(&plans, stages).await);
        assert!(message.contains(STAGES_NEVER), "{what}: {message}");
    }
    let same = replace_stages(&plans, spec()["stages"].clone()).await?;
    assert_eq!(same.metadata.generation, Some(1));
    Ok(())
}

/// Replaces the whole plan, because a patch would drop null values.
async fn replace_stages(
    plans: &Api<InstallPlan>,
    stages: Value,
) -> Result<InstallPlan, kube::Error> {
    let mut plan = plans.get("a").await?;
    let mut spec = plan.spec.as_json().clone();
    spec["stages"] = stages;
    plan.spec = spec.into();
    plans.replace("a", &PostParams::default(), &plan).await
}

/// Returns changes of stages that the API server must reject. Each change has a description.
fn changed_stages() -> Vec<(&'static str, Value)> {
    let stages = |change: fn(&mut Vec<Value>)| {
        let mut stages = spec()["stages"].as_array().expect("stages").clone();
        change(&mut stages);
        Value::Array(stages)
    };
    let manifest = |change: fn(&mut Map<String, Value>)| {
        let mut stages = spec()["stages"].clone();
        let manifest = stages.pointer_mut("/0/resources/0/manifest");
        change(manifest.and_then(Value::as_object_mut).expect("a manifest"));
        stages
    };
    vec![
        (
            "another order",
            stages(|it| it[0]["order"] = json!("InOrder")),
        ),
        (
            "a field more",
            stages(|it| it[1]["order"] = json!("InOrder")),
        ),
        ("a stage less", stages(|it| drop(it.pop()))),
        ("stages the other way round", stages(|it| it.reverse())),
        (
            "resources the other way round",
            stages(|it| {
                let resources = it[0]["resources"].as_array_mut();
                resources.expect("resources").reverse();
            }),
        ),
        ("another value", manifest(|it| it["data"]["a"] = json!("c"))),
        (
            "a value for null",
            manifest(|it| it["immutable"] = json!(true)),
        ),
        ("null left out", manifest(|it| drop(it.remove("immutable")))),
        (
            "deep inside",
            manifest(|it| it["metadata"]["strange"][1] = json!(2)),
        ),
        // All values are the same, but one field has another name.
        (
            "another name of a field",
            manifest(|it| {
                let data = it.remove("data").expect("data");
                it.insert("binaryData".to_owned(), data);
            }),
        ),
    ]
}

#[tokio::test]
async fn other_fields_of_a_plan_are_mutable() -> Result<(), Failure> {
    let Some(ground) = ground("may-change").await? else {
        return Ok(());
    };
    let plans = ground.plans();
    create(&plans, "a", spec()).await?;
    let change_it = json!({
        "metadata": {"labels": {"a": "b"}, "finalizers": ["a.test/b"]},
        "spec": {
            "suspend": true, "collisions": "Adopt", "abandonAfterSeconds": null,
            "lifecycle": {"onPlanDeletion": "Keep"},
        },
    });
    change(&plans, "a", change_it).await?;
    let less = json!({"metadata": {"finalizers": null}, "spec": {"suspend": null}});
    let plan = change(&plans, "a", less).await?;
    assert_eq!(plan.spec.as_json().get("suspend"), None);
    assert_eq!(plan.metadata.generation, Some(3));
    Ok(())
}

#[tokio::test]
async fn resource_manifest_is_immutable() -> Result<(), Failure> {
    let Some(ground) = ground("manifest").await? else {
        return Ok(());
    };
    let manifests = ground.manifests();
    let manifest = ResourceManifest::new("a", stored().into());
    manifests.create(&PostParams::default(), &manifest).await?;
    for other in [
        json!({"digest": format!("sha256:{}", "1".repeat(64))}),
        json!({"manifest": {"data": {"a": "c"}}}),
        json!({"manifest": {"data": null, "binaryData": {"a": "b"}}}),
        json!({"manifest": null, "compressed": "H4s="}),
    ] {
        let message = refusal(change(&manifests, "a", json!({"spec": other})).await);
        assert!(message.contains(MANIFEST_NEVER), "{message}");
    }
    change(&manifests, "a", json!({"metadata": {"labels": {"a": "b"}}})).await?;
    Ok(())
}

/// The validation rules of a plan with the maximum size do not exceed the cost limit of the API
/// server.
#[tokio::test]
async fn plan_has_at_most_ten_thousand_resources() -> Result<(), Failure> {
    let Some(ground) = ground("large").await? else {
        return Ok(());
    };
    let of = |resources: usize| {
        let stage = |name: usize, count: usize| {
            let resources = vec![json!({"ref": {"name": "a"}}); count];
            json!({"name": format!("s{name}"), "resources": resources})
        };
        let stages: Vec<_> = (1..100).map(|name| stage(name, 1)).collect();
        let stages = [vec![stage(0, resources - stages.len())], stages].concat();
        json!({"serviceAccountName": "installer", "stages": stages})
    };
    let plans = ground.plans();
    create(&plans, "most", of(10_000)).await?;
    change(&plans, "most", json!({"spec": {"suspend": true}})).await?;
    let message = refusal(create(&plans, "more", of(10_001)).await);
    let sentence = "spec.stages has too many resources; the limit is 10000";
    assert!(message.contains(sentence), "{message}");
    Ok(())
}

/// A validation rule rejects a resource with the same message as the parser. The message contains
/// the path of the resource.
#[tokio::test]
async fn crd_rules_reject_with_messages_of_the_parser() -> Result<(), Failure> {
    let Some(ground) = ground("words").await? else {
        return Ok(());
    };
    for (resource, sentence) in [
        (
            json!({}),
            "has neither a manifest nor a ref; write one of the two fields",
        ),
        (
            json!({"manifest": {}, "ref": {"name": "a"}}),
            "has both a manifest and a ref; remove one of the two fields",
        ),
    ] {
        let mut spec = spec();
        spec["stages"][1]["resources"][0] = resource;
        let message = refusal(create(&ground.plans(), "a", spec).await);
        println!("{message}");
        assert!(
            message.contains("spec.stages[1].resources[0]: "),
            "{message}"
        );
        assert!(message.contains(sentence), "{message}");
    }
    let mut twice = spec();
    twice["stages"][1]["name"] = json!("first");
    let message = refusal(create(&ground.plans(), "a", twice).await);
    assert!(message.contains("Duplicate value"), "{message}");
    Ok(())
}

/// Returns a status in which each field has a value.
fn status() -> Value {
    let time = "2024-05-01T10:00:00Z";
    let condition = |type_: &str, status: &str, reason: &str| {
        json!({
            "lastTransitionTime": time, "message": format!("{type_} is {status}"),
            "observedGeneration": 1, "reason": reason, "status": status, "type": type_,
        })
    };
    json!({
        "observedGeneration": 1, "phase": "Applying",
        "conditions": [
            condition("Valid", "True", "PlanValid"),
            condition("Permitted", "True", "PermissionsSufficient"),
            condition("Applied", "False", "Applying"),
            condition("Ready", "False", "Waiting"),
        ],
        "stage": {"name": "first", "index": 0, "since": time},
        "counts": {"members": 3, "applied": 2, "ready": 1},
        "members": [{
            "stage": "first", "index": 1, "object": "ConfigMap harbor/a", "state": "NotReady",
            "message": "it is on its way",
        }],
        "record": {"digest": "sha256:00", "found": {"0": "0b7c"}},
    })
}

#[tokio::test]
async fn status_is_stored_and_shown_in_columns() -> Result<(), Failure> {
    let Some(ground) = ground("columns").await? else {
        return Ok(());
    };
    let plans = ground.plans();
    let mut plan = create(&plans, "ferry", spec()).await?;
    let status = serde_json::from_value(status()).map_err(Failure::read("a status"))?;
    plan.status = Some(status);
    let kept = plans
        .replace_status("ferry", &PostParams::default(), &plan)
        .await?;
    assert_same!(json: kept.status, self::status());
    assert_eq!(kept.metadata.generation, Some(1));

    let manifest = ResourceManifest::new("ferry", stored().into());
    let manifests = ground.manifests();
    manifests.create(&PostParams::default(), &manifest).await?;

    assert_eq!(
        table(&ground, &["pplan"]).await?,
        [
            "NAME|PHASE|STAGE|READY|AGE",
            "ferry|Applying|first|False|AGE",
        ]
    );
    assert_eq!(
        table(&ground, &["pplan", "-o", "wide"]).await?,
        [
            "NAME|PHASE|STAGE|READY|AGE|VALID|PERMITTED|DRIFTED|APPLIED",
            "ferry|Applying|first|False|AGE|PlanValid|PermissionsSufficient|Applied is False",
        ]
    );
    let digest = format!("ferry|sha256:{}|AGE", "0".repeat(64));
    assert_eq!(
        table(&ground, &["pman"]).await?,
        ["NAME|DIGEST|AGE".to_owned(), digest]
    );
    Ok(())
}

/// Returns the cells of the table that kubectl prints. Replaces each age with `AGE`.
async fn table(ground: &Ground, words: &[&str]) -> Result<Vec<String>, Failure> {
    let words = [&["-n", &*ground.namespace, "get"], words].concat();
    let shown = ground.kubectl().run(&words).await?;
    let lines = shown.lines().map(|line| {
        let cells = line.split("  ").map(str::trim);
        let cells = cells.filter(|cell| !cell.is_empty());
        let is_age = |cell: &str| {
            let number = cell.strip_suffix('s').unwrap_or_default();
            number.parse::<u32>().is_ok()
        };
        let cells = cells.map(|cell| if is_age(cell) { "AGE" } else { cell });
        cells.collect::<Vec<_>>().join("|")
    });
    Ok(lines.collect())
}
