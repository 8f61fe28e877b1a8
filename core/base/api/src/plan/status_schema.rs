//! The schema of the status of a plan, for API servers and for `kubectl explain`. A test holds it
//! against the type.
//!
//! Words that may become more are no enums: a controller that knows more of them than the definition
//! which is served could not write its status.

use schemars::Schema;
use serde_json::{Value, json};

use crate::schema::{conditions, count, list, object, text, time, with};

pub(super) fn status() -> Schema {
    let schema = object(
        "The observed state of the plan.",
        json!({
            "conditions": conditions("plan"),
            "counts": counts(),
            "deletionBlockedSince": time(
                "The time since which the deletion of the plan is blocked without interruption. \
                 spec.abandonAfterSeconds counts from this time. Absent while the deletion \
                 continues.",
            ),
            "jobs": list("The Jobs of the plan that have started, each with its last run.", job()),
            "lineage": text(
                "The UID of the first plan in the chain of plans that replaced one another.",
            ),
            "mergedLineages": list(
                "The other lineages whose objects the plan has: those of the plans that it merges, or \
                 that a plan before it merged.",
                text("The UID of the first plan of the lineage."),
            ),
            "members": list(
                "Objects of the plan that are not in the desired state. At most 100 are listed.",
                member(),
            ),
            "missingRules": list(
                "Rules that the ServiceAccount lacks, the first 100 of them.",
                missing_rule(),
            ),
            "moreMissingRules": count("The number of missing rules that are not listed."),
            "observedGeneration": {
                "description": "The generation of the plan that the status describes.",
                "type": "integer",
                "format": "int64",
            },
            "phase": text(
                "A summary of the state. Invalid: the plan cannot be applied. Pending: the plan \
                 waits for an object or a permission before it starts. Suspended: spec.suspend is \
                 true. Applying: objects are being applied. Failed: a Job failed. Applied: all \
                 objects were applied, and some are not ready. Ready: all objects were applied and \
                 are ready. Resting: a newer plan replaces this plan. Terminating: the plan is \
                 being deleted.",
            ),
            "predecessors": list(
                "The UIDs of the plans that this plan replaces, directly or through other plans.",
                text("A UID."),
            ),
            "record": record(),
            "repairs": repairs(),
            "retried": text(
                "The last handled value of the annotation plans.portolan.dev/retry.",
            ),
            "stage": stage(),
            "takenOver": list(
                "The UIDs of the replaced plans whose objects are all taken over or deleted.",
                text("A UID."),
            ),
            "transformed": list("The transformations that have started.", transformed()),
        }),
    );
    Schema::try_from(schema).expect("a schema must be an object")
}

fn stage() -> Value {
    object(
        "The stage that is being applied. Absent before the first stage and after the last stage.",
        json!({
            "index": count("The index of the stage in spec.stages."),
            "name": text("The name of the stage."),
            "since": time(
                "The time when the stage started or was last resumed. The deadline counts from \
                 this time. Absent while the plan is suspended or resting.",
            ),
        }),
    )
}

fn counts() -> Value {
    object(
        "The numbers of objects of the plan.",
        json!({
            "applied": count("The number of applied objects."),
            "members": count("The number of all objects."),
            "ready": count("The number of ready objects."),
        }),
    )
}

fn member() -> Value {
    object(
        "An object that is not in the desired state.",
        json!({
            "index": count("The index of the object in the resources of the stage."),
            "message": text("A human-readable message."),
            "object": text(
                "The kind, namespace and name of the object, such as Deployment.apps harbor/ferry.",
            ),
            "pod": failing_pod(),
            "stage": text("The name of the stage."),
            "state": text(
                "The state of the object. Refused: it cannot be applied. Failed: it was applied \
                 and has failed. NotApplied: it is not applied yet. Missing: it was applied and is \
                 missing. NotReady: it was applied and is not ready. Drifted: another client \
                 changed it. Contested: another client keeps changing it, so it is not reverted \
                 for now. Held: its deletion is blocked. Terminating: it is being deleted. \
                 Remaining: it is not deleted yet.",
            ),
        }),
    )
}

fn failing_pod() -> Value {
    object(
        "The Pod that keeps a workload from being ready, once that takes 20 seconds.",
        json!({
            "cause": text("The cause, such as CrashLooping, ImagePullFailing or Unschedulable."),
            "container": text("The name of the container; absent for the Pod as a whole."),
            "exitCode": {
                "description": "The exit code of the last termination of the container.",
                "type": "integer",
                "format": "int32",
            },
            "message": text("The end of the termination message that the container left last."),
            "name": text("The name of the Pod, which is in the namespace of the workload."),
            "reason": text("The reason that Kubernetes reports, such as CrashLoopBackOff."),
        }),
    )
}

fn missing_rule() -> Value {
    let texts = |description: &str, items: &str| list(description, text(items));
    object(
        "A rule of a role that the ServiceAccount lacks.",
        json!({
            "apiGroups": texts("The groups of the resources.", "A group."),
            "namespace": text("The namespace in which it is missing; absent for the whole cluster."),
            "nonResourceURLs": texts("The paths that are no resources.", "A path."),
            "resourceNames": texts("The names of the objects; empty for all of them.", "A name."),
            "resources": texts("The resources.", "A resource."),
            "verbs": texts("The verbs.", "A verb."),
        }),
    )
}

fn transformed() -> Value {
    let taken = object(
        "An object that is deleted.",
        json!({
            "group": text("The API group of the object. Empty for the core group."),
            "kind": text("The kind of the object."),
            "name": text("The name of the object."),
            "namespace": text("The namespace of the object."),
            "uid": text("The UID of the object. Another object with the same name is kept."),
        }),
    );
    object(
        "A transformation that has started.",
        json!({
            "done": {"description": "True if all selected objects are deleted.", "type": "boolean"},
            "index": count("The index of the transformation in spec.transformations."),
            "objects": list("The selected objects.", taken),
        }),
    )
}

fn job() -> Value {
    object(
        "A Job that has started.",
        json!({
            "ended": time("The time when the run ended."),
            "failures": count(
                "The number of consecutive failed runs since a retry was last requested.",
            ),
            "job": text("The name of the Job of this run, in the namespace of the plan."),
            "message": text("A human-readable message about the failure."),
            "name": text("The name of the Job in its stage."),
            "run": count("The number of the run, starting at 1."),
            "stage": text("The name of the stage."),
            "state": text("The state of the run: Running, Succeeded or Failed."),
            "uid": text("The UID of the Job of this run."),
        }),
    )
}

fn repairs() -> Value {
    let one = object(
        "The repairs of an object.",
        json!({
            "since": time("The time of the first repair that is counted."),
            "times": count("The number of repairs."),
        }),
    );
    let all = json!({
        "description": "The repairs of objects that other clients changed or deleted. The keys are \
                        indexes of objects in the order of the plan, starting at 0.",
        "type": "object",
    });
    with(all, "additionalProperties", one)
}

fn record() -> Value {
    let found = json!({
        "description": "The UIDs of objects that existed before the plan. The keys are indexes of \
                        objects in the order of the plan, starting at 0.",
        "type": "object",
    });
    let uid = text("A UID.");
    object(
        "Facts that are recorded before the first object is written.",
        json!({
            "digest": text("The digest of all manifests together."),
            "found": with(found, "additionalProperties", uid),
            "made": text(
                "Digests of the uids of the objects that the plan made, 5 bytes each, in the order of \
                 the plan, as base64. Another object in the place of one is not deleted.",
            ),
            "referenced": text(
                "The names of objects whose manifests are in Secrets and ResourceManifests, as \
                 compressed JSON in base64.",
            ),
        }),
    )
}
