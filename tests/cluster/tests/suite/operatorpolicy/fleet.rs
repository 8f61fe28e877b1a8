//! All processes of Portolan, in this one, over one cluster.

use std::path::{Path, PathBuf};

use portolan_rig::{Failure, World};

use super::service::{Part, Service};
use crate::process::{Running, on_free_probes};

/// The services and the controller; each runs until it is dropped.
pub(super) struct Fleet {
    kubeconfig: PathBuf,
    /// What the controller is told besides where the cluster is.
    flags: Vec<String>,
    pub(super) resolver: Service,
    pub(super) health: Service,
    pub(super) approval: Service,
    controller: Option<Running>,
}

impl Fleet {
    /// Serves the policies of a story alone, as a user of its own, by whom the audit knows it.
    pub(super) async fn of(world: &World) -> Result<Self, Failure> {
        let user = Self::user(world);
        let kubeconfig = world.cluster().admit(&user, Some("system:masters"))?;
        let namespace = world.namespace();
        let flags = vec![
            format!("--only-namespace={namespace}"),
            format!("--lease={namespace}/portolan-controller"),
        ];
        let at = kubeconfig_flag(&kubeconfig);
        Ok(Self::over(kubeconfig.clone(), kubeconfig, flags, at).await)
    }

    /// The same, whose controller is another user, who may do less, and keeps its own Lease.
    pub(super) async fn led_by(world: &World, controller: PathBuf) -> Result<Self, Failure> {
        let services = world
            .cluster()
            .admit(&Self::user(world), Some("system:masters"))?;
        let flags = vec![format!("--only-namespace={}", world.namespace())];
        let at = kubeconfig_flag(&services);
        Ok(Self::over(services, controller, flags, at).await)
    }

    /// By whose name the audit knows it.
    pub(super) fn user(world: &World) -> String {
        format!("controller-of-{}", world.namespace())
    }

    /// Serves policies as the flags say: the services as one user, the controller as another. The
    /// resolver is told where its catalogs are.
    pub(super) async fn over(
        services: PathBuf,
        kubeconfig: PathBuf,
        flags: Vec<String>,
        catalogs: String,
    ) -> Self {
        let at = kubeconfig_flag(&services);
        let mut fleet = Self {
            resolver: Service::start(Part::Resolver, catalogs).await,
            health: Service::start(Part::Health, at.clone()).await,
            approval: Service::start(Part::Approval, at).await,
            controller: None,
            kubeconfig,
            flags,
        };
        fleet.controller = Some(fleet.controller().await);
        fleet
    }

    /// One of the services.
    pub(super) fn part(&mut self, part: Part) -> &mut Service {
        match part {
            Part::Resolver => &mut self.resolver,
            Part::Health => &mut self.health,
            Part::Approval => &mut self.approval,
        }
    }

    async fn controller(&self) -> Running {
        let at = kubeconfig_flag(&self.kubeconfig);
        let mine = self.flags.iter().cloned();
        controller(self.services().into_iter().chain([at]).chain(mine)).await
    }

    /// Where a controller finds the services.
    pub(super) fn services(&self) -> Vec<String> {
        vec![
            format!("--resolver={}", self.resolver.url()),
            format!("--health={}", self.health.url()),
            format!("--approval={}", self.approval.url()),
        ]
    }
}

/// A controller under these flags.
pub(super) async fn controller(flags: impl IntoIterator<Item = String>) -> Running {
    let listening = portolan_controller::Listening::under(on_free_probes("controller", flags));
    let listening = listening.await.expect("free ports must be there");
    Running::until_dropped(|stops| listening.run(stops))
}

pub(super) fn kubeconfig_flag(kubeconfig: &Path) -> String {
    format!("--kubeconfig={}", kubeconfig.display())
}
