//! The common code of the gRPC services. Each service adds only its queries.
//!
//! A service watches the objects of a `World` (a cluster, or a set of files), creates an immutable
//! Snapshot from these objects, and processes requests with this Snapshot. This crate does not
//! depend on the kinds of objects, the queries or the protobuf messages. It uses `portolan-world`
//! for objects and `portolan-shell` for the server.
//!
//! ```text
//! World -> Rounds<Cache> -> SnapshotCell -> Snapshots -> answer, watch -> tonic service -> Listening
//!             ^ judges what changed  \-> ready
//! ```
//!
//! # A service, step by step
//!
//! 1. Its **Snapshot**: the state with which it processes requests. A Snapshot is immutable. A
//!    newer Snapshot replaces it and shares its unchanged content. The default Snapshot is empty,
//!    and clients of a watch start with it.
//! 2. Its **cache**, which implements [`Cache`]: the kinds that it watches, the namespaces that a
//!    change affects, and the evaluation of one namespace. [`Rounds`] drives it: it applies changes
//!    in batches, evaluates only the affected namespaces, and publishes a Snapshot if the result
//!    has changed. If the observation of objects ends or starts again, it evaluates all namespaces.
//! 3. The **service** itself, which holds [`Snapshots`]. A method decodes a query, calls
//!    [`Snapshots::answer`] to process it with the current Snapshot, and encodes the response. Each
//!    error becomes a `Status`, including [`NotYet`]. A method that streams changes encodes the
//!    items of [`Snapshots::watch`], which only needs a function that compares two Snapshots. If
//!    this comparison is slow, or if its result also depends on the time, use
//!    [`Snapshots::watch_with`] with a [`Compare`].
//! 4. **Flags**, and a `listen` function that builds the server. [`secure`] lets the cluster
//!    authorize the callers. [`serve`] runs the server until a signal. [`Start`] is the error if the
//!    server does not start.
//!
//! Programs without gRPC are built in the same way: a [`Process`] runs their probes, tasks and
//! work, and shuts them down in order.
//!
//! A service also needs a line in `RESOURCES` of `authorize/authorizer.rs`, which contains the
//! permission to call the service, and its edges in `tests/layers`. Its decisions belong in a crate
//! without I/O in `core/`. The method `judge` collects the facts and calls this crate.
//!
//! # Example
//!
//! A service that counts the objects of some kind in each namespace.
//!
//! ```
//! use std::collections::{BTreeMap, BTreeSet};
//! use std::sync::Arc;
//!
//! use futures::{Stream, StreamExt};
//! use portolan_scaffold::{
//!     Cache, Event, Listening, NotYet, Rounds, SnapshotCell, Snapshots, Start,
//! };
//! use portolan_shell::{ServeFlags, Server};
//! use portolan_world::{
//!     Changes, Ended, Followed, Informer, Kind, Notifier, RegistryProbe, World, WorldFlags,
//! };
//! use tonic::Status;
//!
//! /// What it answers from.
//! #[derive(Default)]
//! struct Counted {
//!     namespaces: BTreeMap<Arc<str>, usize>,
//! }
//!
//! /// What it follows, and what it made of that.
//! struct CountCache<K: Kind> {
//!     objects: Followed<K>,
//!     counts: BTreeMap<Arc<str>, usize>,
//! }
//!
//! impl<K: Kind> Cache for CountCache<K> {
//!     type Snapshot = Counted;
//!
//!     fn kinds(&mut self) -> Vec<&mut dyn Informer> {
//!         vec![&mut self.objects]
//!     }
//!
//!     fn apply(&mut self, changes: &Changes) -> BTreeSet<Arc<str>> {
//!         changes.namespaces::<K>().collect()
//!     }
//!
//!     fn namespaces(&self) -> BTreeSet<Arc<str>> {
//!         let counted = self.counts.keys().cloned();
//!         counted.chain(self.objects.namespaces()).collect()
//!     }
//!
//!     fn judge(&mut self, namespace: &Arc<str>) -> bool {
//!         let count = self.objects.within(namespace).count();
//!         self.counts.insert(namespace.clone(), count) != Some(count)
//!     }
//!
//!     fn snapshot(&self) -> Counted {
//!         Counted { namespaces: self.counts.clone() }
//!     }
//! }
//!
//! async fn follow<K: Kind>(world: impl World, cell: SnapshotCell<Counted>) -> Ended {
//!     let notifier = Notifier::default();
//!     let objects = Followed::<K>::of(world.objects(), &notifier);
//!     let cache = CountCache { objects, counts: BTreeMap::new() };
//!     Rounds::new(cache, notifier).run(cell).await
//! }
//!
//! /// The service. Its methods are those of a trait of tonic, as a rule.
//! struct Counts(Snapshots<Counted>);
//!
//! enum RequestError {
//!     NotYet(NotYet),
//!     NoSuchNamespace(String),
//! }
//!
//! impl From<NotYet> for RequestError {
//!     fn from(not_yet: NotYet) -> Self {
//!         Self::NotYet(not_yet)
//!     }
//! }
//!
//! impl From<RequestError> for Status {
//!     fn from(refusal: RequestError) -> Self {
//!         match refusal {
//!             RequestError::NotYet(not_yet) => Self::unavailable(not_yet.to_string()),
//!             RequestError::NoSuchNamespace(name) => Self::not_found(format!("there is no {name}")),
//!         }
//!     }
//! }
//!
//! impl Counts {
//!     fn count(&self, namespace: &str) -> Result<usize, Status> {
//!         self.0.answer(Ok(namespace), |namespace, snapshot| {
//!             let count = snapshot.namespaces.get(*namespace).copied();
//!             count.ok_or_else(|| RequestError::NoSuchNamespace((*namespace).to_owned()))
//!         })
//!     }
//!
//!     fn watch(&self) -> impl Stream<Item = String> {
//!         let messages = self.0.watch(|now, before| {
//!             let counts = now.namespaces.iter();
//!             let news = counts.filter(|(name, count)| before.namespaces.get(*name) != Some(*count));
//!             news.map(|(name, count)| format!("{name}: {count}")).collect()
//!         });
//!         messages.map(|message| match message.event {
//!             Event::Change(change) => change,
//!             Event::Synced => "synced".to_owned(),
//!             Event::Heartbeat => "nothing new".to_owned(),
//!         })
//!     }
//! }
//!
//! async fn listen(objects: WorldFlags, serve: ServeFlags) -> Result<Listening, Start> {
//!     let cell = SnapshotCell::default();
//!     let service = Counts(cell.snapshots());
//!     // Here `.host(service, cell.heard())` hosts what tonic makes of it.
//!     let server = Server::new(serve, &[]);
//!     let following = async move {
//!         let world = objects.open().await?;
//!         Err(follow::<RegistryProbe>(world, cell).await.into())
//!     };
//!     Ok(Listening::new(server.bind().await?, following))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! // In the same process, without a server.
//! let world = portolan_stage::Stage::default();
//! let counts = Counts(Snapshots::following(|cell| follow::<RegistryProbe>(world, cell)));
//! assert!(counts.count("harbor").is_err_and(|status| status.code() == tonic::Code::Unavailable));
//! counts.0.settled().await;
//! assert!(counts.count("harbor").is_err_and(|status| status.code() == tonic::Code::NotFound));
//! assert_eq!(Box::pin(counts.watch()).next().await.as_deref(), Some("synced"));
//! # }
//! ```

mod authorize;
mod cache;
mod listening;
mod process;
mod snapshots;
mod start;
mod watcher;

pub use authorize::{Secure, secure};
pub use cache::{Cache, Due, Rounds};
pub use listening::Listening;
pub use process::{Process, serve};
pub use snapshots::{NotYet, Posted, SnapshotCell, Snapshots};
pub use start::Start;
pub use watcher::{Compare, Event, Message, WatchUpdate, messages};
