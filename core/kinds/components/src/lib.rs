//! Decides about Operators of the API version `operators.coreos.com/v2alpha1` and their components.
//! A component is an object that belongs to an operator of OLM.
//!
//! ```text
//!   the CRD of OLM -- about_definition --> with our version, or the original
//!   bytes of an API server -- Conversion -------> the same objects in the other version
//!
//!   Observation: an Operator, its components, the Subscriptions of OLM
//!      |
//!      decide <-- Answer -- a reconciler that reads catalogs <-- Question --+
//!      |                                                                    |
//!   Decision { question, ask, projected, taken_off, finalizer, stored, installation }
//!
//!   OperatorFleet: all Operators that are installed from catalogs
//!      |
//!   content of the Install of one Operator <-- Knowledge -- the same reconciler <-- Ask
//! ```
//!
//! # Guarantees
//!
//! - An Operator in v2alpha1 does not change when it is stored and read again. This includes the
//!   status that OLM writes in v1.
//! - The controller writes an Operator only if it changes. The status lists each component with the
//!   `resourceVersion` of its last visible change.
//! - The controller adds labels only to objects that lack them, and removes labels only when the
//!   Operator is deleted.
//! - An Operator is not deleted while another operator needs bundles of its Install, unless a user
//!   forces the deletion.
//!
//! The crate accesses no cluster, no catalog and no clock.
//!
//! ```
//! use portolan_core_components::Conversion;
//!
//! let question = Conversion::parse(br#"{"request": {
//!     "uid": "1", "desiredAPIVersion": "operators.coreos.com/v1",
//!     "objects": [{
//!         "apiVersion": "operators.coreos.com/v2alpha1", "kind": "Operator",
//!         "metadata": {"name": "plumbus"}, "spec": {"updates": {"type": "CatalogSource"}}
//!     }]
//! }}"#)?;
//! let objects = question.answer().objects.expect("an object that fits");
//! let stored = &objects[0]["metadata"]["annotations"]["operators.portolan.dev/v2alpha1"];
//! assert_eq!(stored, r#"{"spec":{"updates":{"type":"CatalogSource"}}}"#);
//! # Ok::<(), portolan_core_components::NoConversion>(())
//! ```

#![warn(clippy::wildcard_enum_match_arm)]

mod associate;
mod component;
mod contents;
mod convert;
mod crd;
mod csv;
mod decide;
mod deletion;
mod fleet;
mod installed;
mod judged;
mod kind;
mod label;
mod project;
mod question;
mod review;
mod source;
mod stored;

pub use associate::{Association, associated_with};
pub use component::{Component, Facts, Install, PlanStep, Reading, Subscription, by_kind};
pub use contents::{Ask, ContentAnswer, Knowledge, Traveler, UpdateRoute, WantedPackage};
pub use convert::{NotConverted, converted};
pub use crd::{ConversionService, PATH, Step, WantedDefinition, about_definition};
pub use csv::{Csv, ProvidedApi};
pub use decide::{Decision, Finalizer, Observation, Operator, decide};
pub use fleet::{FleetOperator, Held, OperatorFleet, Resident, ResidentFacts};
pub use installed::Installation;
pub use kind::{ComponentKind, CustomKind, KINDS};
pub use label::{label_key, suffixes};
pub use project::{is_of_olm, projected};
pub use question::{Answer, CatalogFacts, PermittedUpdate, Question, brought};
pub use review::{Conversion, Converted, NoConversion};
pub use source::{BUNDLES, Bundle, Move, Record, Source};
pub use stored::{LARGEST, Stored};
