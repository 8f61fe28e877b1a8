//! Admission: what is said of an object of ours before the API server writes it.
//!
//! ```text
//! AdmissionReview -- Request::parse --> Request -- review --> Response -- to_json --> AdmissionReview
//!                                          \-- references --> what a shell may look up first
//! ```
//!
//! An author reads at once what a controller would say later in the conditions of the object, in the same
//! sentences: the parse of `portolan-api`, and of the manifests of an InstallPlan that of
//! `portolan-core-install`. All that is wrong is said at once, each with its field.
//!
//! # Guarantees
//!
//! - Only what is wrong for certain is refused, whatever else is on the cluster. What is not there yet, and
//!   what others may understand, is a warning.
//! - An object that is being deleted is never held up, nor is a deletion, nor an update that leaves the spec
//!   as it was: finalizers, labels and statuses come off and on of what was written before.
//! - No bytes make it panic.
//!
//! - An Install is approved by nobody who may not give the permissions that it asks for, and [`Approval`] stamps who
//!   did. All else that is written of an Install is none of its business.
//!
//! The module has no I/O, no cluster and no clock; `tests/layers` checks that. How long it may take is for the rest of
//! the crate to bound.
//!
//! ```
//! use portolan_webhook::admission::{Absent, Request, review};
//!
//! let request = Request::parse(br#"{"request": {
//!     "uid": "1", "operation": "CREATE", "name": "ferry",
//!     "kind": {"group": "operators.operatorframework.io", "kind": "Operator"},
//!     "object": {"metadata": {"name": "ferry"}, "spec": {"packagename": "ferry"}}
//! }}"#)?;
//! let refused = review(&request, &Absent::default()).refused;
//! assert_eq!(refused[0].to_string(), "spec.packagename is not a known field; did you mean \"packageName\"?");
//! # Ok::<(), portolan_webhook::admission::NoRequest>(())
//! ```

#![warn(clippy::wildcard_enum_match_arm)]

mod approval;
mod kind;
mod reference;
mod request;
mod response;
mod review;

pub use approval::{Approval, Asked, approval};
pub use kind::Kind;
pub use reference::{Absent, Reference, references};
pub use request::{NoRequest, Operation, Request};
pub use response::{Refused, Response};
pub use review::review;
