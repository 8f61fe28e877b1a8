//! Go templates in policies: documents whose strings can contain `{{ … }}` with calls that read the
//! cluster.
//!
//! Implements text/template of Go, the functions that Open Cluster Management provides for
//! templates on managed clusters, and the way in which its library processes a whole document. It
//! has no cluster: objects come through [`Objects`], and the result contains each requested object,
//! found or not.
//!
//! Templates are untrusted. An evaluation is limited in steps, depth and bytes, and exceeding a
//! limit is a [`TemplateFault`]. Values that depend on a Secret are tracked through functions and branches:
//! every document has a second form, in which `<Secret NAMESPACE/NAME KEY>` replaces them.
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
