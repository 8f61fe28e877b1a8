//! Removes the fields of original objects that Installed objects must not show.

use serde_json::{Map, Value};

/// The annotation in which `kubectl apply` stores the last configuration, which is a copy of the
/// object.
const APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// The domains of annotations that OLM and authors of bundles write. Annotations with other domains
/// are removed, because some tools store whole objects in them: kubectl, kapp, Rancher Fleet and
/// others.
const SHOWN: [&str; 3] = [
    "operatorframework.io",
    "operators.coreos.com",
    "openshift.io",
];
/// The annotation in which OLM stores all namespaces that an operator watches.
pub(crate) const TARGETS: &str = "olm.targetNamespaces";
/// The annotation with which the author of a bundle declares kinds as internal.
const INTERNAL: &str = "operators.operatorframework.io/internal-objects";

/// A field that Installed objects do not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut {
    /// The kind of the original object.
    pub kind: &'static str,
    /// The path of the field in the original object.
    pub field: &'static str,
    /// The reason why the field is omitted.
    pub why: &'static str,
}

/// The fields that Installed objects do not show. The documentation contains the same table.
pub const LEFT_OUT: [LeftOut; 9] = [
    LeftOut {
        kind: "ClusterServiceVersion",
        field: "metadata.managedFields",
        why: "only users who can write the object need it",
    },
    LeftOut {
        kind: "ClusterServiceVersion",
        field: "metadata.annotations[*] with a domain, except operatorframework.io, operators.coreos.com, \
                openshift.io and their subdomains",
        why: "other tools store the whole object there, with the omitted fields",
    },
    LeftOut {
        kind: "ClusterServiceVersion",
        field: "metadata.annotations[olm.targetNamespaces]",
        why: "it names the namespaces of others",
    },
    LeftOut {
        kind: "ClusterServiceVersion",
        field: "metadata.annotations[operators.operatorframework.io/internal-objects] and the entries of \
                spec.customresourcedefinitions.owned that it names",
        why: "the author of the operator reserves these kinds for the operator",
    },
    LeftOut {
        kind: "ClusterServiceVersion",
        field: "spec.icon",
        why: "it is most of the object; OLM serves it as /icon of the PackageManifest",
    },
    LeftOut {
        kind: "Subscription",
        field: "metadata.managedFields",
        why: "only users who can write the object need it",
    },
    LeftOut {
        kind: "Subscription",
        field: "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]",
        why: "it contains the whole object, with the omitted fields",
    },
    LeftOut {
        kind: "Subscription",
        field: "metadata.annotations[*]",
        why: "tools store the whole object there, with the values of config.env; users who can get \
              the Subscription see them",
    },
    LeftOut {
        kind: "Subscription",
        field: "spec.config.env[*].value",
        why: "it may be a secret; users who can get the Subscription see it",
    },
];

/// Removes the fields of a ClusterServiceVersion that Installed objects do not show.
pub(crate) fn sanitize_csv(csv: &mut Map<String, Value>) {
    let internal = annotation(csv, INTERNAL).and_then(|names| serde_json::from_str(names).ok());
    let internal: Vec<String> = internal.unwrap_or_default();
    without_metadata(csv, |name| {
        name != TARGETS && name != INTERNAL && is_of_bundle_or_olm(name)
    });
    let Some(spec) = object(csv, "spec") else {
        return;
    };
    spec.remove("icon");
    let owned = object(spec, "customresourcedefinitions").and_then(|all| all.get_mut("owned"));
    if let Some(Value::Array(owned)) = owned {
        owned.retain(|each| !internal.iter().any(|name| each["name"] == **name));
    }
}

/// Removes the fields of a Subscription that Installed objects do not show.
pub(crate) fn sanitize_subscription(subscription: &mut Map<String, Value>) {
    without_metadata(subscription, |name| name != APPLIED);
}

/// Removes the fields of a Subscription that only users who may read the Subscription can see.
/// Returns true if the Subscription had such fields.
pub(crate) fn limit_subscription(subscription: &mut Map<String, Value>) -> bool {
    let metadata = object(subscription, "metadata");
    let annotations = metadata.and_then(|metadata| metadata.remove("annotations"));
    leave_out_env_values(subscription) || annotations.is_some()
}

/// Removes the values of the environment variables in a Subscription. Returns true if there were
/// such values.
fn leave_out_env_values(subscription: &mut Map<String, Value>) -> bool {
    let config = object(subscription, "spec").and_then(|spec| object(spec, "config"));
    let Some(Value::Array(env)) = config.and_then(|config| config.get_mut("env")) else {
        return false;
    };
    let values = env.iter_mut().filter_map(Value::as_object_mut);
    let removed = values.filter_map(|variable| variable.remove("value"));
    removed.count() > 0
}

/// Returns the value of an annotation.
pub(crate) fn annotation<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    let metadata = object.get("metadata")?;
    metadata.get("annotations")?.get(name)?.as_str()
}

/// Returns true if OLM or the author of a bundle wrote the annotation. The key of such an
/// annotation has no domain, or one of the domains in [`SHOWN`].
fn is_of_bundle_or_olm(annotation: &str) -> bool {
    let Some((domain, _)) = annotation.split_once('/') else {
        return true;
    };
    SHOWN.iter().any(|shown| {
        let subdomain = domain.strip_suffix(shown);
        subdomain.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

fn without_metadata(original: &mut Map<String, Value>, is_kept: impl Fn(&str) -> bool) {
    let Some(metadata) = object(original, "metadata") else {
        return;
    };
    metadata.remove("managedFields");
    let Some(kept) = object(metadata, "annotations") else {
        return;
    };
    kept.retain(|name, _| is_kept(name));
    if kept.is_empty() {
        metadata.remove("annotations");
    }
}

fn object<'a>(of: &'a mut Map<String, Value>, name: &str) -> Option<&'a mut Map<String, Value>> {
    of.get_mut(name).and_then(Value::as_object_mut)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sanitized(sanitize: fn(&mut Map<String, Value>), object: Value) -> Value {
        let Value::Object(mut object) = object else {
            panic!("an object");
        };
        sanitize(&mut object);
        object.into()
    }

    #[test]
    fn csv_is_shown_without_internal_fields() {
        let csv = json!({
            "metadata": {
                "name": "ferry.v1.0.0",
                "managedFields": [{"manager": "olm"}],
                "annotations": {
                    APPLIED: "{}",
                    TARGETS: "harbor,port",
                    INTERNAL: "[\"moorings.demo.example\"]",
                    "olm.operatorGroup": "g",
                    "kapp.k14s.io/original": "{}",
                    "objectset.rio.cattle.io/applied": "H4sI",
                    "evil-openshift.io/applied": "{}",
                    "features.operators.openshift.io/disconnected": "true",
                    "operatorframework.io/properties": "{}",
                },
            },
            "spec": {
                "icon": [{"base64data": "aaaa"}],
                "customresourcedefinitions": {
                    "owned": [{"name": "ferries.demo.example"}, {"name": "moorings.demo.example"}],
                    "required": [{"name": "moorings.demo.example"}],
                },
            },
        });
        let shown = json!({
            "metadata": {
                "name": "ferry.v1.0.0",
                "annotations": {
                    "olm.operatorGroup": "g",
                    "features.operators.openshift.io/disconnected": "true",
                    "operatorframework.io/properties": "{}",
                },
            },
            "spec": {
                "customresourcedefinitions": {
                    "owned": [{"name": "ferries.demo.example"}],
                    "required": [{"name": "moorings.demo.example"}],
                },
            },
        });
        assert_eq!(sanitized(sanitize_csv, csv), shown);
    }

    #[test]
    fn fields_of_wrong_type_are_ignored() {
        for odd in [
            json!({"metadata": 1, "spec": []}),
            json!({"metadata": [], "spec": {"config": []}}),
            json!({"metadata": {"annotations": [INTERNAL]}, "spec": {"customresourcedefinitions": 1}}),
            json!({"spec": {"config": {"env": [1, null]}}}),
        ] {
            assert_eq!(sanitized(sanitize_csv, odd.clone()), odd);
            let without = |object: &mut _| assert!(!leave_out_env_values(object));
            assert_eq!(sanitized(without, odd.clone()), odd);
            sanitized(
                |object| {
                    limit_subscription(object);
                },
                odd,
            );
        }
        let internal = json!({"metadata": {"annotations": {INTERNAL: "no list"}}});
        assert_eq!(sanitized(sanitize_csv, internal), json!({"metadata": {}}));
    }

    #[test]
    fn limited_subscription_has_no_annotations() {
        let secret = r#"{"spec":{"config":{"env":[{"name":"TOKEN","value":"s3cr3t"}]}}}"#;
        for name in [
            "kapp.k14s.io/original",
            "objectset.rio.cattle.io/applied",
            "olm.generated-by",
            "any",
        ] {
            let subscription =
                json!({"metadata": {"name": "ferry", "annotations": {name: secret}}});
            let limited = |object: &mut _| assert!(limit_subscription(object));
            let found = sanitized(limited, subscription);
            assert_eq!(found, json!({"metadata": {"name": "ferry"}}));
        }
    }

    #[test]
    fn variables_keep_their_names_and_lose_their_values() {
        let from = json!({"secretKeyRef": {"name": "s", "key": "k"}});
        let with = |first: Value| json!({"spec": {"config": {"env": [first, {"name": "B", "valueFrom": from}]}}});
        let without = |object: &mut _| assert!(leave_out_env_values(object));
        let found = sanitized(without, with(json!({"name": "A", "value": "secret"})));
        assert_eq!(found, with(json!({"name": "A"})));
    }
}
