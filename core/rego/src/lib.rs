//! Rules in Rego, the language of the Open Policy Agent: one question about one document, at one time.
//!
//! A rule is the text of a module without its head: `package` and `import rego.v1` are put around it. It
//! answers by `allow`. It has no network, no files, no randomness and no clock: `time.now_ns()` is the time
//! that the question is about. So the same question has the same answer for everybody.
//!
//! Rules come from strangers. What a rule calls is known before it is ever evaluated, and an evaluation ends
//! after [`MOST_STEPS`] steps. A step may still be a large one, such as a product of very large numbers:
//! who evaluates rules beside other work does so in a process of its own, with a limit on its memory and
//! time.
//!
//! A text that is wrong is told from one that could not be read: of the latter nobody knows whether it is a
//! rule, which [`Rule::unread`] says. It is read again each time that it is asked, and allows nothing before.
//!
//! ```
//! use portolan_core_rego::{Rule, Ruling};
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
//! # Ok::<(), portolan_core_rego::Fault>(())
//! ```

mod calls;
mod deep;
mod fault;
mod rule;
mod steps;
mod text;
mod time;

pub use calls::OFFERED;
pub use fault::{Failure, Fault};
pub use rule::{LONGEST, Rule, Ruling, Unjudged};
pub use steps::MOST_STEPS;
