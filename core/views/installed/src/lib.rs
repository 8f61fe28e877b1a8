//! Installed objects: the operators that serve a namespace, without storing copies.
//!
//! An [`Installed`] is an operator in a namespace that it watches. Installed objects are not
//! stored, but derived from ClusterServiceVersions, Subscriptions, OperatorGroups and Namespaces.
//! For operators without OLM, they are derived from Operators and the ClusterServiceVersions that
//! are stored beside their plans. Data that several Installed objects have in common is stored only
//! once, however many namespaces an operator watches.
//!
//! ```text
//! ClusterServiceVersions --\
//! Subscriptions            |
//! OperatorGroups           |--> Original --> Index --> Snapshot    get, list
//! Namespaces               |                   |
//! Operators                |                   +-----> Batch       watch
//! ResourceManifests      --/
//! ```
//!
//! An [`Index`] applies changes one at a time, and returns the effects of each change as a
//! [`Batch`]. Its [`Snapshot`] is the state of all objects at one [`ResourceVersion`]. A
//! [`History`] keeps recent batches. [`apiserver`] parses requests and creates responses. The crate
//! has no server, no cluster and no clock.
//!
//! # Usage
//!
//! The caller watches the original objects. It passes a complete list to [`Index::replace`], each
//! later change to [`Index::put`] or [`Index::delete`] (several changes of one revision to
//! [`Index::apply`]), and a bookmark to [`Index::pass`]. While [`Index::missing`] is not empty, the
//! caller must not report an object as missing. The caller passes each [`Batch`] to the watches and
//! to the history. A list response is a [`Page`] of a [`Snapshot`], written in pieces with
//! [`Installed::pieces`], or in table cells with [`Installed::cells`]. A watch begins with
//! [`History::batches_since`], and sends what [`Event::for_watch`] returns for each event.
//!
//! # Guarantees
//!
//! - The same originals make the same Installed objects, in any order. The uid of an object never
//!   changes.
//! - The events of a batch lead from the state before it to the state after it. The version of an
//!   object changes if and only if the object changes.
//! - A watch that resumes from the version of a list, of an object or of an event misses nothing.
//!
//! ```
//! use portolan_core_installed::{SubscriptionDetail, Index, Original, Resource, Revision};
//!
//! let mut index = Index::new(Resource::ALL);
//! for (resource, json) in [
//!     (Resource::Namespaces, r#"{"metadata": {"name": "harbor"}}"#),
//!     (
//!         Resource::OperatorGroups,
//!         r#"{"metadata": {"name": "g", "namespace": "olm"}, "status": {"namespaces": [""]}}"#,
//!     ),
//!     (
//!         Resource::ClusterServiceVersions,
//!         r#"{"metadata": {"name": "ferry.v1.0.0", "namespace": "olm"}, "status": {"phase": "Pending"}}"#,
//!     ),
//! ] {
//!     index.put(Original::read(resource, json)?, &Revision::from(7));
//! }
//! let ferry = index.snapshot().get("harbor", "ferry.v1.0.0").expect("it watches all");
//! assert!(ferry.to_json(SubscriptionDetail::Limited).contains(r#""namespace":"harbor""#));
//! # Ok::<_, portolan_core_installed::Unreadable>(())
//! ```

#![warn(clippy::wildcard_enum_match_arm)]

pub mod apiserver;
mod event;
mod history;
mod index;
mod installed;
mod label;
mod operator;
mod original;
mod page;
mod resource;
mod sanitized;
mod selector;
mod snapshot;
mod table;
mod uid;
mod version;

pub use event::{Batch, Event, EventType};
pub use history::{History, Limits, NotKnown};
pub use index::Index;
pub use installed::{
    GROUP, Installed, KIND, Piece, REPLACED_BY, RESOURCE, SAME_NAME_IN, SubscriptionDetail, VERSION,
};
pub use label::{CSV, SUBSCRIPTION, label_value};
pub use operator::Operator;
pub use original::{
    Body, Csv, Group, Namespace, Original, OwnOperator, StoredCsv, Subscription, Targets,
    Unreadable,
};
pub use page::{Continue, NotAContinue, Page};
pub use portolan_core_install::Key;
pub use resource::Resource;
pub use sanitized::{LEFT_OUT, LeftOut};
pub use selector::{FieldSelector, Filter, LabelSelector, NotASelector};
pub use snapshot::Snapshot;
pub use table::{COLUMNS, Column, NARROW};
pub use version::{NotAVersion, ResourceVersion, Revision};
