//! Tests of OLM's CRD with and without Portolan's version.

use portolan_api::components::version;
use portolan_core_components::{ConversionService, Step, WantedDefinition, about_definition};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

/// Returns the CRD from OLM's chart, with the default values that an API server adds.
fn of_olm() -> Value {
    json!({
        "metadata": {"name": "operators.operators.coreos.com", "resourceVersion": "7"},
        "spec": {
            "group": "operators.coreos.com", "scope": "Cluster",
            "conversion": {"strategy": "None"},
            "versions": [{"name": "v1", "served": true, "storage": true}],
        },
        "status": {"storedVersions": ["v1"]},
    })
}

fn wanted_definition(keep: bool) -> WantedDefinition {
    WantedDefinition::Serve {
        service: ConversionService {
            namespace: "portolan".to_owned(),
            name: "portolan-webhook".to_owned(),
            port: 443,
        },
        keep,
    }
}

/// Applies a JSON patch to a CRD. Supports only the operations that the tests need.
fn patched(mut object: Value, operations: &[Value]) -> Value {
    for operation in operations {
        let path = operation["path"].as_str().expect("a path");
        let (parent, last) = path.rsplit_once('/').expect("a parent");
        let last = last.replace("~1", "/");
        let at = object.pointer_mut(parent).expect("an existing parent");
        let value = operation["value"].clone();
        match (operation["op"].as_str().expect("a verb"), at) {
            ("test", at) => assert_eq!(at[&last], value),
            ("add", Value::Array(list)) if last == "-" => list.push(value),
            ("remove", Value::Array(list)) => {
                list.remove(last.parse().expect("a place"));
            }
            ("replace", Value::Array(list)) => {
                list[last.parse::<usize>().expect("a place")] = value
            }
            ("add", at) => at[last] = value,
            ("remove", Value::Object(map)) => {
                map.remove(&last).expect("an existing field");
            }
            (verb, _) => panic!("{verb}"),
        }
    }
    object
}

fn written(crd: &Value, wanted_definition: &WantedDefinition) -> Value {
    match about_definition(crd, wanted_definition, false) {
        Step::Write(operations, _) => patched(crd.clone(), &operations),
        other => panic!("{other:?}"),
    }
}

#[test]
fn adds_and_removes_our_version_in_the_crd_of_olm() {
    let with_ours = written(&of_olm(), &wanted_definition(false));
    let mut expected = of_olm();
    expected["metadata"]["annotations"] = json!({"operators.portolan.dev/v2alpha1": "served"});
    let versions = expected["spec"]["versions"].as_array_mut();
    versions.expect("versions").push(version());
    expected["spec"]["conversion"] = json!({
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": {"service": {
                "namespace": "portolan", "name": "portolan-webhook", "path": "/convert",
                "port": 443,
            }},
            "conversionReviewVersions": ["v1"],
        },
    });
    assert_eq!(with_ours, expected);
    assert_eq!(
        about_definition(&with_ours, &wanted_definition(false), true),
        Step::Nothing
    );

    let mut without = written(&with_ours, &WantedDefinition::Remove);
    let left = without["metadata"]["annotations"].take();
    assert_eq!(left, json!({}));
    let metadata = without["metadata"].as_object_mut().expect("metadata");
    metadata.remove("annotations");
    assert_eq!(without, of_olm());
    assert_eq!(
        about_definition(&of_olm(), &WantedDefinition::Remove, true),
        Step::Nothing
    );
}

#[test]
fn version_removed_by_us_is_added_again_by_a_later_installation() {
    let with_ours = written(&of_olm(), &wanted_definition(false));
    let Step::Write(operations, _) = about_definition(&with_ours, &WantedDefinition::Remove, true)
    else {
        panic!("the version must be removed");
    };
    let without = patched(with_ours.clone(), &operations);
    assert_eq!(without["spec"], of_olm()["spec"]);
    let step = about_definition(&without, &WantedDefinition::Remove, true);
    assert_eq!(step, Step::Nothing);

    let step = about_definition(&without, &wanted_definition(false), true);
    let Step::Write(operations, _) = step else {
        panic!("the version must be added again: {step:?}");
    };
    assert_eq!(patched(without, &operations), with_ours);
}

#[test]
fn keeps_ca_bundle_of_the_conversion_webhook() {
    let mut crd = written(&of_olm(), &wanted_definition(false));
    let config = &mut crd["spec"]["conversion"]["webhook"]["clientConfig"];
    config["caBundle"] = json!("Zm9v");
    assert_eq!(
        about_definition(&crd, &wanted_definition(false), false),
        Step::Nothing
    );

    let config = &mut crd["spec"]["conversion"]["webhook"]["clientConfig"];
    config["service"]["name"] = json!("another");
    let mended = written(&crd, &wanted_definition(false));
    let config = &mended["spec"]["conversion"]["webhook"]["clientConfig"];
    assert_eq!(config["caBundle"], "Zm9v");
    assert_eq!(config["service"]["name"], "portolan-webhook");
}

#[test]
fn updates_an_older_schema_of_our_version() {
    let mut crd = written(&of_olm(), &wanted_definition(false));
    let current = crd.clone();
    crd["spec"]["versions"][1]["additionalPrinterColumns"] = json!([]);
    assert_eq!(written(&crd, &wanted_definition(false)), current);
}

/// `kubectl apply` of the chart keeps annotations. `kubectl replace` drops them, but objects still
/// have data of Portolan's version.
#[rstest]
#[case::found_by_the_annotation(true, false)]
#[case::found_by_data_of_objects(false, true)]
fn removed_version_is_restored_only_on_request(#[case] has_mark: bool, #[case] has_data: bool) {
    let mut crd = of_olm();
    if has_mark {
        crd["metadata"]["annotations"] = json!({"operators.portolan.dev/v2alpha1": "served"});
    }
    let Step::TakenOut(said) = about_definition(&crd, &wanted_definition(false), has_data) else {
        panic!("the version must not be restored");
    };
    assert!(said.contains("--keep-version"), "{said}");
    let Step::Write(operations, _) = about_definition(&crd, &wanted_definition(true), has_data)
    else {
        panic!("the version must be restored");
    };
    let back = patched(crd, &operations);
    assert_eq!(back["spec"]["versions"][1], version());
}

#[rstest]
#[case::another_stored_version(
    |spec: &mut Value| spec["versions"][0]["name"] = json!("v3"), "has the storage version v3 instead of v1"
)]
#[case::another_version_with_our_name(
    |spec: &mut Value| spec["versions"][1] = json!({"name": "v2alpha1", "served": true}),
    "has a version v2alpha1 that another owner"
)]
#[case::another_conversion_webhook(
    |spec: &mut Value| spec["conversion"] = json!({"strategy": "Webhook", "webhook": {}}),
    "is converted by a webhook of another owner"
)]
fn rejects_crd_changed_by_another_client(#[case] edit: fn(&mut Value), #[case] why: &str) {
    let mut crd = of_olm();
    let versions = crd["spec"]["versions"].as_array_mut().expect("versions");
    versions.push(json!({"name": "v0", "served": false}));
    edit(&mut crd["spec"]);
    for keep in [false, true] {
        let Step::Refused(said) = about_definition(&crd, &wanted_definition(keep), true) else {
            panic!("the CRD must be rejected");
        };
        assert!(said.contains(why), "{said}");
    }
    assert_eq!(
        about_definition(&crd, &WantedDefinition::Remove, true),
        Step::Nothing
    );
}
