//! The schema of the version, for API servers and for `kubectl explain`.

use serde_json::{Value, json};

use crate::schema::{PRESERVE, conditions, list, object, text, with};

pub(super) fn operator() -> Value {
    object(
        "All that belongs to an operator that OLM has installed.",
        json!({
            "apiVersion": text("The version of this representation."),
            "kind": text("What the object is."),
            "metadata": {"type": "object"},
            "spec": spec(),
            "status": status(),
        }),
    )
}

fn spec() -> Value {
    let reference = object(
        "The CatalogSource.",
        json!({"name": text("Its name."), "namespace": text("Its namespace.")}),
    );
    let catalog_source = object(
        "A package of a CatalogSource. With the type CatalogSource, and where Installs are carried out, an Install is \
         made of it, unless OLM installs the package. Else it says which Subscription is offered for \
         association, and where updates are looked for.",
        json!({
            "approval": text(
                "Automatic, which is the default, or Manual: each update waits until somebody approves the Install.",
            ),
            "channel": text("The channel whose updates are followed; any if it is left out."),
            "entrypoint": text(
                "The name of the first bundle; the best one if it is left out. Without package and channel it is \
                 installed and never updated.",
            ),
            "package": text("The package."),
            "ref": reference,
        }),
    );
    object(
        "What its author says of it.",
        json!({
            "updates": object(
                "Where updates come from.",
                json!({
                    "catalogSource": catalog_source,
                    "manifestImage": text("The image of a bundle, of which an Install is made where Installs are carried out."),
                    "type": text("Which of them it is: CatalogSource or ManifestImage."),
                }),
            ),
        }),
    )
}

fn status() -> Value {
    object(
        "What is known about it.",
        json!({
            "components": components(),
            "conditions": conditions("Operator"),
            "metadata": metadata(),
            "observedGeneration": {
                "description": "The generation of the Operator that all this is about.",
                "type": "integer",
                "format": "int64",
            },
            "updates": object(
                "What it can be updated to.",
                json!({"available": list("The channels that have an update.", available())}),
            ),
            "v1": with(
                json!({
                    "description": "What OLM says of it in version v1.",
                    "type": "object",
                }),
                PRESERVE,
                json!(true),
            ),
        }),
    )
}

fn available() -> Value {
    object(
        "A channel that has an update.",
        json!({
            "bundle": text("The bundle that it is updated to first, of the highest version."),
            "channel": text("The channel."),
            "name": text("The CatalogSource, as NAMESPACE/NAME."),
            "package": text("The package."),
            "version": text("The version of the bundle."),
        }),
    )
}

fn metadata() -> Value {
    object(
        "What the newest ClusterServiceVersion that was installed to its end says.",
        json!({
            "apis": object(
                "Its APIs.",
                json!({
                    "provides": list("Those that it brings.", api()),
                    "requires": list("Those that it needs.", api()),
                }),
            ),
            "description": text("What its author says of it."),
            "displayName": text("What its author calls it."),
            "version": text("Its version."),
        }),
    )
}

fn api() -> Value {
    object(
        "An API.",
        json!({
            "group": text("Its group."),
            "kind": text("Its kind."),
            "plural": text("How the kind stands in paths."),
            "singular": text("How one of the kind is called; absent where nobody says it."),
            "version": text("Its version."),
        }),
    )
}

fn components() -> Value {
    let labels = json!({
        "description": "The label that components carry.",
        "type": "object",
        "additionalProperties": text("Its value, which does not matter."),
    });
    object(
        "What belongs to it: all objects with a label, of the kinds that are seen.",
        json!({
            "matchLabels": labels,
            "omitted": {
                "description": "How many components are left out, as there is no room for them.",
                "type": "integer",
                "format": "int64",
            },
            "refs": list("The objects, in order of kind, version, namespace and name.", reference()),
        }),
    )
}

fn reference() -> Value {
    let condition = object(
        "Something that a component says of itself.",
        json!({
            "lastTransitionTime": text("Since when."),
            "message": text("Why, for people."),
            "reason": text("Why, in a word."),
            "status": text("Whether it is so."),
            "type": text("What it is about."),
        }),
    );
    object(
        "A component.",
        json!({
            "apiVersion": text("Its group and version."),
            "conditions": list("What it says of itself.", condition),
            "kind": text("Its kind."),
            "name": text("Its name."),
            "namespace": text("Its namespace; absent where it is in none."),
            "resourceVersion": text("The version of it in which what stands here came to be."),
            "uid": text("Its uid."),
        }),
    )
}
