//! The responses of the services about one operator. They contain only the fields that a decision
//! needs.

use std::fmt;

use jiff::Timestamp;
use portolan_core_names::WireCode;
use portolan_core_olm::{ApprovalCode, HealthCode, HealthTopic, State};

/// The responses of the resolver, the health service and the approval service for one policy.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// The state of the resolver's data about the catalog of the Subscription.
    pub sight: CatalogSight,
    /// The resolver's response about the package.
    pub offer: Answer<Offer>,
    /// The resolver's response about the install modes of a bundle: the installed bundle or, before
    /// the installation, the starting bundle.
    pub modes: Answer<Modes>,
    /// The resolver's response about the upgrades from the installed bundle.
    pub route: Answer<ReachableBundles>,
    /// The resolver's explanation as a short tree, for a Subscription that OLM cannot resolve.
    pub conflict: Answer<String>,
    /// The health of the operator.
    pub operator: Answer<Operator>,
    /// The health of the Subscription's catalog.
    pub catalog: Answer<Catalog>,
    /// The approval service's reviews of the InstallPlans in the namespace.
    pub reviews: Answer<Vec<PlanReview>>,
}

/// The state of the resolver's data about a catalog. Only `Current` proves that an object does not
/// exist if the resolver does not list it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum CatalogSight {
    /// The resolver has not read the catalog, cannot read it now, or reports no catalogs at all.
    /// Objects that the resolver does not list may still exist.
    #[default]
    Unclear,
    /// The resolver has read the catalog and watches it for changes. Objects that the resolver does
    /// not list do not exist.
    Current,
    /// The resolver reports catalogs, but no catalog with this name.
    Absent {
        /// The catalog with the most similar name, for a hint. None if no name is similar.
        near: Option<String>,
    },
}

/// The response of a service to one request.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Answer<T> {
    /// The controller did not send a request to the service, because the decision does not need the
    /// response.
    #[default]
    NotAsked,
    /// The service found the object.
    Found(T),
    /// The service reports that the object does not exist. Contains the message of the service.
    NotFound(String),
    /// The service does not respond, or its response is based on an older state than the
    /// controller's observation.
    Unavailable(Unavailable),
}

/// The reason why a service has no usable response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unavailable {
    /// The name of the service: `resolver`, `health` or `approval`.
    pub service: &'static str,
    /// The time since which no usable response exists. None if the service never gave a usable
    /// response.
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
            Some(since) => write!(f, "no answer from {service} since {since:.0}: {why}"),
            None => write!(f, "no answer from {service} yet: {why}"),
        }
    }
}

/// A package in a catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offer {
    /// The catalog that contains the package, as `namespace/name`.
    pub catalog: String,
    /// The digest of the catalog's content.
    pub digest: String,
    /// The name of the package's default channel.
    pub default_channel: String,
    /// The namespace that the author suggests. None if the author suggests no namespace, or if the
    /// controller did not request it.
    pub suggested_namespace: Option<String>,
    /// The author's deprecation notice, if the package is deprecated.
    pub deprecation: Option<String>,
    /// The channels of the package, sorted by name.
    pub channels: Vec<Channel>,
    /// The bundles of the package, the newest first.
    pub bundles: Vec<Bundle>,
}

/// A channel of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Channel {
    /// The name of the channel.
    pub name: String,
    /// The author's deprecation notice, if the channel is deprecated.
    pub deprecation: Option<String>,
}

/// A bundle of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bundle {
    /// The name of the bundle.
    pub name: String,
    /// The version of the bundle. Empty if it is unknown.
    pub version: String,
    /// The channels that contain the bundle.
    pub channels: Vec<String>,
    /// The author's deprecation notice, if the bundle is deprecated.
    pub deprecation: Option<String>,
}

/// The install modes that a bundle supports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Modes {
    /// The name of the bundle.
    pub bundle: String,
    /// The supported modes, such as `AllNamespaces`. None if the catalog does not list them.
    pub supported: Option<Vec<String>>,
}

/// The bundles that an operator can upgrade to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReachableBundles {
    /// The installed bundle that the controller sent in the request.
    pub installed: String,
    /// The channel that the controller sent in the request.
    pub channel: String,
    /// The digests of the catalogs on which the response is based.
    pub digests: Vec<String>,
    /// All bundles that are reachable through the catalog's upgrade edges, newest first.
    pub reachable: Vec<Bundle>,
    /// The bundles that OLM installs one after another, from the next bundle to the channel head.
    pub walk: Vec<Bundle>,
    /// The reasons why the upgrade cannot begin, or why it stops before the channel head.
    pub blocked: Vec<Obstacle>,
}

/// The reason why an upgrade stops at a bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Obstacle {
    /// The reason as one word in CamelCase, such as `NoSuccessor`.
    pub reason: String,
    /// One sentence that explains the reason.
    pub message: String,
}

/// The health of an operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operator {
    /// The newest ClusterServiceVersion of the operator. Empty if it has none.
    pub csv: String,
    /// The verdict on the health of the operator.
    pub verdict: Verdict<HealthCode>,
    /// The facts on which the verdict is based, one for each object: OperatorGroups, Deployments,
    /// ServiceAccounts, CRDs and others.
    pub facts: Vec<HealthFact>,
}

/// The health of a catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalog {
    /// The name of the CatalogSource, as `namespace/name`.
    pub name: String,
    /// The connection state of the catalog as reported by OLM. Empty if OLM reports no state.
    pub connection_state: String,
    /// The verdict on the health of the catalog.
    pub verdict: Verdict<HealthCode>,
}

/// A verdict with the reasons why it is not Yes.
pub type Verdict<C> = portolan_core_olm::Verdict<Why<C>>;

/// The reason why a verdict is not Yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why<C> {
    /// The code of the reason.
    pub code: WireCode<C>,
    /// One sentence that explains the reason.
    pub message: String,
}

/// A fact about one object, as the health service reports it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HealthFact {
    /// The kind of the object.
    pub kind: String,
    /// The namespace of the object. Empty if the object is cluster-scoped.
    pub namespace: String,
    /// The name of the object.
    pub name: String,
    /// The uid of the object. Empty if the object does not exist.
    pub uid: String,
    /// The resourceVersion that the health service saw. Empty if the object does not exist.
    pub resource_version: String,
    /// The state of this object. The overall verdict is computed from the states of all facts.
    pub state: State,
    /// The health code of the fact.
    pub code: WireCode<HealthCode>,
    /// One sentence about the object.
    pub message: String,
}

/// The review of one InstallPlan by the approval service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanReview {
    /// The name of the InstallPlan.
    pub plan: String,
    /// The uid of the InstallPlan that the approval service reviewed.
    pub uid: String,
    /// The resourceVersion of the InstallPlan that the approval service reviewed.
    pub resource_version: String,
    /// The verdict of the policies on the InstallPlan.
    pub verdict: Verdict<ApprovalCode>,
    /// The policies that were evaluated, with their uids and generations.
    pub policies: Vec<ReviewedPolicy>,
    /// The bundles that the InstallPlan installs, each with its own verdict.
    pub bundles: Vec<PlannedBundle>,
}

/// A policy in the version that the approval service evaluated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewedPolicy {
    /// The namespace of the policy.
    pub namespace: String,
    /// The name of the policy.
    pub name: String,
    /// The uid of the policy.
    pub uid: String,
    /// The generation of the policy that the approval service evaluated.
    pub generation: u32,
}

/// A bundle that an InstallPlan installs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlannedBundle {
    /// The name of the bundle.
    pub name: String,
    /// The package of the bundle. Empty if it is unknown.
    pub package: String,
    /// The version of the bundle. Empty if it is unknown.
    pub version: String,
    /// The verdict of the policies on this bundle.
    pub verdict: Verdict<ApprovalCode>,
    /// The policies that allow the bundle. One such policy is sufficient.
    pub allowances: Vec<Allowance>,
    /// The changes that would make the policies allow the bundle, one sentence each. The smallest
    /// change is first.
    pub fixes: Vec<String>,
}

/// A policy that allows a bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowance {
    /// The uid of the policy that allows the bundle.
    pub uid: String,
    /// The chain of bundles that requires this bundle. The first bundle is named in the policy.
    /// Empty if the policy names this bundle itself.
    pub needed_by: Vec<String>,
}

// === impl Operator ===

impl Operator {
    /// Returns the message of the first reason with this topic in the verdict. Returns None if
    /// there is no such reason.
    pub(crate) fn first_about(&self, topic: HealthTopic) -> Option<&str> {
        let mut reasons = self.verdict.reasons.iter();
        let reason = reasons.find(|reason| {
            let code = reason.code.known();
            code.is_some_and(|code| code.topic() == topic)
        })?;
        Some(&reason.message)
    }
}
