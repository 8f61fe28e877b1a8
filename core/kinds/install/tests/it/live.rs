//! Tests of the changes that a plan would make in the cluster now.

use portolan_core_install::{FieldChange, Live, tried};
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::{definition, run, ship};
use crate::kit::{config_map, stage, with};
use crate::model::{Server, identity};
use crate::shell::Shell;

fn live(spec: &Value, server: &Server) -> Live {
    Shell::new(spec, server).live(server)
}

/// Formats the changes in a few lines.
fn lines(live: &Live) -> Vec<String> {
    let created = live.created.iter().map(|(object, needs)| match needs {
        Some(needs) => format!("+ {object} after {needs}"),
        None => format!("+ {object}"),
    });
    let changed = live.changed.iter().flat_map(|change| {
        let fields = change.fields.iter().map(|field| {
            let [before, after] = [&field.before, &field.after];
            let [before, after] = [before, after].map(|value| value.as_deref().unwrap_or("-"));
            format!("  {} {before} {after}", field.path)
        });
        let taken = change.taken.iter().map(|taken| format!("  takes {taken}"));
        let over = if change.is_taken_over { " over" } else { "" };
        let again = if change.is_made_again { " again" } else { "" };
        let object = format!("~ {}{over}{again}", change.object);
        std::iter::once(object).chain(fields).chain(taken)
    });
    let deleted = live.deleted.iter().map(|object| format!("- {object}"));
    let jobs = live
        .jobs
        .iter()
        .map(|job| format!("runs {}", job.kind.kind));
    let conflicts = live.conflicts.iter();
    let conflicts = conflicts.map(|(object, why)| format!("conflict {object} {why}"));
    let describe = |word: &'static str| {
        move |(object, why): &(String, String)| format!("{word} {object}: {why}")
    };
    let refused = live.refused.iter().map(describe("refused"));
    let left = live.left.iter().map(describe("left"));
    let unknown = live.not_compared.iter().map(describe("unknown"));
    let all = created
        .chain(changed)
        .chain(deleted)
        .chain(jobs)
        .chain(conflicts);
    let unchanged = format!("{} unchanged", live.unchanged);
    let all = all.chain(refused).chain(left).chain(unknown);
    all.chain([unchanged]).collect()
}

fn value(name: &str, value: &str) -> Value {
    with(config_map(name), "/data", json!({"key": value}))
}

fn spec(collisions: &str, manifests: &[Value]) -> Value {
    json!({"collisions": collisions, "stages": [stage("one", manifests)]})
}

#[rstest]
#[case::refuse(
    "Refuse",
    &["refused ConfigMap harbor/b: already exists, and no plan created it; remove it, or set \
       spec.collisions to IfUnowned"]
)]
#[case::if_unowned(
    "IfUnowned",
    &["conflict ConfigMap harbor/b has fields whose values differ from the manifest: \
       .data.key of \"somebody\"; set spec.collisions to Adopt, or remove these fields from the \
       manifest"]
)]
#[case::adopt(
    "Adopt",
    &["~ ConfigMap harbor/b over", "  .data.key \"old\" \"value\"", "  takes .data.key of \"somebody\""]
)]
fn compares_new_plan_with_existing_object(#[case] collisions: &str, #[case] expected: &[&str]) {
    let server = Server::new().with(value("b", "old"));
    let spec = spec(collisions, &[config_map("a"), config_map("b")]);
    let mut told = lines(&live(&spec, &server));
    assert_eq!(told.remove(0), "+ ConfigMap harbor/a");
    assert_eq!(told.pop().as_deref(), Some("0 unchanged"));
    assert_same!(told, expected);
}

#[test]
fn reports_refused_objects_and_objects_created_later() {
    let mut server = Server::new();
    server.refuses.insert(identity(&config_map("a")));
    let spec = spec("Refuse", &[config_map("a"), definition(), ship("ursula")]);
    let definition = "CustomResourceDefinition.apiextensions.k8s.io ship.ferry.example";
    assert_same!(
        lines(&live(&spec, &server)),
        [
            format!("+ {definition}"),
            format!("+ Ship.ferry.example harbor/ursula after {definition}"),
            "refused ConfigMap harbor/a: the API server rejects the object: no such ship"
                .to_owned(),
            "0 unchanged".to_owned(),
        ]
    );
}

#[test]
fn reports_object_that_user_cannot_read() {
    let mut server = Server::new();
    server.hides_objects = true;
    let spec = spec("Refuse", &[config_map("a")]);
    let expected = [
        "unknown ConfigMap harbor/a: cannot be read: forbidden",
        "0 unchanged",
    ];
    assert_same!(lines(&live(&spec, &server)), expected);
}

/// Another user has changed one object of an applied plan, and deleted another object.
#[rstest]
#[case::reverted(
    json!({"onDrift": "Revert", "onDeletion": "Recreate"}),
    &["+ ConfigMap harbor/b", "~ ConfigMap harbor/a", "  .data.key \"theirs\" \"value\"", "1 unchanged"]
)]
#[case::reported(
    json!({"onDrift": "Report", "onDeletion": "Report"}),
    &[
        "left ConfigMap harbor/a: has other values: .data.key, by \"kubectl\"",
        "left ConfigMap harbor/b: was deleted, and is not created again: lifecycle.onDeletion is \
         Report",
        "1 unchanged",
    ]
)]
fn compares_applied_plan_with_drift(#[case] lifecycle: Value, #[case] expected: &[&str]) {
    let mut server = Server::new();
    let mut spec = spec("Refuse", &["a", "b", "c"].map(config_map));
    spec["lifecycle"] = lifecycle;
    assert_same!(run(&spec, &mut server)[0], "Ready");
    server.edit(&config_map("a"), "/data/key", json!("theirs"), "kubectl");
    server.objects.remove(&identity(&config_map("b")));
    assert_same!(lines(&live(&spec, &server)), expected);
}

#[test]
fn reports_no_changes_after_plan_was_applied() {
    let mut server = Server::new();
    let spec = spec("Refuse", &["a", "b"].map(config_map));
    assert_same!(run(&spec, &mut server)[0], "Ready");
    assert_same!(lines(&live(&spec, &server)), ["2 unchanged"]);
}

#[test]
fn hides_values_of_secrets_and_ignores_bookkeeping() {
    let secret = |password: &str, version: &str| {
        json!({
            "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
            "metadata": {
                "name": "door", "resourceVersion": version, "managedFields": [version],
                "annotations": {"plans.portolan.dev/digest": version},
            },
            "data": {"password": password},
        })
    };
    let expected = FieldChange {
        path: ".data.password".to_owned(),
        before: Some("(hidden)".to_owned()),
        after: Some("(hidden)".to_owned()),
    };
    let changed = tried(&secret("b3Blbg==", "1"), &secret("c2h1dA==", "2"));
    assert_same!(changed, [expected]);
    assert_same!(
        tried(&secret("b3Blbg==", "1"), &secret("b3Blbg==", "2")),
        []
    );
}
