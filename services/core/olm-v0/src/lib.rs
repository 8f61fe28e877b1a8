//! What OLM v0 itself will decide for a namespace, and why.

#![warn(clippy::wildcard_enum_match_arm)]

mod csv;
mod failure;
mod forecast;
mod namespace;

pub use csv::{Csv, Phase, Traits, Unreadable};
pub use failure::{
    Blame, BundleId, Culprit, Failure, Hindrance, Missing, Origin, Reason, Refusal, Shape,
};
pub use forecast::{Cause, End, Forecast, Install, Pass, Purpose, Silence, Stay};
pub use namespace::{Approval, Namespace, OperatorGroup, Source, Subscription};
