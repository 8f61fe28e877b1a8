//! Provides the objects of a cluster, from an API server or from files that describe a cluster.
//!
//! A caller requests a kind from a [`World`] and holds the returned [`Objects`]. The [`Objects`]
//! always provide the newest state of all objects of the kind, with the faults in these objects.
//! All callers share this state. A caller that was busy gets only the newest state, because changes
//! are not queued.
//!
//! ```text
//! Cluster: list, watch, list again -\
//!                                     Store<K> -> View<K> -> Objects<K>, Objects<K>, ..
//! Files: folder settled, read it ---/
//! ```
//!
//! The objects of an [`Area`] are watched while a caller holds them. All callers share one watch.
//! The tasks of a world end with the world.
//!
//! Three types help a caller that needs the changes. [`Followed`] applies the newest view of a kind
//! and returns the changed objects. A [`Notifier`] reports that a kind has changed. [`Informed`]
//! applies the changes of many kinds together and returns them as [`Changes`].
//!
//! This crate reads objects. The crate `core/base/olm` interprets them.
//!
//! # A kind
//!
//! A kind is a struct in `core/base/olm` with the fields that are read. It needs an `impl Kind` in
//! `kind/table.rs` of this crate. This `impl` defines how the kind is listed: the size of a page,
//! if metadata is enough, and which objects are relevant. A line in `dumped_kinds` adds the kind to
//! dumps.
//!
//! # Its projection
//!
//! Metadata may be the largest part of an object, so a world keeps only the metadata that is read.
//! Code that reads an annotation, a label, owners, finalizers or managers must list them in the
//! `READS` of its crate, and open the world with these `READS`. The world keeps the union of all
//! `READS` ([`Projection`]). Every world keeps the `READS` of `core/base/olm` and of `api`, which
//! include the metadata that the methods of the kinds read. Code must read an annotation with its
//! [`Annotation`](portolan_core_olm::Annotation) and a label with its
//! [`Label`](portolan_core_olm::Label). The test in `tests/layers` fails if code reads an
//! annotation or label in another way, or if no `READS` lists it. If no `READS` contains a kind,
//! all metadata of the kind is kept.
//!
//! # Whole objects
//!
//! Code that serves or applies objects needs whole objects, even of kinds without a struct.
//! [`RawWorld`] provides the text and the versions of the objects, and the events since a version.
//! It uses a separate watch and needs memory for the text of the objects. The example `weigh`
//! measures this memory.
//!
//! # Metadata alone
//!
//! Some code only needs to know which objects have changed, for many objects of many kinds. This
//! code watches only metadata with [`MetadataWatches`], as the process itself or as a [`User`].
//!
//! # Templates in policies
//!
//! An OperatorPolicy may have templates that read objects. A [`ResolvedWorld`] returns the policies
//! with resolved templates, and watches each object that a template reads.
//!
//! # Registries
//!
//! CatalogSources contain the addresses of registries. The module [`registry`] connects to
//! registries, over the network or through the API server.
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
mod leases;
mod listed;
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
pub use kind::{Kind, Watchable, addressed, as_kept};
pub use leases::WorldTime;
pub use listed::{Completeness, ListedKind};
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

/// A source of objects: a cluster, or files that describe a cluster.
pub trait World: Clone + Send + Sync + 'static {
    /// Returns the objects of a kind in an area. The objects are watched while at least one caller
    /// holds them.
    fn objects_in<K: Kind>(&self, area: Area) -> Objects<K>;

    /// Returns the objects of a kind in all namespaces.
    fn objects<K: Kind>(&self) -> Objects<K> {
        self.objects_in(Area::everywhere())
    }

    /// Returns the Kubernetes version that the API server reports, such as `v1.34.1`. Returns None
    /// if the version is unknown.
    fn kubernetes(&self) -> impl Future<Output = Option<String>> + Send {
        std::future::ready(None)
    }

    /// Returns the dialer for the registries whose addresses are in objects of the world.
    fn dialer(&self) -> Dialer;

    /// Returns the folder of the files. Returns None if the world is a cluster. The files may
    /// belong to another cluster, or to an earlier time.
    fn folder(&self) -> Option<&Path> {
        None
    }

    /// Returns true if the world may lack all objects of a kind although these objects exist in the
    /// cluster. This is true for files that are not a [`Dump`], because a user may leave out files.
    fn is_partial(&self) -> bool {
        false
    }
}
