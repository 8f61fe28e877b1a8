//! Handles details of the next bundle that are only known after a query. A registry lists only the
//! names of bundles. For some bundles, only the manifests contain the details.

use portolan_core_catalog::Bundle;
use portolan_core_health::Item;
use portolan_core_names::{CatalogName, PackageName};
use portolan_core_olm::Subscription;

use super::coming;
use crate::case::Case;
use crate::{Object, UnqueriedBundle};

/// Returns the minimum Kubernetes version of a bundle. Returns `Ok(None)` if the bundle has no
/// known minimum. Returns the reason as an error if the catalog was queried and did not respond.
pub(super) fn least<'a>(
    case: Case<'a>,
    subscription: &Item<Subscription>,
    bundle: &'a Bundle,
) -> Result<Option<&'a str>, String> {
    let untold = only_asked(case, subscription, bundle);
    match untold.and_then(|untold| case.situation().asked.get(&untold)) {
        None => Ok(bundle.display.min_kube_version.as_deref()),
        Some(Ok(least)) => Ok(least.as_deref()),
        Some(Err(why)) => {
            let catalog = Object::new(
                "CatalogSource",
                &subscription.spec.source_namespace,
                &subscription.spec.source,
            );
            let offered = case.situation().offered(subscription);
            Err(if offered.is_some_and(|it| it.tells_if_asked) {
                format!(
                    "catalog {catalog} returns the required Kubernetes version only on request, \
                     but did not answer: {why}"
                )
            } else {
                format!(
                    "the manifest of the bundle contains the required Kubernetes version, but the \
                     manifest of {catalog} cannot be read: {why}"
                )
            })
        }
    }
}

/// Returns the next bundle if its catalog must be queried: only the response shows whether the
/// bundle supports the cluster.
pub(crate) fn bundle_to_query(case: Case<'_>) -> Option<UnqueriedBundle> {
    let situation = case.situation();
    let (subscription, bundle) = coming(case).filter(|_| situation.cluster.kubernetes.is_some())?;
    let untold = only_asked(case, subscription, bundle)?;
    (!situation.asked.contains_key(&untold)).then_some(untold)
}

/// Returns the bundle if its minimum Kubernetes version is only known after a query.
fn only_asked(
    case: Case<'_>,
    subscription: &Item<Subscription>,
    bundle: &Bundle,
) -> Option<UnqueriedBundle> {
    let offered = case.situation().offered(subscription)?;
    let is_told_later = offered.tells_if_asked || bundle.has_objects;
    let is_silent = is_told_later && bundle.display.min_kube_version.is_none();
    let catalog = format!(
        "{}/{}",
        subscription.spec.source_namespace, subscription.spec.source
    );
    is_silent.then_some(UnqueriedBundle {
        catalog: CatalogName::parse(&catalog).ok()?,
        package: PackageName::parse(&subscription.spec.package).ok()?,
        bundle: bundle.name.clone(),
    })
}
