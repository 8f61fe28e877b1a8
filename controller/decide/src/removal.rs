//! The way of an operator out of a cluster.

use jiff::Timestamp;
use portolan_api::Intent;

use crate::Observed;
use crate::case::Case;
use crate::desired::{Desired, Step};

pub(crate) fn leave(_: Option<&Intent>, _: &Observed, _: Timestamp) -> Desired {
    Desired::default()
}

pub(crate) fn must_not_have(_: &Case<'_>) -> Desired {
    Desired::default()
}

pub(crate) fn hold(_: &Case<'_>) -> Vec<Step> {
    Vec::new()
}
