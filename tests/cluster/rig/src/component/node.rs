//! The flags of the programs of a node. Also the flags that other programs need if the rig has a
//! node.

use super::words;
use crate::node::NAME;
use crate::site::Site;

/// The label of the nodes that kwok manages, in a rig with a node, and the value of the label.
pub(crate) const KWOK: (&str, &str) = ("rig.test/node", "kwok");

pub(super) fn containerd(site: &Site) -> Vec<String> {
    vec![format!("--config={}", file(site, "containerd.toml"))]
}

pub(super) fn kubelet(site: &Site, as_client: String) -> Vec<String> {
    vec![
        as_client,
        format!("--config={}", file(site, "kubelet.yaml")),
        format!("--root-dir={}", file(site, "kubelet")),
        format!("--cert-dir={}", file(site, "kubelet/pki")),
        format!("--hostname-override={NAME}"),
        format!("--node-ip={}", site.host()),
    ]
}

pub(super) fn proxy(as_client: String) -> Vec<String> {
    let mut flags = words(&[
        "--proxy-mode=iptables",
        // kube-proxy must not apply these limits, because they would change settings of the whole
        // machine.
        "--conntrack-max-per-core=0",
        "--conntrack-tcp-timeout-established=0s",
        "--conntrack-tcp-timeout-close-wait=0s",
        "--iptables-min-sync-period=100ms",
    ]);
    flags.push(format!("--hostname-override={NAME}"));
    flags.push(as_client);
    flags
}

pub(super) fn dns(site: &Site) -> Vec<String> {
    vec!["-conf".to_owned(), file(site, "Corefile")]
}

pub(super) fn registry(site: &Site) -> Vec<String> {
    let config = site.file("registry.yaml");
    vec!["serve".to_owned(), config.display().to_string()]
}

/// Returns the flags of the API server that depend on its address. With a node, Pods also use this
/// address.
pub(super) fn addresses(site: &Site) -> Vec<String> {
    let host = site.host();
    let mut flags = vec![
        format!("--bind-address={host}"),
        format!("--advertise-address={host}"),
    ];
    if site.node().is_none() {
        // A loopback address is not valid as the endpoint of the Service `kubernetes`, so the
        // endpoint is omitted.
        flags.push("--endpoint-reconciler-type=none".to_owned());
        return flags;
    }
    // By default, the API server would look up the host name of the node first.
    flags.push("--kubelet-preferred-address-types=InternalIP".to_owned());
    let files = [
        ("kubelet-certificate-authority", "ca.crt"),
        ("kubelet-client-certificate", "admin.crt"),
        ("kubelet-client-key", "admin.key"),
    ];
    flags.extend(files.map(|(flag, name)| format!("--{flag}={}", site.pki().join(name).display())));
    flags
}

/// Returns the flags that select the nodes that kwok manages.
pub(super) fn of_kwok(site: &Site) -> Vec<String> {
    if site.node().is_none() {
        return words(&["--manage-all-nodes"]);
    }
    let (label, value) = KWOK;
    vec![
        "--manage-all-nodes=false".to_owned(),
        format!("--manage-nodes-with-label-selector={label}={value}"),
    ]
}

fn file(site: &Site, name: &str) -> String {
    site.file("node").join(name).display().to_string()
}
