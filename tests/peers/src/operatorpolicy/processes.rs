//! Runs the controller and the services that it calls. Each process has its own user.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use portolan_rig::Cluster;

use super::stage::HOME;
use crate::catalogs::scratch;
use crate::failure::Failure;
use crate::pair::free_port;
use crate::process;
use crate::server::Server;

/// The users of the processes. The audit log contains these users.
pub(crate) const USERS: [&str; 4] = [
    "portolan-controller",
    "portolan-resolver",
    "portolan-health",
    "portolan-approval",
];

/// The running processes.
#[derive(Debug)]
pub(crate) struct Processes {
    controller: Running,
    resolver: Running,
    health: Running,
    approval: Running,
}

/// A running process, and its port if it listens on one.
#[derive(Debug)]
struct Running {
    server: Server,
    port: u16,
}

/// The memory of each process in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    pub(crate) controller: u64,
    pub(crate) resolver: u64,
    pub(crate) health: u64,
    pub(crate) approval: u64,
}

/// The program and the cluster for new processes.
struct Launch<'a> {
    portolan: &'a Path,
    cluster: &'a Cluster,
}

// === impl Processes ===

impl Processes {
    /// Starts all processes, and waits until each process is ready.
    pub(crate) async fn start(portolan: &Path, cluster: &Cluster) -> Result<Self, Failure> {
        let berth = Launch { portolan, cluster };
        let resolver = berth.service("resolver", USERS[1]).await?;
        let health = berth.service("health-server", USERS[2]).await?;
        let approval = berth.service("approval", USERS[3]).await?;
        let url = |of: &Running| format!("http://127.0.0.1:{}", of.port);
        let flags = [
            format!("--resolver={}", url(&resolver)),
            format!("--health={}", url(&health)),
            format!("--approval={}", url(&approval)),
            format!("--lease={HOME}/portolan-controller"),
        ];
        Ok(Self {
            controller: berth.member("controller", USERS[0], &flags).await?,
            resolver,
            health,
            approval,
        })
    }

    pub(crate) fn memory(&self) -> Result<Memory, Failure> {
        let of = |member: &Running| process::memory(member.server.pid());
        Ok(Memory {
            controller: of(&self.controller)?,
            resolver: of(&self.resolver)?,
            health: of(&self.health)?,
            approval: of(&self.approval)?,
        })
    }

    /// Returns the CPU time of all processes together.
    pub(crate) fn processor_time(&self) -> Result<Duration, Failure> {
        self.members()
            .into_iter()
            .map(|member| process::processor_time(member.server.pid()))
            .sum()
    }

    /// Returns an error if a process has exited.
    pub(crate) fn check_running(&mut self) -> Result<(), Failure> {
        let Self {
            controller,
            resolver,
            health,
            approval,
        } = self;
        let all = [controller, resolver, health, approval];
        all.into_iter()
            .try_for_each(|member| member.server.check_running())
    }

    fn members(&self) -> [&Running; 4] {
        [
            &self.controller,
            &self.resolver,
            &self.health,
            &self.approval,
        ]
    }
}

// === impl Memory ===

impl Memory {
    pub(crate) fn all(self) -> u64 {
        let Self {
            controller,
            resolver,
            health,
            approval,
        } = self;
        controller + resolver + health + approval
    }
}

// === impl Launch ===

impl Launch<'_> {
    /// Starts a service. Its connections have a long maximum age, so that no watch ends during a
    /// measurement.
    async fn service(&self, what: &str, user: &str) -> Result<Running, Failure> {
        let port = free_port()?;
        let flags = [
            format!("--listen=127.0.0.1:{port}"),
            "--max-connection-age=12h".to_owned(),
        ];
        let member = self.member(what, user, &flags).await?;
        Ok(Running { port, ..member })
    }

    async fn member(&self, what: &str, user: &str, flags: &[String]) -> Result<Running, Failure> {
        let probes = free_port()?;
        let kubeconfig: PathBuf = self.cluster.admit(user, Some("system:masters"))?;
        let mut command = Command::new(self.portolan);
        command.arg(what).arg("--kubeconfig").arg(kubeconfig);
        command.arg(format!("--probes-listen=127.0.0.1:{probes}"));
        // Sets the environment variable instead of the flag, because an earlier version of the
        // program rejects the flag. It always writes.
        command.args(flags).env("PORTOLAN_ENFORCE", "true");
        let mut server = Server::start(command, probes, scratch()?)?;
        server.until_ready(what, probes).await?;
        Ok(Running {
            server,
            port: probes,
        })
    }
}
