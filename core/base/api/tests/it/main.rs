//! Policies as people write them: what they mean, how they are refused, what they say together.

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
