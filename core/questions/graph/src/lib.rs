//! Builds the update graph of a package, and answers queries about upgrades and paths.
//!
//! An edge leads from an older bundle to a newer bundle that may replace it in a single update. The
//! edge exists if the entry of the newer bundle names the older bundle in `replaces` or `skips`.
//! The edge also exists if the `skipRange` of the entry contains the version of the older bundle.
//! The older bundle can be missing in the channel and in the catalog. An edge of a skip range
//! always leads to a newer version. The head of a channel is an entry that no other entry replaces
//! or skips.
//!
//! A [`Graph`] is built once from a package and answers two questions: the upgrades of an installed
//! bundle ([`Graph::list_upgrades`]), and the path to a destination ([`Graph::find_path`]). If no
//! bundle is reachable, the answer contains [`Reason`]s. For a channel that opm would refuse, the
//! answer contains the [`ChannelFault`]s of the channel. Only a question about a missing channel is
//! an error.
//!
//! [`findings`] lists all problems of whole catalogs: invalid documents, the faults of all graphs,
//! and the requirements that no bundle satisfies.
//!
//! Results depend only on the arguments: the crate uses no clock, no I/O and no hash order. The
//! crate ignores dependencies between packages, and priorities of catalogs. It knows no clusters.
//!
//! ```
//! use portolan_core_catalog::{Catalog, Reading};
//! use portolan_core_graph::{PathAnswer, Destination, Graph, Installed, Query};
//!
//! let ferry = Reading::of("ferry.json", br#"
//!     {"schema": "olm.package", "name": "ferry", "defaultChannel": "stable"}
//!     {"schema": "olm.channel", "package": "ferry", "name": "stable", "entries": [
//!       {"name": "ferry.v1.0.0"}, {"name": "ferry.v1.1.0", "replaces": "ferry.v1.0.0"}]}
//!     {"schema": "olm.bundle", "package": "ferry", "name": "ferry.v1.0.0", "image": "x.test/a:1",
//!      "properties": [
//!        {"type": "olm.package", "value": {"packageName": "ferry", "version": "1.0.0"}}]}
//!     {"schema": "olm.bundle", "package": "ferry", "name": "ferry.v1.1.0", "image": "x.test/a:2",
//!      "properties": [
//!        {"type": "olm.package", "value": {"packageName": "ferry", "version": "1.1.0"}}]}
//! "#);
//! let catalog = Catalog::of([ferry]);
//! let graph = Graph::new(catalog.packages["ferry"].clone());
//!
//! let installed = Installed { name: "ferry.v1.0.0".parse()?, version: None };
//! let answer = graph.find_path(&Query::new(installed, Destination::Head))?;
//! let PathAnswer::Reached(path) = answer else { panic!("there is a path") };
//! assert_eq!(path.hops[0].to.name.as_str(), "ferry.v1.1.0");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(clippy::wildcard_enum_match_arm)]

mod charted;
mod edge;
mod fault;
mod finding;
mod graph;
mod path;
mod reach;
mod reason;
mod upgrades;
mod walk_start;

pub use charted::Charted;
pub use edge::{Edge, Edges};
pub use fault::ChannelFault;
pub use finding::{Finding, findings};
pub use graph::channel::heads;
pub use graph::{Graph, Head, Node, UnknownChannel, Update};
pub use path::blockage::{Blockage, Missing, Suggestion};
pub use path::{Destination, Hop, Path, PathAnswer, Query, Walk};
pub use reason::Reason;
pub use upgrades::{Installed, Permit, Reachable, Successor, Unreachable, Upgrades};

#[cfg(test)]
mod tests;
