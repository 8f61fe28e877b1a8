//! Tests of the kinds that users write: their parsed specs, their errors, and overlaps of policies.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read pages and manifests, and renew the baseline"
)]

mod additive;
mod claims;
mod conditions;
mod definition;
mod derived;
mod design;
mod established;
mod hostile;
mod installs;
mod inventory;
mod operators;
mod page;
mod plan_definition;
mod plans;
mod policies;
mod refusals;
mod standing;
mod status;
mod statuses;
mod templates;
mod upgrade_policies;
mod versions;
