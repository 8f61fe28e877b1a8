//! Runs a service of the controller that a test can kill or freeze.

use std::net::SocketAddr;

use portolan_kit::Proxy;
use portolan_rig::{Failure, PATIENCE, Seen, until};

use crate::process::{Running, on_free_probes};

/// The kind of service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Resolver,
    Health,
    Approval,
}

/// A service behind a proxy. The address of the proxy stays the same when the service is restarted.
pub(crate) struct Service {
    part: Part,
    /// The flag of the controller with the address of the proxy.
    flag: String,
    address: SocketAddr,
    proxy: Proxy,
    running: Option<Running>,
}

/// Matches every request.
const ALL: &str = "/";
const UNAVAILABLE: u16 = 503;

impl Part {
    pub(crate) const ALL: [Self; 3] = [Self::Resolver, Self::Health, Self::Approval];

    /// Returns the name of the service in messages of the controller.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Resolver => "resolver",
            Self::Health => "health",
            Self::Approval => "approval",
        }
    }

    async fn start(self, listen: &str, flag: &str) -> Result<(SocketAddr, Running), String> {
        let flags = [format!("--listen={listen}"), flag.to_owned()];
        let name = self.name();
        match self {
            Self::Resolver => {
                let listening = portolan_resolver::listen(on_free_probes(name, flags));
                let listening = listening.await.map_err(|error| error.to_string())?;
                let address = listening.grpc_address();
                Ok((
                    address,
                    Running::until_dropped(|stops| listening.run(stops)),
                ))
            }
            Self::Health => {
                let listening = portolan_health::listen(on_free_probes(name, flags));
                let listening = listening.await.map_err(|error| error.to_string())?;
                let address = listening.grpc_address();
                Ok((
                    address,
                    Running::until_dropped(|stops| listening.run(stops)),
                ))
            }
            Self::Approval => {
                let listening = portolan_approval::listen(on_free_probes(name, flags));
                let listening = listening.await.map_err(|error| error.to_string())?;
                let address = listening.grpc_address();
                Ok((
                    address,
                    Running::until_dropped(|stops| listening.run(stops)),
                ))
            }
        }
    }
}

impl Service {
    pub(crate) async fn start(part: Part, flag: String) -> Self {
        let started = part.start("127.0.0.1:0", &flag).await;
        let (address, running) = started.expect("free ports must exist");
        Self {
            proxy: Proxy::before(format!("http://{address}").as_str()).await,
            running: Some(running),
            part,
            flag,
            address,
        }
    }

    pub(crate) fn url(&self) -> String {
        self.proxy.url()
    }

    /// Kills the service. Connections are refused immediately.
    pub(crate) fn kill(&mut self) {
        self.running = None;
        self.proxy.answer(ALL, UNAVAILABLE, usize::MAX);
        self.proxy.cut(ALL);
    }

    /// Starts the service again at the same address.
    pub(crate) async fn revive(&mut self) -> Result<(), Failure> {
        let address = self.address.to_string();
        let what = format!("{} to start again", self.part.name());
        let started = until(what, PATIENCE, async || {
            Ok(match self.part.start(&address, &self.flag).await {
                Ok(started) => Seen::Yes(started),
                Err(error) => Seen::NotYet(error),
            })
        });
        let (_, running) = started.await?;
        self.running = Some(running);
        self.proxy.clear();
        Ok(())
    }

    /// Freezes the service. Requests get no response and no error.
    pub(crate) fn freeze(&self) {
        self.proxy.freeze();
    }

    pub(crate) fn thaw(&self) {
        self.proxy.thaw();
    }
}
