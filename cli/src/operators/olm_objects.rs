//! The objects of OLM that determine which operators are installed. The objects come from a world,
//! or from a file with the output of kubectl.

use portolan_core_olm::{ClusterServiceVersion, CopiedCsv, OperatorGroup, Subscription};
use portolan_world::{AnyWorld, Area, Kind, Manifests, View, WorldFault};

use crate::facts::read_view_silently;
use crate::failure::Failure;

/// The objects that determine what OLM has installed and will install.
pub(crate) struct OlmObjects {
    /// The name of the file, with which error messages begin. Empty for a world.
    pub(crate) place: String,
    pub(crate) groups: View<OperatorGroup>,
    pub(crate) subscriptions: View<Subscription>,
    pub(crate) csvs: View<ClusterServiceVersion>,
    pub(crate) copies: View<CopiedCsv>,
}

/// The remedy if an object of a world cannot be read.
pub(super) const OTHERWISE: &str = "; select a namespace with -n, or use --installed FILE";

// === impl OlmObjects ===

impl OlmObjects {
    /// Reads the objects in a file. Any fault is an error, because the invalid document may be one
    /// of these objects.
    pub(crate) fn read(file: &str, manifests: &Manifests, way_out: &str) -> Result<Self, Failure> {
        Ok(Self {
            place: format!("{file}: "),
            groups: whole(manifests, way_out)?,
            subscriptions: whole(manifests, way_out)?,
            csvs: whole(manifests, way_out)?,
            copies: whole(manifests, way_out)?,
        })
    }

    /// Returns the objects of a namespace, or of all namespaces.
    pub(crate) async fn of(world: &AnyWorld, namespace: &str) -> Result<Self, Failure> {
        let area = Area::namespace(namespace);
        Ok(Self {
            groups: read_view(world, &area).await?,
            copies: read_view(world, &area).await?,
            ..Self::installed_in(world, namespace).await?
        })
    }

    /// Reads only Subscriptions and ClusterServiceVersions of this namespace, for users with few
    /// permissions.
    pub(super) async fn installed_in(world: &AnyWorld, namespace: &str) -> Result<Self, Failure> {
        let area = Area::namespace(namespace);
        Ok(Self {
            place: String::new(),
            groups: View::default(),
            subscriptions: read_view(world, &area).await?,
            csvs: read_view(world, &area).await?,
            copies: View::default(),
        })
    }
}

fn whole<K: Kind>(manifests: &Manifests, way_out: &str) -> Result<View<K>, Failure> {
    let view = manifests.view::<K>();
    match view.faults.first() {
        Some(fault) => Err(refuse(fault, &format!(" (--installed); {way_out}"))),
        None => Ok(view),
    }
}

async fn read_view<K: Kind>(world: &AnyWorld, area: &Area) -> Result<View<K>, Failure> {
    let view = read_view_silently::<K>(world, area).await?;
    match view.faults.first() {
        Some(fault) => Err(refuse(fault, OTHERWISE)),
        None => Ok(view),
    }
}

fn refuse(WorldFault { place, why }: &WorldFault, behind: &str) -> Failure {
    Failure::usage(format!("{place}: {why}{behind}"))
}
