//! The answers of the services about an operator, as far as the controller needs them.

use std::fmt;

use jiff::Timestamp;
use portolan_core_names::WireCode;
use portolan_core_olm::{ApprovalCode, HealthCode, HealthTopic, State};

/// The answers of the services.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// The view that the resolver has of the catalog of the Subscription.
    pub sight: Sight,
    /// The resolver, of the package: the offer.
    pub offer: Answer<Offer>,
    /// The resolver, of the bundle that the Subscription begins with or has: the ways of watching
    /// namespaces that it supports.
    pub modes: Answer<Modes>,
    /// The resolver, of what is installed: where it can go.
    pub route: Answer<Route>,
    /// The resolver, where OLM resolves nothing: why, as a short tree.
    pub conflict: Answer<String>,
    /// Health, of the operator.
    pub operator: Answer<Operator>,
    /// Health, of the catalog of its Subscription.
    pub catalog: Answer<Catalog>,
    /// Approval, of the InstallPlans of the namespace.
    pub reviews: Answer<Vec<Review>>,
}

/// The view that the resolver has of a catalog: whether its answers prove that something is not
/// there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Sight {
    /// Nothing follows: it has not read the catalog, or cannot read it at this moment, or tells of
    /// no catalog at all.
    #[default]
    Unclear,
    /// It has the content and follows it: what it does not have is not there.
    Current,
    /// It tells of catalogs, and none is called so.
    Absent {
        /// The one that was probably meant.
        near: Option<String>,
    },
}

/// The answer of a service to one question.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Answer<T> {
    /// There was no need to ask.
    #[default]
    NotAsked,
    /// It answers.
    Found(T),
    /// It answers that there is no such thing, in its own sentence.
    NotFound(String),
    /// It does not answer, or its answer is not about what the controller sees.
    Unavailable(Unavailable),
}

/// A service without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unavailable {
    /// Its name: `resolver`, `health`, `approval`.
    pub service: &'static str,
    /// Since when; None if it never answered.
    pub since: Option<Timestamp>,
    /// Why, without a full stop.
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

/// A package as its catalog has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offer {
    /// The catalog that offers it, as `namespace/name`.
    pub catalog: String,
    /// The digest of the catalog's content.
    pub digest: String,
    /// The channel for those who name none.
    pub default_channel: String,
    /// The namespace that its author suggests; known only if that was asked.
    pub suggested_namespace: Option<String>,
    /// Why its author gives it up, if so.
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
    /// Why its author gives it up, if so.
    pub deprecation: Option<String>,
}

/// A bundle of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bundle {
    /// Its name.
    pub name: String,
    /// Its version; empty if it is not known.
    pub version: String,
    /// The channels that have it.
    pub channels: Vec<String>,
    /// Why its author advises against it, if so.
    pub deprecation: Option<String>,
}

/// The ways of watching namespaces that a bundle supports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Modes {
    /// The bundle.
    pub bundle: String,
    /// Such as `AllNamespaces`; None if its catalog does not tell.
    pub supported: Option<Vec<String>>,
}

/// The bundles that an operator can go to from the installed one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Route {
    /// The installed bundle, as asked.
    pub installed: String,
    /// The channel, as asked.
    pub channel: String,
    /// The digests of the catalogs that the answer was made from.
    pub digests: Vec<String>,
    /// Everything that the catalog's edges lead to, the newest first.
    pub reachable: Vec<Bundle>,
    /// The bundles that OLM goes through to the head by itself, the next first.
    pub walk: Vec<Bundle>,
    /// Why it goes no further, or nowhere.
    pub blocked: Vec<Obstacle>,
}

/// Why it goes no further.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Obstacle {
    /// The reason in one word, such as `NoSuccessor`.
    pub reason: String,
    /// One sentence.
    pub message: String,
}

/// The health of an operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operator {
    /// Its newest ClusterServiceVersion; empty if there is none.
    pub csv: String,
    /// Whether it is well.
    pub verdict: Verdict<HealthCode>,
    /// The facts that the verdict is based on, object by object: OperatorGroups, Deployments,
    /// ServiceAccounts, CRDs, and so on.
    pub facts: Vec<Fact>,
}

/// The health of a catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalog {
    /// As `namespace/name`.
    pub name: String,
    /// The state of the connection to it that OLM reports; empty if OLM reports none.
    pub connection_state: String,
    /// Whether it is well.
    pub verdict: Verdict<HealthCode>,
}

/// Whether something is so.
pub type Verdict<C> = portolan_core_olm::Verdict<Why<C>>;

/// Why an answer is not Yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why<C> {
    /// The code of the reason.
    pub code: WireCode<C>,
    /// One sentence.
    pub message: String,
}

/// A fact about one object, as the health service reports it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fact {
    /// Its kind.
    pub kind: String,
    /// Its namespace; empty where it is in none.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its uid; empty if it is not there.
    pub uid: String,
    /// Its resourceVersion as health saw it; empty if it is not there.
    pub resource_version: String,
    /// The state that it contributes to the verdict on the whole.
    pub state: State,
    /// The code of the fact.
    pub code: WireCode<HealthCode>,
    /// One sentence.
    pub message: String,
}

/// The review of one InstallPlan by the approval service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Review {
    /// The plan.
    pub plan: String,
    /// Its uid as approval saw it.
    pub uid: String,
    /// Its resourceVersion as approval saw it.
    pub resource_version: String,
    /// Whether the policies allow it.
    pub verdict: Verdict<ApprovalCode>,
    /// The policies that it was judged by, with their uids and generations.
    pub policies: Vec<ReviewedPolicy>,
    /// Each bundle of it.
    pub bundles: Vec<PlannedBundle>,
}

/// A policy as approval knew it.
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
    /// Its package; empty if nothing tells.
    pub package: String,
    /// Its version; empty if nothing tells.
    pub version: String,
    /// Whether it is allowed.
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
    /// The bundles through which one that the policy names needs it, from that one on; empty if the
    /// policy names it itself.
    pub needed_by: Vec<String>,
}

// === impl Operator ===

impl Operator {
    /// The sentence of the first reason of its Verdict that is about something.
    pub(crate) fn first_about(&self, topic: HealthTopic) -> Option<&str> {
        let mut reasons = self.verdict.reasons.iter();
        let reason = reasons.find(|reason| {
            let code = reason.code.known();
            code.is_some_and(|code| code.topic() == topic)
        })?;
        Some(&reason.message)
    }
}
