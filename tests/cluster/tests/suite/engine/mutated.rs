//! Tests with randomly changed plans. The API server and the parser must accept the same plans.

use fastrand::Rng;
use kube::api::PostParams;
use portolan_api::plan::{InstallPlan, Intent};
use portolan_rig::Failure;
use serde_json::{Value, json};

use super::ground::{ground, spec};
use crate::is_soak;

/// The number of plans, in normal runs and in soak tests.
const PLANS: [u64; 2] = [500, 2_000];

#[tokio::test]
async fn api_server_and_parser_accept_the_same_plans() -> Result<(), Failure> {
    let Some(ground) = ground("mutated").await? else {
        return Ok(());
    };
    let [quick, long] = PLANS;
    let count = if is_soak() { long } else { quick };
    let plans = ground.plans();
    let rehearsal = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    let (mut taken, mut refused) = (0, 0);
    for seed in 0..count {
        let mut rng = Rng::with_seed(seed);
        let mut spec = spec();
        for _ in 0..rng.u8(1..4) {
            // Neither the API server nor the parser checks the content of a manifest.
            let manifest = spec.pointer_mut("/stages/0/resources/0/manifest");
            match manifest.filter(|_| rng.bool()) {
                Some(manifest) => mutate(manifest, true, &mut rng),
                None => mutate(&mut spec, false, &mut rng),
            }
        }
        let plan = InstallPlan::new("a", spec.clone().into());
        let parsed = Intent::parse(&plan);
        match plans.create(&rehearsal, &plan).await {
            Ok(stored) => {
                taken += 1;
                // The API server has dropped unknown fields.
                let stored = Intent::parse(&stored);
                assert!(stored.is_ok(), "{seed}: {spec} is taken, {stored:?}");
            }
            Err(kube::Error::Api(status)) => {
                refused += 1;
                let error = &status.message;
                assert!(parsed.is_err(), "{seed}: {spec} is refused: {error}");
            }
            Err(error) => return Err(error.into()),
        }
    }
    println!("{taken} plans are taken, {refused} refused");
    assert!(taken > count / 10 && refused > count / 10);
    Ok(())
}

/// Makes a random change: replaces or removes a value, or adds an unknown field.
fn mutate(value: &mut Value, is_manifest: bool, rng: &mut Rng) {
    let deeper = rng.u8(..6) > 0;
    match value {
        Value::Object(fields) if deeper && !fields.is_empty() => {
            let mut keys: Vec<_> = fields.keys().cloned().collect();
            keys.sort();
            let key = &keys[rng.usize(..keys.len())];
            match rng.u8(..8) {
                0 => drop(fields.remove(key)),
                1 => drop(fields.insert("strange".to_owned(), json!({"a": [1]}))),
                _ => mutate(&mut fields[key], is_manifest || key == "manifest", rng),
            }
        }
        Value::Array(items) if deeper && !items.is_empty() => {
            let at = rng.usize(..items.len());
            match rng.u8(..6) {
                0 => items.push(items[at].clone()),
                1 => drop(items.remove(at)),
                _ => mutate(&mut items[at], is_manifest, rng),
            }
        }
        _ => *value = any_value(is_manifest, rng),
    }
}

/// Returns a random value. Never returns null outside of a manifest: the API server rejects null
/// for these fields, but the parser accepts null as a missing value.
fn any_value(is_manifest: bool, rng: &mut Rng) -> Value {
    let values = [
        json!(""),
        json!("../\u{202e}\n"),
        json!("a.b-c"),
        json!("Ready"),
        json!("Any"),
        json!("Adopt"),
        json!("first"),
        json!(-1),
        json!(0),
        json!(u64::MAX),
        json!(1.5),
        json!(1e300),
        json!(true),
        json!([]),
        json!({}),
        json!({"name": "a"}),
        json!({"ref": {"secret": "a"}}),
        json!([{"manifest": {"a": [null]}}]),
        json!([{"name": "a", "resources": [{"manifest": {}}]}]),
        json!("x".repeat(300)),
        json!(null),
    ];
    let count = values.len() - usize::from(!is_manifest);
    values[rng.usize(..count)].clone()
}
