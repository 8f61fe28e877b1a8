//! The optional parts of a cluster, and the functions that need a node.

use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use super::Cluster;
use crate::failure::Failure;
use crate::image::Image;
use crate::node::cgroup;

/// The folders of memory cgroups, and the file with the peak memory, for cgroup versions 1 and 2.
const PEAKS: [(&str, &str); 2] = [
    ("/sys/fs/cgroup/memory", "memory.max_usage_in_bytes"),
    ("/sys/fs/cgroup", "memory.peak"),
];

/// The optional parts of a cluster, in addition to Kubernetes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The Operator Lifecycle Manager. It runs as processes, unless `olm_pods` is true.
    pub olm: bool,
    /// A node that runs the containers of Pods, with cluster DNS and an image registry.
    pub node: bool,
    /// The Operator Lifecycle Manager as Pods of the node, with its packageserver. The images
    /// contain the programs of OLM. Implies `olm` and `node`.
    pub olm_pods: bool,
    /// OLM v1 as processes, and an image registry.
    pub olm_v1: bool,
}

impl Parts {
    pub(crate) fn has_olm(self) -> bool {
        self.olm || self.olm_pods
    }

    pub(crate) fn has_node(self) -> bool {
        self.node || self.olm_pods
    }

    pub(crate) fn has_registry(self) -> bool {
        self.has_node() || self.olm_v1
    }
}

impl Cluster {
    /// Returns the address on which all servers of the cluster listen: that of the node, or else a
    /// loopback address.
    pub fn host(&self) -> Ipv4Addr {
        self.rig.site.host()
    }

    /// Returns the `<address>:<port>` of the registry from which Pods and OLM v1 pull images,
    /// without TLS. Returns `None` if the cluster has neither a node nor OLM v1.
    pub fn registry(&self) -> Option<String> {
        let site = &self.rig.site;
        site.has_registry().then(|| site.registry())
    }

    /// Pushes an image to the registry of the cluster. `name` is a repository with a tag. Returns
    /// the reference with the digest, which Pods and Portolan can pull.
    ///
    /// # Errors
    /// The cluster has no registry, or the registry rejects the image.
    pub async fn push(&self, image: Image, name: &str) -> Result<String, Failure> {
        let reference = format!("{}/{name}", self.rig.site.registry());
        let pushed = tokio::task::spawn_blocking(move || image.push(&reference)).await;
        pushed.map_err(Failure::read("the end of a push"))?
    }

    /// Returns the peak memory of a container on the node in bytes. `container` is the ID of the
    /// container. The value includes file pages that this container was the first to read.
    pub fn peak_memory(&self, container: &str) -> Option<u64> {
        let own = cgroup(self.folder());
        PEAKS.iter().find_map(|(root, file)| {
            let place = find(&Path::new(root).join(&own), container)?;
            fs::read_to_string(place.join(file))
                .ok()?
                .trim()
                .parse()
                .ok()
        })
    }
}

/// Returns the path of the folder with this name, at any depth below another folder.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    let mut folders = entries.flatten().map(|entry| entry.path());
    folders.find_map(|path| match path.file_name() {
        _ if !path.is_dir() => None,
        Some(own) if own == name => Some(path),
        _ => find(&path, name),
    })
}
