//! What the controller counts, and the gauge that dashboards of policies already know.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use portolan_api::{Compliance, OperatorPolicy};
use portolan_decide::{Action, Answers, Heard, Outcome, Step};
use portolan_world::Key;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::write::Written;

/// Seconds; from a look at what is known to a removal that waits for an API server.
const BUCKETS: [f64; 9] = [0.001, 0.005, 0.025, 0.1, 0.25, 1.0, 5.0, 15.0, 60.0];

/// Everything that the controller counts.
#[derive(Debug)]
pub(crate) struct Metrics {
    /// 0 for Compliant, 1 for NonCompliant, -1 where that is not known.
    policies: Family<PolicyLabels, Gauge>,
    /// The one series that each policy has.
    series: Mutex<BTreeMap<Key, PolicyLabels>>,
    reconciles: Family<ResultLabels, Counter>,
    seconds: Histogram,
    answers: Family<AnswerLabels, Counter>,
    writes: Family<WriteLabels, Counter>,
    read_only: Gauge,
    leader: Gauge,
}

/// How grave it is if a policy is not met, in the word that its author wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Severity(&'static str);

/// Names of objects are labels of this one gauge alone, as others have long counted on them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PolicyLabels {
    kind: &'static str,
    policy: String,
    policy_namespace: String,
    severity: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ResultLabels {
    result: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AnswerLabels {
    service: &'static str,
    heard: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct WriteLabels {
    kind: &'static str,
    verb: &'static str,
    result: &'static str,
}

// === impl Metrics ===

impl Metrics {
    /// None counted yet, and the registry that tells of them.
    pub(crate) fn new() -> (Self, Registry) {
        let metrics = Self {
            policies: Family::default(),
            series: Mutex::default(),
            reconciles: Family::default(),
            seconds: Histogram::new(BUCKETS),
            answers: Family::default(),
            writes: Family::default(),
            read_only: Gauge::default(),
            leader: Gauge::default(),
        };
        let mut registry = Registry::default();
        metrics.register(&mut registry);
        (metrics, registry)
    }

    fn register(&self, registry: &mut Registry) {
        registry.register(
            "cluster_policy_governance_info",
            "Whether a policy is met: 0 Compliant, 1 NonCompliant, -1 not known",
            self.policies.clone(),
        );
        registry.register(
            "portolan_controller_reconciles",
            "Looks at a policy, by how they ended",
            self.reconciles.clone(),
        );
        registry.register(
            "portolan_controller_reconcile_seconds",
            "How long a look at a policy took",
            self.seconds.clone(),
        );
        registry.register(
            "portolan_controller_answers",
            "Answers of the services, by whether they could be used",
            self.answers.clone(),
        );
        registry.register(
            "portolan_controller_writes",
            "Writes for policies, by how they ended",
            self.writes.clone(),
        );
        registry.register(
            "portolan_controller_read_only",
            "Whether the controller only looks on",
            self.read_only.clone(),
        );
        registry.register(
            "portolan_controller_is_leader",
            "Whether this replica is the one that writes",
            self.leader.clone(),
        );
    }

    /// How it is with a policy.
    pub(crate) fn is(&self, key: &Key, severity: Severity, compliance: Option<Compliance>) {
        let labels = PolicyLabels {
            kind: "OperatorPolicy",
            policy: key.name.to_string(),
            policy_namespace: key.namespace.to_string(),
            severity: severity.0,
        };
        let value = match compliance {
            Some(Compliance::Compliant) => 0,
            Some(Compliance::NonCompliant) => 1,
            Some(Compliance::Pending | Compliance::Terminating) | None => -1,
        };
        let before = self.series().insert(key.clone(), labels.clone());
        if let Some(before) = before.filter(|before| *before != labels) {
            self.policies.remove(&before);
        }
        self.policies.get_or_create(&labels).set(value);
    }

    /// A policy is gone.
    pub(crate) fn forget(&self, key: &Key) {
        if let Some(labels) = self.series().remove(key) {
            self.policies.remove(&labels);
        }
    }

    /// A policy was looked at.
    pub(crate) fn reconciled(&self, has_failed: bool, took: Duration) {
        let result = if has_failed { "failed" } else { "done" };
        self.reconciles
            .get_or_create(&ResultLabels { result })
            .inc();
        self.seconds.observe(took.as_secs_f64());
    }

    /// The services were asked.
    pub(crate) fn heard(&self, answers: &Answers) {
        let Answers {
            offer,
            modes,
            route,
            conflict,
            operator,
            catalog,
            reviews,
        } = answers;
        let heard = [
            ("resolver", word(offer)),
            ("resolver", word(modes)),
            ("resolver", word(route)),
            ("resolver", word(conflict)),
            ("health", word(operator)),
            ("health", word(catalog)),
            ("approval", word(reviews)),
        ];
        for (service, heard) in heard {
            if let Some(heard) = heard {
                let labels = AnswerLabels { service, heard };
                self.answers.get_or_create(&labels).inc();
            }
        }
    }

    /// Steps were carried out, up to the first that was not done.
    pub(crate) fn wrote(&self, steps: &[Step], written: &[Written]) {
        for (step, written) in steps.iter().zip(written) {
            let (kind, verb) = act(&step.action);
            let result = match &written.outcome {
                Outcome::Done { .. } => "done",
                Outcome::Changed(_) => "changed",
                Outcome::Refused(_) => "refused",
                Outcome::Lost(_) => "lost",
            };
            let labels = WriteLabels { kind, verb, result };
            self.writes.get_or_create(&labels).inc();
        }
    }

    /// Whether nothing is written.
    pub(crate) fn is_read_only(&self, is_so: bool) {
        self.read_only.set(i64::from(is_so));
    }

    /// This replica is the one that writes.
    pub(crate) fn leads(&self) {
        self.leader.set(1);
    }

    fn series(&self) -> std::sync::MutexGuard<'_, BTreeMap<Key, PolicyLabels>> {
        // Nothing in there panics half way, so what it holds is whole.
        self.series.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl Severity ===

impl Severity {
    /// What a policy says, also one that is not valid. What is no severity is none: a label has no
    /// value that anybody can think of.
    pub(crate) fn of(policy: &OperatorPolicy) -> Self {
        let word = policy.spec.as_json().get("severity");
        let word = word.and_then(|word| word.as_str()).unwrap_or_default();
        let known = ["low", "medium", "high", "critical"];
        let known = known
            .into_iter()
            .find(|known| known.eq_ignore_ascii_case(word));
        Self(known.unwrap_or_default())
    }
}

/// Whether an answer can be used; None if nobody asked.
fn word<T>(heard: &Heard<T>) -> Option<&'static str> {
    match heard {
        Heard::Unasked => None,
        Heard::Said(_) => Some("used"),
        Heard::Nothing(_) => Some("nothing"),
        Heard::Silent(_) => Some("refused"),
    }
}

/// The kind that is written, and how.
fn act(action: &Action) -> (&'static str, &'static str) {
    match action {
        Action::Create(object) => (known_kind(object), "create"),
        Action::Apply(object) => (known_kind(object), "apply"),
        Action::Replace { object, .. } => (object.kind, "update"),
        Action::Approve(plan) => (plan.kind, "approve"),
        Action::Mend { subscription, .. } => (subscription.kind, "mend"),
        Action::Delete { object, .. } => (object.kind, "delete"),
        Action::Hold => ("OperatorPolicy", "hold"),
        Action::Release => ("OperatorPolicy", "release"),
        Action::Record => ("OperatorPolicy", "record"),
    }
}

/// The kind of an object that is made, of those that are.
fn known_kind(object: &serde_json::Value) -> &'static str {
    let kinds = ["Namespace", "OperatorGroup", "Subscription"];
    let known = kinds.into_iter().find(|kind| object["kind"] == **kind);
    known.unwrap_or("other")
}
