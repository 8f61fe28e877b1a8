//! The Subscription.

use jiff::Timestamp;
use portolan_olm::Condition;

use crate::case::{Case, Wanted};
use crate::part::Part;

/// What the Subscription comes to.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Subscribed {
    pub(crate) part: Part,
    /// When it is mended.
    pub(crate) intervention: Option<Timestamp>,
}

pub(crate) fn judge(_: &Case<'_>, _: &Wanted, _: bool) -> Subscribed {
    Subscribed::default()
}

/// What OLM says of it, but for what has a name of ours.
pub(crate) fn told_by_olm(_: &Case<'_>) -> Vec<Condition> {
    Vec::new()
}
