//! Converts CRDs to the form in which an API server stores them. Only in this form can a CRD of a
//! cluster be compared with a CRD of a bundle.

use std::borrow::Cow;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Map, Value as Json, json};

use super::crd::{Break, breaks, stored_versions};

/// The fields of a schema that an API server does not store if they are empty or false. It stores
/// all other fields unchanged: `default` may be false, and `items` may be any value.
const OMITTED: [&str; 24] = [
    "$ref",
    "$schema",
    "allOf",
    "anyOf",
    "definitions",
    "dependencies",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "id",
    "nullable",
    "oneOf",
    "pattern",
    "patternProperties",
    "properties",
    "required",
    "title",
    "type",
    "uniqueItems",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-validations",
];

/// Returns the breaks that occur if the new CRD replaces the CRD on a cluster. A new CRD that an
/// API server stores in the same form as the CRD on the cluster breaks nothing.
///
/// A CRD in a dump has no schemas. A version without a schema is assumed to have the schema of the
/// new CRD. The exception is a CRD with `preserveUnknownFields`: its versions may really have no
/// schema, and its objects lose fields as soon as there is a schema.
pub fn breaks_on_cluster(on_cluster: &Json, new: &Json) -> Vec<Break> {
    let new = stored(new);
    let mut old = stored(on_cluster);
    if old["spec"]["preserveUnknownFields"] != true {
        fill_in_schemas(old.to_mut(), &new);
    }
    breaks(&old, &new)
}

/// Returns true if the schema of a version is unknown, because the CRD comes from a dump.
pub fn lacks_schemas(crd: &Json) -> bool {
    let versions = crd["spec"]["versions"].as_array();
    let mut versions = versions.into_iter().flatten();
    crd["spec"]["preserveUnknownFields"] != true
        && versions.any(|version| version["schema"].is_null())
}

/// Returns the CRD of a cluster after an apply of the new CRD. Stored objects keep the versions
/// that the new CRD also has.
pub fn applied(on_cluster: &Json, new: &Json) -> Json {
    let mut applied = new.clone();
    let names = super::crd::versions(new).into_iter();
    let names: Vec<_> = names.map(|(name, _)| name).collect();
    let mut stored = stored_versions(on_cluster);
    stored.retain(|name| names.contains(name));
    stored.extend(stored_versions(new));
    applied["status"] = json!({"storedVersions": stored});
    // An apply keeps the values of fields that the manifest omits.
    if applied["spec"]["preserveUnknownFields"].is_null()
        && on_cluster["spec"]["preserveUnknownFields"] == true
    {
        applied["spec"]["preserveUnknownFields"] = Json::Bool(true);
    }
    applied
}

/// Copies the schemas of the new CRD to versions of the old CRD that have no schema.
pub fn fill_in_schemas(old: &mut Json, new: &Json) {
    let of_new = new["spec"]["versions"].as_array();
    let of_old = old["spec"]["versions"].as_array_mut();
    for version in of_old.into_iter().flatten() {
        let mut same = of_new.into_iter().flatten();
        let same = same.find(|it| it["name"] == version["name"]);
        if version["schema"].is_null() {
            version["schema"] = same.map_or(Json::Null, |it| it["schema"].clone());
        }
    }
}

/// Returns a CRD without the fields that an API server does not store. Returns a CRD that an API
/// server rejects unchanged.
fn stored(crd: &Json) -> Cow<'_, Json> {
    let read = serde_json::from_value::<CustomResourceDefinition>(crd.clone());
    let Some(mut stored) = read.ok().and_then(|it| serde_json::to_value(it).ok()) else {
        return Cow::Borrowed(crd);
    };
    let versions = stored["spec"]["versions"].as_array_mut();
    for version in versions.into_iter().flatten() {
        if let Some(schema) = version.pointer_mut("/schema/openAPIV3Schema") {
            omit(schema);
        }
    }
    Cow::Owned(stored)
}

/// Removes the fields that an API server does not store from a schema, and from all schemas inside
/// it.
fn omit(schema: &mut Json) {
    let Some(fields) = schema.as_object_mut() else {
        return;
    };
    for (key, value) in fields.iter_mut() {
        match key.as_str() {
            "properties" | "patternProperties" | "definitions" | "dependencies" => {
                let schemas = value.as_object_mut().into_iter().flat_map(Map::values_mut);
                schemas.for_each(omit);
            }
            "allOf" | "anyOf" | "oneOf" => {
                value.as_array_mut().into_iter().flatten().for_each(omit);
            }
            "items" => match value.as_array_mut() {
                Some(schemas) => schemas.iter_mut().for_each(omit),
                None => omit(value),
            },
            "additionalItems" | "additionalProperties" | "not" => omit(value),
            _ => {}
        }
    }
    fields.retain(|key, value| !(OMITTED.contains(&key.as_str()) && is_empty(value)));
}

fn is_empty(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(false) => true,
        Json::Bool(true) | Json::Number(_) => false,
        Json::String(text) => text.is_empty(),
        Json::Array(items) => items.is_empty(),
        Json::Object(fields) => fields.is_empty(),
    }
}
