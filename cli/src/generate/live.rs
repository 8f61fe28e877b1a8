//! Facts of a cluster that complement the input files.

use portolan_api::operator::Operator;
use portolan_core_generate::PackageOwner;
use portolan_core_names::{Version, kubernetes};
use portolan_world::{AnyWorld, State, World, read_inventory};
use serde_json::{Value, json};

use crate::facts::CatalogArgs;

/// The facts that are known about a cluster, or about a dump of a cluster.
#[derive(Debug, Default)]
pub(super) struct Live {
    /// The cluster or the dump. None if the catalogs come from another source.
    pub(super) world: Option<AnyWorld>,
    /// The Operators as JSON: name, spec and installed version. None if the Operators could not be
    /// read.
    pub(super) operators: Option<Vec<Value>>,
    /// The packages that other installers manage.
    pub(super) owners: Vec<PackageOwner>,
    pub(super) kubernetes: Option<Version>,
}

// === impl Live ===

impl Live {
    /// Returns the facts of the world that contains the catalogs. Returns no facts if there is no
    /// such world.
    pub(super) async fn of(facts: &CatalogArgs) -> Self {
        if !facts.is_of_world() {
            return Self::default();
        }
        let Ok(world) = facts.open().await else {
            return Self::default();
        };
        let version = world.kubernetes().await;
        Self {
            operators: operators(&world).await,
            owners: owners(&world).await,
            kubernetes: version.as_deref().and_then(kubernetes::release),
            world: Some(world),
        }
    }
}

async fn owners(world: &AnyWorld) -> Vec<PackageOwner> {
    let inventory = read_inventory(world, "").await;
    let operators = inventory.operators().iter();
    operators.filter_map(PackageOwner::of).collect()
}

async fn operators(world: &impl World) -> Option<Vec<Value>> {
    let mut objects = world.objects::<Operator>();
    let view = objects.known().await.ok()?;
    let operators = view.objects.values().map(|operator| {
        let status = operator.status.as_ref();
        let installed = status.and_then(|status| status.versions.installed.as_ref());
        json!({
            "metadata": {"name": operator.metadata.name},
            "spec": operator.spec.as_json(),
            "status": {"versions": {"installed": installed}},
        })
    });
    (view.state == State::Synced).then(|| operators.collect())
}
