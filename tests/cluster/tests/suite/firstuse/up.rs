//! `portolan up` on a cluster: it looks on, or carries policies out as the controller does.

use std::process::{Child, Command, Stdio};

use kube::Api;
use kube::api::{ApiResource, DynamicObject};
use kube::core::GroupVersionKind;
use portolan_kit::catalog;
use portolan_rig::Failure;

use crate::approval::policy::design;
use crate::operatorpolicy::fleet::{Fleet, kubeconfig_flag};
use crate::operatorpolicy::stage::{Stage, stage_of};
use crate::program::{ended, portolan, terminate};
use crate::world;

/// It holds the Lease while it runs, and lets it go in the end.
#[tokio::test]
async fn what_is_up_and_enforces_installs_and_ends_in_order() -> Result<(), Failure> {
    let Some(world) = world("up").await? else {
        return Ok(());
    };
    let fleet = Fleet::idle(&world).await?;
    let stage = stage_of(world, fleet, &catalog("yawl: 1.0.0").installable()).await?;
    let here = stage.world.namespace().to_owned();
    let mut up = Up::start(&stage, &["--enforce", &format!("--lease={here}/up")]).await?;
    stage
        .write(&stage.at_home(design("yawl", &["yawl.v1.0.0"])))
        .await?;
    let installed = ["compliant: Compliant", "installed: yawl.v1.0.0"];
    stage.says("yawl", &installed).await?;
    assert_ne!(holder(&stage).await?, "", "who writes holds the Lease");
    assert_eq!(up.stop().await?, Some(0));
    assert_eq!(holder(&stage).await?, "", "the Lease is let go");
    Ok(())
}

/// Who holds the Lease.
async fn holder(stage: &Stage) -> Result<String, Failure> {
    let kind = GroupVersionKind::gvk("coordination.k8s.io", "v1", "Lease");
    let client = stage.world.client().clone();
    let namespace = stage.world.namespace();
    let leases: Api<DynamicObject> =
        Api::namespaced_with(client, namespace, &ApiResource::from_gvk(&kind));
    let lease = leases.get("up").await?;
    let holder = lease.data["spec"]["holderIdentity"].as_str();
    Ok(holder.unwrap_or_default().to_owned())
}

/// A running `portolan up`, killed when it is dropped.
struct Up(Child);

impl Up {
    async fn start(stage: &Stage, words: &[&str]) -> Result<Self, Failure> {
        let mut command = Command::new(portolan().await?);
        command
            .args(["up", "-n", stage.world.namespace()])
            .arg(kubeconfig_flag(&stage.fleet.kubeconfig))
            .args(["--listen=127.0.0.1:0", "--probes-listen=127.0.0.1:0"])
            .args(words)
            .stdout(Stdio::null());
        let child = command.spawn();
        Ok(Self(child.map_err(Failure::touch("run portolan"))?))
    }

    async fn stop(&mut self) -> Result<Option<i32>, Failure> {
        terminate(&self.0)?;
        ended(&mut self.0, "portolan").await
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
