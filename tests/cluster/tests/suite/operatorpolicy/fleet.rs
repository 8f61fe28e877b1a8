//! Runs the services and the controller of Portolan as tasks of this process, for one cluster.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use portolan_controller::listen;
use portolan_rig::{Failure, World};
use portolan_runtime::{Process, Start};

use super::service::{Part, Service};
use crate::process::{Running, Stops, on_free_probes};

/// The services and the controller. Dropping this value stops all of them.
pub(crate) struct Fleet {
    pub(crate) kubeconfig: PathBuf,
    /// The flags of the controller that do not depend on the cluster.
    flags: Vec<String>,
    pub(crate) resolver: Service,
    pub(crate) health: Service,
    pub(crate) approval: Service,
    controller: Option<Running>,
}

impl Fleet {
    /// Starts a fleet that handles only the policies of one test. It has its own user, so that the
    /// audit log shows its requests. The controller is never restarted, so it must continue after
    /// each outage of the API server.
    pub(crate) async fn of(world: &World) -> Result<Self, Failure> {
        let mut fleet = Self::idle(world).await?;
        fleet.flags = vec![
            "--no-lease".to_owned(),
            format!("--only-namespace={}", world.namespace()),
        ];
        fleet.controller = Some(fleet.controller().await);
        Ok(fleet)
    }

    /// Starts a fleet for one test. The controller has another user with fewer permissions, and its
    /// own Lease.
    pub(crate) async fn led_by(world: &World, controller: PathBuf) -> Result<Self, Failure> {
        let services = world
            .cluster()
            .admit(&Self::user(world), Some("system:masters"))?;
        let flags = vec![format!("--only-namespace={}", world.namespace())];
        let at = kubeconfig_flag(&services);
        Ok(Self::over(services, controller, flags, at).await)
    }

    /// Starts only the services for one test. The test starts and stops controllers itself.
    pub(crate) async fn idle(world: &World) -> Result<Self, Failure> {
        let kubeconfig = world
            .cluster()
            .admit(&Self::user(world), Some("system:masters"))?;
        let at = kubeconfig_flag(&kubeconfig);
        Ok(Self::without_controller(kubeconfig.clone(), kubeconfig, Vec::new(), at).await)
    }

    /// Returns the user name of the fleet in the audit log.
    pub(crate) fn user(world: &World) -> String {
        format!("controller-of-{}", world.namespace())
    }

    /// Starts a fleet with these flags. The services and the controller have different users. The
    /// resolver gets the addresses of its catalogs.
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

    /// Starts one of the services.
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

    /// Returns the flags that contain the addresses of the services.
    pub(crate) fn services(&self) -> Vec<String> {
        vec![
            format!("--resolver={}", self.resolver.url()),
            format!("--health={}", self.health.url()),
            format!("--approval={}", self.approval.url()),
        ]
    }
}

/// Starts a controller with these flags.
pub(crate) async fn controller(flags: impl IntoIterator<Item = String>) -> Running {
    probed_controller(flags).await.1
}

/// Starts a controller with these flags. Also returns the address of its probes.
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
    listening.expect("free ports must exist")
}

/// Runs a controller, and restarts it if it exits, as a Deployment does. The controller exits if it
/// loses its Lease, for example after the machine has paused.
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
