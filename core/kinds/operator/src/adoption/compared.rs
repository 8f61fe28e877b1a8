//! The differences between the bundle in a catalog and the objects that OLM v1 has installed from
//! it.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::ObjectRef;
use portolan_core_names::text::cite;
use serde_json::Value;

use super::taken::is_named_by_olm;
use super::{OlmOwner, is_of, is_release};

/// The maximum number of differences in a message.
const MOST: usize = 5;
/// The fields of a container that decide what runs.
const OF_CONTAINER: [&str; 4] = ["name", "image", "command", "args"];
/// The fields of a CRD that come from its bundle. The conversion contains a certificate.
const OF_DEFINITION: [&str; 4] = ["group", "names", "scope", "versions"];

/// Returns the differences between a rendered bundle and the live objects of its owner, each as one
/// sentence. RBAC objects have generated names, so they are not compared by name. The Namespace of
/// the operator belongs to no ClusterExtension.
pub(crate) fn mismatches(rendered: &[Value], live: &[Value], owner: &OlmOwner) -> Vec<String> {
    let by_id: BTreeMap<_, _> = live
        .iter()
        .map(|it| (ObjectRef::versioned(it), it))
        .collect();
    let mut sentences = Vec::new();
    let mut known = BTreeSet::new();
    for manifest in rendered.iter().filter(|it| it["kind"] != "Namespace") {
        let id = ObjectRef::versioned(manifest);
        match by_id.get(&id) {
            None if is_named_by_olm(&id.kind.kind) => {}
            None => sentences.push(format!("{id} of the bundle does not exist")),
            Some(object) if !is_of(owner, &object["metadata"]) => {
                sentences.push(format!(
                    "{id} does not belong to the ClusterExtension{}",
                    controller(object)
                ));
            }
            Some(object) => {
                let field = difference(object, manifest);
                sentences.extend(field.map(|field| {
                    format!("{id} differs from the bundle in the catalog in {field}")
                }));
            }
        }
        known.insert(id);
    }
    let owned = by_id.iter().filter(|(id, object)| {
        !known.contains(id) && is_of(owner, &object["metadata"]) && !is_release(owner, object)
    });
    let strange = owned.filter(|(id, _)| !is_named_by_olm(&id.kind.kind));
    sentences.extend(strange.map(|(id, _)| {
        format!(
            "{id} belongs to the ClusterExtension, but the bundle in the catalog does not contain it"
        )
    }));
    let more = sentences.len().saturating_sub(MOST);
    sentences.truncate(MOST);
    if more > 0 {
        sentences.push(format!("there are {more} more differences"));
    }
    sentences
}

/// Returns the end of a sentence with the controller of an object. Empty if it has no controller.
fn controller(object: &Value) -> String {
    let mut owners = object["metadata"]["ownerReferences"]
        .as_array()
        .into_iter()
        .flatten();
    let Some(owner) = owners.find(|owner| owner["controller"] == true) else {
        return String::new();
    };
    let [kind, name] = ["kind", "name"].map(|key| owner[key].as_str().unwrap_or_default());
    format!("; {} {} controls it", cite(kind), cite(name))
}

/// Returns the first field in which a live object differs from its manifest. Compares only fields
/// that no API server rewrites.
fn difference(live: &Value, manifest: &Value) -> Option<String> {
    match manifest["kind"].as_str() {
        Some("Deployment") => containers(live, manifest),
        Some("CustomResourceDefinition") => {
            let mut fields = OF_DEFINITION.iter();
            fields.find_map(|field| {
                let (there, wanted) = (&live["spec"][field], &manifest["spec"][field]);
                unequal(there, wanted, &format!("spec.{field}"))
            })
        }
        Some(_) | None => None,
    }
}

fn containers(live: &Value, manifest: &Value) -> Option<String> {
    let all = |object: &Value| {
        let all = object.pointer("/spec/template/spec/containers");
        let all = all.and_then(Value::as_array).cloned();
        all.unwrap_or_default()
    };
    let (live, manifest) = (all(live), all(manifest));
    if live.len() != manifest.len() {
        return Some("spec.template.spec.containers".to_owned());
    }
    live.iter().zip(&manifest).find_map(|(there, wanted)| {
        let mut fields = OF_CONTAINER.iter();
        fields.find_map(|field| {
            let place = format!("the {field} of container {}", cite(&text(&wanted["name"])));
            unequal(&there[field], &wanted[field], &place)
        })
    })
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns the place of the first field of a manifest that the live value does not contain. The API
/// server omits empty fields.
fn unequal(live: &Value, manifest: &Value, place: &str) -> Option<String> {
    let differs = || Some(place.to_owned());
    match (live, manifest) {
        (Value::Object(there), Value::Object(wanted)) => wanted.iter().find_map(|(key, wanted)| {
            let there = there.get(key).unwrap_or(&Value::Null);
            unequal(there, wanted, &format!("{place}.{}", cite(key)))
        }),
        (Value::Array(there), Value::Array(wanted)) if there.len() == wanted.len() => {
            let pairs = there.iter().zip(wanted).enumerate();
            let mut pairs = pairs.map(|(at, pair)| (format!("{place}[{at}]"), pair));
            pairs.find_map(|(place, (there, wanted))| unequal(there, wanted, &place))
        }
        (Value::Number(there), Value::Number(wanted)) if there.as_f64() == wanted.as_f64() => None,
        (Value::Null, wanted) if is_empty(wanted) => None,
        (there, wanted) if there == wanted => None,
        (_, _) => differs(),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(is_set) => !is_set,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.values().all(is_empty),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;
    use similar_asserts::assert_eq;

    use super::*;
    use crate::adoption::ExtensionId;

    fn owner() -> OlmOwner {
        OlmOwner::Extension(ExtensionId {
            name: "ferry".to_owned(),
            uid: "extension".to_owned(),
            namespace: "docks".to_owned(),
        })
    }

    fn deployment(image: &str) -> Value {
        let containers = json!([{"name": "manager", "image": image}]);
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "ferry", "namespace": "docks"},
            "spec": {"template": {"spec": {"containers": containers}}},
        })
    }

    fn owned(mut object: Value) -> Value {
        object["metadata"]["ownerReferences"] = json!([{"uid": "extension"}]);
        object
    }

    /// Labels of OLM v1 do not make an object a part of the ClusterExtension.
    fn forged(mut object: Value) -> Value {
        object["metadata"]["labels"] = json!({
            "olm.operatorframework.io/owner-kind": "ClusterExtension",
            "olm.operatorframework.io/owner-name": "ferry",
        });
        object["metadata"]["ownerReferences"] =
            json!([{"uid": "other", "kind": "Thief", "name": "t", "controller": true}]);
        object
    }

    fn config_map(name: &str) -> Value {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "docks"}})
    }

    fn release() -> Value {
        json!({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {
                "name": "sh.helm.release.v1.ferry.v1", "namespace": "olmv1-system",
                "labels": {"name": "ferry", "owner": "operator-controller", "type": "index"},
            },
        })
    }

    #[rstest]
    #[case::same_objects(vec![owned(deployment("a:1")), release()], &[])]
    #[case::missing_object(vec![], &["Deployment docks/ferry of the bundle does not exist"])]
    #[case::another_image(
        vec![owned(deployment("a:2"))],
        &["Deployment docks/ferry differs from the bundle in the catalog in the image of container \
           manager"]
    )]
    #[case::foreign_object_with_forged_labels(
        vec![forged(deployment("a:1"))],
        &["Deployment docks/ferry does not belong to the ClusterExtension; Thief t controls it"]
    )]
    #[case::additional_object(
        vec![owned(deployment("a:1")), owned(config_map("more"))],
        &["ConfigMap docks/more belongs to the ClusterExtension, but the bundle in the catalog does \
           not contain it"]
    )]
    #[case::additional_foreign_object(vec![owned(deployment("a:1")), forged(config_map("more"))], &[])]
    fn mismatches_compare_objects(#[case] live: Vec<Value>, #[case] sentences: &[&str]) {
        assert_eq!(mismatches(&[deployment("a:1")], &live, &owner()), sentences);
    }

    #[test]
    fn crds_are_compared_without_empty_fields() {
        let definition = |versions: Value| {
            json!({
                "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": {"name": "ships.ferry.example"},
                "spec": {"group": "ferry.example", "versions": versions},
            })
        };
        let wanted =
            definition(json!([{"name": "v1", "deprecated": false, "schema": {"maximum": 1.0}}]));
        let same = definition(json!([{"name": "v1", "schema": {"maximum": 1}}]));
        let other = definition(json!([{"name": "v1", "schema": {"maximum": 2}}]));
        let compared = |live| mismatches(std::slice::from_ref(&wanted), &[owned(live)], &owner());
        assert_eq!(compared(same), [""; 0]);
        assert_eq!(
            compared(other),
            [
                "CustomResourceDefinition ships.ferry.example differs from the bundle in the catalog in \
              spec.versions[0].schema.maximum"
            ]
        );
    }
}
