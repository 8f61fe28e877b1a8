//! A world of either make.

use crate::{Area, Cluster, Files, Kind, Objects, World};

/// A cluster, or files that look like one: for who is told only when it runs.
#[derive(Debug, Clone)]
pub enum AnyWorld {
    /// A cluster.
    Cluster(Cluster),
    /// Files.
    Files(Files),
}

// === impl AnyWorld ===

impl AnyWorld {
    /// Whether it is of here and now. Files may well be of another place and time.
    pub fn is_live(&self) -> bool {
        match self {
            Self::Cluster(_) => true,
            Self::Files(_) => false,
        }
    }
}

impl World for AnyWorld {
    fn objects_in<K: Kind>(&self, area: Area) -> Objects<K> {
        match self {
            Self::Cluster(cluster) => cluster.objects_in(area),
            Self::Files(files) => files.objects_in(area),
        }
    }
}
