//! Predictions of the actions of OLM v1 for the installed ClusterExtensions.

use portolan_api::inventory::Manager;
use portolan_resolver::Following;
use portolan_world::AnyWorld;

use super::InstalledEntry;
use crate::explain::extensions::ClusterPolicies;
use crate::extensions::Extensions;

/// Adds the prediction of OLM v1 to each ClusterExtension, and the catalog that OLM v1 uses. Adds
/// nothing if the objects of OLM v1 cannot be read, because the inventory already warns about this.
pub(super) async fn add(all: &mut [InstalledEntry], world: &AnyWorld, catalogs: &Following) {
    let is_of_olm_v1 = |it: &&mut InstalledEntry| it.manager == Manager::ClusterExtension;
    let entries: Vec<_> = all.iter_mut().filter(is_of_olm_v1).collect();
    if entries.is_empty() {
        return;
    }
    let Ok(extensions) = Extensions::read(world).await else {
        return;
    };
    let policies = ClusterPolicies::read(world).await;
    let snapshot = catalogs.watch().borrow().clone();
    for entry in entries {
        let extension = extensions.named(&entry.object.name);
        let forecast = extension.and_then(|it| extensions.forecast(it, &snapshot));
        let used = forecast.as_ref().and_then(|it| it.used_catalog());
        if let Some(used) = used {
            entry.start.catalog.clone_from(&used.name);
        }
        entry.policies = policies.restricting(&entry.start.package);
        entry.start.olm_v1 = forecast.map(Box::new);
    }
}
