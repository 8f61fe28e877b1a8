//! Where the resolver's catalogs come from, as the real programs give them.

mod registry;
mod world;
