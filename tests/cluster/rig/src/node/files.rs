//! Writes the configuration files for the programs of a node.

use std::fs;
use std::path::Path;

use super::{DNS, PODS, cgroup};
use crate::failure::Failure;
use crate::site::Site;

/// The configuration files: the path in the folder of a rig, and the content. Placeholders in the
/// content are in braces.
const FILES: [(&str, &str); 4] = [
    (
        "kubelet.yaml",
        include_str!("../../config/node/kubelet.yaml"),
    ),
    (
        "containerd.toml",
        include_str!("../../config/node/containerd.toml"),
    ),
    (
        "cni/pods.conflist",
        include_str!("../../config/node/pods.conflist"),
    ),
    ("Corefile", include_str!("../../config/node/Corefile")),
];
const HOSTS: &str = include_str!("../../config/node/hosts.toml");

/// Writes all configuration files into the folder of a rig.
pub(crate) fn write(site: &Site) -> Result<(), Failure> {
    let hosts = format!("registries/{}/hosts.toml", site.registry());
    for (name, text) in FILES.into_iter().chain([(hosts.as_str(), HOSTS)]) {
        let file = site.file("node").join(name);
        let parent = file.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(parent).map_err(Failure::touch("create a folder of the node"))?;
        fs::write(&file, filled(text, site)).map_err(Failure::touch(format!("write {name}")))?;
    }
    Ok(())
}

fn filled(text: &str, site: &Site) -> String {
    let marks = [
        ("{folder}", site.folder().display().to_string()),
        ("{cgroup}", cgroup(site.folder())),
        ("{registry}", site.registry()),
        ("{port}", site.kubelet_port().to_string()),
        ("{dns-port}", site.dns_port().to_string()),
        ("{dns}", DNS.to_owned()),
        ("{pods}", PODS.to_owned()),
    ];
    marks.iter().fold(text.to_owned(), |text, (mark, value)| {
        text.replace(mark, value)
    })
}
