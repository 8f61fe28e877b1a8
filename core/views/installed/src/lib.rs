//! Installed objects: the operators that watch a namespace. Unlike OLM's copied
//! ClusterServiceVersions, they are not stored in the cluster.
//!
//! An [`Installed`] is an operator in one of the namespaces that it watches. Installed objects are
//! derived from ClusterServiceVersions, Subscriptions, OperatorGroups and Namespaces. For operators
//! without OLM, they are derived from Operators and from the ClusterServiceVersions that are stored
//! with their plans. Data that several Installed objects share is stored only once, even if an
//! operator watches many namespaces.
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
//! An [`Index`] applies one change after the other, and returns the effects of each change as a
//! [`Batch`]. Its [`Snapshot`] has all objects at one [`ResourceVersion`]. A [`History`] keeps
//! recent batches. [`apiserver`] parses requests and writes responses. The crate has no server, no
//! cluster and no clock.
//!
//! # Usage
//!
//! The caller watches the original objects:
//! - It passes a complete list to [`Index::replace`], each later change to [`Index::put`] or
//!   [`Index::delete`], and each bookmark to [`Index::pass`]. It passes several changes of one
//!   revision to [`Index::apply`].
//! - While [`Index::missing`] is not empty, the caller must not report that an object does not
//!   exist.
//! - It passes each [`Batch`] to the watches and to the history.
//!
//! A list response is a [`Page`] of a [`Snapshot`]. It is written in pieces with
//! [`Installed::pieces`], or as a table with [`Installed::cells`]. A watch begins with
//! [`History::batches_since`], and sends the result of [`Event::for_watch`] for each event.
//!
//! # Guarantees
//!
//! - Equal original objects give equal Installed objects, in any order of changes. The uid of an
//!   object never changes.
//! - The events of a batch describe exactly the changes from the state before the batch to the
//!   state after it. The version of an object changes if and only if the object changes.
//! - A watch that resumes from the version of a list, an object or an event misses no event.
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
