//! The files and the addresses of the processes of a rig.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use crate::binaries::Binaries;
use crate::component::Component;
use crate::node::{Link, Programs};

/// The paths and ports of a rig.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) binaries: Binaries,
    folder: PathBuf,
    first_port: u16,
    node: Option<Node>,
}

/// The files and addresses of a rig with a node.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) programs: Programs,
    link: Link,
}

/// The number of ports that a rig reserves before the ports of its catalogs: the first port, which
/// claims the block, and the ports of the control plane.
pub(crate) const OWN_PORTS: u16 = 8;

impl Site {
    pub(crate) fn new(binaries: Binaries, folder: &Path, first_port: u16) -> Self {
        Self {
            binaries,
            folder: folder.to_owned(),
            first_port,
            node: None,
        }
    }

    /// Adds a node to the site.
    pub(crate) fn with_node(mut self, programs: Programs) -> Self {
        let link = Link::of(self.first_port);
        self.node = Some(Node { programs, link });
        self
    }

    pub(crate) fn node(&self) -> Option<&Node> {
        self.node.as_ref()
    }

    /// The address at which the test reaches the rig.
    pub(crate) fn host(&self) -> Ipv4Addr {
        let link = self.node.as_ref().map(|node| node.link);
        link.map_or(Ipv4Addr::LOCALHOST, Link::inner)
    }

    /// The path of a program of the control plane or of the node.
    pub(crate) fn program(&self, component: Component) -> PathBuf {
        match &self.node {
            Some(node) if component.is_of_node() => node.programs.program(component.name()),
            _ => self.binaries.program(component.name()),
        }
    }

    /// `<address>:<port>` of the registry of a rig with a node.
    pub(crate) fn registry(&self) -> String {
        format!("{}:{}", self.host(), self.first_port + 4)
    }

    pub(crate) fn kubelet_port(&self) -> u16 {
        self.first_port + 5
    }

    pub(crate) fn dns_port(&self) -> u16 {
        self.first_port + 6
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

    /// The address for etcd peers. etcd requires such an address, although there are no peers.
    pub(crate) fn etcd_peer(&self) -> String {
        format!("http://127.0.0.1:{}", self.first_port + 2)
    }

    pub(crate) fn api_server_port(&self) -> u16 {
        self.first_port + 3
    }

    pub(crate) fn api_server(&self) -> String {
        format!("https://{}:{}", self.host(), self.api_server_port())
    }

    /// The `n`th port for catalogs, in rotation.
    pub(crate) fn catalog_port(&self, n: u16) -> u16 {
        self.first_port + OWN_PORTS + n % (crate::folder::PORTS - OWN_PORTS)
    }
}
