//! Tests of the documents that describe the server.

use portolan_core_installed::apiserver::{Answer, Document, Documents, QueryParameters};
use portolan_core_installed::{GROUP, VERSION};
use rstest::rstest;
use serde_json::{Value, json};

use crate::apiserver::world::{body, harbor};

const AGGREGATED: &str =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

fn answered(document: Document, accept: &[&str], known: Option<&str>, query: &str) -> Answer {
    let documents = Documents::of_release("1.2.3");
    let query = QueryParameters::parse(query);
    documents.answer(document, accept.iter().copied(), known, &query)
}

fn header<'a>(answer: &'a Answer, name: &str) -> &'a str {
    let named = answer.headers.iter().find(|(own, _)| *own == name);
    named.map_or("", |(_, value)| value)
}

#[rstest]
#[case::all("/apis", json!({
    "kind": "APIGroupList", "apiVersion": "v1", "groups": [{
        "name": GROUP,
        "versions": [{"groupVersion": format!("{GROUP}/{VERSION}"), "version": VERSION}],
        "preferredVersion": {"groupVersion": format!("{GROUP}/{VERSION}"), "version": VERSION},
    }],
}))]
#[case::single_group("/apis/packages.operators.coreos.com", json!({
    "kind": "APIGroup", "apiVersion": "v1", "name": GROUP,
    "versions": [{"groupVersion": format!("{GROUP}/{VERSION}"), "version": VERSION}],
    "preferredVersion": {"groupVersion": format!("{GROUP}/{VERSION}"), "version": VERSION},
}))]
#[case::resources("/apis/packages.operators.coreos.com/v2alpha1", json!({
    "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": format!("{GROUP}/{VERSION}"),
    "resources": [{
        "name": "installed", "singularName": "installed", "namespaced": true,
        "kind": "Installed", "verbs": ["get", "list", "watch"],
    }],
}))]
#[case::the_release("/version", json!({"major": "1", "minor": "2", "gitVersion": "v1.2.3"}))]
fn unaggregated_discovery_lists_group_and_resources(#[case] path: &str, #[case] expected: Value) {
    assert_eq!(body(&harbor(), path, &[]), expected);
}

#[test]
fn aggregated_discovery_contains_the_kind() {
    let answer = answered(Document::Groups, &[AGGREGATED], None, "");
    let media = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    assert_eq!(header(&answer, "content-type"), media);
    let found: Value = serde_json::from_str(&answer.body).expect("JSON");
    let expected = json!({
        "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {},
        "items": [{
            "metadata": {"name": GROUP, "creationTimestamp": null},
            "versions": [{
                "version": VERSION, "freshness": "Current",
                "resources": [{
                    "resource": "installed", "singularResource": "installed",
                    "responseKind": {"group": GROUP, "version": VERSION, "kind": "Installed"},
                    "scope": "Namespaced", "verbs": ["get", "list", "watch"],
                }],
            }],
        }],
    });
    assert_eq!(found, expected);
}

#[rstest]
#[case::discovery(Document::Groups)]
#[case::resources(Document::Resources)]
#[case::openapi_v2(Document::OpenApi2)]
#[case::openapi_v3(Document::OpenApi3)]
#[case::parts_of_openapi_v3(Document::OpenApi3Paths)]
fn known_etag_returns_not_modified(#[case] document: Document) {
    let first = answered(document, &[], None, "");
    let tag = header(&first, "etag");
    assert!(
        tag.len() == 66 && tag.starts_with('"') && tag.ends_with('"'),
        "{tag}"
    );
    let again = answered(document, &[], Some(tag), "");
    assert_eq!((again.code, &*again.body), (304, ""));
    assert_eq!(header(&again, "etag"), tag);
    let other = answered(document, &[], Some("\"other\""), "");
    assert_eq!(other, first);
}

#[test]
fn each_format_of_a_document_has_another_etag() {
    let old = answered(Document::Groups, &[], None, "");
    let tag = header(&old, "etag");
    assert_eq!(
        answered(Document::Groups, &[AGGREGATED], Some(tag), "").code,
        200
    );
}

#[test]
fn openapi_part_has_its_hash_in_its_url() {
    let parts = answered(Document::OpenApi3Paths, &[], None, "");
    let parts: Value = serde_json::from_str(&parts.body).expect("JSON");
    let part = &parts["paths"]["apis/packages.operators.coreos.com/v2alpha1"];
    let address = part["serverRelativeURL"].as_str().expect("an address");
    let (_, query) = address.split_once('?').expect("a hash");
    let hashed = answered(Document::OpenApi3, &[], None, query);
    assert_eq!(hashed.code, 200);
    assert!(header(&hashed, "cache-control").contains("immutable"));
    let old = answered(Document::OpenApi3, &[], None, "hash=OLD");
    assert_eq!((old.code, header(&old, "location")), (301, address));
}

#[rstest]
#[case::v2("/openapi/v2", "/definitions", "#/definitions/")]
#[case::v3(
    "/openapi/v3/apis/packages.operators.coreos.com/v2alpha1",
    "/components/schemas",
    "#/components/schemas/"
)]
fn every_openapi_reference_resolves_to_a_schema(
    #[case] path: &str,
    #[case] place: &str,
    #[case] prefix: &str,
) {
    let document = body(&harbor(), path, &[]);
    let definitions = document.pointer(place).expect("definitions");
    let mut references = Vec::new();
    gather(&document, &mut references);
    assert!(references.len() > 5, "{references:?}");
    for reference in references {
        let name = reference.strip_prefix(prefix).expect("a place");
        assert!(definitions.get(name).is_some(), "{name}");
    }
    let installed = &definitions["com.coreos.operators.packages.v2alpha1.Installed"];
    let kinds = &installed["x-kubernetes-group-version-kind"];
    assert_eq!(
        *kinds,
        json!([{"group": GROUP, "version": VERSION, "kind": "Installed"}])
    );
    assert!(installed["properties"]["spec"].is_null());
}

/// Generated clients support only the parameters that the OpenAPI documents list.
#[rstest]
#[case::v2("/openapi/v2", "type")]
#[case::v3("/openapi/v3/apis/packages.operators.coreos.com/v2alpha1", "schema")]
fn openapi_lists_name_all_accepted_parameters(#[case] path: &str, #[case] typed: &str) {
    let document = body(&harbor(), path, &[]);
    let paths = document["paths"].as_object().expect("paths");
    let names = |path: &Value| -> Vec<String> {
        let parameters = path["parameters"].as_array().expect("parameters");
        assert!(
            parameters.iter().all(|it| !it[typed].is_null()),
            "{parameters:?}"
        );
        let names = parameters
            .iter()
            .map(|it| it["name"].as_str().unwrap_or_default());
        names.map(str::to_owned).collect()
    };
    for (path, item) in paths {
        let names = names(item);
        let is_list = path.ends_with("/installed");
        for option in [
            "labelSelector",
            "fieldSelector",
            "limit",
            "continue",
            "watch",
        ] {
            assert_eq!(
                names.iter().any(|it| it == option),
                is_list,
                "{path} {option}"
            );
        }
        assert!(names.iter().any(|it| it == "resourceVersion"), "{path}");
        assert_eq!(
            names.iter().any(|it| it == "namespace"),
            path.contains("{namespace}")
        );
    }
}

fn gather(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                references.push(reference.clone());
            }
            fields.values().for_each(|each| gather(each, references));
        }
        Value::Array(items) => items.iter().for_each(|each| gather(each, references)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
