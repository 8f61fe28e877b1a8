//! The answers of the services about an operator, reduced to the fields that the controller needs.

use std::fmt;

use jiff::Timestamp;
use portolan_core_names::WireCode;
use portolan_core_olm::{ApprovalCode, HealthCode, HealthTopic, State};

/// The answers of the services.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// The resolver's view of the Subscription's catalog.
    pub sight: CatalogSight,
    /// The resolver's answer about the package.
    pub offer: Answer<Offer>,
    /// The resolver's answer about the install modes of the bundle that the Subscription starts
    /// with or has installed.
    pub modes: Answer<Modes>,
    /// The resolver's answer about the upgrades from the installed bundle.
    pub route: Answer<ReachableBundles>,
    /// The resolver's explanation, as a short tree, where OLM finds no solution.
    pub conflict: Answer<String>,
    /// The health of the operator.
    pub operator: Answer<Operator>,
    /// The health of the Subscription's catalog.
    pub catalog: Answer<Catalog>,
    /// The approval service's reviews of the InstallPlans in the namespace.
    pub reviews: Answer<Vec<PlanReview>>,
}

/// The resolver's view of a catalog. Only `Current` proves that a missing object does not exist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum CatalogSight {
    /// The resolver has not read the catalog, cannot read it now, or reports no catalogs at all. A
    /// missing object may still exist.
    #[default]
    Unclear,
    /// The resolver has read the catalog and follows its changes. What it does not list does not
    /// exist.
    Current,
    /// The resolver reports catalogs, but none with this name.
    Absent {
        /// The closest name, for a hint.
        near: Option<String>,
    },
}

/// The answer of a service to one question.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Answer<T> {
    /// The service did not need to be asked.
    #[default]
    NotAsked,
    /// The service found the object.
    Found(T),
    /// The service reports that the object does not exist. Holds its message.
    NotFound(String),
    /// The service does not answer, or its answer describes another state than the controller
    /// observes.
    Unavailable(Unavailable),
}

/// A service without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unavailable {
    /// Its name: `resolver`, `health`, `approval`.
    pub service: &'static str,
    /// The time since when it has not answered; None if it has never answered.
    pub since: Option<Timestamp>,
    /// The reason, without a final period.
    pub why: String,
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            service,
            since,
            why,
        } = self;
        match since {
            Some(since) => write!(f, "{service} has not answered since {since:.0}: {why}"),
            None => write!(f, "{service} has not answered yet: {why}"),
        }
    }
}

/// A package in its catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offer {
    /// The catalog that offers it, as `namespace/name`.
    pub catalog: String,
    /// The digest of the catalog's content.
    pub digest: String,
    /// The default channel.
    pub default_channel: String,
    /// The namespace that the author suggests; known only if it was requested.
    pub suggested_namespace: Option<String>,
    /// The author's deprecation notice, if the package is deprecated.
    pub deprecation: Option<String>,
    /// Its channels, by name.
    pub channels: Vec<Channel>,
    /// Its bundles, the newest first.
    pub bundles: Vec<Bundle>,
}

/// A channel of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// The author's deprecation notice, if the channel is deprecated.
    pub deprecation: Option<String>,
}

/// A bundle of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bundle {
    /// Its name.
    pub name: String,
    /// Its version; empty if unknown.
    pub version: String,
    /// The channels that have it.
    pub channels: Vec<String>,
    /// The author's deprecation notice, if the bundle is deprecated.
    pub deprecation: Option<String>,
}

/// The install modes that a bundle supports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Modes {
    /// The bundle.
    pub bundle: String,
    /// The supported modes, such as `AllNamespaces`; None if the catalog does not list them.
    pub supported: Option<Vec<String>>,
}

/// The bundles that an operator can upgrade to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReachableBundles {
    /// The installed bundle, as in the request.
    pub installed: String,
    /// The channel, as in the request.
    pub channel: String,
    /// The digests of the catalogs that the answer is based on.
    pub digests: Vec<String>,
    /// Every bundle that the catalog's edges reach, the newest first.
    pub reachable: Vec<Bundle>,
    /// The bundles that OLM installs one after another up to the channel head, the next first.
    pub walk: Vec<Bundle>,
    /// The reasons why the upgrade stops before the channel head, or cannot begin.
    pub blocked: Vec<Obstacle>,
}

/// The reason why an upgrade goes no further.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Obstacle {
    /// The reason as one word, such as `NoSuccessor`.
    pub reason: String,
    /// One sentence.
    pub message: String,
}

/// The health of an operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operator {
    /// Its newest ClusterServiceVersion; empty if it has none.
    pub csv: String,
    /// The verdict on its health.
    pub verdict: Verdict<HealthCode>,
    /// The facts that the verdict is based on, object by object: OperatorGroups, Deployments,
    /// ServiceAccounts, CRDs, and so on.
    pub facts: Vec<HealthFact>,
}

/// The health of a catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalog {
    /// Its name, as `namespace/name`.
    pub name: String,
    /// The state of the connection to it that OLM reports; empty if OLM reports none.
    pub connection_state: String,
    /// The verdict on its health.
    pub verdict: Verdict<HealthCode>,
}

/// A verdict with its reasons.
pub type Verdict<C> = portolan_core_olm::Verdict<Why<C>>;

/// The reason why a verdict is not Yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why<C> {
    /// The code of the reason.
    pub code: WireCode<C>,
    /// One sentence.
    pub message: String,
}

/// A fact about one object, as the health service reports it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HealthFact {
    /// Its kind.
    pub kind: String,
    /// Its namespace; empty if it is cluster-scoped.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its uid; empty if the object does not exist.
    pub uid: String,
    /// The resourceVersion that the health service saw; empty if the object does not exist.
    pub resource_version: String,
    /// The state that the fact contributes to the overall verdict.
    pub state: State,
    /// The code of the fact.
    pub code: WireCode<HealthCode>,
    /// One sentence.
    pub message: String,
}

/// The review of one InstallPlan by the approval service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanReview {
    /// The plan.
    pub plan: String,
    /// The uid that the approval service saw.
    pub uid: String,
    /// The resourceVersion that the approval service saw.
    pub resource_version: String,
    /// The verdict of the policies.
    pub verdict: Verdict<ApprovalCode>,
    /// The policies that were evaluated, with their uids and generations.
    pub policies: Vec<ReviewedPolicy>,
    /// Its bundles.
    pub bundles: Vec<PlannedBundle>,
}

/// A policy in the version that the approval service evaluated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewedPolicy {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// Its generation.
    pub generation: u32,
}

/// A bundle of an InstallPlan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlannedBundle {
    /// Its name.
    pub name: String,
    /// Its package; empty if unknown.
    pub package: String,
    /// Its version; empty if unknown.
    pub version: String,
    /// The verdict on this bundle.
    pub verdict: Verdict<ApprovalCode>,
    /// The policies that allow it. One is enough.
    pub allowances: Vec<Allowance>,
    /// The changes that would allow it, one sentence each, the nearest first.
    pub fixes: Vec<String>,
}

/// A policy that allows a bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowance {
    /// The uid of the policy.
    pub uid: String,
    /// The chain of bundles that requires this one, starting with a bundle that the policy names.
    /// Empty if the policy names this bundle itself.
    pub needed_by: Vec<String>,
}

// === impl Operator ===

impl Operator {
    /// Returns the message of the verdict's first reason about a topic.
    pub(crate) fn first_about(&self, topic: HealthTopic) -> Option<&str> {
        let mut reasons = self.verdict.reasons.iter();
        let reason = reasons.find(|reason| {
            let code = reason.code.known();
            code.is_some_and(|code| code.topic() == topic)
        })?;
        Some(&reason.message)
    }
}
