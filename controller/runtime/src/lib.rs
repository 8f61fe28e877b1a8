//! The runtime of controllers: the code that is the same for every kind.
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
//! This crate implements leader election, queues, requests and managed fields. Only the module
//! [`certificates`] depends on specific kinds. The crates in `core/kinds` decide about the desired
//! state, without I/O. The crate `services/world` watches objects, but a [`Cache`] may get its
//! objects from another source.
//!
//! # A controller in five steps
//!
//! 1. Cache: a [`Cache`] returns the objects to reconcile, and a snapshot of each object. Its
//!    objects come from a world. If only metadata is needed, its objects come from
//!    [`MetadataWatches`].
//! 2. Reconcile: a [`Reconciler`] makes decisions from a snapshot and executes [`Write`]s. It
//!    returns the [`PendingWrite`]s of these writes, and is called again when the cache contains
//!    the writes.
//! 3. Write: a [`Writer`] with [`FieldRules`] uses a [`FencedClient`].
//!    [`FencedClient::impersonating`] writes as another user, [`FencedClient::dry_run`] stores
//!    nothing, and [`FencedClient::strict`] rejects fields that the API server would drop. An apply
//!    takes fields from other managers by force, unless it is [`unforced`](Write::unforced): then a
//!    [`WriteFailure::FieldsOwned`] names all of these fields and their managers. For many writes
//!    that depend on each other, use [`carry_out`].
//! 4. Report: a [`StatusPublisher`] writes a status without the fields that the CRD lacks, and a
//!    [`Recorder`] creates one event for each piece of [`News`].
//! 5. Run: a [`Driver`] for the kind. Its [`Registration`] starts it with the other [`Controllers`]
//!    of the process.
//!
//! # Add a controller
//!
//! A process has one table of its controllers. Each [`Registration`] in this table describes one
//! controller, checks if the flags enable the controller, and starts it. Metrics, help pages, docs
//! and tests use the [`Description`] of the controller. A [`Process`] serves probes and metrics,
//! and stops in order. A [`Replica`] has the clients and the leader election.
//!
//! For `portolan serve controller`:
//!
//! 1. The kind is in the crate `api`. The example `crdgen` writes its CRD.
//! 2. A crate in `controller` has its [`Cache`] and its [`Reconciler`], with a line in `EDGES` of
//!    `tests/layers`.
//! 3. Its flag is in `ControllerFlags` of `controller/src/flags.rs`.
//! 4. **Its registration is a line of `CONTROLLERS` in `controller/src/controllers.rs`.** No other
//!    code of the process refers to the controller.
//! 5. Its permissions and its flag are a component in `deploy/overlays` (then run `just chart`),
//!    and it has a row in `docs/operations.md`. Tests compare both with the table.
//! 6. If other crates read the kind, add a line in `services/world/src/kind/table.rs`.
//!
//! ```no_run
//! use std::collections::BTreeSet;
//! use std::sync::Arc;
//!
//! use futures::FutureExt;
//! use futures::stream::BoxStream;
//! use portolan_runtime::{
//!     Cache, Cached, ControllerMetrics, Controllers, Description, FieldRules, LeaseFlags, Mismatch,
//!     Outcome, PendingWrite, ChangePreview, Process, Reconciler, Registration, Replica, Requirements,
//!     Start, Warning, Write, WriteFailure, Writer,
//! };
//! use portolan_shell::{ProbeFlags, ProbeServer, Readiness};
//! use portolan_world::{Access, Ended, Key};
//! use prometheus_client::registry::Registry;
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
//!             Err(WriteFailure::Conflict(Mismatch::Exists(_))) => Outcome::default(),
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
//! /// The flags of the process.
//! struct Flags {
//!     access: Access,
//!     lease: LeaseFlags,
//!     probes: ProbeFlags,
//!     maker: bool,
//! }
//!
//! /// The parts that its controllers share.
//! struct Shared {
//!     names: Option<Key>,
//! }
//!
//! /// All of its controllers. A second one is a second line.
//! static CONTROLLERS: [Registration<Flags, Shared>; 1] = [Registration {
//!     about: Description {
//!         name: "maker",
//!         objects: "names",
//!         flags: &["--maker"],
//!         crds: &[],
//!         writes: &["ConfigMap"],
//!         permissions: "overlays/maker",
//!         requires: Requirements::NONE,
//!         preview: ChangePreview::Nowhere,
//!     },
//!     is_on: |flags| flags.maker,
//!     start: |shared, starter| {
//!         let writer = Writer::new(starter.writing()?, FieldRules::default());
//!         starter.start(Names(shared.names.clone()), Maker(writer));
//!         Ok(())
//!     },
//! }];
//!
//! async fn run(
//!     flags: Flags,
//!     metrics: ControllerMetrics,
//!     stops: BoxStream<'_, ()>,
//! ) -> Result<(), Start> {
//!     let config = flags.access.config().await?;
//!     let (replica, election) = Replica::elected(config, flags.lease.lease())?;
//!     let shared = Shared { names: Some(Key::new("harbor", "ferry")) };
//!     let mut controllers = Controllers::under(election);
//!     let on = CONTROLLERS.iter().filter(|each| (each.is_on)(&flags));
//!     controllers.start_all(on, &shared, Some(&replica), &metrics)?;
//!     Ok(controllers.run(stops, || {}).await?)
//! }
//!
//! async fn listen(flags: Flags) -> Result<Process, Start> {
//!     let metrics = ControllerMetrics::default();
//!     let mut registry = Registry::default();
//!     metrics.register(&mut registry);
//!     let named = ("maker", Readiness::pending());
//!     let probe_server = ProbeServer::bind(flags.probes.clone(), named, registry).await?;
//!     Ok(Process::new(|stops| run(flags, metrics, stops).boxed()).probed(probe_server))
//! }
//!
//! # async fn example(flags: Flags) -> Result<(), Start> {
//! // Until SIGTERM or Ctrl-C.
//! portolan_runtime::serve(listen(flags)).await
//! # }
//! ```
//!
//! # Guarantees
//!
//! - If the process may have lost its Lease, no write starts and no running write continues, for
//!   any user that the process impersonates.
//! - A write is only valid for the object that was read. Each write contains the uid of this object
//!   and, except for deletions, its resourceVersion. An object that the same session has written
//!   counts as read.
//! - The same object is never reconciled twice at the same time. It is reconciled again only when
//!   the cache contains the writes of its last reconciliation, or after ten seconds.
//! - A kind that fails, waits or has very many changes does not block other kinds.
//!
//! # Certificates
//!
//! API servers call webhooks and other servers, and the certificates of these servers expire. The
//! module [`certificates`] contains two ways to renew certificates. A controller issues and renews
//! the certificates of other programs. A [`Keeper`](certificates::Keeper) renews the certificate of
//! its own process.
//!
//! # Objects of many kinds, seen by many
//!
//! A controller that applies the manifests of other users watches the applied objects of any kind,
//! and only with the permissions of these users. A [`MetadataWatch`] observes one resource in one
//! [`Area`](portolan_world::Area) as one user. Callers with the same parameters share the watch.
//! The watch ends when the last caller drops it. A cache opens and drops watches in
//! [`Cache::reconciled`]. It waits for [`MetadataWatches::changed`] and other events, and finds the
//! objects that a [`MetadataChange`] affects.
//!
//! ```no_run
//! use kube::core::{ApiResource, Expression, GroupVersionKind};
//! use portolan_runtime::{MetadataOf, MetadataWatches, User};
//! use portolan_world::{Area, Trouble};
//!
//! # async fn example(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
//! let mut watches = MetadataWatches::new(client, MetadataWatches::PACE);
//! let labeled = Expression::Equal("maker".into(), "ferry".into());
//! let watch = watches.watch(MetadataOf {
//!     user: Some(User::service_account("harbor", "installer")),
//!     kind: ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "ConfigMap")),
//!     area: Area::namespace("harbor").with_labels(labeled.into()),
//! })?;
//! loop {
//!     for change in watches.take_changes() {
//!         // A missing object may only have lost its label: read it to find out.
//!         println!("{:?} {}", change.keys, change.bears_on_all);
//!     }
//!     let view = watch.now();
//!     if let Some((Trouble::Forbidden(why), since)) = view.state.trouble() {
//!         // Read unseen objects now and then. The watch starts by itself once permitted.
//!         println!("not seen since {since}: {why}");
//!     }
//!     for object in view.objects.values() {
//!         println!("{} {:?}", object.key, object.metadata()?.managed_fields);
//!     }
//!     watches.changed().await?;
//! }
//! # }
//! ```

pub mod certificates;
mod client;
mod controllers;
mod driver;
mod event;
mod fields;
pub mod lease;
mod metrics;
mod pending;
mod queue;
mod registration;
mod replica;
mod session;
mod status;
mod steps;
mod write;

pub use client::{FencedClient, FieldConflict, Mismatch, Patience, WriteFailure, page_after};
pub use controllers::{Controllers, Stopped};
pub use driver::{Cache, Driver, Outcome, Reconciler, ReportOf, SnapshotOf, Warning, instant};
pub use event::{News, Recorder, entered, reference};
pub use fields::FieldRules;
pub use metrics::{ControllerMetrics, Reconciles, Writes};
pub use pending::{Cached, Expected, PendingWrite};
pub use portolan_scaffold::{Process, Start, serve};
pub use portolan_world::{MetadataChange, MetadataOf, MetadataWatch, MetadataWatches, User};
pub use registration::{AT_ONCE, ChangePreview, Description, Registration, Requirements, Starter};
pub use replica::{LeaseFlags, LeaseName, Replica};
pub use session::{Session, Writer, Written};
pub use status::StatusPublisher;
pub use steps::{StepOrder, StepResult, carry_out};
pub use write::{Body, Expects, ObservedObject, Propagation, ResourceRef, Write, holds, set};
