//! Go templates in policies. The strings of a document can contain `{{ … }}` with functions that
//! read objects of the cluster.
//!
//! The crate implements Go's text/template and the functions that Open Cluster Management provides
//! for templates on managed clusters. It processes a whole document in the same way as the library
//! of Open Cluster Management. It accesses no cluster: the caller provides objects as [`Objects`].
//! The result lists each object that a template looked up, whether it exists or not.
//!
//! Authors of templates are not trusted. So the steps, the nesting depth and the output of an
//! evaluation are limited, and exceeding a limit is a [`TemplateFault`]. The crate tracks values
//! that depend on a Secret, through functions and branches. Every document has a second form for
//! display, in which `<Secret NAMESPACE/NAME KEY>` replaces these values.
//!
//! ```
//! use portolan_core_templates::{Answer, Lookup, Objects, Outcome, resolve};
//! use serde_json::json;
//!
//! struct Cluster;
//!
//! impl Objects for Cluster {
//!     fn answer(&self, lookup: &Lookup) -> Answer {
//!         match lookup.name.as_str() {
//!             "allowed" => Answer::Object(json!({"data": {"ferry": "ferry.v1.2.0"}})),
//!             _ => Answer::Absent,
//!         }
//!     }
//! }
//!
//! let versions = json!([r#"{{ fromConfigMap "harbor" "allowed" "ferry" }}"#]);
//! let resolution = resolve(&versions, &Cluster, 0);
//! let Outcome::Resolved(resolved) = resolution.outcome else { panic!("it must resolve") };
//! assert_eq!(resolved.value, json!(["ferry.v1.2.0"]));
//! assert_eq!(resolution.lookups.first().unwrap().name, "allowed");
//! ```

#![warn(clippy::wildcard_enum_match_arm)]

mod document;
mod evaluate;
mod fault;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a function takes a few types and names every other that it refuses"
)]
mod functions;
mod host;
mod json;
mod lex;
mod number;
mod objects;
mod origin;
mod output;
mod parse;
mod patterns;
mod policy;
mod print;
mod quote;
mod resolve;
mod secret;
mod selector;
mod time;
mod tree;
mod value;
mod version;

#[cfg(test)]
mod tests;

pub use fault::{Limit, TemplateFault};
pub use functions::offered;
pub use objects::{Answer, Lookup, Objects};
pub use origin::SecretEntry;
pub use policy::{PolicyOutcome, PolicyResolution, refused_policy, resolve_policy};
pub use resolve::{
    Outcome, Resolution, ResolveRefusal, Resolved, as_template, has_template, resolve,
};
