//! Tests of pages if no service answers.

use std::fs;

use portolan_core_console::view::{Hidden, PageView, Unseen};
use portolan_core_console::{ConsolePage, Filter};
use portolan_kit::TempFolder;
use portolan_shell::client;
use portolan_world::{AnyWorld, Files};
use serde_json::{Value, json};
use tonic::service::Routes;

use crate::{Connections, Services, Source as _};

/// Returns a dump of a cluster with one Policy. The user who made the dump could not read the kinds
/// in `not_seen`.
fn dumped(not_seen: &[(&str, &str)]) -> TempFolder {
    let folder = TempFolder::empty();
    let not_seen = not_seen.iter().map(|(group, kind)| {
        json!({"group": group, "kind": kind, "why": format!("nobody is shown {kind}")})
    });
    let dump = json!({
        "apiVersion": "portolan.dev/v1", "kind": "Dump", "taken": "2026-01-01T00:00:00Z",
        "by": "a test", "kubernetes": null, "notSeen": not_seen.collect::<Vec<Value>>(),
    });
    let policy = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Policy",
        "metadata": {"name": "at-night"}, "spec": {},
    });
    for (name, object) in [("dump.json", dump), ("policy.json", policy)] {
        fs::write(folder.join(name), object.to_string()).expect("a file to write");
    }
    let bindings = json!({"apiVersion": "v1", "kind": "List", "items": []});
    let file = folder.join("objects/upgradepolicybindings.operators.operatorframework.io.json");
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(file, bindings.to_string()).expect("a file to write");
    folder
}

fn services(folder: &TempFolder) -> Services {
    let nobody = || client::local(Routes::default());
    let connections = Connections {
        resolver: nobody(),
        health: nobody(),
        approval: nobody(),
        diagnosis: nobody(),
    };
    Services::new(connections, AnyWorld::Files(Files::at(folder)))
}

const OF_OPERATORS: (&str, &str) = ("policy.open-cluster-management.io", "OperatorPolicy");
const OF_TIME: (&str, &str) = ("operators.operatorframework.io", "Policy");

#[tokio::test]
async fn forbidden_policy_kind_does_not_hide_the_other_kind() {
    let folder = dumped(&[OF_OPERATORS]);
    let services = services(&folder);
    let PageView::Policies(_, page) = services.look(&ConsolePage::Policies(Filter::NONE)).await
    else {
        panic!("the page must be there");
    };
    let all = page.all.expect("the Policy must be there");
    let names: Vec<_> = all.iter().map(|it| it.id.name.as_str()).collect();
    assert_eq!(names, ["at-night"]);
    let why = Hidden {
        why: Unseen("OperatorPolicies: nobody is shown OperatorPolicy".to_owned()),
        is_stale: false,
    };
    assert_eq!(
        services.hidden(&ConsolePage::Policies(Filter::NONE)).await,
        [why]
    );
}

#[tokio::test]
async fn forbidden_policies_are_shown_as_hidden() {
    let folder = dumped(&[OF_OPERATORS, OF_TIME]);
    let services = services(&folder);
    let view = services.look(&ConsolePage::Policies(Filter::NONE)).await;
    let PageView::Policies(_, page) = &view else {
        panic!("{view:?}");
    };
    assert!(page.all.is_err(), "{view:?}");
    assert_eq!(
        services
            .hidden(&ConsolePage::Policies(Filter::NONE))
            .await
            .len(),
        2
    );
}
