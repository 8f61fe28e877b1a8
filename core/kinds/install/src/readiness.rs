//! Whether an object is ready: the rules of kstatus, corrected where they call ready what is not, or
//! wait for what never comes.

mod workload;

use portolan_api::plan::{ReadyRule, sentence};
use portolan_core_names::text::{cite, listed};
use portolan_core_olm::{State, Verdict};
use serde_json::Value;

use crate::object::{Kind, is_terminating, items, text};

/// Whether an object is ready, with a sentence where it is not. `No` is said of what has failed; it
/// may still become ready, if the cause is removed.
pub type Readiness = Verdict<String>;

/// Additional knowledge about the kind of an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Expectation {
    /// Whether some controller has to say something in its status before it counts: its kind comes
    /// with the same plan, so that no controller has looked at an object without a status.
    pub wants_status: bool,
}

/// Whether an object is ready, as it is read from an API server.
pub fn readiness(object: &Value, expectation: Expectation) -> Readiness {
    let kind = Kind::of(object);
    verdict(of_any_kind(object).unwrap_or_else(|| of_kind(&kind, object, expectation)))
}

/// Whether an object is ready by a rule of the author of its plan. One that is being deleted never is, nor
/// is one whose controller has not seen the newest version of it.
pub fn readiness_by(rule: &ReadyRule, object: &Value) -> Readiness {
    verdict(of_any_kind(object).unwrap_or_else(|| of_rule(rule, object)))
}

fn of_rule(rule: &ReadyRule, object: &Value) -> Judged {
    let text = cite(rule.rule.text());
    match rule.holds_for(object) {
        Ok(true) => Judged::Ready,
        Ok(false) => Judged::NotReady(format!("its rule is not true: {text}")),
        Err(why) => Judged::NotReady(format!("its rule cannot be judged: {why}: {text}")),
    }
}

/// The readiness of an object that is ready.
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

/// Judges what holds for objects of any kind: one that is being deleted, or whose newest version
/// its controller has not seen, is not ready; None otherwise.
fn of_any_kind(object: &Value) -> Option<Judged> {
    if is_terminating(object) {
        let finalizers = items(object, "/metadata/finalizers");
        let finalizers: Vec<_> = finalizers.iter().filter_map(Value::as_str).collect();
        let held = match finalizers.as_slice() {
            [] => String::new(),
            some => format!("; it is {}", sentence::held_by(&listed(some))),
        };
        return Some(Judged::NotReady(format!("it is being deleted{held}")));
    }
    let generation = object.pointer("/metadata/generation")?.as_i64();
    let observed = object.pointer("/status/observedGeneration");
    let observed = observed.and_then(Value::as_i64);
    if observed.is_some_and(|observed| Some(observed) != generation) {
        let sentence = "its controller has not seen the newest version of it";
        return Some(Judged::NotReady(sentence.to_owned()));
    }
    None
}

fn of_kind(kind: &Kind, object: &Value, expectation: Expectation) -> Judged {
    if let Some(reconciling) = Condition::of(object, "Reconciling").filter(Condition::is_true) {
        return Judged::NotReady(reconciling.words("it is being reconciled"));
    }
    if let Some(stalled) = Condition::of(object, "Stalled").filter(Condition::is_true) {
        return Judged::Failed(stalled.words("it is stalled"));
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
        _ => Judged::NotReady("it is not active yet".to_owned()),
    }
}

/// A claim that waits for its first consumer is `Pending` until a Pod of a later stage uses it, and
/// nothing in it tells it from one that waits for a volume. Such Pods are not ready themselves.
fn claim(object: &Value) -> Judged {
    match text(object, "/status/phase") {
        "Lost" => Judged::Failed("its volume is lost".to_owned()),
        _ => Judged::Ready,
    }
}

/// No ingress is waited for: where no provider of load balancers is, it never comes.
fn service(object: &Value) -> Judged {
    let is_balanced = text(object, "/spec/type") == "LoadBalancer";
    if is_balanced && text(object, "/spec/clusterIP").is_empty() {
        return Judged::NotReady("it has no address in the cluster yet".to_owned());
    }
    Judged::Ready
}

fn definition(object: &Value) -> Judged {
    let names = Condition::of(object, "NamesAccepted");
    if let Some(refused) = names.as_ref().filter(|names| names.is_false()) {
        return Judged::Failed(refused.words("its names are taken"));
    }
    match Condition::of(object, "Established") {
        Some(established) if established.is_true() && names.is_some() => Judged::Ready,
        Some(established) if established.is_false() && established.reason != "Installing" => {
            Judged::Failed(established.words("it is not established"))
        }
        Some(_) | None => Judged::NotReady("it is not established yet".to_owned()),
    }
}

fn api_service(object: &Value) -> Judged {
    match Condition::of(object, "Available") {
        Some(available) if available.is_true() => Judged::Ready,
        Some(available) => Judged::NotReady(available.words("it is not available")),
        None => Judged::NotReady("nobody has looked whether it is available yet".to_owned()),
    }
}

fn of_other_kinds(object: &Value, expectation: Expectation) -> Judged {
    if let Some(ready) = Condition::of(object, "Ready") {
        return if ready.is_true() {
            Judged::Ready
        } else {
            Judged::NotReady(ready.words("it is not ready"))
        };
    }
    let status = object.get("status").and_then(Value::as_object);
    if expectation.wants_status && status.is_none_or(serde_json::Map::is_empty) {
        let sentence = "its controller has said nothing of it yet";
        return Judged::NotReady(sentence.to_owned());
    }
    Judged::Ready
}

/// One condition of a status, as far as it is judged.
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

    /// A sentence, with what the controller says as far as it says anything.
    fn words(&self, sentence: &str) -> String {
        let said = match (self.message.trim(), self.reason) {
            ("", "") => return sentence.to_owned(),
            ("", reason) => reason,
            (message, _) => message,
        };
        format!("{sentence}: {}", cite(said))
    }
}
