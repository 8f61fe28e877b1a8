//! The one source of objects: a cluster, or files that look like one.
//!
//! Who needs objects asks a [`World`] for a kind and holds its [`Objects`]: always the last state,
//! whole and shared, with what is wrong with it. States are not events: whoever was busy meanwhile
//! sees the newest, and nothing is queued.
//!
//! ```text
//! Cluster: list, watch, list again -\
//!                                     Shelf<K> -> View<K> -> Objects<K>, Objects<K>, ..
//! Files: folder settled, read it ---/
//! ```
//!
//! The objects of an [`Area`] are watched while somebody holds them, and once however many do. What
//! is not kept is dropped as it comes in. Tasks end with the world that started them.
//!
//! Who needs to know what has changed, among many kinds at once, follows them: [`Followed`] takes a
//! view over and says which objects are others than before, and a [`Bell`] rings when any of them
//! has something to take over.
//!
//! It knows how objects come in, and nothing of what they mean: that is `core/olm`.
//!
//! ```no_run
//! use portolan_core_olm::CatalogSource;
//! use portolan_world::{Files, World};
//!
//! # async fn example() -> Result<(), portolan_world::Ended> {
//! let world = Files::at("dump");
//! let mut sources = world.objects::<CatalogSource>();
//! loop {
//!     let view = sources.now();
//!     println!("{}: {} catalog sources", view.state, view.objects.len());
//!     sources.changed().await?;
//! }
//! # }
//! ```

mod any;
mod area;
mod bell;
mod cluster;
mod dump;
mod fault;
mod files;
mod flags;
mod followed;
mod index;
mod key;
mod kind;
mod named;
mod objects;
mod projection;
mod shelf;
mod view;

use std::path::Path;

pub use any::AnyWorld;
pub use area::Area;
pub use bell::Bell;
pub use cluster::{
    Access, Cluster, DumpCluster, Dumped, Pace, ReachCluster, WriteDump, write_list,
};
pub use dump::{Dump, KindName, NotRead, NotSeen, ReadDump, RegistryProbe};
pub use fault::{Fault, Place};
pub use files::{Files, Manifests};
pub use flags::{NoWorld, WorldFlags};
pub use followed::{Followed, Turn};
pub use index::Index;
pub use key::Key;
pub use kind::{Kind, as_kept};
pub use named::Named;
pub use objects::{Ended, Objects};
pub use portolan_core_olm::Reads;
pub use portolan_registry::Roads;
pub use projection::Projection;
pub use view::{State, Trouble, View};

/// Where objects come from.
pub trait World: Clone + Send + Sync + 'static {
    /// The objects of a kind in an area, watched from the first who asks for them to the last who
    /// holds them.
    fn objects_in<K: Kind>(&self, area: Area) -> Objects<K>;

    /// The same everywhere.
    fn objects<K: Kind>(&self) -> Objects<K> {
        self.objects_in(Area::everywhere())
    }

    /// The version of Kubernetes, in its own words, such as `v1.34.1`; None where nobody can tell.
    fn kubernetes(&self) -> impl Future<Output = Option<String>> + Send {
        std::future::ready(None)
    }

    /// How the registries are reached that its objects name.
    fn roads(&self) -> Roads;

    /// The folder of files that are taken for a cluster. They may well be of another place and time.
    fn folder(&self) -> Option<&Path> {
        None
    }

    /// Whether a kind that has no objects may well have been left out. Files are only what somebody
    /// has put there, unless they are a [`Dump`].
    fn is_partial(&self) -> bool {
        false
    }
}
