//! A test fixture: the manifests of a policy and its environment. Tests make decisions about them,
//! and carry out the steps of the decisions.
//!
//! ```text
//! stage(established(json!({})))        a policy, its namespace, an offer of its catalog
//!     .object(group("databases", json!({})))
//!     .observed() / .case(group::judge) / .decide()
//!     .play(&desired)                  executes the steps like an API server
//! ```

mod page;
mod play;

use std::sync::Arc;

use jiff::Timestamp;
use portolan_api::{Claim, Intent, OperatorPolicy, standings};
use portolan_core_olm::read_value;
use portolan_stage::{Kind, as_kept};
use serde_json::{Value, json};

pub(crate) use page::{page, whole_page};

use crate::case::Case;
use crate::decide;
use crate::kinds::{ApiKind, CSV, NAMESPACE, OPERATOR_GROUP, SUBSCRIPTION};
use crate::{
    Answer, Answers, Bundle, Channel, Contest, Desired, Modes, NamespaceState, Observed, Offer,
    PrunedField, StaleKind, WriteMode,
};

/// The package, the namespace and the uid that all fixtures use.
pub(crate) const PACKAGE: &str = "etcd";
pub(crate) const DATABASES: &str = "databases";
pub(crate) const POLICY_UID: &str = "policy-uid";

/// A policy and its environment.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    pub(crate) policy: Value,
    /// Other policies.
    pub(crate) neighbors: Vec<Value>,
    /// The objects of the namespace, and the CatalogSources and CRDs.
    pub(crate) objects: Vec<Value>,
    /// The ClusterServiceVersions in other namespaces that watch this namespace.
    pub(crate) elsewhere: Vec<Value>,
    /// The ClusterServiceVersions in other namespaces that own CRDs that the operator also owns.
    pub(crate) owners: Vec<Value>,
    /// The Subscriptions that the policy created before its spec named another Subscription.
    pub(crate) abandoned: Vec<Value>,
    pub(crate) answers: Answers,
    pub(crate) write_mode: WriteMode,
    pub(crate) is_bound: bool,
    pub(crate) contested: Vec<Contest>,
    pub(crate) pruned: Vec<PrunedField>,
    pub(crate) stale: Vec<StaleKind>,
    pub(crate) has_olm: bool,
    pub(crate) default_namespace: Option<String>,
    /// The namespace that the controller observes. None for the namespace in the policy.
    pub(crate) namespace: Option<String>,
    pub(crate) now: Timestamp,
    /// The number of writes so far.
    pub(crate) writes: u32,
}

/// Returns noon of a fixed day.
pub(crate) fn now() -> Timestamp {
    at("2026-01-01T12:00:00Z")
}

pub(crate) fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

/// Returns an enforced policy in the established form, merged with other fields of its spec. A null
/// removes a field.
pub(crate) fn established(other: Value) -> Value {
    let spec = json!({
        "remediationAction": "enforce",
        "complianceType": "musthave",
        "upgradeApproval": "Automatic",
        "subscription": subscription_spec(),
    });
    policy("etcd-policy", POLICY_UID, merged(spec, other))
}

/// Returns a policy in the design form that allows everything, merged with other fields of its
/// spec.
pub(crate) fn design(other: Value) -> Value {
    let spec = json!({
        "remediationAction": "enforce",
        "subscription": subscription_spec(),
        "allowedCSVs": ["*"],
    });
    policy("etcd-policy", POLICY_UID, merged(spec, other))
}

/// Returns the `spec.subscription` of a policy.
pub(crate) fn subscription_spec() -> Value {
    json!({
        "name": PACKAGE,
        "namespace": DATABASES,
        "channel": "stable",
        "source": "shop",
        "sourceNamespace": "olm",
    })
}

/// Returns a policy of the namespace `local-cluster`.
pub(crate) fn policy(name: &str, uid: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "policy.open-cluster-management.io/v1beta1",
        "kind": "OperatorPolicy",
        "metadata": {
            "name": name,
            "namespace": "local-cluster",
            "uid": uid,
            "generation": 1,
        },
        "spec": spec,
    })
}

/// Returns an object in a namespace, merged with other fields. The uid of the object is
/// `<name>-uid`, and its resourceVersion is 1.
pub(crate) fn object(kind: ApiKind, (namespace, name): (&str, &str), other: Value) -> Value {
    let (api_version, kind) = kind;
    let mut metadata = json!({
        "name": name,
        "uid": format!("{name}-uid"),
        "resourceVersion": "1",
    });
    if !namespace.is_empty() {
        metadata["namespace"] = json!(namespace);
    }
    let object = json!({"apiVersion": api_version, "kind": kind, "metadata": metadata});
    merged(object, other)
}

pub(crate) fn namespace(name: &str) -> Value {
    object(NAMESPACE, ("", name), json!({}))
}

/// Returns an OperatorGroup of the namespace.
pub(crate) fn group(name: &str, other: Value) -> Value {
    object(OPERATOR_GROUP, (DATABASES, name), other)
}

/// Returns the Subscription that the policy wants, without the marks of the policy, merged with
/// other fields.
pub(crate) fn subscription(other: Value) -> Value {
    let spec = json!({
        "name": PACKAGE,
        "channel": "stable",
        "source": "shop",
        "sourceNamespace": "olm",
        "installPlanApproval": "Automatic",
    });
    let subscription = object(SUBSCRIPTION, (DATABASES, PACKAGE), json!({"spec": spec}));
    merged(subscription, other)
}

/// Returns a running ClusterServiceVersion of the package, merged with other fields.
pub(crate) fn csv(name: &str, other: Value) -> Value {
    let label = format!("operators.coreos.com/{PACKAGE}.{DATABASES}");
    let csv = json!({
        "metadata": {"labels": {label: ""}},
        "status": {
            "phase": "Succeeded",
            "reason": "InstallSucceeded",
            "message": "install strategy completed with no errors",
        },
    });
    merged(object(CSV, (DATABASES, name), csv), other)
}

/// Merges the second value into the first value, recursively. A null removes a field.
pub(crate) fn merged(mut under: Value, over: Value) -> Value {
    merge(&mut under, over);
    under
}

fn merge(under: &mut Value, over: Value) {
    match (under, over) {
        (Value::Object(under), Value::Object(over)) => {
            for (name, value) in over {
                if value.is_null() {
                    drop(under.remove(&name))
                } else {
                    merge(under.entry(name).or_insert(json!({})), value)
                }
            }
        }
        (under, over) => *under = over,
    }
}

/// Returns the resolver's offer of the package: three bundles in a channel.
pub(crate) fn offer() -> Offer {
    let bundle = |version: &str| Bundle {
        name: format!("etcd.v{version}"),
        version: version.to_owned(),
        channels: vec!["stable".to_owned()],
        deprecation: None,
    };
    Offer {
        catalog: "olm/shop".to_owned(),
        digest: "sha256:1".to_owned(),
        default_channel: "stable".to_owned(),
        channels: vec![Channel {
            name: "stable".to_owned(),
            deprecation: None,
        }],
        bundles: ["3.0.0", "2.0.0", "1.0.0"].map(bundle).to_vec(),
        ..Offer::default()
    }
}

/// Returns an answer of the resolver: a bundle supports these install modes.
pub(crate) fn modes(supported: &[&str]) -> Answer<Modes> {
    Answer::Found(Modes {
        bundle: "etcd.v3.0.0".to_owned(),
        supported: Some(supported.iter().map(|mode| (*mode).to_owned()).collect()),
    })
}

/// Returns a typed object from its manifest. The object has only the fields that the controller
/// stores.
pub(crate) fn typed<K: Kind>(manifest: &Value) -> Arc<K> {
    shown(manifest).expect("a valid object")
}

/// Parses an object and removes all fields that the controller does not store, so that no decision
/// can depend on them.
fn shown<K: Kind>(manifest: &Value) -> Option<Arc<K>> {
    let (object, faults) = read_value(manifest.clone()).expect("an object of its kind");
    assert_eq!(faults, [], "{manifest}");
    as_kept(object, crate::READS).map(Arc::new)
}

/// Returns a stage with a policy and its namespace. The cluster has OLM, and all services give
/// their usual answers.
pub(crate) fn stage(policy: Value) -> Stage {
    let answers = Answers {
        offer: Answer::Found(offer()),
        modes: modes(&["OwnNamespace", "SingleNamespace", "AllNamespaces"]),
        ..Answers::default()
    };
    Stage {
        policy,
        neighbors: Vec::new(),
        objects: vec![namespace(DATABASES)],
        elsewhere: Vec::new(),
        owners: Vec::new(),
        abandoned: Vec::new(),
        answers,
        write_mode: WriteMode::ReadWrite,
        is_bound: false,
        contested: Vec::new(),
        pruned: Vec::new(),
        stale: Vec::new(),
        has_olm: true,
        default_namespace: None,
        namespace: None,
        now: now(),
        writes: 0,
    }
}

impl Stage {
    pub(crate) fn object(mut self, manifest: Value) -> Self {
        self.objects.push(manifest);
        self
    }

    /// Removes the objects of a kind.
    pub(crate) fn without(mut self, (_, kind): ApiKind) -> Self {
        self.objects.retain(|object| object["kind"] != kind);
        self
    }

    pub(crate) fn neighbor(mut self, policy: Value) -> Self {
        self.neighbors.push(policy);
        self
    }

    /// Applies a change to the stage.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Sets the previous status of the policy.
    pub(crate) fn status(mut self, status: Value) -> Self {
        self.policy["status"] = status;
        self
    }

    pub(crate) fn policy(&self) -> OperatorPolicy {
        operator_policy(&self.policy)
    }

    pub(crate) fn observed(&self) -> Observed {
        let policy = self.policy();
        let neighbors = self.neighbors.iter().map(operator_policy);
        let claims: Vec<_> = std::iter::once(policy.clone())
            .chain(neighbors)
            .filter_map(|policy| Claim::of(&policy))
            .collect();
        let mut standings = standings(&claims.iter().collect::<Vec<_>>());
        let is_own = |name: &str| policy.metadata.name.as_deref() == Some(name);
        let own = standings
            .iter()
            .position(|standing| is_own(&standing.id.name));
        let standing = own.map(|at| standings.remove(at));
        let claimed = standing
            .as_ref()
            .and_then(|standing| standing.namespace.clone());
        let namespace = self.namespace.clone().or(claimed);
        standings.retain(|other| other.namespace.is_none() || other.namespace == namespace);
        Observed {
            policy: Arc::new(policy),
            standing,
            neighbors: standings,
            is_bound: self.is_bound,
            write_mode: self.write_mode.clone(),
            contested: self.contested.clone(),
            pruned: self.pruned.clone(),
            stale: self.stale.clone(),
            has_olm: self.has_olm,
            is_crd_terminating: false,
            default_namespace: self.default_namespace.clone(),
            abandoned: self.abandoned.iter().filter_map(shown).collect(),
            namespace: namespace.map(|name| self.namespace_state(&name)),
        }
    }

    fn namespace_state(&self, name: &str) -> NamespaceState {
        NamespaceState {
            name: name.to_owned(),
            object: self.all("Namespace", "").into_iter().find(
                |namespace: &Arc<portolan_core_olm::Namespace>| {
                    namespace.metadata.name.as_deref() == Some(name)
                },
            ),
            groups: self.all("OperatorGroup", name),
            subscriptions: self.all("Subscription", name),
            plans: self.all("InstallPlan", name),
            csvs: self.all("ClusterServiceVersion", name),
            elsewhere: self.elsewhere.iter().filter_map(shown).collect(),
            owners: self.owners.iter().filter_map(shown).collect(),
            crds: self.all("CustomResourceDefinition", ""),
            catalogs: self.every("CatalogSource", |_| true),
            instances: Vec::new(),
        }
    }

    fn all<K: Kind>(&self, kind: &str, namespace: &str) -> Vec<Arc<K>> {
        self.every(kind, |object| {
            object["metadata"]["namespace"].as_str().unwrap_or_default() == namespace
        })
    }

    fn every<K: Kind>(&self, kind: &str, is_meant: impl Fn(&Value) -> bool) -> Vec<Arc<K>> {
        let mut found: Vec<_> = self
            .objects
            .iter()
            .filter(|object| object["kind"] == kind && is_meant(object))
            .collect();
        found.sort_by_key(|object| object["metadata"]["name"].as_str());
        found.into_iter().filter_map(shown).collect()
    }

    /// Calls a function that judges the policy, and returns its result. The spec of the policy must
    /// be valid.
    pub(crate) fn case<T>(&self, judge: impl FnOnce(&Case<'_>) -> T) -> T {
        let observed = self.observed();
        let intent = Intent::parse(&observed.policy).expect("a valid policy");
        let before = observed.policy.status.clone().unwrap_or_default();
        judge(&Case {
            intent: &intent,
            namespace: observed.namespace.as_ref().expect("a namespace"),
            observed: &observed,
            answers: &self.answers,
            before: &before,
            now: self.now,
        })
    }

    pub(crate) fn decide(&self) -> Desired {
        let observed = self.observed();
        let parsed = Intent::parse(&observed.policy);
        decide(&parsed, &observed, &self.answers, self.now)
    }

    /// Returns the object of this kind with this name.
    pub(crate) fn object_named(&self, (_, kind): ApiKind, name: &str) -> Option<&Value> {
        let mut all = self.objects.iter();
        all.find(|object| object["kind"] == kind && object["metadata"]["name"] == name)
    }
}

fn operator_policy(manifest: &Value) -> OperatorPolicy {
    let policy = serde_json::from_value(manifest.clone()).expect("an OperatorPolicy");
    as_kept(policy, crate::READS).expect("a valid policy")
}
