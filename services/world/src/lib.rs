//! The one source of objects: a cluster, or files that look like one.
//!
//! A caller that needs objects asks a [`World`] for a kind and holds its [`Objects`]: always the
//! last state, whole and shared, with what is wrong with it. States are not events: a caller that
//! was busy meanwhile sees the newest state, and nothing is queued.
//!
//! ```text
//! Cluster: list, watch, list again -\
//!                                     Store<K> -> View<K> -> Objects<K>, Objects<K>, ..
//! Files: folder settled, read it ---/
//! ```
//!
//! The objects of an [`Area`] are watched as long as any caller holds them, and only once for all
//! callers. Tasks end with the world that started them.
//!
//! A caller that needs to know what has changed, among many kinds at once, follows them:
//! [`Followed`] takes a view over and says which objects have changed, a [`Notifier`] notifies when
//! any of them has something to take over, and [`Informed`] takes over all of them together, as
//! [`Changes`].
//!
//! The crate reads objects without interpreting them: that is the task of `core/base/olm`.
//!
//! # A kind
//!
//! A kind is a struct in `core/base/olm` with the fields that are read, and an `impl Kind` here, in
//! `kind/table.rs`, which says how it is listed: how large a page may be, whether metadata is
//! enough, which objects are wanted. A line in `dumped_kinds` puts it into dumps.
//!
//! # Its projection
//!
//! Metadata may be most of an object, so a world keeps only the parts of it that are read. Code
//! that reads an annotation, a label, owners, finalizers or managers names them in the `READS` of
//! its crate, and opens the world with these: the world keeps the union ([`Projection`]). The
//! `READS` of `core/base/olm` and of `api`, with what the methods of the kinds themselves read, are kept
//! by every world. An annotation is read with its [`Annotation`](portolan_core_olm::Annotation) and
//! a label with its [`Label`](portolan_core_olm::Label); `tests/layers` fails on one that is read
//! in another way, or that no `READS` names. All metadata is kept of a kind that no `READS` names.
//!
//! # Whole objects
//!
//! Code that serves or applies objects needs each of them whole, also of a kind that has no struct:
//! [`RawWorld`] has their text, their versions, and the events since a version. It is a watch of
//! its own, and takes as much memory as the objects are long; the example `weigh` measures it.
//!
//! # Metadata alone
//!
//! Code that has to know of many objects of many kinds, and of each hardly more than whether it has
//! changed, watches their metadata: [`MetadataWatches`], in the name of the process or of a
//! [`User`].
//!
//! # Templates in policies
//!
//! A policy may have templates that read objects. A [`ResolvedWorld`] has the policies that these
//! become, and watches each object that one of them reads, by its name.
//!
//! # Registries
//!
//! Objects name registries of catalogs. [`registry`] connects to them, over the network or through
//! the API server.
//!
//! ```no_run
//! use kube::core::{ApiResource, GroupVersionKind};
//! use portolan_core_olm::{Annotation, Pod, Reads};
//! use portolan_world::{Area, Files, RawWorld, World};
//!
//! const COLOR: Annotation = Annotation::new("ferry.example/color");
//! const READS: &[Reads] = &[Reads::of::<Pod>().annotations(&[COLOR])];
//!
//! # async fn example() -> Result<(), portolan_world::Ended> {
//! let world = Files::at("dump").reading(READS);
//! let mut pods = world.objects::<Pod>();
//! let view = pods.known().await?;
//! println!("{}: {} Pods", view.state, view.objects.len());
//! let colors = view.objects.values().filter_map(|pod| COLOR.of(&pod.metadata));
//! colors.for_each(|color| println!("{color}"));
//!
//! let maps = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "ConfigMap"));
//! let mut maps = world.raw(&maps, Area::namespace("harbor"));
//! let mut seen = maps.now();
//! loop {
//!     maps.changed().await?;
//!     let view = maps.now();
//!     match view.since(seen.version) {
//!         Ok(events) => events.for_each(|event| println!("{:?} {}", event.change, event.object.key)),
//!         Err(expired) => println!("{expired}: there are {}", view.objects.len()),
//!     }
//!     seen = view;
//! }
//! # }
//! ```

mod any;
mod area;
mod changes;
mod cluster;
mod dump;
mod fault;
mod files;
mod flags;
mod followed;
mod index;
mod inventory;
mod key;
mod kind;
mod metadata;
mod notifier;
mod objects;
mod projection;
mod raw;
pub mod registry;
mod regular;
pub mod settle;
mod store;
mod stored;
mod templates;
mod user;
mod view;

use std::path::Path;

pub use any::AnyWorld;
pub use area::Area;
pub use changes::{Changes, Informed, Informer};
pub use cluster::{
    Access, Cluster, DumpCluster, Dumped, Pace, ReachCluster, UnknownUser, WriteDump, name_process,
    write_list,
};
pub use dump::{Dump, KindName, NotRead, NotSeen, ReadDump, RegistryProbe};
pub use fault::{FaultPlace, WorldFault};
pub use files::{Files, Manifests, Written, read_objects};
pub use flags::{NoWorld, WorldFlags};
pub use followed::{Followed, Turn};
pub use index::Index;
pub use inventory::read_inventory;
pub use kind::{Kind, Watchable, as_kept};
pub use metadata::{MetadataChange, MetadataOf, MetadataWatch, MetadataWatches};
pub use notifier::Notifier;
pub use objects::{Ended, Objects, RawObjects, Watched};
pub use portolan_core_names::{Gvk, Key, ObjectRef};
pub use portolan_core_olm::Reads;
pub use projection::Projection;
pub use raw::{Change, Expired, RawEvent, RawObject, RawView, RawWorld};
pub use registry::Dialer;
pub use templates::{ResolvedWorld, resolved};
pub use user::User;
pub use view::{State, Trouble, View};

/// A source of objects.
pub trait World: Clone + Send + Sync + 'static {
    /// Returns the objects of a kind in an area. They are watched while at least one caller holds
    /// them.
    fn objects_in<K: Kind>(&self, area: Area) -> Objects<K>;

    /// Returns the objects of a kind everywhere.
    fn objects<K: Kind>(&self) -> Objects<K> {
        self.objects_in(Area::everywhere())
    }

    /// Returns the version of Kubernetes as the API server reports it, such as `v1.34.1`. None if
    /// it is unknown.
    fn kubernetes(&self) -> impl Future<Output = Option<String>> + Send {
        std::future::ready(None)
    }

    /// Returns the dialer for the registries that its objects name.
    fn dialer(&self) -> Dialer;

    /// Returns the folder of files, if the world is not a cluster. The files may be of another
    /// cluster and another time.
    fn folder(&self) -> Option<&Path> {
        None
    }

    /// Returns true if a kind without objects may be incomplete. A folder has only the files that
    /// were put there, unless it is a [`Dump`].
    fn is_partial(&self) -> bool {
        false
    }
}
