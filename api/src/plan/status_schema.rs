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
        "What is known about the plan.",
        json!({
            "conditions": conditions("plan"),
            "counts": counts(),
            "jobs": list("Jobs of the plan that have begun, each with its last run.", job()),
            "lineage": text("The uid of the first plan of those that replaced one another."),
            "members": list(
                "Objects of the plan that are not as they should be, the first 100 of them.",
                member(),
            ),
            "observedGeneration": {
                "description": "The generation of the plan that all this is about.",
                "type": "integer",
                "format": "int64",
            },
            "phase": text(
                "The plan in one word: Invalid, Pending, Suspended, Applying, Failed, Applied, \
                 Ready, Resting or Terminating.",
            ),
            "predecessors": list(
                "The uids of the plans whose place this one takes.",
                text("A uid."),
            ),
            "record": record(),
            "repairs": repairs(),
            "retried": text(
                "The value of the annotation plans.portolan.dev/retry that was followed last.",
            ),
            "stage": stage(),
            "takenOver": list(
                "The uids of the plans that this one needs nothing of any more.",
                text("A uid."),
            ),
            "transformed": list("Transformations that have begun.", transformed()),
        }),
    );
    Schema::try_from(schema).expect("a schema must be an object")
}

fn stage() -> Value {
    object(
        "The stage that is applied now; none before the first and after the last.",
        json!({
            "index": count("Its place among the stages, from 0 on."),
            "name": text("Its name."),
            "since": time("When it began, or was last resumed. The deadline counts from here."),
        }),
    )
}

fn counts() -> Value {
    object(
        "How many objects the plan has.",
        json!({
            "applied": count("Those that are applied."),
            "members": count("All of them."),
            "ready": count("Those that are there and work."),
        }),
    )
}

fn member() -> Value {
    object(
        "An object that is not as it should be.",
        json!({
            "index": count("Its place among the resources of the stage, from 0 on."),
            "message": text("Why, for people."),
            "object": text("Its kind, namespace and name, such as Deployment.apps harbor/ferry."),
            "stage": text("The name of its stage."),
            "state": text(
                "How it is: Refused, Failed, NotApplied, Missing, NotReady, Drifted or Contested; of \
                 a plan that is being deleted Held, Terminating or Remaining.",
            ),
        }),
    )
}

fn transformed() -> Value {
    let taken = object(
        "An object that is deleted.",
        json!({
            "group": text("The group of its kind; empty for the core group."),
            "kind": text("Its kind."),
            "name": text("Its name."),
            "namespace": text("Its namespace."),
            "uid": text("Its uid. Another object of the name stays."),
        }),
    );
    object(
        "A transformation that has begun.",
        json!({
            "done": {"description": "Whether everything that it selected is gone.", "type": "boolean"},
            "index": count("Its place among the transformations of the plan, from 0 on."),
            "objects": list("What it selected.", taken),
        }),
    )
}

fn job() -> Value {
    object(
        "A Job that has begun.",
        json!({
            "ended": time("When it ended."),
            "failures": count("How many runs have failed since it was last said to be tried again."),
            "job": text("The name of the Job of this run, in the namespace of the plan."),
            "message": text("Why it failed, for people."),
            "name": text("Its name in the stage."),
            "run": count("Which run it is, from 1 on."),
            "stage": text("The name of its stage."),
            "state": text("How the run is: Running, Succeeded or Failed."),
            "uid": text("The uid of the Job of this run."),
        }),
    )
}

fn repairs() -> Value {
    let one = object(
        "How often an object was repaired.",
        json!({
            "since": time("When it was repaired for the first of these times."),
            "times": count("How often."),
        }),
    );
    let all = json!({
        "description": "How often objects were repaired that others had changed or deleted, by \
                        their places in the order of the plan, from 0 on.",
        "type": "object",
    });
    with(all, "additionalProperties", one)
}

fn record() -> Value {
    let found = json!({
        "description": "The uids of the objects that existed before the plan, by their places in \
                        the order of the plan, from 0 on.",
        "type": "object",
    });
    let uid = text("A uid.");
    object(
        "What was noted before the first object was written.",
        json!({
            "digest": text("The digest of all manifests together."),
            "found": with(found, "additionalProperties", uid),
            "referenced": text(
                "The names of the objects whose manifests lie in Secrets and ResourceManifests, as \
                 base64 of compressed JSON.",
            ),
        }),
    )
}
