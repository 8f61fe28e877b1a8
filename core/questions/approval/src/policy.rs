//! Explains why a policy allows no bundle.

use portolan_api::{Says, Standing};

use crate::facts::Facts;
use crate::objection::Objection;
use crate::{Namespace, Reason};

/// The kind in reasons about policies.
pub const POLICY: &str = "OperatorPolicy";

/// Returns the reason why a policy allows no bundle in any plan. Returns None if the policy can
/// allow bundles.
pub fn withheld(policy: &Standing) -> Option<Reason> {
    let Says::Withholds(withheld) = &policy.says else {
        return None;
    };
    let place = policy.namespace.as_deref().unwrap_or("its namespace");
    let namespace = Namespace {
        name: place.to_owned(),
        ..Namespace::default()
    };
    let facts = Facts::new(&namespace);
    Some(Objection::withheld(&facts, policy, withheld).reason)
}
