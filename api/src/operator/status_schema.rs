//! The schema of the status of an Operator, for API servers and for `kubectl explain`. A test holds it
//! against the type.

use schemars::Schema;
use serde_json::{Value, json};

use crate::schema::{PRESERVE, conditions, finished, list, object, text};

pub(super) fn status() -> Schema {
    finished(object(
        "What is known about the Operator.",
        json!({
            "bundle": object(
                "The bundle that is installed.",
                json!({
                    "catalog": text("The catalog that it comes from."),
                    "image": text("Its image, with the digest; none if the catalog has its manifests."),
                    "name": text("Its name."),
                }),
            ),
            "adoption": adoption(),
            "conditions": conditions("Operator"),
            "dependencies": list(
                "What the installed bundle requires, whether it is there or not.",
                dependency(),
            ),
            "observedGeneration": {
                "description": "The generation of the Operator that all this is about.",
                "type": "integer",
                "format": "int64",
            },
            "path": list("The versions that it still goes to, one after the other.", hop()),
            "plan": object(
                "The InstallPlan of what is installed.",
                json!({
                    "clusterServiceVersion": text(
                        "The name of the ResourceManifest beside it that has the ClusterServiceVersion of \
                         its bundle.",
                    ),
                    "name": text("Its name."),
                    "namespace": text("Its namespace."),
                }),
            ),
            "reverted": object(
                "The version that was taken back, as it did not come to its end. It is not tried again \
                 before the Operator or the bundle changes.",
                json!({
                    "bundle": text("The name of its bundle."),
                    "generation": {
                        "description": "The generation of the Operator that wanted it.",
                        "type": "integer",
                        "format": "int64",
                    },
                    "image": text("Its image, with the digest; none if the catalog has its manifests."),
                    "message": text("Why it did not come to its end, for people."),
                }),
            ),
            "usedBy": list(
                "The installed operators that require this one.",
                object(
                    "An operator that requires this one.",
                    json!({
                        "name": text("The name of its Operator."),
                        "version": text("The version that requires it."),
                    }),
                ),
            ),
            "versions": versions(),
        }),
    ))
}

fn adoption() -> Value {
    let spec = json!({
        "description": "Its spec.",
        "type": "object",
        PRESERVE: true,
    });
    object(
        "What was taken over from OLM, and how far that is.",
        json!({
            "clusterServiceVersion": text("The name of the ClusterServiceVersion."),
            "namespace": text("The namespace of it, and of the Subscription."),
            "step": text(
                "How far OLM has let go of it: Beside, a plan is applied beside what OLM holds; \
                 Leaving, the ClusterServiceVersion is being deleted, which cannot be undone; \
                 Adopted.",
            ),
            "subscription": object(
                "The Subscription as it was.",
                json!({"name": text("Its name."), "spec": spec}),
            ),
        }),
    )
}

fn versions() -> Value {
    object(
        "Versions of the operator, and of the controller.",
        json!({
            "available": list(
                "All versions of the package that are higher than the installed one, the highest first. \
                 That a version is here does not promise that anything leads to it.",
                text("A version."),
            ),
            "controller": text("The version of the controller."),
            "installed": text("The version that is installed."),
            "target": text("The version that it is on the way to, or has."),
        }),
    )
}

fn dependency() -> Value {
    object(
        "Something that is required.",
        json!({
            "minimumVersion": text("The lowest version that will do."),
            "name": text("The package; of an API that is required, the API."),
            "range": text("All versions that will do, as the author of the bundle writes them."),
        }),
    )
}

fn hop() -> Value {
    object(
        "A version that it still goes to.",
        json!({
            "bundle": text("The name of the bundle."),
            "version": text("The version."),
            "waitsFor": text("What must be so before it begins, for people."),
            "with": list("The packages that move at the same time.", text("A package.")),
        }),
    )
}
