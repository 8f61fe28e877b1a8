//! The schema of version v2alpha1, for API servers and for `kubectl explain`.

use serde_json::{Value, json};

use crate::schema::{PRESERVE, conditions, list, object, text, with};

pub(super) fn operator() -> Value {
    object(
        "Operator lists the components, version and available updates of an operator that OLM \
         installed.",
        json!({
            "apiVersion": text("The API version of this object."),
            "kind": text("The kind of the object."),
            "metadata": {"type": "object"},
            "spec": spec(),
            "status": status(),
        }),
    )
}

fn spec() -> Value {
    let reference = object(
        "The CatalogSource.",
        json!({
            "name": text("The name of the CatalogSource."),
            "namespace": text("The namespace of the CatalogSource."),
        }),
    );
    let catalog_source = object(
        "A package of a CatalogSource. If the type is CatalogSource and Installs are enabled, the \
         controller creates an Install of the package, unless OLM installs the package. Otherwise, \
         the controller uses the package only to find the Subscription of the Operator and to \
         report updates.",
        json!({
            "approval": text(
                "Approval of updates: Automatic (the default) or Manual. If Manual, each update \
                 waits until a user approves the Install.",
            ),
            "channel": text("The channel to search for updates. If empty, all channels are \
             searched."),
            "entrypoint": text(
                "The name of the first bundle to install. Defaults to the best bundle. If package \
                 and channel are empty, this bundle is installed and never updated.",
            ),
            "package": text("The name of the package."),
            "ref": reference,
        }),
    );
    object(
        "The desired state of the Operator.",
        json!({
            "updates": object(
                "The source of updates.",
                json!({
                    "catalogSource": catalog_source,
                    "manifestImage": text(
                        "The bundle image. If Installs are enabled, the controller creates an \
                         Install of this image.",
                    ),
                    "type": text("The type of the source: CatalogSource or ManifestImage."),
                }),
            ),
        }),
    )
}

fn status() -> Value {
    object(
        "The observed state of the Operator.",
        json!({
            "components": components(),
            "conditions": conditions("Operator"),
            "metadata": metadata(),
            "observedGeneration": {
                "description": "The generation of the Operator that the status describes.",
                "type": "integer",
                "format": "int64",
            },
            "updates": object(
                "The available updates.",
                json!({"available": list("The channels that contain an update.", available())}),
            ),
            "v1": with(
                json!({
                    "description": "The status that OLM writes to the Operator in version v1.",
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
        "A channel that contains an update.",
        json!({
            "bundle": text(
                "The next bundle. If several bundles are possible, the bundle with the highest \
                 version.",
            ),
            "channel": text("The name of the channel."),
            "name": text("The CatalogSource, as NAMESPACE/NAME."),
            "package": text("The name of the package."),
            "version": text("The version of the bundle."),
        }),
    )
}

fn metadata() -> Value {
    object(
        "The metadata of the newest ClusterServiceVersion that is installed successfully.",
        json!({
            "apis": object(
                "The APIs of the operator.",
                json!({
                    "provides": list("The APIs that the operator provides.", api()),
                    "requires": list("The APIs that the operator requires.", api()),
                }),
            ),
            "description": text("The description of the operator."),
            "displayName": text("The display name of the operator."),
            "version": text("The version of the operator."),
        }),
    )
}

fn api() -> Value {
    object(
        "An API.",
        json!({
            "group": text("The API group."),
            "kind": text("The kind."),
            "plural": text("The plural name of the resource."),
            "singular": text("The singular name of the resource. Absent if unknown."),
            "version": text("The API version."),
        }),
    )
}

fn components() -> Value {
    let labels = json!({
        "description": "The label that all components have. The value of the label is ignored.",
        "type": "object",
        "additionalProperties": text("The value of the label, which is ignored."),
    });
    object(
        "The components of the operator: all objects with the label in matchLabels. Only kinds \
         that the controller can list are included.",
        json!({
            "matchLabels": labels,
            "omitted": {
                "description": "The number of components that are not listed because of the size \
                                limit of the status.",
                "type": "integer",
                "format": "int64",
            },
            "refs": list(
                "The components, sorted by kind, version, namespace and name.",
                reference(),
            ),
        }),
    )
}

fn reference() -> Value {
    let condition = object(
        "A condition of the component.",
        json!({
            "lastTransitionTime": text("The time when the status of the condition last changed."),
            "message": text("A human-readable message."),
            "reason": text(
                "The reason for the status of the condition, as one word in CamelCase for \
                 programs.",
            ),
            "status": text("The status of the condition: True, False or Unknown."),
            "type": text("The type of the condition."),
        }),
    );
    object(
        "A component.",
        json!({
            "apiVersion": text("The API group and version of the component."),
            "conditions": list("The conditions of the component.", condition),
            "kind": text("The kind of the component."),
            "name": text("The name of the component."),
            "namespace": text("The namespace of the component. Absent if it is cluster-scoped."),
            "resourceVersion": text(
                "The resource version of the component at the time of the last change of this \
                 entry.",
            ),
            "uid": text("The UID of the component."),
        }),
    )
}
