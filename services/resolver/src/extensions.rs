//! Predicts what OLM v1 does for a ClusterExtension, from the catalogs of a [`Snapshot`].

use std::sync::Arc;

use portolan_core_catalog::Package;
use portolan_core_names::{CatalogName, PackageName};
use portolan_core_olm::{ClusterCatalog, ClusterExtension};

pub use portolan_core_forecast::{
    CatalogRole, CatalogUse, Change, Exclusion, ExtensionBlock, ExtensionForecast, ExtensionState,
    ExtensionStep, FieldPath, FieldUse, NewerBundle, Transition, TransitionNote,
    TransitionObstacle, transition,
};
use portolan_core_forecast::{ExtensionCatalog, forecast_extension};

use crate::Snapshot;
use crate::snapshot::{CatalogState, Offer};

/// Predicts what OLM v1 does for a ClusterExtension. `catalogs` must contain all ClusterCatalogs of
/// the cluster. The Snapshot must contain their content.
pub fn forecast(
    snapshot: &Snapshot,
    extension: &ClusterExtension,
    catalogs: &[&ClusterCatalog],
) -> ExtensionForecast {
    let package = PackageName::parse(&extension.spec.source.catalog.package_name).ok();
    let contents = catalogs.iter().map(|catalog| {
        let name = catalog.metadata.name.as_deref().unwrap_or_default();
        let name = CatalogName::parse(name).ok();
        let offer = name.and_then(|name| snapshot.offers.get(&name));
        content(offer.map(|offer| &**offer), package.as_ref())
    });
    let contents: Vec<_> = contents.collect();
    let all = catalogs.iter().zip(&contents);
    let all = all.map(|(catalog, content)| ExtensionCatalog {
        catalog,
        package: content.as_ref().map(Option::as_deref).map_err(Clone::clone),
    });
    forecast_extension(extension, &all.collect::<Vec<_>>())
}

/// Returns the package in a catalog. Returns the reason if the content of the catalog is unknown.
fn content(
    offer: Option<&Offer>,
    package: Option<&PackageName>,
) -> Result<Option<Arc<Package>>, String> {
    let content = match offer.map(|offer| &offer.state) {
        None => return Err("it was not read".to_owned()),
        Some(CatalogState::Pending) => return Err("it was not read within the timeout".to_owned()),
        Some(CatalogState::Failed { why, .. }) => return Err(why.message.clone()),
        Some(CatalogState::Serving { content, .. } | CatalogState::Stale { content, .. }) => {
            content
        }
    };
    let charted = package.and_then(|package| content.charted().get(package));
    Ok(charted.map(|charted| Arc::clone(charted.package())))
}
