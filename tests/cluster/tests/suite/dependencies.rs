//! OLM's dependency resolution, compared with our forecast.
//!
//! A test creates catalogs, Subscriptions and the other objects of the namespace, but no
//! OperatorGroup, without which OLM does nothing. Therefore the forecast reads all objects of the
//! cluster before OLM processes them, and the test can create the Subscriptions one after the
//! other.

mod choices;
mod failures;
mod forecast;
mod seen;
mod silence;
mod stage;
mod walks;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// The actual or expected actions of OLM in a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Course {
    /// The InstallPlans in order.
    passes: Vec<Pass>,
    end: End,
}

/// An InstallPlan.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Pass {
    bundles: BTreeSet<String>,
    /// The Subscriptions that OLM creates for dependencies.
    made: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    /// The installed version of each Subscription, by name.
    Settled(BTreeMap<String, String>),
    /// The condition of all Subscriptions.
    Failed { reason: String, message: String },
    /// The last plan waits for approval.
    AwaitsApproval,
    /// OLM reports nothing.
    Silent,
}

/// Returns the text at a JSON pointer, or an empty string.
fn text<'o>(object: &'o Value, field: &str) -> &'o str {
    let text = object.pointer(field).and_then(Value::as_str);
    text.unwrap_or_default()
}
