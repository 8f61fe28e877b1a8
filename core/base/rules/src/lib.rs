//! Rules that users write into objects and catalogs, evaluated within limits.
//!
//! - [`cel`]: conditions about one value, in catalogs and InstallPlans.
//! - [`rego`]: policies about one upgrade of an operator at one time.
//! - [`schedule`]: time windows as lines of a crontab, in a time zone.
//!
//! Authors of rules are not trusted. So the cost of a rule is limited before it is parsed or
//! evaluated. A rule has no network, no files, no randomness and no clock: the same question has
//! the same answer on every machine.

pub mod cel;
pub mod rego;
pub mod schedule;
