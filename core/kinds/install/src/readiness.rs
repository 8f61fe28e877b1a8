//! Judges if objects are ready, by the rules of kstatus. Some rules differ: kstatus reports some
//! objects as ready too early, and waits forever for others.

mod workload;

use portolan_api::plan::ReadyRule;
use portolan_core_names::GroupKind;
use portolan_core_names::text::cite;
use portolan_core_olm::{State, Verdict};
use serde_json::Value;
pub(crate) use workload::failure_of_job;

use crate::object::{held_by, is_terminating, items, text};

/// The readiness of an object. If the object is not ready, it contains a sentence. `No` means that
/// the object has failed. The object may still become ready when a user fixes the cause.
pub type Readiness = Verdict<String>;

/// Additional information that the readiness of an object depends on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Expectation {
    /// True if the object is ready only after a controller has written its status. This is the case
    /// if the plan also contains the CRD of the object. An object without a status then shows that
    /// the new controller has not reconciled it yet.
    pub wants_status: bool,
}

/// Judges if the object, as read from the API server, is ready.
pub fn readiness(object: &Value, expectation: Expectation) -> Readiness {
    let kind = GroupKind::of(object);
    verdict(of_any_kind(object).unwrap_or_else(|| of_kind(&kind, object, expectation)))
}

/// Judges if the object is ready by a rule of the plan. An object is never ready while it is being
/// deleted, or while its controller has not observed its latest generation.
pub fn readiness_by(rule: &ReadyRule, object: &Value) -> Readiness {
    verdict(of_any_kind(object).unwrap_or_else(|| of_rule(rule, object)))
}

fn of_rule(rule: &ReadyRule, object: &Value) -> Judged {
    let text = cite(rule.rule.text());
    match rule.holds_for(object) {
        Ok(true) => Judged::Ready,
        Ok(false) => Judged::NotReady(format!("has a readiness rule that is not true: {text}")),
        Err(why) => Judged::NotReady(format!(
            "has a readiness rule that cannot be evaluated: {why}: {text}"
        )),
    }
}

/// Returns the readiness `Yes`.
pub(crate) fn ready() -> Readiness {
    verdict(Judged::Ready)
}

fn verdict(judged: Judged) -> Readiness {
    match judged {
        Judged::Ready => Verdict {
            state: State::Yes,
            reasons: Vec::new(),
        },
        Judged::NotReady(sentence) => Verdict {
            state: State::NotYet,
            reasons: vec![sentence],
        },
        Judged::Failed(sentence) => Verdict {
            state: State::No,
            reasons: vec![sentence],
        },
    }
}

/// The result of one rule.
enum Judged {
    Ready,
    NotReady(String),
    Failed(String),
}

/// Applies the rules for all kinds. Returns `NotReady` while the object is being deleted, or while
/// its controller has not observed its latest generation. Returns None otherwise.
fn of_any_kind(object: &Value) -> Option<Judged> {
    if is_terminating(object) {
        let held = held_by(object, ", and is ");
        return Some(Judged::NotReady(format!("is being deleted{held}")));
    }
    let generation = object.pointer("/metadata/generation")?.as_i64();
    let observed = object.pointer("/status/observedGeneration");
    let observed = observed.and_then(Value::as_i64);
    if observed.is_some_and(|observed| Some(observed) != generation) {
        let sentence = "has a change that its controller has not observed yet";
        return Some(Judged::NotReady(sentence.to_owned()));
    }
    None
}

fn of_kind(kind: &GroupKind, object: &Value, expectation: Expectation) -> Judged {
    if let Some(reconciling) = Condition::of(object, "Reconciling").filter(Condition::is_true) {
        return Judged::NotReady(reconciling.words("is being reconciled"));
    }
    if let Some(stalled) = Condition::of(object, "Stalled").filter(Condition::is_true) {
        return Judged::Failed(stalled.words("is stalled"));
    }
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("apps", "Deployment") => workload::deployment(object),
        ("apps", "StatefulSet") => workload::stateful_set(object),
        ("apps", "DaemonSet") => workload::daemon_set(object),
        ("apps", "ReplicaSet") => workload::replica_set(object),
        ("batch", "Job") => workload::job(object),
        ("", "Pod") => workload::pod(object),
        ("", "Namespace") => namespace(object),
        ("", "PersistentVolumeClaim") => claim(object),
        ("", "Service") => service(object),
        (
            "",
            "ConfigMap" | "Secret" | "ServiceAccount" | "Endpoints" | "LimitRange"
            | "ResourceQuota",
        )
        | ("batch", "CronJob")
        | ("policy", "PodDisruptionBudget")
        | ("rbac.authorization.k8s.io", _) => Judged::Ready,
        ("apiextensions.k8s.io", "CustomResourceDefinition") => definition(object),
        ("apiregistration.k8s.io", "APIService") => api_service(object),
        _ => of_other_kinds(object, expectation),
    }
}

fn namespace(object: &Value) -> Judged {
    match text(object, "/status/phase") {
        "Active" => Judged::Ready,
        _ => Judged::NotReady("is not active yet".to_owned()),
    }
}

/// A `Pending` claim counts as ready. It may wait for its first consumer, a Pod of a later stage.
/// The claim may also wait for a volume, but then the Pods that use it are not ready either.
fn claim(object: &Value) -> Judged {
    match text(object, "/status/phase") {
        "Lost" => Judged::Failed("has lost its volume".to_owned()),
        _ => Judged::Ready,
    }
}

/// A Service counts as ready without an ingress status. A cluster without a load balancer provider
/// never sets it.
fn service(object: &Value) -> Judged {
    let is_balanced = text(object, "/spec/type") == "LoadBalancer";
    if is_balanced && text(object, "/spec/clusterIP").is_empty() {
        return Judged::NotReady("has no address in the cluster yet".to_owned());
    }
    Judged::Ready
}

fn definition(object: &Value) -> Judged {
    let names = Condition::of(object, "NamesAccepted");
    if let Some(refused) = names.as_ref().filter(|names| names.is_false()) {
        return Judged::Failed(
            refused.words("has names that another CustomResourceDefinition already uses"),
        );
    }
    match Condition::of(object, "Established") {
        Some(established) if established.is_true() && names.is_some() => Judged::Ready,
        Some(established) if established.is_false() && established.reason != "Installing" => {
            Judged::Failed(established.words("is not established"))
        }
        Some(_) | None => Judged::NotReady("is not established yet".to_owned()),
    }
}

fn api_service(object: &Value) -> Judged {
    match Condition::of(object, "Available") {
        Some(available) if available.is_true() => Judged::Ready,
        Some(available) => Judged::NotReady(available.words("is not available")),
        None => Judged::NotReady("has not been checked for availability yet".to_owned()),
    }
}

fn of_other_kinds(object: &Value, expectation: Expectation) -> Judged {
    if let Some(ready) = Condition::of(object, "Ready") {
        return if ready.is_true() {
            Judged::Ready
        } else {
            Judged::NotReady(ready.words("is not ready"))
        };
    }
    let status = object.get("status").and_then(Value::as_object);
    if expectation.wants_status && status.is_none_or(serde_json::Map::is_empty) {
        let sentence = "has no status from its controller yet";
        return Judged::NotReady(sentence.to_owned());
    }
    Judged::Ready
}

/// The fields of a status condition that readiness depends on.
struct Condition<'o> {
    status: &'o str,
    reason: &'o str,
    message: &'o str,
}

impl<'o> Condition<'o> {
    fn of(object: &'o Value, about: &str) -> Option<Self> {
        let conditions = items(object, "/status/conditions").iter();
        let mut same = conditions.filter(|condition| text(condition, "/type") == about);
        same.next().map(|condition| Self {
            status: text(condition, "/status"),
            reason: text(condition, "/reason"),
            message: text(condition, "/message"),
        })
    }

    fn is_true(&self) -> bool {
        self.status == "True"
    }

    fn is_false(&self) -> bool {
        self.status == "False"
    }

    /// Returns the sentence, followed by the condition's message or reason, if it has one.
    fn words(&self, sentence: &str) -> String {
        match self.cited() {
            Some(said) => format!("{sentence}: {said}"),
            None => sentence.to_owned(),
        }
    }

    /// Returns the condition's message or, without a message, its reason. Returns None if it has
    /// neither.
    fn cited(&self) -> Option<String> {
        match (self.message.trim(), self.reason) {
            ("", "") => None,
            ("", reason) => Some(cite(reason)),
            (message, _) => Some(cite(message)),
        }
    }
}
