//! What files do not say.

use portolan_api::OperatorPolicy;
use portolan_core_olm::{
    CatalogSource, ClusterServiceVersion, CustomResourceDefinition, Deployment, InstallPlan,
    Namespace, OperatorGroup, Subscription,
};
use portolan_world::{AnyWorld, Kind, World as _};

/// A kind without which much looks otherwise than it is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Needed {
    CatalogSource,
    ClusterServiceVersion,
    CustomResourceDefinition,
    Deployment,
    InstallPlan,
    Namespace,
    OperatorGroup,
    OperatorPolicy,
    Subscription,
}

/// Those of these kinds of which files have nothing at all, and that may be there all the same, a
/// sentence each: most likely nobody has put them there.
pub(super) async fn left_out(world: &AnyWorld, kinds: &[Needed]) -> Vec<String> {
    let mut sentences = Vec::new();
    if !world.is_partial() {
        return sentences;
    }
    for kind in kinds {
        if kind.is_left_out(world).await {
            let told = match kind {
                // Health knows that it does not see them.
                Needed::Deployment => "",
                _ => ", so that it is told as if there were none",
            };
            sentences.push(format!(
                "the files have no {kind:?}{told}; if the cluster has some, add them"
            ));
        }
    }
    sentences
}

// === impl Needed ===

impl Needed {
    async fn is_left_out(self, world: &AnyWorld) -> bool {
        match self {
            Self::CatalogSource => has_none::<CatalogSource>(world).await,
            Self::ClusterServiceVersion => has_none::<ClusterServiceVersion>(world).await,
            Self::CustomResourceDefinition => has_none::<CustomResourceDefinition>(world).await,
            Self::Deployment => has_none::<Deployment>(world).await,
            Self::InstallPlan => has_none::<InstallPlan>(world).await,
            Self::Namespace => has_none::<Namespace>(world).await,
            Self::OperatorGroup => has_none::<OperatorGroup>(world).await,
            Self::OperatorPolicy => has_none::<OperatorPolicy>(world).await,
            Self::Subscription => has_none::<Subscription>(world).await,
        }
    }
}

async fn has_none<K: Kind>(world: &AnyWorld) -> bool {
    let mut objects = world.objects::<K>();
    let view = objects.known().await;
    view.is_ok_and(|view| view.objects.is_empty())
}
