//! Tests that a rig with a node removes everything.

use std::fs;
use std::path::Path;

use kube::api::DynamicObject;
use portolan_rig::{Failure, Kind, PATIENCE, Seen, is_node_left_out, until, until_object};
use serde_json::json;

use super::stage::node_cluster;
use crate::begin;
use crate::foundation::leftovers::{Victim, root, until_nothing_runs};

/// The folders of cgroups in versions 1 and 2.
const CGROUPS: [&str; 2] = ["/sys/fs/cgroup/memory", "/sys/fs/cgroup"];

#[tokio::test]
async fn ended_rig_leaves_no_interface_and_no_cgroup() -> Result<(), Failure> {
    let Some(cluster) = node_cluster().await? else {
        return Ok(());
    };
    let folder = cluster.folder().to_owned();
    let traces = Traces::of(&folder);
    assert_eq!(traces.found(), [true, true]);

    let nodes = Kind::Node.everywhere(&cluster.client()?);
    let version = |node: &DynamicObject| {
        node.data.pointer("/status/nodeInfo/kubeletVersion") == Some(&json!("v1.36.1"))
    };
    until_object(&nodes, "node-1", "a kubelet", version).await?;
    drop(nodes);
    drop(cluster);

    assert_eq!(traces.found(), [false, false]);
    assert!(!folder.exists());
    Ok(())
}

#[tokio::test]
async fn next_rig_removes_cgroups_of_killed_supervisor() -> Result<(), Failure> {
    if is_node_left_out() || !begin() {
        return Ok(());
    }
    let root = root()?;
    let victim = Victim::start_with(root.path(), &["--node"])?;
    let traces = Traces::of(&victim.folder);
    assert_eq!(traces.found(), [true, true]);

    victim.kill_supervisor();

    until_nothing_runs(&victim.folder).await?;
    until("the interface to go", PATIENCE, async || {
        Ok(match traces.found() {
            [true, _] => Seen::NotYet("it still exists".to_owned()),
            [false, _] => Seen::Yes(()),
        })
    })
    .await?;
    let next = Victim::start_with(root.path(), &[])?;
    assert_eq!(traces.found(), [false, false]);
    assert!(!victim.folder.exists(), "the next rig sweeps");
    drop(next);
    Ok(())
}

/// The traces of a rig outside of its folder.
struct Traces {
    /// The path of a file that contains the index of the network interface, and the index. Another
    /// rig may use the same name with another index.
    interface: (String, String),
    /// The folders of the rig's cgroups in versions 1 and 2.
    cgroups: [String; 2],
}

impl Traces {
    fn of(folder: &Path) -> Self {
        let rig = folder.file_name().unwrap_or_default().to_string_lossy();
        let port = rig.split('-').next().unwrap_or_default();
        let file = format!("/sys/class/net/rig{port}/ifindex");
        let index = fs::read_to_string(&file).unwrap_or_default();
        Self {
            interface: (file, index),
            cgroups: CGROUPS.map(|root| format!("{root}/portolan-rig-{rig}")),
        }
    }

    /// Returns true for each trace that exists: the interface, and a cgroup.
    fn found(&self) -> [bool; 2] {
        let (file, index) = &self.interface;
        let has_interface = fs::read_to_string(file).is_ok_and(|found| found == *index);
        let mut cgroups = self.cgroups.iter();
        [has_interface, cgroups.any(|path| Path::new(path).exists())]
    }
}
