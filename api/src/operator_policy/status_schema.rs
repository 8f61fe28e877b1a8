//! The schema of the status, for API servers and for `kubectl explain`. A test holds it against the
//! types of `status`.

use schemars::{Schema, json_schema};
use serde_json::{Value, json};

use crate::schema::{conditions, list, text, time};

pub(super) fn status() -> Schema {
    json_schema!({
        "description": "The observed state of the operator of the policy.",
        "type": "object",
        "properties": {
            "compliant": {
                "description": "The compliance of the cluster. Compliant: the cluster matches the \
                                policy. NonCompliant: the cluster violates the policy. Pending: \
                                the compliance is not known yet. Terminating: the policy is being \
                                deleted.",
                "type": "string",
                "enum": ["Compliant", "Pending", "NonCompliant", "Terminating"],
            },
            "conditions": conditions("policy"),
            "history": list("The last 10 messages, newest first.", history()),
            "observedGeneration": {
                "description": "The generation of the policy that the status describes.",
                "type": "integer",
                "format": "int64",
            },
            "overlappingPolicies": list(
                "Enforced policies for the same Subscription, as name.namespace.",
                json!({"type": "string"}),
            ),
            "relatedObjects": list(
                "The objects that the operator consists of or was installed from.",
                related_object(),
            ),
            "removal": removal(),
            "resolvedSubscriptionLabel": text(
                "The package and namespace of the Subscription as package.namespace, cut to 63 \
                 characters.",
            ),
            "subscriptionInterventionTime": time(
                "The time of the next repair of a Subscription that lost its \
                 ClusterServiceVersion.",
            ),
            "upgrades": upgrades(),
        },
    })
}

fn history() -> Value {
    object(json!({
        "lastTimestamp": {
            "description": "The time when the message was last reported.",
            "type": "string",
            "format": "date-time",
        },
        "message": text("The message."),
    }))
}

fn related_object() -> Value {
    let metadata = object(json!({
        "name": text("The name of the object. A hyphen if no object exists."),
        "namespace": text("The namespace of the object."),
    }));
    object(json!({
        "compliant": text(
            "The compliance of the object: Compliant, NonCompliant or Inapplicable. Absent if the \
             object was kept.",
        ),
        "object": object(json!({
            "apiVersion": text("The API group and version of the object."),
            "kind": text("The kind of the object."),
            "metadata": metadata,
        })),
        "properties": object(json!({
            "createdByPolicy": {
                "description": "True if the object was created for the policy.",
                "type": "boolean",
            },
            "uid": text("The UID of the object."),
        })),
        "reason": text("The reason for the compliance."),
    }))
}

fn upgrades() -> Value {
    let bundle = || {
        object(json!({
            "channel": text("The channel of the bundle."),
            "name": text("The name of the bundle."),
            "version": text("The version of the bundle."),
        }))
    };
    let blocked = object(json!({
        "message": text("A human-readable message."),
        "object": object_ref(),
        "reason": text("A programmatic identifier of the reason."),
    }));
    let mut next = bundle();
    next["properties"]["plan"] = text("The InstallPlan that installs the bundle.");
    object(json!({
        "available": list("The available bundles, newest first. At most 10 are listed.", bundle()),
        "blocked": list("Obstacles to further upgrades.", blocked),
        "installed": object(json!({
            "name": text("The name of the installed bundle."),
            "version": text("The version of the installed bundle."),
        })),
        "next": next,
        "path": list("The bundles on the upgrade path to the target, next first.", bundle()),
        "target": bundle(),
    }))
}

fn removal() -> Value {
    let mut removed = object_ref();
    removed["properties"]["state"] = text(
        "The state of the object. Keep: it is kept. Pending: it is not deleted yet. Deleting: it \
         is being deleted. Gone: it is deleted. ByOlm: OLM deletes it with its \
         ClusterServiceVersion.",
    );
    removed["properties"]["uid"] = text("The UID of the object.");
    let mut remaining = object_ref();
    remaining["properties"]["finalizers"] = list(
        "The finalizers that block its deletion.",
        json!({"type": "string"}),
    );
    object(json!({
        "objects": list("The objects to delete or to keep.", removed),
        "phase": text(
            "The current phase: Subscriptions, CustomResourceDefinitions, ClusterServiceVersions, \
             OperatorGroups, InstallPlans or Done.",
        ),
        "remaining": list("The remaining objects that block the removal.", remaining),
        "started": time("The time when the removal started."),
    }))
}

fn object_ref() -> Value {
    object(json!({
        "apiVersion": text("The API group and version of the object."),
        "kind": text("The kind of the object."),
        "name": text("The name of the object."),
        "namespace": text("The namespace of the object."),
    }))
}

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}
