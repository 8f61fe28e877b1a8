//! What OLM decides for a namespace, held against what is foretold of it.
//!
//! A story sets up catalogs, Subscriptions and whatever else the namespace is to have, but no
//! OperatorGroup: OLM does nothing without one. So the forecast can be asked from the objects of
//! the cluster, and the Subscriptions can come one after the other, before OLM acts on them all.

mod choices;
mod failures;
mod foretold;
mod seen;
mod silence;
mod stage;
mod walks;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// What OLM does in a namespace, or is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Course {
    /// Its InstallPlans, one after the other.
    passes: Vec<Pass>,
    end: End,
}

/// An InstallPlan.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Pass {
    bundles: BTreeSet<String>,
    /// The Subscriptions that OLM makes for what others need.
    made: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    /// What each Subscription has installed, by name.
    Settled(BTreeMap<String, String>),
    /// The condition of all Subscriptions.
    Failed { reason: String, message: String },
    /// The last plan waits for approval.
    AwaitsApproval,
    /// OLM tells nobody anything.
    Silent,
}

/// What stands in a field, by its JSON pointer; empty if nothing does.
fn text<'o>(object: &'o Value, field: &str) -> &'o str {
    let text = object.pointer(field).and_then(Value::as_str);
    text.unwrap_or_default()
}
