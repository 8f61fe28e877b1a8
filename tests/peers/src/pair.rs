//! The two programs that are compared: Portolan and opm.

use std::ffi::OsString;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;

use portolan_rig::Binaries;

use crate::failure::Failure;

/// The programs to compare.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) portolan: PathBuf,
    pub(crate) opm: PathBuf,
}

// === impl Pair ===

impl Pair {
    /// Returns both programs. opm has the version that the rig pins. Without `portolan`, builds
    /// Portolan from this workspace.
    pub(crate) fn found(portolan: Option<PathBuf>) -> Result<Self, Failure> {
        Ok(Self {
            opm: Binaries::ready()?.program("opm"),
            portolan: ours(portolan)?,
        })
    }

    /// Returns the command that starts our server with a folder, on `port`.
    pub(crate) fn ours(&self, folder: &Path, port: u16) -> Command {
        let mut catalog = OsString::from("--catalog=it=");
        catalog.push(folder);
        let mut command = Command::new(&self.portolan);
        command.args(["resolver", "--probes-listen=127.0.0.1:0"]);
        command.arg(format!("--listen=127.0.0.1:{port}"));
        command.arg(catalog);
        command
    }

    /// Returns the command that starts opm with a folder, on `port`. Without `cache`, opm
    /// creates a cache itself.
    pub(crate) fn theirs(&self, folder: &Path, port: u16, cache: Option<&Path>) -> Command {
        let mut command = Command::new(&self.opm);
        command.arg("serve").arg(folder);
        command.args(["--pprof-addr=", "--termination-log=/dev/null"]);
        command.arg(format!("--port={port}"));
        if let Some(cache) = cache {
            command.arg("--cache-dir").arg(cache);
        }
        command
    }
}

/// Returns only our program. Without `portolan`, builds it from this workspace.
pub(crate) fn ours(portolan: Option<PathBuf>) -> Result<PathBuf, Failure> {
    let build = || portolan_kit::portolan().map_err(Failure::Build);
    portolan.map_or_else(build, Ok)
}

/// Returns a free port.
pub(crate) fn free_port() -> Result<u16, Failure> {
    let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let address = bound.and_then(|listener| listener.local_addr());
    let address = address.map_err(|source| Failure::Touch {
        act: "find a free port".to_owned(),
        source,
    })?;
    Ok(address.port())
}
