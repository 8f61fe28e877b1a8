//! The schema of the status, for API servers and for `kubectl explain`. A test holds it against the types.

use schemars::Schema;
use serde_json::{Value, json};

use crate::schema::{conditions, count, finished, list, object, text, time, with};

pub(super) fn status() -> Schema {
    finished(object(
        "The observed state of the Install.",
        json!({
            "approved": with(
                object(
                    "The approval of content whose permissions are still missing.",
                    json!({
                        "generation": generation("The approved generation."),
                        "since": time("The time when the approval was first observed."),
                    }),
                ),
                "required",
                json!(["generation", "since"]),
            ),
            "conditions": conditions("Install"),
            "observedGeneration": generation(
                "The generation of the Install that the status describes.",
            ),
            "pending": object(
                "The content that waits for approval.",
                json!({
                    "digest": text(
                        "The digest of the content and its permissions. An approval by \
                         spec.approval must repeat it in the annotation \
                         operators.portolan.dev/approves.",
                    ),
                    "permissions": list(
                        "The permissions that an approval grants to the ServiceAccount.",
                        permission(),
                    ),
                }),
            ),
            "plan": reference("The InstallPlan that installs the content."),
            "resolved": list("The resolved content, one item per entry.", resolved()),
            "serviceAccountRef": reference("The ServiceAccount that installs the content."),
        }),
    ))
}

fn generation(description: &str) -> Value {
    json!({"description": description, "type": "integer", "format": "int64"})
}

fn reference(description: &str) -> Value {
    object(
        description,
        json!({
            "name": text("The name of the object."),
            "namespace": text("The namespace of the object."),
        }),
    )
}

fn resolved() -> Value {
    object(
        "A resolved entry of the content.",
        json!({
            "bundle": bundle(),
            "digest": text("The digest of the manifests."),
            "manifestImage": text("The bundle image with its digest."),
            "objects": count("The number of objects."),
            "type": text("The type of the entry: ManifestImage or Raw."),
        }),
    )
}

fn bundle() -> Value {
    let apis = |description: &str| {
        let fields = json!({
            "group": text("Its group."),
            "kind": text("Its kind."),
            "plural": text("The plural of the kind in lower case."),
            "version": text("Its version."),
        });
        list(description, object("An API.", fields))
    };
    object(
        "The bundle in the image, as its ClusterServiceVersion describes it.",
        json!({
            "description": text("The description."),
            "displayName": text("The name for people."),
            "name": text("The name of the ClusterServiceVersion."),
            "provides": apis("The APIs that it provides."),
            "requires": apis("The APIs that it requires."),
            "version": text("The version."),
        }),
    )
}

fn permission() -> Value {
    let texts = |description: &str| list(description, text("A list item."));
    object(
        "A permission rule, as in a Role, and its scope.",
        json!({
            "apiGroups": texts("The API groups of the resources."),
            "namespaces": texts(
                "The namespaces where the rule applies. Absent for the whole cluster.",
            ),
            "nonResourceURLs": texts("The non-resource URL paths."),
            "resourceNames": texts("The names of the resources. Absent for all names."),
            "resources": texts("The resources."),
            "role": text(
                "The role that gives the rule to the subjects. Absent if the content contains the \
                 role.",
            ),
            "subjects": texts(
                "The subjects that bindings in the content give the rule to. Absent if only the \
                 ServiceAccount gets the rule.",
            ),
            "verbs": texts("The allowed verbs."),
        }),
    )
}
