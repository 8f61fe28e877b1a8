//! The runtime of controllers: everything about a controller that is the same for every kind.
//!
//! ```text
//!               Election: one replica leads, its Fence lets writes through
//!                  |
//! Controllers -- Driver (a kind each): Queue, backoff, pending writes, so many at once
//!                  |  ^
//!         snapshot |  | changed, refresh
//!                  v  |
//!   Reconciler    Cache: what is watched
//!       |
//!       v
//!   Session -- Write, Write, .. --> FencedClient --> API server
//! ```
//!
//! It knows leader election, queues, requests and managed fields, and no kind at all. What is
//! wanted is decided by pure crates; what is watched comes from `services/world`, or from any other
//! [`Cache`].
//!
//! # A controller in four steps
//!
//! 1. What it sees: a [`Cache`] names the objects to reconcile, and gives a snapshot of each.
//! 2. What it does: a [`Reconciler`] decides from a snapshot and carries out [`Write`]s, whose
//!    [`PendingWrite`]s it hands back. It is called again once the cache shows them.
//! 3. How it writes: a [`Writer`] with [`FieldRules`] over a [`FencedClient`]. As somebody else:
//!    [`FencedClient::impersonating`]; without keeping anything: [`FencedClient::dry_run`]. Many
//!    writes with an order among them: [`carry_out`].
//! 4. When it runs: a [`Driver`] for the kind, started among the [`Controllers`] of the process.
//!
//! ```no_run
//! use std::collections::BTreeSet;
//! use std::sync::Arc;
//!
//! use portolan_runtime::lease::{Election, LeaseRef, Terms};
//! use portolan_runtime::{
//!     Cache, Cached, Controllers, Driver, FencedClient, FieldRules, Outcome, PendingWrite,
//!     Reconciler, Reconciles, Warning, Write, WriteFailure, Writer, Writes,
//! };
//! use portolan_shell::Readiness;
//! use portolan_world::{Ended, Key};
//! use serde_json::json;
//!
//! /// Sees one name, once.
//! struct Names(Option<Key>);
//!
//! impl Cache for Names {
//!     type Snapshot = ();
//!     type Report = ();
//!
//!     async fn changed(&mut self) -> Result<(), Ended> {
//!         std::future::pending().await
//!     }
//!     async fn refresh(&mut self) -> BTreeSet<Key> {
//!         self.0.take().into_iter().collect()
//!     }
//!     fn is_synced(&self) -> bool {
//!         true
//!     }
//!     fn snapshot(&mut self, _: &Key) -> Option<()> {
//!         Some(())
//!     }
//!     fn cached(&self, _: &PendingWrite) -> Option<Cached> {
//!         None
//!     }
//!     fn reconciled(&mut self, _: &Key, (): ()) -> BTreeSet<Key> {
//!         BTreeSet::new()
//!     }
//!     fn warn(&self, key: &Key, warning: Warning<'_>) {
//!         eprintln!("{key}: {warning:?}");
//!     }
//! }
//!
//! /// Makes a ConfigMap of each name.
//! struct Maker(Writer);
//!
//! impl Reconciler for Maker {
//!     type Cache = Names;
//!
//!     async fn reconcile(&self, key: &Key, (): ()) -> Outcome {
//!         let write = Write::create(json!({
//!             "apiVersion": "v1",
//!             "kind": "ConfigMap",
//!             "metadata": {"namespace": &*key.namespace, "name": &*key.name},
//!         }));
//!         let written = match write {
//!             Ok(write) => self.0.session().write(write).await,
//!             Err(failure) => Err(failure),
//!         };
//!         match written {
//!             Ok(written) => Outcome {
//!                 pending: written.pending.into_iter().collect(),
//!                 ..Outcome::default()
//!             },
//!             // It is there already.
//!             Err(WriteFailure::Changed(_)) => Outcome::default(),
//!             Err(failure) => Outcome {
//!                 failure: Some(failure.to_string()),
//!                 ..Outcome::default()
//!             },
//!         }
//!     }
//!
//!     fn forget(&self, _: &Key) {}
//! }
//!
//! # async fn example(config: kube::Config) -> Result<(), Box<dyn std::error::Error>> {
//! let lease = LeaseRef::of("harbor", "maker", "pod-1");
//! let client = kube::Client::try_from(config.clone())?;
//! let election = Election::start(client, lease, Terms::default());
//! let fence = election.fence();
//! let client = FencedClient::new(fence.client(config)?, fence, Writes::of(&["ConfigMap"]));
//!
//! let mut controllers = Controllers::under(Some(election));
//! controllers.start(Driver {
//!     cache: Names(Some(Key::new("harbor", "ferry"))),
//!     reconciler: Arc::new(Maker(Writer::new(client, FieldRules::default()))),
//!     at_once: 4,
//!     ready: Readiness::pending(),
//!     metrics: Reconciles::default(),
//! });
//! // A second kind is a second `start`.
//! controllers.run(futures::stream::pending(), || {}).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Guarantees
//!
//! - No write begins, and none goes on, once the process may have lost its Lease, in whoever's name
//!   it is.
//! - A write fits only the object that was seen: each carries its uid, and but for deletions its
//!   resourceVersion. What a session wrote before counts as seen.
//! - No object is reconciled twice at once, nor before the cache shows what was written for it, or
//!   ten seconds are over.
//! - A kind that fails, waits or is flooded holds up no other kind.
//!
//! # Not here
//!
//! Watches under several identities: caches are watched by the process itself.

mod client;
mod controllers;
mod driver;
mod fields;
pub mod lease;
mod metrics;
mod pending;
mod queue;
mod session;
mod steps;
mod write;

pub use client::{FencedClient, FieldConflict, WriteFailure};
pub use controllers::{Controllers, Stopped};
pub use driver::{Cache, Driver, Outcome, Reconciler, Report, Snapshot, Warning, instant};
pub use fields::{Contest, FieldRules, Unkept};
pub use metrics::{Reconciles, Writes};
pub use pending::{Cached, Expected, PendingWrite};
pub use portolan_world::{MetadataChange, MetadataOf, MetadataWatch, MetadataWatches, User};
pub use session::{Session, Writer, Written};
pub use steps::{Order, Step, carry_out};
pub use write::{Body, Expects, ObjectRef, Propagation, Seen, Write, set};
