//! The Pod in which OLM runs the registry of a catalog.

use portolan_core_health::{HealthCode, Item, Probe};
use portolan_core_olm::Pod;

use super::revive;
use crate::cure::Cure;
use crate::role::{Role, role};
use crate::rollout::Outage;
use crate::situation::Offer;
use crate::{Evidence, evidence};

/// The reason why a registry does not run.
pub(crate) struct Stopped<'o> {
    pub(crate) pod: &'o Item<Pod>,
    code: HealthCode,
    /// The message of the Pod, for users.
    pub(crate) why: String,
}

/// Returns the reason why the registry of a catalog does not run, if its Pod shows the reason. An
/// old Pod may still serve while a new Pod fails to start.
pub(crate) fn stopped<'o>(offer: &'o Offer<'_>) -> Option<Stopped<'o>> {
    let answers = match offer.registry.probe {
        Probe::Answered { .. } => true,
        // Outside of the cluster, only OLM's report shows if the registry responds.
        Probe::NotProbed | Probe::Pending | Probe::NameUnknown(_) => {
            offer.registry.source.is_connected()
        }
        Probe::Unreachable(_) | Probe::NotServing | Probe::Silent(_) | Probe::Failing(_) => false,
    };
    let mut pods: Vec<&Item<Pod>> = offer.pods.objects.iter().collect();
    if answers || !offer.has_pod() || pods.iter().any(|pod| is_ready(pod)) {
        return None;
    }
    pods.sort();
    pods.into_iter().find_map(|pod| {
        let (code, why) = pod.failure()?;
        Some(Stopped { pod, code, why })
    })
}

fn is_ready(pod: &Item<Pod>) -> bool {
    let mut said = pod.status.conditions.iter();
    said.any(|said| said.r#type == "Ready" && said.is_true())
}

// === impl Stopped ===

impl Stopped<'_> {
    /// Returns the cure. OLM recreates a deleted Pod, which helps after an eviction. With other
    /// reasons, the new Pod fails like the old Pod.
    pub(crate) fn cure(&self, offer: &Offer<'_>) -> Cure {
        let object = offer.object();
        match self.outage() {
            Outage::PodEnded => revive(offer),
            Outage::Unpullable => Cure::external(
                &format!("the owner of {object}"),
                "Make the image of the CatalogSource pullable from the nodes, or set another image \
                 in spec.image.",
            ),
            Outage::Unschedulable => Cure::external(
                "the administrator of the nodes",
                &format!("Free resources on a node for the Pod of {object}, or add a node."),
            ),
            Outage::Unprepared => Cure::external(
                &format!("the owner of {object}"),
                "Create the objects that the container of the registry Pod references.",
            ),
            Outage::Crashing
            | Outage::OverQuota
            | Outage::Refused
            | Outage::Unready
            | Outage::ScaledToZero
            | Outage::Paused
            | Outage::Missing
            | Outage::Taken
            | Outage::Unexplained => Cure::external(
                &format!("the publisher of the image of {object}"),
                "Correct the image. Or change the settings of the registry Pod in \
                 spec.grpcPodConfig of the CatalogSource.",
            ),
        }
    }

    pub(crate) fn outage(&self) -> Outage {
        match role(self.code) {
            Role::DeploymentCause(outage) => outage,
            Role::Group(_)
            | Role::Need(_)
            | Role::DeploymentSymptom
            | Role::Elsewhere
            | Role::Passing
            | Role::Unseen
            | Role::Silent => Outage::Unexplained,
        }
    }

    /// Returns the evidence from the Pod.
    pub(crate) fn evidence(&self) -> Vec<Evidence> {
        evidence::pod(self.pod)
    }
}
