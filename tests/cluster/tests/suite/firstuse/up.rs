//! `portolan up` on a cluster: it looks on, or carries policies out as the controller does.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use kube::Api;
use kube::api::{ApiResource, DynamicObject};
use kube::core::GroupVersionKind;
use portolan_kit::{TempFolder, catalog};
use portolan_rig::{Failure, PATIENCE, Seen, until};

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

/// Without --enforce it says what would be done, and that it does nothing.
#[tokio::test]
async fn what_is_up_looks_on() -> Result<(), Failure> {
    let Some(world) = world("up-looks").await? else {
        return Ok(());
    };
    let fleet = Fleet::idle(&world).await?;
    let stage = stage_of(world, fleet, &catalog("yawl: 1.0.0").installable()).await?;
    stage
        .write(&stage.at_home(design("yawl", &["yawl.v1.0.0"])))
        .await?;
    let onlooker = format!("looks-on-{}", stage.world.namespace());
    let kubeconfig = stage
        .world
        .cluster()
        .admit(&onlooker, Some("system:masters"))?;
    let folder = TempFolder::empty();
    let said = folder.join("said");
    let mut up = Up::told(&stage, &kubeconfig, &[], &said).await?;
    let wanted = [
        "Would create Subscription ",
        "Nothing is written to the cluster; --enforce would.",
    ];
    until("up to say what it would do", PATIENCE, async || {
        let told = fs::read_to_string(&said).unwrap_or_default();
        Ok(match wanted.iter().all(|wanted| told.contains(wanted)) {
            true => Seen::Yes(()),
            false => Seen::NotYet(told),
        })
    })
    .await?;
    assert_eq!(up.stop().await?, Some(0));
    let audit = stage.world.cluster().audit()?.by(&onlooker);
    assert_ne!(audit.records(), [], "it looks");
    assert_eq!(audit.writes().records(), [], "and no more");
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
        let mut command = Self::command(stage, &stage.fleet.kubeconfig, words).await?;
        let child = command.stdout(Stdio::null()).spawn();
        Ok(Self(child.map_err(Failure::touch("run portolan"))?))
    }

    /// The same by somebody else, with all that it says in a file.
    async fn told(
        stage: &Stage,
        kubeconfig: &Path,
        words: &[&str],
        said: &Path,
    ) -> Result<Self, Failure> {
        let touched = || Failure::touch("make a file");
        let file = File::create(said).map_err(touched())?;
        let other = file.try_clone().map_err(touched())?;
        let mut command = Self::command(stage, kubeconfig, words).await?;
        let child = command.stdout(file).stderr(other).spawn();
        Ok(Self(child.map_err(Failure::touch("run portolan"))?))
    }

    async fn command(stage: &Stage, kubeconfig: &Path, words: &[&str]) -> Result<Command, Failure> {
        let mut command = Command::new(portolan().await?);
        command
            .args(["up", "-n", stage.world.namespace()])
            .arg(kubeconfig_flag(kubeconfig))
            .args(["--listen=127.0.0.1:0", "--probes-listen=127.0.0.1:0"])
            .args(words);
        Ok(command)
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
