//! Compares OLM's dependency resolution with our Forecast.
//!
//! A test creates catalogs, Subscriptions and the other objects of a namespace, one after the
//! other. OLM does nothing until the namespace has an OperatorGroup. So the Forecast can read all
//! objects of the cluster before OLM processes them.

mod choices;
mod failures;
mod forecast;
mod seen;
mod silence;
mod stage;
mod walks;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// The actions of OLM in a namespace: the actual actions, or those of the Forecast.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Course {
    /// The InstallPlans, in the order of their creation.
    passes: Vec<Pass>,
    end: End,
}

/// One InstallPlan.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Pass {
    bundles: BTreeSet<String>,
    /// The Subscriptions that OLM creates for dependencies, by name.
    made: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    /// OLM has nothing more to do. Contains the installed version of each Subscription, by name.
    Settled(BTreeMap<String, String>),
    /// OLM cannot resolve the namespace. Contains the condition of all Subscriptions.
    Failed { reason: String, message: String },
    /// The last InstallPlan waits for approval.
    AwaitsApproval,
    /// OLM does nothing and reports nothing.
    Silent,
}

/// Returns the text at a JSON pointer. Returns an empty text if there is no text.
fn text<'o>(object: &'o Value, field: &str) -> &'o str {
    let text = object.pointer(field).and_then(Value::as_str);
    text.unwrap_or_default()
}
