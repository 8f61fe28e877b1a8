//! Reviews objects of Portolan before the API server stores them (admission).
//!
//! ```text
//! AdmissionReview -- Request::parse --> Request -- review --> Response -- to_json --> AdmissionReview
//!                                          \-- references --> objects that the caller may look up first
//! ```
//!
//! The author of an object immediately gets the errors that a controller would report later in the
//! conditions of the object. `portolan-api` parses the objects, and `portolan-core-install` parses
//! the manifests of an InstallPlan. All errors are reported at once, each with its field.
//!
//! # Guarantees
//!
//! - A request is rejected only if it is definitely wrong, regardless of the other objects in the
//!   cluster. Missing references, and fields that other programs may use, only cause warnings.
//! - The deletion of an object, and each update of an object that is being deleted, are never
//!   blocked. An update that does not change the spec is never blocked either, so finalizers,
//!   labels and statuses of existing objects can always change.
//! - No request causes a panic.
//!
//! - Only a user who may grant the permissions that an Install requests can approve the Install.
//!   [`approval()`] checks this, and stamps the Install with the name of the approver. It does not
//!   review other changes of an Install.
//!
//! This module uses no I/O, no cluster and no clock. `tests/layers` checks this. The rest of the
//! crate limits the time of a review.
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

pub use approval::{Approval, ApprovalRequest, approval};
pub use kind::Kind;
pub use reference::{Absent, Reference, references};
pub use request::{NoRequest, Operation, Request};
pub use response::{Refused, Response};
pub use review::review;
