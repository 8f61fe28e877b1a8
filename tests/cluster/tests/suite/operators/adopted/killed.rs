//! Tests controllers that are killed during an adoption.

use std::sync::Arc;

use portolan_kit::proxy::Matcher;
use portolan_rig::{Failure, Kind, Operator, PATIENCE, Seen, until};
use tokio::sync::Notify;

use super::catalog::catalog;
use super::wharf::{HOME, Wharf, is_rolled_out, wharf};
use crate::bundles::ferry;
use crate::detour;
use crate::health::written;

/// In each run, a controller is killed at one write. A soak test includes all writes. The next
/// controller completes the adoption, or undoes it if a user has requested this. At the end of each
/// run, OLM owns the operator again.
#[tokio::test]
#[ignore = "soak: OLM installs it again for each write"]
async fn next_controller_completes_or_undoes_adoption_after_kill() -> Result<(), Failure> {
    let text = catalog(&ferry::with_webhooks());
    let Some(mut wharf) = wharf("adopted-killed", text, &[]).await? else {
        return Ok(());
    };
    wharf.harbor.kill();
    let writes = wharf.play(None).await?;
    println!("adopted: {writes} writes without a fault");
    for at in detour::kills(writes) {
        wharf.play(Some(at)).await?;
        let end = wharf.undo(at).await?;
        println!("adopted: killed at write {at} of {writes}; after an undo, it is {end}");
    }
    Ok(())
}

impl Wharf {
    /// Adopts the operator, and then returns it to OLM. If `killed` is given, the first controller
    /// is killed at this write. Returns the number of writes.
    async fn play(&mut self, killed: Option<usize>) -> Result<usize, Failure> {
        let before = self.identities().await?;
        self.adopts().await?;
        let writes = self.carry_out_until(killed).await?;
        self.harbor.start().await?;
        self.until_step("ferry", "Adopted").await?;
        self.is_left_by_olm().await?;
        assert_eq!(self.identities().await?, before, "killed at {killed:?}");
        self.release().await?;
        Ok(writes)
    }

    /// Starts an adoption with a controller that is killed at a write, and then undoes the
    /// adoption. Returns the outcome: `adopted` or `OLM's`.
    async fn undo(&mut self, at: usize) -> Result<&'static str, Failure> {
        let before = self.identities().await?;
        self.adopts().await?;
        self.carry_out_until(Some(at)).await?;
        self.types(&["adopt", "ferry", "--undo"]).await?;
        self.harbor.start().await?;
        let is_adopted = until("the adoption or its undo", PATIENCE, async || {
            let status = self.harbor.status("ferry").await?;
            let conditions = status["conditions"].as_array().into_iter().flatten();
            let mut reasons = conditions.filter_map(|it| it["reason"].as_str());
            let is_given_back = reasons.any(|it| it == "InstalledByOlm");
            let is_without_plans = self.harbor.plan_names().await?.is_empty();
            Ok(if status["adoption"]["step"] == "Adopted" {
                Seen::Yes(true)
            } else if is_given_back && is_without_plans {
                Seen::Yes(false)
            } else {
                Seen::NotYet(status.to_string())
            })
        })
        .await?;
        assert_eq!(self.identities().await?, before, "undone at {at}");
        if is_adopted {
            self.is_left_by_olm().await?;
            self.release().await?;
            return Ok("adopted");
        }
        let csvs = Kind::ClusterServiceVersion.within(self.harbor.client(), HOME);
        let csv = csvs.get("ferry.v1.0.0").await?;
        assert_eq!(csv.data["status"]["phase"], "Succeeded");
        assert_eq!(csv.metadata.deletion_timestamp, None);
        let finalizers = csv.metadata.finalizers.unwrap_or_default();
        assert!(
            !finalizers.iter().any(|it| it.contains("portolan")),
            "{finalizers:?}"
        );
        self.harbor.delete("ferry").await?;
        self.harbor.until_gone("ferry").await?;
        self.harbor.kill();
        Ok("OLM's")
    }

    /// Runs a controller until it is killed at a write, or until the adoption is complete. Returns
    /// the number of writes.
    pub(super) async fn carry_out_until(
        &mut self,
        killed: Option<usize>,
    ) -> Result<usize, Failure> {
        let proxy = detour::proxy(self.harbor.world().cluster()).await?;
        let landed = Arc::new(Notify::new());
        if let Some(at) = killed {
            detour::kill_at(&proxy, at, &landed);
        }
        let (through, _folder) = written::through(&proxy);
        self.harbor.start_at(&through).await;
        tokio::select! {
            ended = self.until_step("ferry", "Adopted") => ended?,
            () = landed.notified(), if killed.is_some() => {}
        }
        self.harbor.kill();
        Ok(proxy.count(Matcher::writes()))
    }

    /// Runs the command `adopt` until it succeeds. OLM may still be about to find the next version.
    async fn adopts(&self) -> Result<(), Failure> {
        until("the adoption", PATIENCE, async || {
            let (message, is_well) = self.portolan(&["adopt", "ferry"]).await?;
            Ok(if is_well {
                Seen::Yes(())
            } else {
                Seen::NotYet(message)
            })
        })
        .await
    }

    async fn types(&self, words: &[&str]) -> Result<(), Failure> {
        let (message, is_well) = self.portolan(words).await?;
        assert!(is_well, "{message}");
        Ok(())
    }

    /// Returns the operator to OLM, and waits until OLM has installed it.
    async fn release(&mut self) -> Result<(), Failure> {
        self.types(&["release", "ferry"]).await?;
        self.harbor.kill();
        self.until_installed_by_olm().await
    }

    async fn until_installed_by_olm(&self) -> Result<(), Failure> {
        let operator = Operator::of(self.harbor.client(), HOME, "ferry");
        operator.install("ferry.v1.0.0").await?;
        let deployments = self.api(["apps/v1", "Deployment", HOME]);
        let csvs = Kind::ClusterServiceVersion.within(self.harbor.client(), HOME);
        until("OLM to own all objects", PATIENCE, async || {
            let deployment = deployments.get("ferry-controller").await?;
            let owners = deployment.metadata.owner_references.as_ref();
            let owners = owners.map_or(0, Vec::len);
            let is_configured = deployment.data["spec"].to_string().contains("DEBUG");
            let phase = csvs.get("ferry.v1.0.0").await?.data["status"]["phase"].clone();
            let is_settled = phase == "Succeeded" && is_rolled_out(&deployment);
            Ok(if owners == 1 && is_configured && is_settled {
                Seen::Yes(())
            } else {
                let status = &deployment.data["status"];
                Seen::NotYet(format!("{owners} owners, {phase}, {status}"))
            })
        })
        .await
    }
}
