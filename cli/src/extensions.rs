//! The ClusterExtensions of a world, with predictions of the actions of OLM v1.

use std::sync::Arc;

use portolan_core_olm::{ClusterCatalog, ClusterExtension};
use portolan_resolver::Snapshot;
use portolan_resolver::extensions::{ExtensionForecast, forecast};
use portolan_world::{AnyWorld, Area, View, World as _};

use crate::facts::read_view_silently;
use crate::failure::Failure;

/// The message if files contain no ClusterCatalogs, so that nothing can be predicted.
pub(crate) const NO_CATALOGS: &str =
    "the files contain no ClusterCatalog, so the next step of OLM v1 is unknown";

/// The ClusterExtensions and ClusterCatalogs of a world.
#[derive(Debug, Default)]
pub(crate) struct Extensions {
    extensions: View<ClusterExtension>,
    catalogs: View<ClusterCatalog>,
    /// True if the ClusterCatalogs could be read.
    are_catalogs_known: bool,
}

// === impl Extensions ===

impl Extensions {
    /// Reads the objects of OLM v1.
    pub(crate) async fn read(world: &AnyWorld) -> Result<Self, Failure> {
        let everywhere = Area::everywhere();
        let (extensions, catalogs) = tokio::join!(
            read_view_silently::<ClusterExtension>(world, &everywhere),
            read_view_silently::<ClusterCatalog>(world, &everywhere)
        );
        let catalogs = catalogs?;
        Ok(Self {
            extensions: extensions?,
            are_catalogs_known: !catalogs.objects.is_empty() || !world.is_partial(),
            catalogs,
        })
    }

    /// Returns the names of all ClusterExtensions.
    pub(crate) fn names(&self) -> Vec<String> {
        let keys = self.extensions.objects.keys();
        keys.map(|key| key.name.to_string()).collect()
    }

    /// Returns the ClusterExtension with this name.
    pub(crate) fn named(&self, name: &str) -> Option<&Arc<ClusterExtension>> {
        let mut all = self.extensions.objects.iter();
        all.find(|(key, _)| &*key.name == name).map(|(_, it)| it)
    }

    /// Predicts the next actions of OLM v1. Returns None if the ClusterCatalogs could not be read.
    pub(crate) fn forecast(
        &self,
        extension: &ClusterExtension,
        snapshot: &Snapshot,
    ) -> Option<ExtensionForecast> {
        let catalogs: Vec<_> = self.catalogs.objects.values().map(|it| &**it).collect();
        let is_known = self.are_catalogs_known;
        is_known.then(|| forecast(snapshot, extension, &catalogs))
    }
}
