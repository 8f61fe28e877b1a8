//! The schema of the status, for API servers and for `kubectl explain`. A test holds it against the
//! types of `status`.

use schemars::{Schema, json_schema};
use serde_json::{Value, json};

use crate::schema::{conditions, list, text, time};

pub(super) fn status() -> Schema {
    json_schema!({
        "description": "What is known about the operator of the policy.",
        "type": "object",
        "properties": {
            "compliant": {
                "description": "Whether the cluster is as the policy wants it.",
                "type": "string",
                "enum": ["Compliant", "Pending", "NonCompliant", "Terminating"],
            },
            "conditions": conditions("policy"),
            "history": list("The last messages, the newest first.", history()),
            "observedGeneration": {
                "description": "The generation of the policy that all this is about.",
                "type": "integer",
                "format": "int64",
            },
            "overlappingPolicies": list(
                "Enforced policies that mean the same Subscription, as name.namespace.",
                json!({"type": "string"}),
            ),
            "relatedObjects": list(
                "The objects that the operator consists of or comes from.",
                related_object(),
            ),
            "removal": removal(),
            "resolvedSubscriptionLabel": text(
                "package.namespace of the Subscription, cut to 63 characters.",
            ),
            "subscriptionInterventionTime": time(
                "When a Subscription that lost its ClusterServiceVersion is mended.",
            ),
            "upgrades": upgrades(),
        },
    })
}

fn history() -> Value {
    object(json!({
        "lastTimestamp": {
            "description": "When it was last said.",
            "type": "string",
            "format": "date-time",
        },
        "message": text("What was said."),
    }))
}

fn related_object() -> Value {
    let metadata = object(json!({
        "name": text("Its name; a hyphen where there is none."),
        "namespace": text("Its namespace."),
    }));
    object(json!({
        "compliant": text("Compliant, NonCompliant or Inapplicable; absent for what was kept."),
        "object": object(json!({
            "apiVersion": text("Its group and version."),
            "kind": text("Its kind."),
            "metadata": metadata,
        })),
        "properties": object(json!({
            "createdByPolicy": {
                "description": "Whether it was made because of the policy.",
                "type": "boolean",
            },
            "uid": text("Its uid."),
        })),
        "reason": text("Why it is so."),
    }))
}

fn upgrades() -> Value {
    let bundle = || {
        object(json!({
            "channel": text("The channel that it is in."),
            "name": text("Its name."),
            "version": text("Its version."),
        }))
    };
    let blocked = object(json!({
        "message": text("Why, for people."),
        "object": object_ref(),
        "reason": text("Why, in a word."),
    }));
    let mut next = bundle();
    next["properties"]["plan"] = text("The InstallPlan that brings it.");
    object(json!({
        "available": list("What can be had, the newest first.", bundle()),
        "blocked": list("Why it goes no further.", blocked),
        "installed": object(json!({
            "name": text("The bundle that is installed."),
            "version": text("Its version."),
        })),
        "next": next,
        "path": list("The bundles on the way to the target, the next first.", bundle()),
        "target": bundle(),
    }))
}

fn removal() -> Value {
    let mut removed = object_ref();
    removed["properties"]["state"] = text("What became of it.");
    removed["properties"]["uid"] = text("Its uid.");
    let mut remaining = object_ref();
    remaining["properties"]["finalizers"] = list("What it waits for.", json!({"type": "string"}));
    object(json!({
        "objects": list("What is to go or to stay.", removed),
        "phase": text("How far it is."),
        "remaining": list("What is still there and holds it up.", remaining),
        "started": time("Since when."),
    }))
}

fn object_ref() -> Value {
    object(json!({
        "apiVersion": text("Its group and version."),
        "kind": text("Its kind."),
        "name": text("Its name."),
        "namespace": text("Its namespace."),
    }))
}

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}
