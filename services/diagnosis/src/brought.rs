//! Which kinds of objects files bring.

use portolan_olm::{Deployment, OperatorGroup};
use portolan_world::{Ended, Kind, Objects, World};

use crate::objects::known;

/// Kinds that every cluster with operators has objects of, wherever they are.
#[derive(Debug, Clone)]
pub(crate) struct Kinds {
    groups: Objects<OperatorGroup>,
    deployments: Objects<Deployment>,
}

/// Those of which there are none: they were left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    pub(crate) groups: bool,
    pub(crate) deployments: bool,
}

// === impl Kinds ===

impl Kinds {
    pub(crate) fn of(world: &impl World) -> Self {
        Self {
            groups: world.objects(),
            deployments: world.objects(),
        }
    }

    /// Waits until there is an answer about each.
    pub(crate) async fn settled(&self) -> Result<(), Ended> {
        known(&self.groups).await?;
        known(&self.deployments).await
    }

    pub(crate) fn left_out(&self) -> LeftOut {
        LeftOut {
            groups: has_none(&self.groups),
            deployments: has_none(&self.deployments),
        }
    }
}

fn has_none<K: Kind>(objects: &Objects<K>) -> bool {
    objects.clone().now().objects.is_empty()
}
