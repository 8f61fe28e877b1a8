//! Reads the components of Portolan itself.

use portolan_api::qualified::INSTALLED_API_SERVICE;
use portolan_core_diagnosis::{Components, ControllerLease, Listed, Workloads};
use portolan_core_olm::{
    ApiService, CustomResourceDefinition, Lease, ValidatingWebhookConfiguration, of_portolan,
};
use portolan_world::{Area, Ended, Objects, World, WorldTime};

use crate::objects::known;
use crate::own::listed;
use crate::workloads::{FollowedWorkloads, FoundWorkloads};

/// The watched objects of Portolan's components.
#[derive(Debug, Clone)]
pub(crate) struct FollowedComponents {
    workloads: FollowedWorkloads,
    api_services: Objects<ApiService>,
    webhooks: Objects<ValidatingWebhookConfiguration>,
    leases: Objects<Lease>,
    crds: Objects<CustomResourceDefinition>,
    time: WorldTime,
    /// True if the world may lack objects that exist in the cluster.
    is_partial: bool,
}

// === impl FollowedComponents ===

impl FollowedComponents {
    /// Watches the components of Portolan in a world.
    pub(crate) fn of(world: &impl World) -> Self {
        let of_portolan = Area::everywhere().with_labels(of_portolan());
        Self {
            crds: world.objects_in(of_portolan.clone()),
            workloads: FollowedWorkloads::of(world, of_portolan),
            api_services: world.objects(),
            webhooks: world.objects(),
            leases: world.objects(),
            time: WorldTime::of(world),
            is_partial: world.is_partial(),
        }
    }

    /// Waits until each kind was listed or cannot be listed.
    pub(crate) async fn settled(&self) -> Result<(), Ended> {
        self.workloads.settled().await?;
        known(&self.api_services).await?;
        known(&self.webhooks).await?;
        known(&self.leases).await?;
        known(&self.crds).await
    }

    /// Returns the current workloads. Returns None until every kind has been listed.
    pub(crate) fn workloads(&self) -> Option<FoundWorkloads> {
        self.workloads.now()
    }

    /// Returns the current components without their workloads. Returns None until every kind has
    /// been listed.
    pub(crate) fn now(&self) -> Option<Components> {
        let mut api_services = listed(&self.api_services)?;
        let is_own = |it: &ApiService| it.metadata.name.as_deref() == Some(INSTALLED_API_SERVICE);
        api_services.objects.retain(|it| is_own(it));
        let webhooks = listed(&self.webhooks)?;
        let leases = listed(&self.leases)?;
        let crds = listed(&self.crds)?;
        let troubles = [
            &api_services.troubles,
            &webhooks.troubles,
            &leases.troubles,
            &crds.troubles,
        ];
        Some(Components {
            troubles: troubles.into_iter().flatten().cloned().collect(),
            leases: self.leases(&leases),
            workloads: Workloads::default(),
            api_services: api_services.objects,
            webhooks: webhooks.objects,
            crds: crds.objects,
        })
    }

    /// Returns the Leases of Portolan's controllers. Returns None if the Leases are unknown.
    fn leases(&self, leases: &Listed<Lease>) -> Option<Vec<ControllerLease>> {
        let is_unknown = !leases.troubles.is_empty() || self.is_partial;
        if is_unknown && leases.objects.is_empty() {
            return None;
        }
        let leases = leases.objects.iter().map(|lease| {
            let metadata = &lease.metadata;
            let renewed = lease.spec.renew_time.as_ref();
            Some(ControllerLease {
                namespace: metadata.namespace.clone().unwrap_or_default(),
                name: metadata.name.clone().unwrap_or_default(),
                holder: lease.spec.holder_identity.clone(),
                renewed: renewed.map_or_else(String::new, |time| time.0.to_string()),
                is_held: self.time.is_held(lease)?,
            })
        });
        leases.collect()
    }
}
