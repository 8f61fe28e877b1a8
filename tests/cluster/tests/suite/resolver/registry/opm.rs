//! Runs `opm serve` without a cluster.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Stdio};

use portolan_kit::TempFolder;
use portolan_resolver::source::registry::{Address, Dialer, Registry};
use portolan_rig::{Binaries, Failure, PATIENCE, Seen, opm_serve, until};

/// A running `opm`. Dropping this value kills it.
pub(crate) struct Opm {
    child: Child,
    address: SocketAddr,
    /// The folder with the cache and the log of `opm`.
    folder: TempFolder,
}

impl Opm {
    /// Serves a folder on a free port.
    pub(crate) fn serve(folder: &Path) -> Result<Self, Failure> {
        let free = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0));
        let port = free.and_then(|listener| listener.local_addr());
        let port = port.map_err(Failure::touch("find a free port"))?.port();
        Self::serve_on(port, folder)
    }

    pub(crate) fn serve_on(port: u16, folder: &Path) -> Result<Self, Failure> {
        let own = TempFolder::empty();
        let log = File::create(own.join("log")).map_err(Failure::touch("create a log"))?;
        let mut command = Binaries::ready()?.command("opm");
        command.args(opm_serve(folder, port));
        command.arg("--cache-dir").arg(own.join("cache"));
        command.arg("--cache-enforce-integrity=false");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        let child = command.spawn().map_err(Failure::touch("run opm"))?;
        Ok(Self {
            child,
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
            folder: own,
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Waits until `opm` listens, and connects to it.
    pub(crate) async fn connect(&mut self) -> Result<Registry, Failure> {
        let address: Address = self.address.to_string().parse().expect("an address");
        until("opm to listen", PATIENCE, async || {
            let ended = self.child.try_wait();
            let ended = ended.map_err(Failure::touch("look after opm"))?;
            assert_eq!(ended, None, "opm ended; log: {}", self.log());
            Ok(
                match Registry::connect(&address, &Dialer::default()).await {
                    Ok(registry) => Seen::Yes(registry),
                    Err(error) => Seen::NotYet(error.to_string()),
                },
            )
        })
        .await
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }
}

impl Drop for Opm {
    fn drop(&mut self) {
        // Ignores an error: the process may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
