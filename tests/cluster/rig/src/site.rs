//! The paths and addresses that the processes of a rig use.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use crate::binaries::Binaries;
use crate::component::Component;
use crate::node::{Link, Programs};
use crate::olm_v1;

/// The paths and ports of a rig.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) binaries: Binaries,
    folder: PathBuf,
    first_port: u16,
    node: Option<Node>,
    olm_v1: Option<olm_v1::Programs>,
    /// The path of the registry program. None if the rig has no registry.
    registry: Option<PathBuf>,
}

/// The paths and addresses in a rig with a node.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) programs: Programs,
    link: Link,
}

/// The number of ports at the beginning of a block that catalogs do not use: the first port, which
/// reserves the block, and the ports of the control plane.
pub(crate) const OWN_PORTS: u16 = 12;

impl Site {
    pub(crate) fn new(binaries: Binaries, folder: &Path, first_port: u16) -> Self {
        Self {
            binaries,
            folder: folder.to_owned(),
            first_port,
            node: None,
            olm_v1: None,
            registry: None,
        }
    }

    /// Adds a node to the site.
    pub(crate) fn with_node(mut self, programs: Programs) -> Self {
        let link = Link::of(self.first_port);
        self.node = Some(Node { programs, link });
        self
    }

    /// Adds OLM v1 to the site.
    pub(crate) fn with_olm_v1(mut self, programs: olm_v1::Programs) -> Self {
        self.olm_v1 = Some(programs);
        self
    }

    /// Adds a registry of images to the site.
    pub(crate) fn with_registry(mut self, program: PathBuf) -> Self {
        self.registry = Some(program);
        self
    }

    pub(crate) fn olm_v1(&self) -> Option<&olm_v1::Programs> {
        self.olm_v1.as_ref()
    }

    pub(crate) fn has_registry(&self) -> bool {
        self.registry.is_some()
    }

    pub(crate) fn node(&self) -> Option<&Node> {
        self.node.as_ref()
    }

    /// Returns the address at which the test can connect to the rig.
    pub(crate) fn host(&self) -> Ipv4Addr {
        let link = self.node.as_ref().map(|node| node.link);
        link.map_or(Ipv4Addr::LOCALHOST, Link::inner)
    }

    /// Returns the path of the program of a component.
    pub(crate) fn program(&self, component: Component) -> PathBuf {
        let name = component.name();
        match (component, &self.registry, &self.olm_v1, &self.node) {
            (Component::Registry, Some(registry), ..) => registry.clone(),
            (_, _, Some(olm_v1), _) if component.is_of_olm_v1() => olm_v1.program(name),
            (.., Some(node)) if component.is_of_node() => node.programs.program(name),
            _ => self.binaries.program(name),
        }
    }

    /// Returns the `<address>:<port>` of the image registry.
    pub(crate) fn registry(&self) -> String {
        format!("{}:{}", self.host(), self.first_port + 4)
    }

    pub(crate) fn kubelet_port(&self) -> u16 {
        self.first_port + 5
    }

    pub(crate) fn dns_port(&self) -> u16 {
        self.first_port + 6
    }

    /// Returns the `<address>:<port>` at which catalogd serves catalogs.
    pub(crate) fn catalogd(&self) -> String {
        format!("{}:{}", self.host(), self.first_port + 7)
    }

    pub(crate) fn catalogd_webhook_port(&self) -> u16 {
        self.first_port + 8
    }

    /// Returns the `<address>:<port>` at which operator-controller serves its probes.
    pub(crate) fn operator_controller(&self) -> String {
        format!("{}:{}", self.host(), self.first_port + 9)
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

    /// Returns the URL for peers of etcd. etcd requires this URL, although it has no peers.
    pub(crate) fn etcd_peer(&self) -> String {
        format!("http://127.0.0.1:{}", self.first_port + 2)
    }

    pub(crate) fn api_server_port(&self) -> u16 {
        self.first_port + 3
    }

    pub(crate) fn api_server(&self) -> String {
        format!("https://{}:{}", self.host(), self.api_server_port())
    }

    /// Returns the `n`th port for catalogs. After the last port, the first port is used again.
    pub(crate) fn catalog_port(&self, n: u16) -> u16 {
        self.first_port + OWN_PORTS + n % (crate::folder::PORTS - OWN_PORTS)
    }
}
