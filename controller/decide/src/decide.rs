//! The way from what is known to what is wanted.

use jiff::Timestamp;
use portolan_api::{ConditionType, Intent, Presence, Reason, Refusals};

use crate::case::{Case, Wanted};
use crate::desired::{Desired, Said};
use crate::part::Part;
use crate::{
    Answers, Observed, catalog, csv, definition, deployment, deprecation, group, minor, plan,
    removal, subscription, upgrades,
};

/// What is to be done about a policy, and how it is with it.
pub fn decide(
    parsed: &Result<Intent, Refusals>,
    observed: &Observed,
    answers: &Answers,
    now: Timestamp,
) -> Desired {
    todo!("{parsed:?} {observed:?} {answers:?} {now}")
}
