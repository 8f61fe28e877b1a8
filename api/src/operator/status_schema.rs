//! The schema of the status of an Operator, for API servers and for `kubectl explain`. A test holds it
//! against the type.

use schemars::Schema;
use serde_json::{Value, json};

use crate::schema::{PRESERVE, conditions, finished, list, object, text};

pub(super) fn status() -> Schema {
    finished(object(
        "The observed state of the Operator.",
        json!({
            "bundle": object(
                "The installed bundle.",
                json!({
                    "catalog": text("The catalog that contains the bundle."),
                    "image": text(
                        "The image of the bundle, with its digest. Absent if the catalog contains \
                         the manifests.",
                    ),
                    "name": text("The name of the bundle."),
                }),
            ),
            "adoption": adoption(),
            "conditions": conditions("Operator"),
            "dependencies": list(
                "The dependencies of the wanted bundle, and of the installed one.",
                dependency(),
            ),
            "observedGeneration": {
                "description": "The generation of the Operator that the status describes.",
                "type": "integer",
                "format": "int64",
            },
            "path": list("The remaining upgrade steps, in order.", hop()),
            "plan": object(
                "The InstallPlan of the installed version.",
                json!({
                    "clusterServiceVersion": text(
                        "The name of the ResourceManifest with the ClusterServiceVersion of the \
                         bundle. It is in the namespace of the InstallPlan.",
                    ),
                    "name": text("The name of the InstallPlan."),
                    "namespace": text("The namespace of the InstallPlan."),
                }),
            ),
            "reverted": object(
                "The version that was reverted because it failed to become ready. It is not \
                 installed again until the Operator or the bundle changes.",
                json!({
                    "bundle": text("The name of the bundle."),
                    "generation": {
                        "description": "The generation of the Operator that requested the version.",
                        "type": "integer",
                        "format": "int64",
                    },
                    "image": text(
                        "The image of the bundle, with its digest. Absent if the catalog contains \
                         the manifests.",
                    ),
                    "message": text("A human-readable message about the failure."),
                }),
            ),
            "unsafeChanges": list(
                "The unsafe changes of CRDs that must be accepted before the next version.",
                change(),
            ),
            "usedBy": list(
                "The installed operators that require this operator.",
                object(
                    "An operator that requires this operator.",
                    json!({
                        "mutual": flag(
                            "True if this Operator also requires that one, directly or through others. Both can be \
                             deleted together.",
                        ),
                        "name": text("The name of the Operator."),
                        "terminating": flag("True if the Operator is being deleted."),
                        "version": text("The version that requires this operator."),
                    }),
                ),
            ),
            "versions": versions(),
        }),
    ))
}

fn adoption() -> Value {
    let spec = json!({
        "description": "The spec of the Subscription.",
        "type": "object",
        PRESERVE: true,
    });
    object(
        "The adoption of an OLM v0 installation, and its progress.",
        json!({
            "clusterServiceVersion": text("The name of the adopted ClusterServiceVersion."),
            "namespace": text("The namespace of the ClusterServiceVersion and the Subscription."),
            "step": text(
                "The step of the adoption. Beside: an InstallPlan is applied while OLM still \
                 manages the operator. Leaving: the ClusterServiceVersion and the Subscription are \
                 being deleted, which cannot be undone. Adopted: the adoption is complete.",
            ),
            "subscription": object(
                "The Subscription before the adoption.",
                json!({"name": text("The name of the Subscription."), "spec": spec}),
            ),
        }),
    )
}

fn versions() -> Value {
    object(
        "Versions of the operator, the controller and the resolver.",
        json!({
            "available": list(
                "All versions of the package that are higher than the installed version, highest \
                 first. An upgrade path to a listed version may not exist.",
                text("A version."),
            ),
            "controller": text("The version of the controller."),
            "deprecated": list(
                "The available versions with deprecated bundles.",
                text("A version."),
            ),
            "installed": text("The installed version."),
            "resolver": text("The version of the resolver."),
            "target": text(
                "The version that the operator is being upgraded to, or the installed version.",
            ),
        }),
    )
}

fn dependency() -> Value {
    object(
        "A required package or API.",
        json!({
            "bundle": text("The bundle that requires it."),
            "constraint": text(
                "The compound constraint, as JSON. Empty if it is too long, or if the entry counts the \
                 dependencies that are not listed.",
            ),
            "installed": text("The installed version of the dependency."),
            "minimumVersion": text("The lowest version that satisfies the dependency."),
            "name": text(
                "The name of the required package, the required API, or the message of the compound \
                 constraint.",
            ),
            "range": text(
                "The version range that satisfies the dependency, as written by the author of the \
                 bundle.",
            ),
            "satisfied": flag(
                "True if the dependency is installed. Absent for a compound constraint, which only the \
                 resolver evaluates.",
            ),
            "terminating": flag(
                "True if the Operator that provides the dependency is being deleted. It satisfies the dependency \
                 only if this Operator uses it already.",
            ),
        }),
    )
}

fn change() -> Value {
    object(
        "An unsafe change of a CRD.",
        json!({
            "check": text("The name of the check, as in OLM v1."),
            "crd": text("The name of the CRD."),
            "message": text("A human-readable description of the change."),
            "newType": text("The new type of the property."),
            "oldType": text("The old type of the property."),
            "path": text("The path to the property. Empty if the change affects the whole version."),
            "version": text("The version of the CRD. Empty if the change affects the whole CRD."),
        }),
    )
}

fn hop() -> Value {
    object(
        "An upgrade step.",
        json!({
            "bundle": text("The name of the bundle."),
            "version": text("The version of the bundle."),
            "waitsFor": text(
                "A human-readable requirement that must be met before the step starts.",
            ),
            "with": list("The packages that are upgraded in the same step.", text("A package.")),
        }),
    )
}

fn flag(description: &str) -> Value {
    json!({"description": description, "type": "boolean"})
}
