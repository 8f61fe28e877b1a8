//! All processes of Portolan, in this one, over one cluster.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use portolan_controller::listen;
use portolan_rig::{Failure, World};
use portolan_runtime::{Process, Start};

use super::service::{Part, Service};
use crate::process::{Running, Stops, on_free_probes};

/// The services and the controller; each runs until it is dropped.
pub(crate) struct Fleet {
    pub(crate) kubeconfig: PathBuf,
    /// What the controller is told besides where the cluster is.
    flags: Vec<String>,
    pub(crate) resolver: Service,
    pub(crate) health: Service,
    pub(crate) approval: Service,
    controller: Option<Running>,
}

impl Fleet {
    /// Serves the policies of a story alone, as a user of its own, by whom the audit knows it. Nobody
    /// starts its controller again, so it goes on without its API server for as long as it takes.
    pub(crate) async fn of(world: &World) -> Result<Self, Failure> {
        let mut fleet = Self::idle(world).await?;
        fleet.flags = vec![
            "--no-lease".to_owned(),
            format!("--only-namespace={}", world.namespace()),
        ];
        fleet.controller = Some(fleet.controller().await);
        Ok(fleet)
    }

    /// The same, whose controller is another user, who may do less, and keeps its own Lease.
    pub(crate) async fn led_by(world: &World, controller: PathBuf) -> Result<Self, Failure> {
        let services = world
            .cluster()
            .admit(&Self::user(world), Some("system:masters"))?;
        let flags = vec![format!("--only-namespace={}", world.namespace())];
        let at = kubeconfig_flag(&services);
        Ok(Self::over(services, controller, flags, at).await)
    }

    /// The services of a story alone, for controllers that come and go.
    pub(crate) async fn idle(world: &World) -> Result<Self, Failure> {
        let kubeconfig = world
            .cluster()
            .admit(&Self::user(world), Some("system:masters"))?;
        let at = kubeconfig_flag(&kubeconfig);
        Ok(Self::without_controller(kubeconfig.clone(), kubeconfig, Vec::new(), at).await)
    }

    /// By whose name the audit knows it.
    pub(crate) fn user(world: &World) -> String {
        format!("controller-of-{}", world.namespace())
    }

    /// Serves policies as the flags say: the services as one user, the controller as another. The
    /// resolver is told where its catalogs are.
    pub(crate) async fn over(
        services: PathBuf,
        kubeconfig: PathBuf,
        flags: Vec<String>,
        catalogs: String,
    ) -> Self {
        let mut fleet = Self::without_controller(services, kubeconfig, flags, catalogs).await;
        fleet.controller = Some(fleet.controller().await);
        fleet
    }

    async fn without_controller(
        services: PathBuf,
        kubeconfig: PathBuf,
        flags: Vec<String>,
        catalogs: String,
    ) -> Self {
        let at = kubeconfig_flag(&services);
        Self {
            resolver: Service::start(Part::Resolver, catalogs).await,
            health: Service::start(Part::Health, at.clone()).await,
            approval: Service::start(Part::Approval, at).await,
            controller: None,
            kubeconfig,
            flags,
        }
    }

    /// One of the services.
    pub(crate) fn part(&mut self, part: Part) -> &mut Service {
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
    pub(crate) fn services(&self) -> Vec<String> {
        vec![
            format!("--resolver={}", self.resolver.url()),
            format!("--health={}", self.health.url()),
            format!("--approval={}", self.approval.url()),
        ]
    }
}

/// A controller under these flags.
pub(crate) async fn controller(flags: impl IntoIterator<Item = String>) -> Running {
    probed_controller(flags).await.1
}

/// The same, and where it answers probes until it ends.
pub(crate) async fn probed_controller(
    flags: impl IntoIterator<Item = String>,
) -> (SocketAddr, Running) {
    let flags: Vec<_> = flags.into_iter().collect();
    let first = listening(&flags).await;
    let probes = first.probes_address().expect("it listens");
    let running = Running::until_dropped(|stops| run_on(first, flags, stops));
    (probes, running)
}

async fn listening(flags: &[String]) -> Process {
    let flags = flags.iter().cloned().chain(["--enforce".to_owned()]);
    let flags = on_free_probes("controller", flags);
    let listening = listen(flags).await;
    listening.expect("free ports must be there")
}

/// On a machine that stands still for a while a controller loses its Lease, and ends. Its Deployment
/// begins it again.
async fn run_on(first: Process, flags: Vec<String>, mut stops: Stops) -> Result<(), Start> {
    let mut ended = first.run(&mut stops).await;
    while let Err(Start::Lost(why)) = ended {
        println!("operatorpolicy: a controller is begun again: {why}");
        ended = listening(&flags).await.run(&mut stops).await;
    }
    ended
}

pub(crate) fn kubeconfig_flag(kubeconfig: &Path) -> String {
    format!("--kubeconfig={}", kubeconfig.display())
}
