//! A control plane in which only this program changes objects.

use std::path::PathBuf;

use portolan_rig::Cluster;
use serde_json::json;

use super::port::{PlanNamespace, Port};
use crate::failure::Failure;
use crate::plane::{POLICIES, define, patient, silence, with_olm};
use crate::writer::{Writer, at_a_time, namespace};

/// The user that the approval service authenticates as. The audit log contains this user.
pub(crate) const USER: &str = "portolan-approval";

/// The measured cluster. It has one namespace at first.
pub(crate) struct Stage {
    pub(crate) cluster: Cluster,
    pub(crate) kubeconfig: PathBuf,
    writer: Writer,
    port: Port,
}

// === impl Stage ===

impl Stage {
    pub(crate) async fn set(port: Port) -> Result<Self, Failure> {
        let cluster = with_olm().await?;
        silence(&cluster)?;
        let stage = Self {
            kubeconfig: cluster.admit(USER, Some("system:masters"))?,
            writer: Writer::of(patient(&cluster)?),
            cluster,
            port,
        };
        define(&stage.writer, POLICIES).await?;
        stage.populate(port.alone().berths(), 1).await?;
        Ok(stage)
    }

    /// Creates all other namespaces.
    pub(crate) async fn fill(&self) -> Result<(), Failure> {
        let others = self.port.berths().skip(1);
        self.populate(others, self.port.namespaces - 1).await
    }

    /// Sets the action of a policy to enforce or inform.
    pub(crate) async fn turn(&self, berth: PlanNamespace, acts: bool) -> Result<(), Failure> {
        let action = if acts { "enforce" } else { "inform" };
        let change = json!({"spec": {"remediationAction": action}});
        let policy = berth.policies().next();
        let policy =
            policy.ok_or_else(|| Failure::Expect("a namespace has no policy".to_owned()))?;
        self.writer.merge(policy, change).await
    }

    pub(crate) fn port(&self) -> Port {
        self.port
    }

    async fn populate(
        &self,
        berths: impl Iterator<Item = PlanNamespace>,
        total: usize,
    ) -> Result<(), Failure> {
        let writes = berths.map(|berth| self.furnish(berth));
        at_a_time("namespaces with plans and policies", total, writes).await
    }

    async fn furnish(&self, berth: PlanNamespace) -> Result<(), Failure> {
        let all = std::iter::once(namespace(&berth.namespace()))
            .chain(berth.subscriptions())
            .chain(berth.policies())
            .chain(berth.plans());
        for manifest in all {
            self.writer.create(manifest).await?;
        }
        Ok(())
    }
}
