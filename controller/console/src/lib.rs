//! The console: a web interface for the cluster.
//!
//! The console has no permissions of its own. On loopback, the console shows only objects that the
//! user's kubeconfig permits. It prints an address with a secret, and this secret admits one
//! browser once. Behind TLS, visitors log in with a token of the cluster, and see only objects that
//! their token permits. The crate `core/views/console` renders the pages and decides which requests
//! are accepted. This crate listens, calls the services, and keeps the keys.
//!
//! ```text
//! socket -> Server -> Pages: Gate, Keys -> Entry or Guests -> Contents -> Source::look(ConsolePage) -> PageView -> Frame::show -> socket
//! ```

mod attempts;
mod changes;
mod contents;
mod cookie;
mod entry;
mod freshness;
mod guests;
mod keys;
mod pages;
mod server;
mod services;

pub use keys::NoRandom;
pub use server::{Bind, Console, Hosted};
pub use services::{Connections, Services, drawn, encode_owner, manifests, path_of};

use std::fmt::Debug;
use std::sync::Arc;

use futures::future::BoxFuture;
use jiff::Timestamp;
use portolan_api::operator::Operator;
use portolan_core_console::view::{Applied, Hidden, PageView, Rehearsed, Seen};
use portolan_core_console::{ConsolePage, Order};
use thiserror::Error;
use tokio::sync::watch;

/// Provides the data that pages show, and makes changes.
pub trait Source: Send + Sync + 'static {
    /// Returns the current data of a page.
    fn look<'a>(&'a self, place: &'a ConsolePage) -> BoxFuture<'a, PageView>;

    /// Returns notes about objects that a page cannot show, or that it shows in an outdated state.
    fn hidden<'a>(&'a self, place: &'a ConsolePage) -> BoxFuture<'a, Vec<Hidden>>;

    /// Returns true if the visitor may make changes.
    fn may_apply(&self) -> bool;

    /// Returns true if the console was started with the target of a cluster upgrade.
    fn has_target(&self) -> bool {
        false
    }

    /// Makes a change or performs its dry run, and returns the result.
    fn apply<'a>(&'a self, order: &'a Order) -> BoxFuture<'a, Applied>;

    /// Returns a number that increases after possible changes of a page. All pages ask at the same
    /// time, so the number should not increase more often than they can be computed.
    fn changes(&self) -> watch::Receiver<u64>;
}

/// The controller of Operators without its writes.
pub trait Rehearse: Debug + Send + Sync + 'static {
    /// Returns the decisions of the controller about these Operators, as if a user had applied them.
    fn rehearse(&self, applied: Vec<Operator>) -> BoxFuture<'_, Seen<Vec<Rehearsed>>>;
}

/// Authenticates visitors by their tokens for the cluster.
pub trait Visitors: Send + Sync + 'static {
    /// Returns the name of the user to whom the token belongs, according to the cluster.
    fn know<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<String, NotAdmitted>>;

    /// Opens a view of the cluster with the permissions of the token. The view watches the cluster
    /// until the returned source is dropped. If the token does not permit reading objects in all
    /// namespaces, the view reads only objects in `namespace`, unless `namespace` is empty.
    fn open<'a>(
        &'a self,
        token: &'a str,
        namespace: &'a str,
    ) -> BoxFuture<'a, Result<Arc<dyn Source>, NotAdmitted>>;
}

/// The reason why a visitor is not admitted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotAdmitted {
    /// The cluster rejects the token.
    #[error("The cluster does not know this token, or it has expired.")]
    Unknown,
    /// The cluster does not answer.
    #[error("The cluster does not answer: {0}")]
    Unanswered(String),
}

/// Formats a time for a page.
fn shown_time(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

#[cfg(test)]
mod tests;
