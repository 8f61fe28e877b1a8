use portolan_core_olm::read_value;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;

fn crd(name: &str, versions: Value) -> CustomResourceDefinition {
    let manifest = json!({"metadata": {"name": name}, "spec": {"versions": versions}});
    let (crd, faults) = read_value(manifest).expect("a definition");
    assert_eq!(faults, []);
    crd
}

fn resource() -> ServedResource {
    ServedResource {
        group: "demo.example".to_owned(),
        version: "v1".to_owned(),
        plural: "ferries".to_owned(),
        kind: "Ferry".to_owned(),
    }
}

#[rstest]
#[case::stored_version_if_it_is_served(
    "ferries.demo.example",
    json!([{"name": "v1beta1", "served": true}, {"name": "v1", "served": true, "storage": true}]),
    Ok("demo.example/v1 ferries")
)]
#[case::another_version_if_the_stored_version_is_not_served(
    "ferries.demo.example",
    json!([{"name": "v1beta1", "served": true}, {"name": "v1", "storage": true}]),
    Ok("demo.example/v1beta1 ferries")
)]
#[case::no_version_is_served(
    "ferries.demo.example",
    json!([{"name": "v1", "storage": true}]),
    Err("no version of ferries.demo.example is served; serve at least one version")
)]
#[case::missing_group("ferries", json!([]), Err("\"ferries\" is not the name of a CRD"))]
fn served_resource_comes_from_its_crd(
    #[case] name: &str,
    #[case] versions: Value,
    #[case] wanted: Result<&str, &str>,
) {
    let resource = ServedResource::of(&crd(name, versions));
    let reported =
        resource.map(|resource| format!("{} {}", resource.api_version(), resource.plural));
    assert_eq!(reported, wanted.map(str::to_owned).map_err(str::to_owned));
}

#[rstest]
#[case::a_missing_permission(
    403,
    "the permission to list ferries of the API group demo.example in all namespaces is missing; \
     grant it to the ServiceAccount of the controller"
)]
#[case::anything_else(
    500,
    "ferries of the API group demo.example cannot be listed: out of order"
)]
fn denied_list_has_its_reason(#[case] code: u16, #[case] wanted: &str) {
    let status = Status {
        code,
        message: "out of order.".to_owned(),
        ..Status::default()
    };
    assert_eq!(resource().refusal(&status), wanted);
}

fn page(
    names: std::ops::Range<usize>,
    finalizers: &[&str],
    token: &str,
) -> ObjectList<PartialObjectMeta<DynamicObject>> {
    let item = |number| {
        json!({"metadata": {
            "name": format!("f{number}"),
            "namespace": "shop",
            "finalizers": finalizers,
        }})
    };
    let items: Vec<_> = names.map(item).collect();
    let list = json!({"metadata": {"continue": token}, "items": items});
    serde_json::from_value(list).expect("a list")
}

fn instance(number: usize, finalizers: &[&str]) -> Instance {
    Instance {
        api_version: "demo.example/v1".to_owned(),
        kind: "Ferry".to_owned(),
        namespace: Some("shop".to_owned()),
        name: format!("f{number}"),
        finalizers: finalizers.iter().map(|each| (*each).to_owned()).collect(),
    }
}

#[test]
fn instances_with_finalizers_come_first_and_excess_is_flagged() {
    let mut found = FoundInstances::default();
    let next = found.add(&resource(), page(0..60, &[], "more"));
    assert_eq!(next.as_deref(), Some("more"));
    assert_eq!(found.add(&resource(), page(60..61, &["hold"], "")), None);
    let wanted = std::iter::once(instance(60, &["hold"]));
    let wanted = wanted.chain((0..MOST - 1).map(|number| instance(number, &[])));
    let wanted = Instances {
        crd: "ferries.demo.example".to_owned(),
        found: Ok(wanted.collect()),
        has_more: true,
    };
    assert_eq!(
        found.into_instances("ferries.demo.example".to_owned()),
        wanted
    );
}

#[test]
fn default_found_instances_are_an_empty_list() {
    let found = FoundInstances::default().into_instances("ferries.demo.example".to_owned());
    let wanted = Instances {
        crd: "ferries.demo.example".to_owned(),
        found: Ok(Vec::new()),
        has_more: false,
    };
    assert_eq!(found, wanted);
}
