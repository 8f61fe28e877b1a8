use portolan_core_names::Version;
use portolan_core_olm::{Api, COPIED_FROM, CopiedCsv, FromJson, read_value};
use portolan_kit::World;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::{Approval, Phase};

/// Returns namespace harbor as OLM resolves it.
fn resolved(world: &World) -> Result<Namespace, String> {
    let groups = read(world, "OperatorGroup", false);
    let subscriptions = read(world, "Subscription", false);
    let csvs = read(world, "ClusterServiceVersion", false);
    let copies: Vec<CopiedCsv> = read(world, "ClusterServiceVersion", true);
    let objects = NamespaceObjects {
        name: "harbor",
        operator_groups: groups.iter().collect(),
        subscriptions: subscriptions.iter().collect(),
        csvs: csvs.iter().collect(),
        copies: copies.iter().collect(),
    };
    Namespace::of(&objects, "olm")
}

fn read<K: FromJson>(world: &World, kind: &str, is_copied: bool) -> Vec<K> {
    let all = world.objects().iter().filter(|object| {
        let copied_from = &object["metadata"]["labels"][COPIED_FROM.name()];
        object["kind"] == kind && copied_from.is_string() == is_copied
    });
    let read = all.map(|object| {
        let (object, faults) = read_value(object.clone()).expect("an object of its kind");
        assert_eq!(faults, []);
        object
    });
    read.collect()
}

fn harbor() -> World {
    let shop = portolan_kit::world()
        .namespace("olm")
        .catalog_source("shop", "127.0.0.1:1");
    shop.namespace("harbor")
}

fn subscription(edit: impl FnOnce(&mut Value)) -> World {
    harbor().subscription("ferry", "stable").edit(edit)
}

fn ferry() -> Subscription {
    Subscription {
        channel: Some("stable".parse().expect("a channel")),
        approval: Approval::Manual,
        ..Subscription::new(
            "ferry",
            "ferry".parse().expect("a package"),
            "olm/shop".parse().expect("a catalog"),
        )
    }
}

fn bundle(name: &str) -> Option<BundleName> {
    BundleName::parse(name).ok()
}

#[rstest]
#[case::as_written(subscription(|_| ()), ferry())]
#[case::without_a_channel(
    subscription(|all| all["spec"]["channel"] = json!("")),
    Subscription { channel: None, ..ferry() }
)]
#[case::catalog_without_a_namespace(
    subscription(|all| {
        all["spec"]["sourceNamespace"] = json!("");
        all["spec"]["source"] = json!("other");
    }),
    Subscription { catalog: "olm/other".parse().expect("a catalog"), ..ferry() }
)]
#[case::catalog_in_its_own_namespace(
    subscription(|all| all["spec"]["sourceNamespace"] = json!("harbor")),
    Subscription { catalog: "harbor/shop".parse().expect("a catalog"), ..ferry() }
)]
#[case::with_automatic_approval(
    subscription(|all| all["spec"]["installPlanApproval"] = json!("Automatic")),
    Subscription { approval: Approval::Automatic, ..ferry() }
)]
#[case::without_an_approval(
    subscription(|all| all["spec"]["installPlanApproval"] = json!("")),
    Subscription { approval: Approval::default(), ..ferry() }
)]
#[case::with_a_starting_csv(
    subscription(|all| all["spec"]["startingCSV"] = json!("ferry.v1.0.0")),
    Subscription { starting_csv: bundle("ferry.v1.0.0"), ..ferry() }
)]
#[case::with_an_installed_csv(
    harbor().subscription("ferry", "stable").installed("ferry.v1.0.0"),
    Subscription {
        installed_csv: bundle("ferry.v1.0.0"),
        current_csv: bundle("ferry.v1.0.0"),
        ..ferry()
    }
)]
#[case::with_a_plan(
    harbor().subscription("ferry", "stable").pending("ferry.v1.0.0", "ferry.v1.1.0", "install-1"),
    Subscription {
        installed_csv: bundle("ferry.v1.0.0"),
        current_csv: bundle("ferry.v1.1.0"),
        has_plan: true,
        ..ferry()
    }
)]
#[case::with_a_failed_plan(
    harbor()
        .subscription("ferry", "stable")
        .pending("ferry.v1.0.0", "ferry.v1.1.0", "install-1")
        .condition("InstallPlanFailed", "True", "InstallComponentFailed", "no"),
    Subscription {
        installed_csv: bundle("ferry.v1.0.0"),
        current_csv: bundle("ferry.v1.1.0"),
        has_plan: true,
        plan_failed: true,
        ..ferry()
    }
)]
fn reads_a_subscription(#[case] world: World, #[case] expected: Subscription) {
    let resolved = resolved(&world).expect("a namespace");
    assert_eq!(resolved.subscriptions, [expected]);
}

#[rstest]
#[case::one_group(json!({}), json!({}), OperatorGroup::default())]
#[case::fail_forward(
    json!({}),
    json!({"upgradeStrategy": "TechPreviewUnsafeFailForward"}),
    OperatorGroup { fails_forward: true, ..OperatorGroup::default() }
)]
#[case::excluded_global_catalogs(
    json!({"olm.operatorframework.io/exclude-global-namespace-resolution": "true"}),
    json!({}),
    OperatorGroup { excludes_global_catalogs: true, ..OperatorGroup::default() }
)]
fn reads_operator_groups(
    #[case] annotations: Value,
    #[case] spec: Value,
    #[case] expected: OperatorGroup,
) {
    let world = harbor().operator_group().edit(|group| {
        group["metadata"]["annotations"] = annotations;
        group["spec"] = spec;
    });
    let resolved = resolved(&world).expect("a namespace");
    assert_eq!(resolved.operator_groups, [expected]);
}

fn installed(edit: impl FnOnce(&mut Value)) -> World {
    harbor().csv("ferry.v1.1.0", "Replacing").edit(|csv| {
        csv["spec"]["replaces"] = json!("ferry.v1.0.0");
        csv["spec"]["customresourcedefinitions"] = json!({});
        edit(csv);
    })
}

fn operator(traits: Traits) -> Csv {
    Csv {
        name: bundle("ferry.v1.1.0").expect("a name"),
        version: Version::parse("1.1.0").ok(),
        replaces: bundle("ferry.v1.0.0"),
        phase: Phase::Replacing,
        traits,
    }
}

fn api(kind: &str) -> Api {
    Api {
        group: "demo.example".into(),
        version: "v1".into(),
        kind: kind.into(),
    }
}

/// The conversion reads the spec only if the annotation is missing, as OLM does.
#[rstest]
#[case::without_traits(|_: &mut Value| (), Traits::default())]
#[case::by_its_spec(
    |csv: &mut Value| csv["spec"]["customresourcedefinitions"] = json!({
        "owned": [{"name": "ferries.demo.example", "version": "v1", "kind": "Ferry"}],
        "required": [{"name": "docks.demo.example", "version": "v1", "kind": "Dock"}],
    }),
    Traits::of_spec([api("Ferry")].into(), [api("Dock")].into())
)]
#[case::by_its_annotation(
    |csv: &mut Value| {
        csv["spec"]["customresourcedefinitions"] = json!({
            "owned": [{"name": "ferries.demo.example", "version": "v1", "kind": "Ferry"}],
        });
        csv["metadata"]["annotations"]["operatorframework.io/properties"] = json!(PROPERTIES);
    },
    Traits::of_annotation(PROPERTIES).expect("properties")
)]
fn reads_a_csv(#[case] edit: fn(&mut Value), #[case] traits: Traits) {
    let resolved = resolved(&installed(edit)).expect("a namespace");
    assert_eq!(resolved.csvs, [operator(traits)]);
}

const PROPERTIES: &str = r#"{"properties": [{"type": "olm.package", "value": {"packageName": "ferry", "version": "1.1.0"}}]}"#;

#[test]
fn only_the_name_of_a_copied_csv_is_used() {
    let world = harbor().copied_csv("pilot.v1.0.0", "elsewhere");
    let resolved = resolved(&world).expect("a namespace");
    let expected = Namespace {
        name: "harbor".to_owned(),
        operator_groups: Vec::new(),
        subscriptions: Vec::new(),
        csvs: Vec::new(),
        copied: bundle("pilot.v1.0.0").into_iter().collect(),
    };
    assert_eq!(resolved, expected);
}

#[rstest]
#[case::package(
    subscription(|all| all["spec"]["name"] = json!("")),
    "Subscription ferry: spec.name: "
)]
#[case::catalog(
    subscription(|all| all["spec"]["source"] = json!("a b")),
    "Subscription ferry: spec.source: "
)]
#[case::version(
    installed(|csv| csv["spec"]["version"] = json!("1.1")),
    "ClusterServiceVersion ferry.v1.1.0: spec.version: "
)]
#[case::properties(
    installed(|csv| {
        csv["metadata"]["annotations"]["operatorframework.io/properties"] = json!("{");
    }),
    "ClusterServiceVersion ferry.v1.1.0: "
)]
fn unreadable_object_is_named(#[case] world: World, #[case] expected: &str) {
    let refused = resolved(&world).expect_err("it must be refused");
    assert!(refused.starts_with(expected), "{refused}");
    assert!(refused.len() > expected.len(), "{refused}");
}
