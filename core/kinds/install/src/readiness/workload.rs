//! Judges if workloads are ready: Deployments and similar kinds, Pods, Jobs.

use portolan_core_names::text::counted;
use serde_json::Value;

use super::{Condition, Judged};
use crate::object::{items, text};

/// Returns the number at a JSON pointer, or the default if there is no number.
fn number(object: &Value, pointer: &str, default: i64) -> i64 {
    let number = object.pointer(pointer).and_then(Value::as_i64);
    number.unwrap_or(default)
}

/// Returns `NotReady` if `is` is smaller than `wanted`. `what` is the state of the replicas, for
/// example `updated`.
fn short(is: i64, wanted: i64, what: &str) -> Option<Judged> {
    let wanted = wanted.max(0);
    (is < wanted).then(|| Judged::NotReady(format!("has {is} of {wanted} replicas {what}")))
}

/// Returns the first result. Returns `Ready` if no rule gives a result.
fn first(rules: impl IntoIterator<Item = Option<Judged>>) -> Judged {
    let mut said = rules.into_iter().flatten();
    said.next().unwrap_or(Judged::Ready)
}

pub(super) fn deployment(object: &Value) -> Judged {
    let progressing = Condition::of(object, "Progressing");
    if let Some(late) = progressing
        .as_ref()
        .filter(|progressing| progressing.reason == "ProgressDeadlineExceeded")
    {
        return Judged::Failed(late.words("has exceeded the progress deadline of its rollout"));
    }
    let status = |name: &str| number(object, &format!("/status/{name}"), 0);
    let wanted = number(object, "/spec/replicas", 1);
    let (replicas, updated) = (status("replicas"), status("updatedReplicas"));
    let is_paused = object.pointer("/spec/paused") == Some(&Value::Bool(true));
    // If the Deployment has no deadline, its controller reports no progress. While its rollout is
    // paused, the controller reports only the pause. In these cases, only the numbers of replicas
    // decide.
    let has_deadline =
        number(object, "/spec/progressDeadlineSeconds", i64::from(i32::MAX)) != i64::from(i32::MAX);
    let is_rolled_out = progressing
        .as_ref()
        .is_some_and(|progressing| progressing.reason == "NewReplicaSetAvailable");
    let rolling = || Judged::NotReady("has not completed its rollout".to_owned());
    let unavailable = || match Condition::of(object, "Available") {
        Some(available) if available.is_true() => None,
        Some(available) => Some(Judged::NotReady(available.words("is not available"))),
        None => Some(Judged::NotReady("is not available yet".to_owned())),
    };
    let judged = first([
        short(replicas, wanted, "created"),
        short(updated, wanted, "updated"),
        old_replicas(
            replicas.saturating_sub(wanted),
            status("unavailableReplicas"),
        ),
        short(status("availableReplicas"), updated, "available"),
        short(status("readyReplicas"), wanted, "ready"),
        (has_deadline && !is_paused && !is_rolled_out).then(rolling),
        unavailable(),
    ]);
    match judged {
        Judged::NotReady(sentence) if is_paused => {
            Judged::NotReady(format!("{sentence}, and its rollout is paused"))
        }
        judged @ (Judged::Ready | Judged::NotReady(_) | Judged::Failed(_)) => judged,
    }
}

/// Returns `NotReady` if old replicas still run. They stop after the new replicas are available.
fn old_replicas(old: i64, unavailable: i64) -> Option<Judged> {
    let stop = counted(old, "old replica");
    (old > 0).then(|| {
        Judged::NotReady(match unavailable {
            ..=0 => format!("has {stop} that must still stop"),
            new => format!(
                "waits for {} to become available before {stop} can stop",
                counted(new, "replica")
            ),
        })
    })
}

pub(super) fn stateful_set(object: &Value) -> Judged {
    if text(object, "/spec/updateStrategy/type") == "OnDelete" {
        // With `OnDelete`, a Pod is replaced only after a user deletes it, so the plan does not
        // wait.
        return Judged::Ready;
    }
    let status = |name: &str| number(object, &format!("/status/{name}"), 0);
    let wanted = number(object, "/spec/replicas", 1);
    let partition = number(object, "/spec/updateStrategy/rollingUpdate/partition", 0);
    let replicas = status("replicas");
    let excess = || (replicas > wanted).then(|| Judged::NotReady(too_many(replicas, wanted)));
    let updated = if partition > 0 {
        let beyond = wanted.saturating_sub(partition);
        short(status("updatedReplicas"), beyond, "updated")
    } else {
        let revisions = ["/status/currentRevision", "/status/updateRevision"];
        let [current, update] = revisions.map(|pointer| text(object, pointer));
        let rolling = || Judged::NotReady("has not completed its rollout".to_owned());
        (current != update).then(rolling)
    };
    first([
        short(replicas, wanted, "created"),
        short(status("readyReplicas"), wanted, "ready"),
        excess(),
        updated,
    ])
}

fn too_many(replicas: i64, wanted: i64) -> String {
    format!("has {replicas} replicas instead of {wanted}")
}

pub(super) fn daemon_set(object: &Value) -> Judged {
    let has = |pointer: &str| object.pointer(pointer).is_some_and(Value::is_i64);
    if !has("/metadata/generation") || !has("/status/observedGeneration") {
        return Judged::NotReady("has not been observed by its controller yet".to_owned());
    }
    let status = |name: &str| number(object, &format!("/status/{name}"), 0);
    let wanted = status("desiredNumberScheduled");
    first([
        short(status("currentNumberScheduled"), wanted, "scheduled"),
        short(status("updatedNumberScheduled"), wanted, "updated"),
        short(status("numberAvailable"), wanted, "available"),
        short(status("numberReady"), wanted, "ready"),
    ])
}

pub(super) fn replica_set(object: &Value) -> Judged {
    let status = |name: &str| number(object, &format!("/status/{name}"), 0);
    let wanted = number(object, "/spec/replicas", 1);
    let replicas = status("replicas");
    let failure = Condition::of(object, "ReplicaFailure").filter(Condition::is_true);
    first([
        failure.map(|failure| Judged::NotReady(failure.words("cannot create its Pods"))),
        short(status("fullyLabeledReplicas"), wanted, "labeled"),
        short(status("availableReplicas"), wanted, "available"),
        short(status("readyReplicas"), wanted, "ready"),
        (replicas > wanted).then(|| Judged::NotReady(too_many(replicas, wanted))),
    ])
}

/// Returns the reason in the condition that reports the failure of a Job. Returns None if the
/// condition has no reason.
pub(crate) fn failure_of_job(object: &Value) -> Option<String> {
    let failed = Condition::of(object, "Failed").filter(Condition::is_true);
    failed?.cited()
}

/// A Job counts as ready only when it has completed, because later steps depend on its results.
pub(super) fn job(object: &Value) -> Judged {
    let is = |about: &str| Condition::of(object, about).filter(Condition::is_true);
    if let Some(failed) = is("Failed") {
        return Judged::Failed(failed.words("has failed"));
    }
    if is("Complete").is_some() {
        return Judged::Ready;
    }
    if is("Suspended").is_some() || object.pointer("/spec/suspend") == Some(&Value::Bool(true)) {
        return Judged::NotReady("is suspended".to_owned());
    }
    let sentence = match text(object, "/status/startTime") {
        "" => "has not started yet",
        _ => "is not complete yet",
    };
    Judged::NotReady(sentence.to_owned())
}

pub(super) fn pod(object: &Value) -> Judged {
    match text(object, "/status/phase") {
        "Succeeded" => return Judged::Ready,
        "Failed" => {
            let said = Condition {
                status: "",
                reason: text(object, "/status/reason"),
                message: text(object, "/status/message"),
            };
            return Judged::Failed(said.words("has failed"));
        }
        _ => {}
    }
    let lists = ["/status/initContainerStatuses", "/status/containerStatuses"];
    let mut containers = lists.into_iter().flat_map(|list| items(object, list));
    let crashing =
        containers.find(|container| text(container, "/state/waiting/reason") == "CrashLoopBackOff");
    if let Some(container) = crashing {
        let name = text(container, "/name");
        return Judged::Failed(format!("has the crash-looping container {name}"));
    }
    if Condition::of(object, "Ready").is_some_and(|ready| ready.is_true()) {
        return Judged::Ready;
    }
    match Condition::of(object, "PodScheduled").filter(Condition::is_false) {
        Some(unscheduled) => Judged::NotReady(unscheduled.words("cannot be scheduled on any node")),
        None => Judged::NotReady("is not ready yet".to_owned()),
    }
}
