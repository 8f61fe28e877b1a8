//! A node of a rig that runs the containers of Pods: a kubelet, containerd and kube-proxy, with
//! cluster DNS and an image registry.
//!
//! A rig with a node has its own network, mounts and processes, which all end with the rig. A test
//! reaches this network through a pair of network interfaces. Several rigs with a node can run at
//! the same time.

mod files;
mod link;
mod missing;

use std::path::{Path, PathBuf};
use std::sync::Once;

use crate::binaries::built;
use crate::failure::Failure;
use crate::own::{COREDNS, PAUSE};
use crate::program::NODE;
use crate::say;

pub(crate) use files::write;
pub(crate) use link::Link;
use missing::missing;

/// The name of the Node object.
pub(crate) const NAME: &str = "node-1";
/// The address of cluster DNS. It is an address of a Service.
pub(crate) const DNS: &str = "10.0.0.10";
/// The address range of Pods.
pub(crate) const PODS: &str = "10.245.0.0/16";

/// The programs that only a node needs.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    folder: PathBuf,
    dns: PathBuf,
    pub(crate) pause: PathBuf,
}

impl Programs {
    /// Returns the programs of an earlier build, or builds them. A build takes some minutes on two
    /// cores.
    pub(crate) fn ready() -> Result<Self, Failure> {
        if let Some(why) = missing() {
            return Err(Failure::NoNode { why });
        }
        Ok(Self {
            folder: built(&NODE)?,
            dns: COREDNS.program()?,
            pause: PAUSE.program()?,
        })
    }

    pub(crate) fn program(&self, name: &str) -> PathBuf {
        match name {
            "coredns" => self.dns.clone(),
            name => self.folder.join(name),
        }
    }
}

/// Returns true if this machine cannot run a node, so that tests must be skipped. Prints the reason
/// once per process, even if test output is captured.
pub fn is_node_left_out() -> bool {
    static REPORTED: Once = Once::new();
    let missing = missing();
    if let Some(why) = &missing {
        REPORTED.call_once(|| {
            say!("no node can run on this machine ({why}): the tests of a node are NOT run");
        });
    }
    missing.is_some()
}

/// Returns the name of the cgroup for all containers of the rig in this folder. The name is unique
/// on the machine.
pub(crate) fn cgroup(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    format!("portolan-rig-{name}")
}
