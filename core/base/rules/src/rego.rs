//! Rules in Rego, the language of the Open Policy Agent: one question about one document, at one time.
//!
//! A rule is the text of a module without its head: `package` and `import rego.v1` are put around it. It
//! answers by `allow`. It has no network, no files, no randomness and no clock: `time.now_ns()` is the time
//! that the question is about. So the same question has the same answer for everybody.
//!
//! Rules come from strangers, and every process reads them: the controller, approval, the webhook, the console and the
//! command line. So reading a text is bounded as evaluating it is, by counts that are the same on every machine:
//!
//! 1. The brackets of a text and then its tokens are counted, once and in order. They bound the depth of the tree and
//!    how much the parser reads, which else grows with the square or with powers of the text. Only then is it parsed.
//! 2. What a rule calls is known from its tree. So are its variables and statements, which bound the analysis.
//!
//! The worst text that passes takes a few milliseconds and a few megabytes, on the stack of its caller. So a text is read
//! where it is needed, without a thread or process for it, and the same text has the same verdict everywhere.
//!
//! An evaluation ends after [`MOST_STEPS`] steps. A step may still be a large one, such as a product of very large
//! numbers: rules are evaluated in a process of its own, with a limit on its memory and time.
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
//! # Ok::<(), portolan_core_rules::rego::Fault>(())
//! ```

mod calls;
mod deep;
mod fault;
mod rule;
mod steps;
mod text;
mod time;
mod tokens;
mod tree;

pub use calls::OFFERED;
pub use fault::{Failure, Fault};
pub use rule::{LONGEST, Rule, Ruling, Unjudged};
pub use steps::MOST_STEPS;
