//! The claim of a policy: the operator that the policy names, and the allowed bundles.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use portolan_core_names::PackageName;
use portolan_core_olm::Label;

use crate::operator_policy::intent::{Subscription, consents_field};
use crate::operator_policy::{CLUSTER_NAME, CLUSTER_NAMESPACE};
use crate::place::is_label;
use crate::{Allows, Intent, OperatorPolicy, OperatorPolicyStatus, Presence};

/// The API group of OLM's Subscriptions, and a slash. Other API groups also have a kind
/// Subscription.
const OLM: &str = "operators.coreos.com/";
/// The maximum length of a label value in OLM. OLM may have truncated a value of this length.
const LONGEST_LABEL: usize = 63;

/// The claim of a single policy, without the effects of other policies.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    pub id: PolicyId,
    pub package: PackageName,
    /// The namespace of the operator. None if it is unknown, so that it may be any namespace.
    pub namespace: Option<String>,
    pub cluster: Cluster,
    /// True if the policy is being deleted.
    pub is_leaving: bool,
    /// The parsed policy, or the error messages if the policy is invalid.
    pub says: Result<Valid, Vec<String>>,
}

/// A policy at one generation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PolicyId {
    /// The namespace. Empty if it is not set.
    pub namespace: String,
    pub name: String,
    /// The UID. None if the policy comes from a file.
    pub uid: Option<String>,
    /// The generation. 0 if the policy comes from a file.
    pub generation: u32,
}

/// The cluster for which a policy is intended, from two labels of the policy. An empty label counts
/// as missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cluster {
    pub name: Option<String>,
    /// The namespace of the cluster on the hub.
    pub namespace: Option<String>,
}

/// The content of a valid policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Valid {
    /// True if the policy changes the cluster, and does not only report differences.
    pub is_enforced: bool,
    pub presence: Presence,
    /// The permissions that the policy gives, if other policies do not prevent this.
    pub allows: Allows,
}

// === impl Claim ===

impl Claim {
    /// Returns the claim of a policy. Returns None if the package name is missing or invalid.
    pub fn of(policy: &OperatorPolicy) -> Option<Self> {
        Self::partly_read(policy, &[])
    }

    /// Returns the errors of a policy that has no claim. Returns None if the policy has a claim.
    pub fn missing(policy: &OperatorPolicy) -> Option<Vec<String>> {
        let refused = Intent::parse(policy).err()?;
        Self::of(policy).is_none().then(|| refused.sentences())
    }

    /// Returns the claim of a policy from which unreadable fields were removed. `left_out` has a
    /// sentence for each removed field. If there are such fields, the policy is invalid, and its
    /// status is ignored.
    pub fn partly_read(policy: &OperatorPolicy, left_out: &[String]) -> Option<Self> {
        let package = policy.spec.subscription_text("name")?;
        let package = PackageName::parse(package).ok()?;
        let metadata = &policy.metadata;
        let label = |label: Label| {
            let value = label.of(metadata).filter(|value| !value.is_empty());
            value.map(str::to_owned)
        };
        Some(Self {
            id: PolicyId::of(metadata),
            namespace: namespace(policy, &package, left_out.is_empty()),
            package,
            cluster: Cluster {
                name: label(CLUSTER_NAME),
                namespace: label(CLUSTER_NAMESPACE),
            },
            is_leaving: metadata.deletion_timestamp.is_some(),
            says: parse_valid(policy, left_out),
        })
    }
}

fn parse_valid(policy: &OperatorPolicy, left_out: &[String]) -> Result<Valid, Vec<String>> {
    let parsed = Intent::parse(policy).map_err(|refusals| refusals.sentences());
    if !left_out.is_empty() {
        let sentences = parsed.err().unwrap_or_default();
        return Err([left_out, &sentences].concat());
    }
    parsed.map(Valid::of)
}

/// Returns the namespace of the operator: the namespace in the spec, or else the namespace in the
/// status.
fn namespace(policy: &OperatorPolicy, package: &PackageName, is_whole: bool) -> Option<String> {
    let named = policy.spec.subscription_text("namespace");
    let is_meant = |text: &&str| !text.is_empty() && !policy.is_template(text);
    if let Some(named) = named.filter(is_meant) {
        return Some(named.to_owned());
    }
    let status = policy.status.as_ref()?;
    let is_current = is_whole
        && status.observed_generation.is_some()
        && status.observed_generation == policy.metadata.generation;
    is_current.then(|| resolved(status, package)).flatten()
}

/// Returns the namespace of the Subscription in a status. Returns None if the status contains no
/// Subscription or several Subscriptions.
fn resolved(status: &OperatorPolicyStatus, package: &PackageName) -> Option<String> {
    let objects = status.related_objects.iter().map(|related| &related.object);
    let mut namespaces = objects
        .filter(|object| object.kind == "Subscription" && object.api_version.starts_with(OLM))
        .filter(|object| object.metadata.name == package.as_str())
        .filter_map(|object| object.metadata.namespace.as_deref());
    let labeled = status
        .resolved_subscription_label
        .as_deref()
        .filter(|label| label.len() < LONGEST_LABEL)
        .and_then(|label| label.strip_prefix(package.as_str())?.strip_prefix('.'));
    match (namespaces.next(), namespaces.next()) {
        (Some(_), Some(_)) => None,
        // If the status contains two different namespaces, neither is used.
        (Some(namespace), None) => {
            Some(namespace).filter(|_| labeled.is_none_or(|labeled| labeled == namespace))
        }
        (None, _) => labeled,
    }
    .filter(|namespace| is_label(namespace))
    .map(str::to_owned)
}

// === impl PolicyId ===

impl PolicyId {
    fn of(metadata: &ObjectMeta) -> Self {
        let generation = metadata.generation.unwrap_or_default().max(0);
        Self {
            namespace: metadata.namespace.clone().unwrap_or_default(),
            name: metadata.name.clone().unwrap_or_default(),
            uid: metadata.uid.clone(),
            generation: u32::try_from(generation).unwrap_or(u32::MAX),
        }
    }
}

// === impl Valid ===

impl Valid {
    fn of(intent: Intent) -> Self {
        let Subscription {
            source,
            source_namespace,
            ..
        } = &intent.subscription;
        let catalog = source_namespace.as_ref().zip(source.as_ref());
        Self {
            is_enforced: intent.is_enforced(),
            presence: intent.presence,
            allows: Allows {
                catalog: catalog.map(|(namespace, name)| format!("{namespace}/{name}")),
                field: consents_field(intent.form),
                consents: intent.consents,
                updates: intent.approves_updates,
                dependencies: intent.allows_dependencies,
            },
        }
    }
}
