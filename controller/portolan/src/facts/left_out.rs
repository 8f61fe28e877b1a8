//! What files do not say.

use portolan_api::OperatorPolicy;
use portolan_olm::{
    CatalogSource, ClusterServiceVersion, CustomResourceDefinition, Deployment, InstallPlan,
    Namespace, OperatorGroup, Subscription,
};
use portolan_world::{AnyWorld, Kind, State, World as _};

/// Those of these kinds of which files have nothing at all, and that may be there all the same, a
/// sentence each: most likely nobody has put them there.
pub(super) async fn left_out(world: &AnyWorld, kinds: &[&str]) -> Vec<String> {
    if !world.is_partial() {
        return Vec::new();
    }
    let empty = [
        ("CatalogSource", is_empty::<CatalogSource>(world).await),
        (
            "ClusterServiceVersion",
            is_empty::<ClusterServiceVersion>(world).await,
        ),
        (
            "CustomResourceDefinition",
            is_empty::<CustomResourceDefinition>(world).await,
        ),
        ("Deployment", is_empty::<Deployment>(world).await),
        ("InstallPlan", is_empty::<InstallPlan>(world).await),
        ("Namespace", is_empty::<Namespace>(world).await),
        ("OperatorGroup", is_empty::<OperatorGroup>(world).await),
        ("OperatorPolicy", is_empty::<OperatorPolicy>(world).await),
        ("Subscription", is_empty::<Subscription>(world).await),
    ];
    let left_out = empty
        .into_iter()
        .filter(|(kind, is_empty)| *is_empty && kinds.contains(kind));
    let sentences = left_out
        .map(|(kind, _)| format!("the files have no {kind}; if the cluster has some, add them"));
    sentences.collect()
}

async fn is_empty<K: Kind>(world: &AnyWorld) -> bool {
    let mut objects = world.objects::<K>();
    let view = objects.until(|view| view.state != State::Pending).await;
    view.is_ok_and(|view| view.objects.is_empty())
}
