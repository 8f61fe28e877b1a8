//! Converts CRDs of `apiextensions.k8s.io/v1beta1`, the API version before Kubernetes 1.16.

use serde_json::{Map, Value as Json, json};

/// Converts a CRD of `apiextensions.k8s.io/v1beta1` to v1. Copies the fields for all versions to
/// each version. If the rendered CRD has a conversion, the result has the same conversion.
pub(super) fn in_v1(old: &Json, rendered: &Json) -> Json {
    let mut new = rendered.clone();
    new["apiVersion"] = "apiextensions.k8s.io/v1".into();
    let spec = &old["spec"];
    let versions = versions(spec).into_iter();
    new["spec"]["versions"] = versions.map(|version| of_version(version, spec)).collect();
    if let Some(spec) = new["spec"].as_object_mut() {
        spec.remove("version");
        spec.entry("preserveUnknownFields")
            .or_insert(Json::Bool(true));
    }
    let conversion = &rendered["spec"]["conversion"];
    if conversion["strategy"] == "Webhook" && conversion["webhook"].is_null() {
        new["spec"]["conversion"]["webhook"] = webhook(&spec["conversion"]);
    }
    new
}

/// Returns all versions. A CRD with a single version may have only its name.
fn versions(spec: &Json) -> Vec<Json> {
    let listed = spec["versions"].as_array();
    match listed.filter(|listed| !listed.is_empty()) {
        Some(listed) => listed.clone(),
        None => vec![json!({"name": spec["version"], "served": true, "storage": true})],
    }
}

fn of_version(mut version: Json, spec: &Json) -> Json {
    let Some(fields) = version.as_object_mut() else {
        return version;
    };
    for (old, new) in [
        ("validation", "schema"),
        ("subresources", "subresources"),
        ("additionalPrinterColumns", "additionalPrinterColumns"),
    ] {
        if !spec[old].is_null() {
            fields.entry(new).or_insert_with(|| spec[old].clone());
        }
    }
    let columns = fields.get_mut("additionalPrinterColumns");
    for column in columns.and_then(Json::as_array_mut).into_iter().flatten() {
        if let Some(path) = column.as_object_mut().and_then(|it| it.remove("JSONPath")) {
            column["jsonPath"] = path;
        }
    }
    version
}

fn webhook(conversion: &Json) -> Json {
    let named = [
        ("clientConfig", &conversion["webhookClientConfig"]),
        (
            "conversionReviewVersions",
            &conversion["conversionReviewVersions"],
        ),
    ];
    let named = named.into_iter().filter(|(_, value)| !value.is_null());
    let named = named.map(|(key, value)| (key.to_owned(), value.clone()));
    Json::Object(named.collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_shared_fields_of_v1beta1_to_each_version() {
        let old = json!({
            "apiVersion": "apiextensions.k8s.io/v1beta1",
            "spec": {
                "group": "ferry.example",
                "versions": [
                    {"name": "v1", "served": true, "storage": true},
                    {"name": "v2", "served": true, "storage": false, "schema": {"openAPIV3Schema": {"type": "string"}}},
                ],
                "validation": {"openAPIV3Schema": {"type": "object"}},
                "subresources": {"status": {}},
                "additionalPrinterColumns": [{"name": "Age", "JSONPath": ".a"}],
            },
        });
        let rendered = json!({
            "apiVersion": "apiextensions.k8s.io/v1beta1",
            "spec": {"group": "ferry.example", "versions": old["spec"]["versions"]},
        });
        let columns = json!([{"name": "Age", "jsonPath": ".a"}]);
        assert_eq!(
            in_v1(&old, &rendered),
            json!({
                "apiVersion": "apiextensions.k8s.io/v1",
                "spec": {
                    "group": "ferry.example",
                    "preserveUnknownFields": true,
                    "versions": [
                        {
                            "name": "v1", "served": true, "storage": true,
                            "schema": {"openAPIV3Schema": {"type": "object"}},
                            "subresources": {"status": {}}, "additionalPrinterColumns": columns,
                        },
                        {
                            "name": "v2", "served": true, "storage": false,
                            "schema": {"openAPIV3Schema": {"type": "string"}},
                            "subresources": {"status": {}}, "additionalPrinterColumns": columns,
                        },
                    ],
                },
            })
        );
    }

    #[test]
    fn single_version_of_an_old_crd_is_served_and_stored() {
        let old = json!({"spec": {
            "version": "v1",
            "conversion": {"strategy": "Webhook", "webhookClientConfig": {"url": "u"}},
        }});
        let rendered = json!({"spec": {"conversion": {"strategy": "Webhook"}}});
        assert_eq!(
            in_v1(&old, &rendered)["spec"],
            json!({
                "conversion": {"strategy": "Webhook", "webhook": {"clientConfig": {"url": "u"}}},
                "preserveUnknownFields": true,
                "versions": [{"name": "v1", "served": true, "storage": true}],
            })
        );
    }
}
