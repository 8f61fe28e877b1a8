//! Tests objects with missing, unknown or absurd fields.

use portolan_core_health::HealthCode;
use portolan_proto::health::v1::verdict::State;
use portolan_rig::{Failure, Kind};
use serde_json::{Value, json};

use super::news::{Wanted, operator};
use super::serving::Serving;
use super::written;
use crate::editor::Editor;
use crate::own_cluster;

const CSV: &str = "quay.v1.0.0";

/// A strange write of an object, the expected health, and a write that restores the object.
struct Oddity {
    kind: Kind,
    name: &'static str,
    odd: Value,
    wanted: Wanted,
    sound: Value,
}

#[tokio::test]
async fn malformed_objects_are_never_healthy() -> Result<(), Failure> {
    let Some(own) = own_cluster().await? else {
        return Ok(());
    };
    let client = own.client()?;
    let namespace = own.namespace("odd").await?;
    written::define_olm(&client).await?;
    written::operator(&client, &namespace, "quay").await?;
    let serving = Serving::of_cluster(&own, "health").await?;
    let mut watcher = serving.watch(&namespace).await;
    let (of, editor) = (operator("quay"), Editor::of(&client, &namespace));
    watcher.until(&of, Wanted::Well).await;

    for oddity in oddities() {
        let Oddity {
            kind, name, wanted, ..
        } = oddity;
        println!("health: {kind:?} {}", oddity.odd);
        let written = editor.patch(kind, name, oddity.odd);
        watcher.reports(&of, wanted, written).await?;
        let answer = serving.operator(&namespace, "quay").await;
        answer.expect("there must be an answer");
        let mended = editor.patch(kind, name, oddity.sound);
        watcher.reports(&of, Wanted::Well, mended).await?;
    }
    watcher.agrees(&serving).await;
    Ok(())
}

fn oddities() -> Vec<Oddity> {
    let csv = |odd: Value, wanted, sound: Value| Oddity {
        kind: Kind::ClusterServiceVersion,
        name: CSV,
        odd,
        wanted,
        sound,
    };
    let subscription = |odd: Value, wanted, sound: Value| Oddity {
        kind: Kind::Subscription,
        name: "quay",
        ..csv(odd, wanted, sound)
    };
    let phase = |phase: Value| json!({"status": {"phase": phase, "reason": "", "message": ""}});
    let fine = || phase("Succeeded".into());
    let unknown = || Wanted::Among(State::NotYet, HealthCode::CsvPhaseUnknown);
    vec![
        csv(phase("Melting".into()), unknown(), fine()),
        csv(phase(Value::Null), unknown(), fine()),
        csv(phase(7.into()), Wanted::NotWell, fine()),
        csv(json!({"status": null}), unknown(), fine()),
        csv(
            phase("Failed".into()),
            Wanted::Among(State::No, HealthCode::CsvFailed),
            fine(),
        ),
        csv(
            json!({"spec": {"install": {"spec": {"deployments": [{"name": "", "spec": null}]}}}}),
            Wanted::NotWell,
            json!({"spec": {"install": {"spec": {"deployments": [
                {"name": "quay", "spec": {"replicas": -3}},
            ]}}}}),
        ),
        subscription(
            json!({"status": {"installedCSV": "", "currentCSV": -1}}),
            Wanted::NotWell,
            json!({"status": {"installedCSV": CSV, "currentCSV": CSV}}),
        ),
    ]
}
