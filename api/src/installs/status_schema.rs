//! The schema of the status, for API servers and for `kubectl explain`. A test holds it against the types.

use schemars::Schema;
use serde_json::{Value, json};

use crate::schema::{conditions, count, finished, list, object, text, time, with};

pub(super) fn status() -> Schema {
    finished(object(
        "What is known about the Install.",
        json!({
            "approved": with(
                object(
                    "Since when it is approved while permissions are still lacking.",
                    json!({
                        "generation": generation("The generation that is approved."),
                        "since": time("When that was seen first."),
                    }),
                ),
                "required",
                json!(["generation", "since"]),
            ),
            "conditions": conditions("Install"),
            "observedGeneration": generation("The generation of the Install that all this is about."),
            "pending": object(
                "What waits for approval.",
                json!({
                    "digest": text(
                        "The digest of the content and the permissions. An approval by spec.approval names it in the \
                         annotation operators.portolan.dev/approves.",
                    ),
                    "permissions": list(
                        "The permissions that an approval gives to the ServiceAccount.",
                        permission(),
                    ),
                }),
            ),
            "plan": reference("The InstallPlan by which the content is installed."),
            "resolved": list("The content as it was read, entry by entry.", resolved()),
            "serviceAccountRef": reference("The ServiceAccount as which the content is installed."),
        }),
    ))
}

fn generation(description: &str) -> Value {
    json!({"description": description, "type": "integer", "format": "int64"})
}

fn reference(description: &str) -> Value {
    object(
        description,
        json!({"name": text("Its name."), "namespace": text("Its namespace.")}),
    )
}

fn resolved() -> Value {
    object(
        "An entry of the content.",
        json!({
            "digest": text("The digest of its manifests."),
            "manifestImage": text("The image with its digest."),
            "objects": count("How many objects it has."),
            "type": text("What it is."),
        }),
    )
}

fn permission() -> Value {
    let texts = |description: &str| list(description, text("One of them."));
    object(
        "A rule as roles have it, and where it is to hold.",
        json!({
            "apiGroups": texts("The groups of the resources."),
            "namespaces": texts("The namespaces in which it is to hold; none for the whole cluster."),
            "nonResourceURLs": texts("Paths that are no resources."),
            "resourceNames": texts("The names for which it is enough; none for all."),
            "resources": texts("The resources."),
            "role": text(
                "The role by which the subjects get the rule, if the content does not contain that role.",
            ),
            "subjects": texts(
                "The subjects to which bindings among the content give the rule; none if only the ServiceAccount gets it.",
            ),
            "verbs": texts("What is done with them."),
        }),
    )
}
