//! Evaluates rules that users write into objects and catalogs. All evaluations have limits.
//!
//! - [`cel`]: conditions on one value. Catalogs and InstallPlans contain such rules.
//! - [`rego`]: policies that allow or deny the upgrade of an operator at a time.
//! - [`schedule`]: time windows as crontab lines in a time zone.
//!
//! Authors of rules are not trusted, so the cost of a rule is limited before it is parsed or
//! evaluated. A rule cannot access the network, files, random numbers or the clock. So equal input
//! has the same result on every machine.

pub mod cel;
pub mod rego;
pub mod schedule;
