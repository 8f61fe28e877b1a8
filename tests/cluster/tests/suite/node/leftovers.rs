//! A rig with a node leaves nothing behind.

use std::path::Path;

use kube::api::DynamicObject;
use portolan_rig::{Failure, Kind, until_object};
use serde_json::json;

use super::stage::node_cluster;

/// The places of cgroups, in version 1 and 2.
const CGROUPS: [&str; 2] = ["/sys/fs/cgroup/memory", "/sys/fs/cgroup"];

#[tokio::test]
async fn ended_rig_leaves_no_interface_and_no_cgroup() -> Result<(), Failure> {
    let Some(cluster) = node_cluster().await? else {
        return Ok(());
    };
    let folder = cluster.folder().to_owned();
    let rig = folder.file_name().unwrap_or_default().to_string_lossy();
    let port = rig.split('-').next().unwrap_or_default();
    let interface = format!("/sys/class/net/rig{port}");
    let cgroups = CGROUPS.map(|root| format!("{root}/portolan-rig-{rig}"));
    let has_interface = || Path::new(&interface).exists();
    let has_cgroup = || cgroups.iter().any(|path| Path::new(path).exists());
    assert!(has_interface() && has_cgroup());

    let nodes = Kind::Node.everywhere(&cluster.client()?);
    let version = |node: &DynamicObject| {
        node.data.pointer("/status/nodeInfo/kubeletVersion") == Some(&json!("v1.36.1"))
    };
    until_object(&nodes, "node-1", "a kubelet", version).await?;
    drop(nodes);
    drop(cluster);

    assert!(!has_interface() && !has_cgroup() && !folder.exists());
    Ok(())
}
