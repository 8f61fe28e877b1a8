//! Subscriptions, and the operators that they ask for.

use crate::fact::all_say_as;
use crate::{Condition, Fact, Object, Observed, Verdict};

/// The wish for an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// Which object.
    pub observed: Observed,
    /// The package.
    pub package: String,
    /// The channel; empty for any.
    pub channel: String,
    /// The namespace of the CatalogSource.
    pub source_namespace: String,
    /// The CatalogSource.
    pub source: String,
    /// How far OLM says it is, such as `AtLatestKnown`. It says nothing of health.
    pub state: String,
    /// The bundle that is on its way, or was the last that came; empty before the first.
    pub current_csv: String,
    /// The bundle that OLM takes for installed; empty before the first.
    pub installed_csv: String,
    /// The InstallPlan that brings, or brought, the bundle on its way; empty if there is none.
    pub plan: String,
    /// What OLM says of it.
    pub conditions: Vec<Condition>,
    /// Whether it is being deleted.
    pub is_deleting: bool,
}

/// An operator as judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// Names the operator: its Subscription or, without one, its ClusterServiceVersion.
    pub subject: Object,
    /// The package; empty if nothing tells.
    pub package: String,
    /// The newest of its ClusterServiceVersions; empty if there is none.
    pub csv: String,
    /// The version of that one.
    pub version: String,
    /// The one that it takes the place of and that is still there; empty if it is alone.
    pub replaces: String,
    /// The phase of the newest, as OLM writes it.
    pub phase: String,
    /// Why it is in that phase, as OLM writes it.
    pub phase_reason: String,
    /// The same for people.
    pub phase_message: String,
    /// The catalog that its Subscription names, as `namespace/name`; empty without one.
    pub catalog: String,
    /// What was looked at.
    pub facts: Vec<Fact>,
    /// What the facts come to.
    pub verdict: Verdict,
}

// === impl Operator ===

impl Operator {
    /// Whether both say the same in substance: everything but details, and in which state objects
    /// were.
    pub fn says_as(&self, other: &Self) -> bool {
        let Self {
            subject,
            package,
            csv,
            version,
            replaces,
            phase,
            phase_reason,
            phase_message,
            catalog,
            facts,
            verdict: _,
        } = self;
        *subject == other.subject
            && *package == other.package
            && *csv == other.csv
            && *version == other.version
            && *replaces == other.replaces
            && *phase == other.phase
            && *phase_reason == other.phase_reason
            && *phase_message == other.phase_message
            && *catalog == other.catalog
            && all_say_as(facts, &other.facts)
    }
}
