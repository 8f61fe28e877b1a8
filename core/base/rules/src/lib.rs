//! Rules that users write into objects and catalogs, evaluated within limits.
//!
//! - [`cel`]: conditions about one value, in catalogs and InstallPlans.
//! - [`rego`]: policies about one upgrade of an operator at one time.
//! - [`schedule`]: time windows as lines of a crontab, in a time zone.
//!
//! Authors of rules are not trusted. Therefore the cost of a rule is limited before it is parsed or
//! evaluated. A rule has no access to the network, files, random numbers or the clock: with the
//! same input, it has the same result on every machine.

pub mod cel;
pub mod rego;
pub mod schedule;
