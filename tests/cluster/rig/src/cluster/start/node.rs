//! Starts the parts of a node.

use std::os::unix::net::UnixStream;

use kube::api::PostParams;
use serde_json::json;

use super::run_all;
use crate::cluster::Cluster;
use crate::component::Component;
use crate::failure::Failure;
use crate::image::{Program, Start};
use crate::kind::Kind;
use crate::node::{self, DNS};
use crate::pki::Authority;
use crate::site::Site;
use crate::wait::Seen;

/// Writes the files of the node before its first program starts.
pub(super) fn files(site: &Site, authority: &Authority) -> Result<(), Failure> {
    let host = site.host().to_string();
    authority.serve_as(&site.pki(), "kubelet-server", &[&host])?;
    node::write(site)
}

/// Starts the programs of the node that must run before the controllers, and creates the Service
/// for cluster DNS.
pub(super) async fn before_controllers(cluster: &Cluster) -> Result<(), Failure> {
    let registry = cluster.rig.site.registry();
    cluster
        .until_listens("the registry to listen", registry)
        .await?;
    pause(cluster).await?;
    until_containerd(cluster).await?;
    run_all(
        cluster,
        &[Component::Kubelet, Component::KubeProxy, Component::Dns],
    )?;
    dns(cluster).await
}

/// Waits for the components that Pods need. Without these components, Pods would start but fail.
pub(super) async fn until_pods_can_run(cluster: &Cluster) -> Result<(), Failure> {
    let site = &cluster.rig.site;
    let address = (site.host(), site.dns_port());
    cluster
        .until_listens("the DNS server to listen", address)
        .await
}

/// Pushes the image of the pause container, which keeps the namespaces of a Pod alive.
async fn pause(cluster: &Cluster) -> Result<(), Failure> {
    let Some(node) = cluster.rig.site.node() else {
        return Ok(());
    };
    let image = Program::fixed(&node.programs.pause)?.image(Start::default())?;
    cluster.push(image, "pause:1").await.map(drop)
}

/// Creates the Service `kube-dns`. A process of the node serves its requests.
async fn dns(cluster: &Cluster) -> Result<(), Failure> {
    let (client, site) = (cluster.client()?, &cluster.rig.site);
    let ports = |port: u16| {
        ["UDP", "TCP"].map(|protocol| {
            let name = protocol.to_lowercase();
            json!({"name": name, "protocol": protocol, "port": port})
        })
    };
    let mut spec = json!({"clusterIP": DNS, "ports": ports(53)});
    for port in spec["ports"].as_array_mut().into_iter().flatten() {
        port["targetPort"] = json!(site.dns_port());
    }
    let service = Kind::Service.object("kube-dns", json!({"spec": spec}))?;
    let slice = json!({
        "metadata": {"labels": {"kubernetes.io/service-name": "kube-dns"}},
        "addressType": "IPv4",
        "endpoints": [{"addresses": [site.host()], "conditions": {"ready": true}}],
        "ports": ports(site.dns_port()),
    });
    let slice = Kind::EndpointSlice.object("kube-dns", slice)?;
    for (kind, object) in [(Kind::Service, service), (Kind::EndpointSlice, slice)] {
        let objects = kind.within(&client, "kube-system");
        objects.create(&PostParams::default(), &object).await?;
    }
    Ok(())
}

async fn until_containerd(cluster: &Cluster) -> Result<(), Failure> {
    let socket = cluster.folder().join("node/containerd.sock");
    let check = async || {
        Ok(match UnixStream::connect(&socket) {
            Ok(_) => Seen::Yes(()),
            Err(error) => Seen::NotYet(error.to_string()),
        })
    };
    cluster.until("containerd to listen", check).await
}
