//! The metrics of the controller. One gauge has the name that existing dashboards for policies use.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use portolan_api::{Compliance, OperatorPolicy};
use portolan_core_operatorpolicy::{Answer, Answers, Observed, PlanReview, is_outdated};
use portolan_operators::BindingMetrics;
use portolan_plans::PlanMetrics;
use portolan_runtime::ControllerMetrics;
use portolan_webhook::PresenceMetrics;
use portolan_world::Key;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// All metrics of the controller.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// The compliance of each policy: 0 for Compliant, 1 for NonCompliant, -1 if it is unknown.
    policies: Family<PolicyLabels, Gauge>,
    /// The labels under which each policy has a time series.
    series: Mutex<BTreeMap<Key, PolicyLabels>>,
    answers: Family<AnswerLabels, Counter>,
    /// The reconciliations and writes of all controllers.
    pub(crate) controllers: ControllerMetrics,
    /// The members of InstallPlans.
    pub(crate) plans: PlanMetrics,
    /// The PolicyBindings without effect.
    pub(crate) bindings: BindingMetrics,
    /// The availability of the webhook.
    pub(crate) webhook: PresenceMetrics,
    read_only: Gauge,
    leader: Gauge,
}

/// The severity of a violated policy, as its author wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Severity(&'static str);

/// The labels of the gauge of policies. They contain object names, because existing dashboards rely
/// on them. The same applies to the gauge of InstallPlans.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PolicyLabels {
    kind: &'static str,
    policy: String,
    policy_namespace: String,
    severity: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AnswerLabels {
    service: &'static str,
    heard: &'static str,
}

// === impl Metrics ===

impl Metrics {
    /// Creates the metrics and a registry with them.
    pub(crate) fn new() -> (Self, Registry) {
        let metrics = Self::default();
        let mut registry = Registry::default();
        metrics.register(&mut registry);
        (metrics, registry)
    }

    fn register(&self, registry: &mut Registry) {
        registry.register(
            "cluster_policy_governance_info",
            "Compliance of a policy: 0 Compliant, 1 NonCompliant, -1 unknown",
            self.policies.clone(),
        );
        registry.register(
            "portolan_controller_answers",
            "Number of responses of the services, by service and result: used, nothing or refused",
            self.answers.clone(),
        );
        self.controllers.register(registry);
        self.plans.register(registry);
        self.bindings.register(registry);
        self.webhook.register(registry);
        registry.register(
            "portolan_controller_read_only",
            "1 if the controller is read-only",
            self.read_only.clone(),
        );
        registry.register(
            "portolan_controller_is_leader",
            "1 if this replica is the leader, so that it may write to the cluster",
            self.leader.clone(),
        );
    }

    /// Sets the gauge of a policy to its compliance.
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

    /// Removes the time series of a deleted policy.
    pub(crate) fn forget(&self, key: &Key) {
        if let Some(labels) = self.series().remove(key) {
            self.policies.remove(&labels);
        }
    }

    /// Counts the responses of the services about a policy.
    pub(crate) fn count_answers(&self, answers: &Answers, observed: &Observed) {
        let Answers {
            sight: _,
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
            ("approval", word_of_reviews(reviews, observed)),
        ];
        for (service, heard) in heard {
            if let Some(heard) = heard {
                let labels = AnswerLabels { service, heard };
                self.answers.get_or_create(&labels).inc();
            }
        }
    }

    /// Sets the gauge that shows if the controller is read-only.
    pub(crate) fn is_read_only(&self, is_so: bool) {
        self.read_only.set(i64::from(is_so));
    }

    /// Sets the gauge that shows that this replica is the leader.
    pub(crate) fn leads(&self) {
        self.leader.set(1);
    }

    fn series(&self) -> std::sync::MutexGuard<'_, BTreeMap<Key, PolicyLabels>> {
        // No code that holds this lock can panic while the data is inconsistent, so a poisoned lock
        // is safe to use.
        self.series.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl Severity ===

impl Severity {
    /// Returns the severity of a policy. An unknown severity becomes the empty text, because the
    /// values of a label must be limited.
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

/// Returns the label value for the outcome of a request. Returns None if there was no request.
fn word<T>(heard: &Answer<T>) -> Option<&'static str> {
    match heard {
        Answer::NotAsked => None,
        Answer::Found(_) => Some("used"),
        Answer::NotFound(_) => Some("nothing"),
        Answer::Unavailable(_) => Some("refused"),
    }
}

/// Returns the label value like [`word`], for reviews, which may be outdated.
fn word_of_reviews(reviews: &Answer<Vec<PlanReview>>, observed: &Observed) -> Option<&'static str> {
    match reviews {
        Answer::Found(all) if all.iter().any(|review| is_outdated(review, observed)) => {
            Some("refused")
        }
        Answer::Found(_) | Answer::NotAsked | Answer::NotFound(_) | Answer::Unavailable(_) => {
            word(reviews)
        }
    }
}
