//! The places of the parts of one rig: its files and its addresses.

use std::path::{Path, PathBuf};

use crate::binaries::Binaries;

/// The places in a rig's folder and block of ports.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) binaries: Binaries,
    folder: PathBuf,
    first_port: u16,
}

/// The number of ports of a rig before those of its catalogs: the first one, which claims all of
/// them, and those of the control plane.
pub(crate) const OWN_PORTS: u16 = 8;

impl Site {
    pub(crate) fn new(binaries: Binaries, folder: &Path, first_port: u16) -> Self {
        Self {
            binaries,
            folder: folder.to_owned(),
            first_port,
        }
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn pki(&self) -> PathBuf {
        self.file("pki")
    }

    pub(crate) fn audit_log(&self) -> PathBuf {
        self.file("audit.log")
    }

    pub(crate) fn kubeconfig(&self, user: &str) -> PathBuf {
        self.file(&format!("{user}.kubeconfig"))
    }

    pub(crate) fn etcd(&self) -> String {
        format!("http://127.0.0.1:{}", self.first_port + 1)
    }

    /// etcd requires an address for its peers, though it has none.
    pub(crate) fn etcd_peer(&self) -> String {
        format!("http://127.0.0.1:{}", self.first_port + 2)
    }

    pub(crate) fn api_server_port(&self) -> u16 {
        self.first_port + 3
    }

    pub(crate) fn api_server(&self) -> String {
        format!("https://127.0.0.1:{}", self.api_server_port())
    }

    /// The `n`th port for catalogs, in rotation.
    pub(crate) fn catalog_port(&self, n: u16) -> u16 {
        self.first_port + OWN_PORTS + n % (crate::folder::PORTS - OWN_PORTS)
    }
}
