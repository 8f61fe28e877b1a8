use insta::assert_snapshot;
use portolan_proto::health::v1::Probe;
use portolan_proto::health::v1::probe::Outcome;

use super::*;
use crate::health::samples::{catalog, fact, operator, text};

fn ferry() -> Operator {
    let pod = Fact {
        detail: "it has been started 12 times".to_owned(),
        ..fact(State::No, "CrashLooping", Vec::new())
    };
    let fine = || fact(State::Yes, "Healthy", Vec::new());
    let mut ferry = operator("ferry", State::No, &["CrashLooping"]);
    ferry.replaces = "ferry.v0.9.0".to_owned();
    ferry.phase = "Failed".to_owned();
    ferry.phase_reason = "ComponentUnhealthy".to_owned();
    ferry.phase_message = "installing: waiting\nfor deployment ferry".to_owned();
    ferry.facts = vec![
        fine(),
        fact(State::No, "DeploymentUnavailable", vec![pod]),
        fine(),
        fine(),
        Fact {
            remark: true,
            ..fact(State::Yes, "StoredVersionsMixed", Vec::new())
        },
        fine(),
        fine(),
    ];
    ferry
}

#[test]
fn prints_head_and_tree_of_operator() {
    assert_snapshot!(text(render_operator(&ferry(), Detail::Usual)), @r#"
    Operator:   Subscription harbor/ferry
    Package:    ferry
    CSV:        ferry.v1.0.0, version 1.0.0, replaces ferry.v0.9.0
    Phase:      Failed: ComponentUnhealthy: installing: waiting for deployment ferry
    Catalog:    olm/shop
    Health:     No

    harbor/ferry
    ├── Yes It is Healthy.
    ├── No DeploymentUnavailable: It is DeploymentUnavailable.
    │   └── No CrashLooping: It is CrashLooping. (it has been started 12 times)
    ├── Yes It is Healthy.
    ├── Yes It is Healthy.
    ├── Yes StoredVersionsMixed: It is StoredVersionsMixed.
    └── ... and 2 more healthy facts (-o wide shows all)
    "#);
}

#[test]
fn wide_shows_every_fact() {
    let wide = text(render_operator(&ferry(), Detail::Whole));
    assert_eq!(wide.matches(" Yes It is Healthy.\n").count(), 5, "{wide}");
    assert!(!wide.contains("more that say Yes"), "{wide}");
}

#[test]
fn catalog_output_shows_the_time_of_its_probe() {
    let mut shop = catalog("shop", State::No, &["RegistryTimeout"]);
    shop.probe = Some(Probe {
        address: "127.0.0.1:50051".to_owned(),
        outcome: Outcome::Failed.into(),
        since: "2026-01-01T00:00:00Z".to_owned(),
        ..Probe::default()
    });
    shop.facts = vec![fact(State::No, "RegistryTimeout", Vec::new())];
    assert_snapshot!(text(render_catalog(&shop, Detail::Usual)), @r#"
    Catalog:      CatalogSource olm/shop
    Connection:   READY
    Address:      127.0.0.1:50051
    Probe:        failed since 2026-01-01T00:00:00Z
    Answered:     -
    Packages:     -
    Health:       No

    olm/shop
    └── No RegistryTimeout: It is RegistryTimeout.
    "#);
}
