//! Rules in CEL, the Common Expression Language: conditions about one value.
//!
//! Authors of rules are not trusted. So the maximum cost of a rule is computed before the rule is
//! evaluated. A rule cannot read a clock, environment variables, or the order of a hash map. A
//! [`Dialect`] defines the variable of rules and additional functions.
//!
//! ```
//! use portolan_core_rules::cel::{Dialect, Numbers, Rule, Value};
//! use serde_json::json;
//!
//! let dialect = Dialect::new("self", Numbers::Integers);
//! let rule = Rule::parse(&dialect, "size(self.status.crew) > 1").unwrap();
//! let ship = |status| Value::of(json!({"status": status}), Numbers::Integers);
//! let ferry = ship(json!({"crew": ["ann", "bo"]}));
//! assert_eq!(rule.holds_for(&dialect, ferry), Ok(true));
//! let unknown = rule.holds_for(&dialect, ship(json!({}))).unwrap_err();
//! assert_eq!(unknown.to_string(), "there is no field \"crew\"");
//! ```

mod bounds;
mod functions;
mod rule;
mod values;

pub use bounds::{Bounds, LONGEST};
pub use rule::{Dialect, Rule, Unevaluated};
pub use values::{Numbers, Value};
