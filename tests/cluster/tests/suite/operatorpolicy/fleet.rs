//! All processes of Portolan, in this one, over one cluster.

use std::path::{Path, PathBuf};

use portolan_rig::{Failure, World};

use crate::process::{Running, on_free_ports, on_free_probes};

/// The services and the controller; each runs until it is dropped.
pub(super) struct Fleet {
    kubeconfig: PathBuf,
    /// What the controller is told besides where the cluster is.
    flags: Vec<String>,
    resolver: Option<Service>,
    health: Option<Service>,
    approval: Option<Service>,
    controller: Option<Running>,
}

/// A service, and where it listens.
pub(super) struct Service {
    pub(super) url: String,
    _running: Running,
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
        Ok(Self::over(kubeconfig.clone(), kubeconfig, flags).await)
    }

    /// The same, whose controller is another user, who may do less, and keeps its own Lease.
    pub(super) async fn led_by(world: &World, controller: PathBuf) -> Result<Self, Failure> {
        let services = world
            .cluster()
            .admit(&Self::user(world), Some("system:masters"))?;
        let flags = vec![format!("--only-namespace={}", world.namespace())];
        Ok(Self::over(services, controller, flags).await)
    }

    /// By whose name the audit knows it.
    pub(super) fn user(world: &World) -> String {
        format!("controller-of-{}", world.namespace())
    }

    async fn over(services: PathBuf, kubeconfig: PathBuf, flags: Vec<String>) -> Self {
        let at = kubeconfig_flag(&services);
        let mut fleet = Self {
            resolver: Some(resolver(&at).await),
            health: Some(health(&at).await),
            approval: Some(approval(&at).await),
            controller: None,
            kubeconfig,
            flags,
        };
        fleet.controller = Some(fleet.controller().await);
        fleet
    }

    async fn controller(&self) -> Running {
        let url = |service: &Option<Service>| {
            let service = service.as_ref().expect("it must run");
            service.url.clone()
        };
        let flags = [
            kubeconfig_flag(&self.kubeconfig),
            format!("--resolver={}", url(&self.resolver)),
            format!("--health={}", url(&self.health)),
            format!("--approval={}", url(&self.approval)),
        ];
        let flags = flags.into_iter().chain(self.flags.iter().cloned());
        let listening = portolan_controller::Listening::under(on_free_probes("controller", flags));
        let listening = listening.await.expect("free ports must be there");
        Running::until_dropped(|stops| listening.run(stops))
    }

    /// Stops the controller, without a word, and starts another one.
    pub(super) async fn restart_controller(&mut self) {
        self.controller = None;
        self.controller = Some(self.controller().await);
    }
}

fn kubeconfig_flag(kubeconfig: &Path) -> String {
    format!("--kubeconfig={}", kubeconfig.display())
}

async fn resolver(at: &str) -> Service {
    let flags = on_free_ports("resolver", [at.to_owned()]);
    let listening = portolan_resolver::Listening::under(flags).await;
    let listening = listening.expect("free ports must be there");
    Service {
        url: format!("http://{}", listening.grpc_address()),
        _running: Running::until_dropped(|stops| listening.run(stops)),
    }
}

async fn health(at: &str) -> Service {
    let flags = on_free_ports("health", [at.to_owned()]);
    let listening = portolan_health::Listening::under(flags).await;
    let listening = listening.expect("free ports must be there");
    Service {
        url: format!("http://{}", listening.grpc_address()),
        _running: Running::until_dropped(|stops| listening.run(stops)),
    }
}

async fn approval(at: &str) -> Service {
    let flags = on_free_ports("approval", [at.to_owned()]);
    let listening = portolan_approval::Listening::under(flags).await;
    let listening = listening.expect("free ports must be there");
    Service {
        url: format!("http://{}", listening.grpc_address()),
        _running: Running::until_dropped(|stops| listening.run(stops)),
    }
}
