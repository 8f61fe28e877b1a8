//! Writes the OpenAPI documents: the fields of an Installed, and the paths of requests.

use serde_json::{Map, Value, json};

use crate::{GROUP, KIND, RESOURCE, VERSION};

/// The prefix of the schema names. It must be unique, because API servers combine the schemas of
/// several servers in one document.
const PREFIX: &str = "com.coreos.operators.packages.v2alpha1";

/// The name of a parameter, its type, and its description.
type QueryOption = (&'static str, &'static str, &'static str);

const VERSION_OPTION: QueryOption = (
    "resourceVersion",
    "string",
    "The version that the answer must have reached, or that a watch continues from.",
);
/// The parameters of lists and watches.
const LIST_OPTIONS: &[QueryOption] = &[
    (
        "allowWatchBookmarks",
        "boolean",
        "If true, a watch sends bookmarks.",
    ),
    (
        "continue",
        "string",
        "The continue token of the previous page. The list continues after that page.",
    ),
    (
        "fieldSelector",
        "string",
        "A selector of metadata.name and metadata.namespace.",
    ),
    ("labelSelector", "string", "A selector of labels."),
    ("limit", "integer", "The maximum number of items per page."),
    VERSION_OPTION,
    (
        "resourceVersionMatch",
        "string",
        "The way in which resourceVersion is applied to a list: Exact or NotOlderThan.",
    ),
    (
        "sendInitialEvents",
        "boolean",
        "If true, a watch begins with the existing objects.",
    ),
    (
        "timeoutSeconds",
        "integer",
        "The duration of a watch, in seconds.",
    ),
    (
        "watch",
        "boolean",
        "If true, returns a stream of changes instead of a list.",
    ),
];

/// The version of OpenAPI. It determines where a document contains its schemas.
#[derive(Clone, Copy)]
enum Release {
    Two,
    Three,
}

pub(super) fn path(hash: &str) -> String {
    format!("/openapi/v3/apis/{GROUP}/{VERSION}?hash={hash}")
}

pub(super) fn v3_paths(hash: &str) -> Value {
    let part = format!("apis/{GROUP}/{VERSION}");
    json!({"paths": {part: {"serverRelativeURL": path(hash)}}})
}

pub(super) fn v3() -> Value {
    json!({
        "openapi": "3.0.0",
        "info": {"title": "Installed", "version": VERSION},
        "paths": Release::Three.paths(),
        "components": {"schemas": Release::Three.definitions()},
    })
}

pub(super) fn v2() -> Value {
    json!({
        "swagger": "2.0",
        "info": {"title": "Installed", "version": VERSION},
        "paths": Release::Two.paths(),
        "definitions": Release::Two.definitions(),
    })
}

// === impl Release ===

impl Release {
    fn reference(self, name: &str) -> Value {
        let place = match self {
            Self::Two => "#/definitions",
            Self::Three => "#/components/schemas",
        };
        json!({"$ref": format!("{place}/{PREFIX}.{name}")})
    }

    fn definitions(self) -> Value {
        let mut definitions = Map::new();
        for (name, definition) in [
            (KIND, self.installed()),
            ("InstalledList", self.list()),
            ("InstalledStatus", status()),
            ("ObjectMeta", metadata()),
            ("ListMeta", list_metadata()),
        ] {
            definitions.insert(format!("{PREFIX}.{name}"), definition);
        }
        definitions.into()
    }

    fn installed(self) -> Value {
        json!({
            "description": "Installed represents an OLM operator in a namespace that the operator \
                            watches. The object is read-only and is computed for each request.",
            "type": "object",
            "properties": {
                "apiVersion": text("The API group and version of the object."),
                "kind": text("The kind of the object."),
                "metadata": self.described("ObjectMeta", "The metadata of the object."),
                "status": self.described(
                    "InstalledStatus",
                    "The operator and its Subscription. There is no spec."
                ),
            },
            "x-kubernetes-group-version-kind": [kind(KIND)],
        })
    }

    fn list(self) -> Value {
        json!({
            "description": "InstalledList is a list of OLM operators. With a namespace, it \
                            contains the operators that watch this namespace. Without a namespace, \
                            it contains the operators of all namespaces.",
            "type": "object",
            "required": ["items"],
            "properties": {
                "apiVersion": text("The API group and version of the object."),
                "kind": text("The kind of the object."),
                "metadata": self.described("ListMeta", "The metadata of the list."),
                "items": {
                    "description": "The operators.", "type": "array",
                    "items": self.reference(KIND),
                },
            },
            "x-kubernetes-group-version-kind": [kind("InstalledList")],
        })
    }

    /// Returns a reference with a description. In OpenAPI v2, and for kubectl, fields next to a
    /// reference are ignored.
    fn described(self, name: &str, description: &str) -> Value {
        match self {
            Self::Two => {
                let mut reference = self.reference(name);
                reference["description"] = description.into();
                reference
            }
            Self::Three => json!({"description": description, "allOf": [self.reference(name)]}),
        }
    }

    fn paths(self) -> Value {
        let group = format!("/apis/{GROUP}/{VERSION}");
        let namespaced = format!("{group}/namespaces/{{namespace}}/{RESOURCE}");
        json!({
            format!("{group}/{RESOURCE}"): {
                "get": self.operation("list", "listInstalledForAllNamespaces", "InstalledList"),
                "parameters": self.options(LIST_OPTIONS),
            },
            namespaced.clone(): {
                "get": self.operation("list", "listNamespacedInstalled", "InstalledList"),
                "parameters": with(self.options(LIST_OPTIONS), self.place("namespace")),
            },
            format!("{namespaced}/{{name}}"): {
                "get": self.operation("get", "readNamespacedInstalled", KIND),
                "parameters": [self.place("namespace"), self.place("name"), self.option(VERSION_OPTION)],
            },
        })
    }

    fn options(self, options: &[QueryOption]) -> Vec<Value> {
        options.iter().map(|it| self.option(*it)).collect()
    }

    fn option(self, (name, kind, description): QueryOption) -> Value {
        let parameter = json!({"name": name, "in": "query", "description": description});
        let typed = match self {
            Self::Two => json!({"type": kind, "uniqueItems": true}),
            Self::Three => json!({"schema": {"type": kind}}),
        };
        merged(parameter, typed)
    }

    fn operation(self, action: &str, id: &str, answer: &str) -> Value {
        let schema = self.reference(answer);
        let told = match self {
            Self::Two => json!({"description": "OK", "schema": schema}),
            Self::Three => json!({
                "description": "OK", "content": {"application/json": {"schema": schema}},
            }),
        };
        let mut operation = json!({
            "operationId": id,
            "tags": ["packagesOperatorsCoreos_v2alpha1"],
            "responses": {"200": told},
            "x-kubernetes-action": action,
            "x-kubernetes-group-version-kind": kind(KIND),
        });
        if matches!(self, Self::Two) {
            operation["produces"] = json!(["application/json"]);
            operation["consumes"] = json!(["*/*"]);
            operation["schemes"] = json!(["https"]);
        }
        operation
    }

    fn place(self, name: &str) -> Value {
        let parameter = json!({"name": name, "in": "path", "required": true});
        let typed = match self {
            Self::Two => json!({"type": "string", "uniqueItems": true}),
            Self::Three => json!({"schema": {"type": "string"}}),
        };
        merged(parameter, typed)
    }
}

fn with(mut all: Vec<Value>, one: Value) -> Vec<Value> {
    all.push(one);
    all
}

fn merged(one: Value, other: Value) -> Value {
    match (one, other) {
        (Value::Object(mut one), Value::Object(other)) => {
            one.extend(other);
            one.into()
        }
        (one, _) => one,
    }
}

fn kind(name: &str) -> Value {
    json!({"group": GROUP, "version": VERSION, "kind": name})
}

fn text(description: &str) -> Value {
    json!({"description": description, "type": "string"})
}

fn texts(description: &str) -> Value {
    json!({
        "description": description, "type": "object",
        "additionalProperties": {"type": "string"},
    })
}

fn any(description: &str) -> Value {
    json!({
        "description": description, "type": "object",
        "x-kubernetes-preserve-unknown-fields": true,
    })
}

fn status() -> Value {
    json!({
        "description": "The operator and its Subscription.",
        "type": "object",
        "properties": {
            "clusterServiceVersion": any(
                "The ClusterServiceVersion of the operator, without the parts that only readers of \
                 the original may see."
            ),
            "subscription": any(
                "The Subscription of the operator, if any. Values of its spec.config.env are \
                 included only for users who can get the Subscription."
            ),
        },
    })
}

/// Returns the schema of the metadata. The schema lists every field, because clients reject unknown
/// fields before they send a request.
fn metadata() -> Value {
    json!({
        "description": "The metadata of an object.",
        "type": "object",
        "properties": {
            "annotations": texts(
                "The replacement of the operator, and the namespaces of other operators with the \
                 same name.",
            ),
            "creationTimestamp": {
                "description": "The creation time of the ClusterServiceVersion.",
                "type": "string", "format": "date-time",
            },
            "deletionGracePeriodSeconds": {"type": "integer", "format": "int64"},
            "deletionTimestamp": {"type": "string", "format": "date-time"},
            "finalizers": {"type": "array", "items": {"type": "string"}},
            "generateName": {"type": "string"},
            "generation": {"type": "integer", "format": "int64"},
            "labels": texts(
                "The labels of the ClusterServiceVersion and the Subscription, and the names of \
                 both.",
            ),
            "managedFields": {"type": "array", "items": any("The fields that one client manages.")},
            "name": text("The name of the ClusterServiceVersion."),
            "namespace": text("The namespace that the operator watches."),
            "ownerReferences": {"type": "array", "items": any("An owner of the object.")},
            "resourceVersion": text("One version for each list that the object is computed from."),
            "selfLink": {"type": "string"},
            "uid": text(
                "A UID that is derived from the UID of the ClusterServiceVersion and the name of \
                 the namespace.",
            ),
        },
    })
}

fn list_metadata() -> Value {
    json!({
        "description": "The metadata of a list.",
        "type": "object",
        "properties": {
            "continue": text("The token for the next page of the list, if there is one."),
            "remainingItemCount": {"type": "integer", "format": "int64"},
            "resourceVersion": text("One version for each list that the object is computed from."),
            "selfLink": {"type": "string"},
        },
    })
}
