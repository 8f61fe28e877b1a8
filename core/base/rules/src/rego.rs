//! Rules in Rego, the language of the Open Policy Agent (OPA). A rule decides about one input
//! document at one time.
//!
//! A rule is the text of a Rego module without the lines `package` and `import rego.v1`, which this
//! module adds. The result is the value of `allow`. A rule cannot access the network, files, random
//! numbers or the clock: `time.now_ns()` returns the time that the caller passes. So equal inputs
//! and times always have equal results.
//!
//! Authors of rules are not trusted, and many processes parse rules: the controller, the approval
//! service, the webhook, the console and the command line. So parsing also has limits. They are
//! numbers that are equal on every machine:
//!
//! 1. Brackets and tokens are counted in one pass over the text, before it is parsed. They limit
//!    the depth of the tree and the work of the parser. Without limits, this work could be
//!    quadratic or worse.
//! 2. The functions that a rule calls are checked in the parsed tree. The numbers of variables and
//!    statements limit the work of the analysis.
//!
//! The slowest accepted text takes a few milliseconds and a few megabytes. It is parsed on the
//! stack of the caller, without a separate thread or process.
//!
//! Evaluation ends after [`MOST_STEPS`] steps. A single step can still be slow, such as a product
//! of very large numbers. So rules are evaluated in a separate process with limits on memory and
//! time.
//!
//! ```
//! use portolan_core_rules::rego::{Rule, Ruling};
//! use serde_json::json;
//!
//! let rule = Rule::parse(r#"default allow := false; allow if input.move.to.version == "1.2.0""#)?;
//! let input = json!({"move": {"to": {"version": "1.2.0"}}});
//! let at = "2026-11-28T12:00:00Z".parse().unwrap();
//! let ruling = rule.judge(&input, at).unwrap();
//! assert_eq!(ruling, Ruling { allows: true, asks_for_time: false });
//!
//! let fault = Rule::parse("allow if {\n  x := := 1\n}").unwrap_err();
//! assert_eq!(fault.to_string(), "line 2, column 8: expecting expression");
//! # Ok::<(), portolan_core_rules::rego::RuleFault>(())
//! ```

mod calls;
mod deep;
mod fault;
mod inputs;
mod rule;
mod steps;
mod text;
mod time;
mod tokens;
mod tree;

pub use calls::OFFERED;
pub use fault::{Failure, RuleFault};
pub use rule::{LONGEST, Rule, Ruling, Unjudged};
pub use steps::MOST_STEPS;
