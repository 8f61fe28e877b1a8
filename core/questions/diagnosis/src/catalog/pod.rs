//! Finds the reason why the registry Pod of a catalog does not run. OLM runs this Pod.

use portolan_core_health::{HealthCode, Item, Probe};
use portolan_core_names::text::{cite, listed};
use portolan_core_olm::Pod;
use portolan_core_olm::messages::is_of_credentials;

use super::revive;
use crate::cure::Cure;
use crate::role::{Role, role};
use crate::rollout::{Absent, Outage, credentials, show_secret};
use crate::situation::Offer;
use crate::words::sentence;
use crate::{Evidence, Object, Quote, Step, evidence};

/// A registry that does not run, with the reason.
pub(crate) struct Stopped<'o> {
    pub(crate) pod: &'o Item<Pod>,
    code: HealthCode,
    /// The reason why the Pod does not run, as a sentence for users.
    pub(crate) why: String,
    /// The message of another program at the end of `why`.
    pub(crate) quote: Option<Quote>,
    /// The object that the Pod needs and that does not exist.
    pub(crate) lacks: Option<Unmet>,
}

/// A missing object that the registry Pod needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unmet {
    /// A pull secret. Without it, the image registry rejects the pull.
    PullSecret(Object),
    /// Any other missing object.
    Other(Absent),
}

/// Returns the reason why the registry of a catalog does not run. Returns None if the registry
/// answers, if one of its Pods is ready, or if no Pod shows a reason. An old Pod may be ready while
/// a new Pod fails to start.
pub(crate) fn stopped<'o>(offer: &'o Offer<'_>) -> Option<Stopped<'o>> {
    let answers = match offer.registry.probe {
        Probe::Answered { .. } => true,
        // Without a usable probe, for example outside of the cluster, only OLM's report shows if
        // the registry answers.
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
        let (code, why, quote) = pod.failure()?;
        let lacks = lack(offer, &why);
        Some(Stopped {
            pod,
            code,
            why,
            quote,
            lacks,
        })
    })
}

/// Returns the missing object that this message of a Pod is about. Returns None if the message is
/// not about a missing object.
fn lack(offer: &Offer<'_>, why: &str) -> Option<Unmet> {
    let namespace = offer.registry.source.namespace();
    let secret = offer.missing_secrets.first();
    let secret = secret.filter(|_| is_of_credentials(why));
    let secret = secret.map(|name| Unmet::PullSecret(Object::new("Secret", namespace, name)));
    secret.or_else(|| Some(Unmet::Other(Absent::of(namespace, why)?)))
}

fn is_ready(pod: &Item<Pod>) -> bool {
    let mut said = pod.status.conditions.iter();
    said.any(|said| said.r#type == "Ready" && said.is_true())
}

// === impl Stopped ===

impl Stopped<'_> {
    /// Returns the cure. If the Pod has ended permanently, for example after an eviction, deleting
    /// it helps, because OLM creates a new Pod. With any other reason, a new Pod would fail in the
    /// same way.
    pub(crate) fn cure(&self, offer: &Offer<'_>) -> Cure {
        let object = offer.object();
        match &self.lacks {
            Some(Unmet::PullSecret(secret)) => {
                let action = format!(
                    "Create {secret} with valid credentials. The Pod then starts by itself, and OLM continues. Change nothing in the \
                     Subscriptions."
                );
                let create = credentials(secret, &offer.registry.source.spec.image);
                return Cure::advised(&format!("the owner of {object}"), &action, vec![create]);
            }
            Some(Unmet::Other(absent)) => return absent.cure(),
            None => {}
        }
        match self.outage() {
            Outage::PodEnded => revive(offer),
            Outage::Unpullable if is_of_credentials(&self.why) => {
                Cure::external(&format!("the owner of {object}"), &unauthorized(offer))
            }
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

    /// Returns the object at fault. This is the missing object or, if no object is missing, the
    /// CatalogSource.
    pub(crate) fn at_fault(&self, offer: &Offer<'_>) -> Object {
        match &self.lacks {
            Some(Unmet::PullSecret(secret)) => secret.clone(),
            Some(Unmet::Other(absent)) => absent.object().clone(),
            None => offer.object(),
        }
    }

    /// Returns sentences with the reason why the registry does not answer.
    pub(crate) fn message(&self, offer: &Offer<'_>) -> String {
        let why = sentence(&self.why);
        let object = offer.object();
        match &self.lacks {
            Some(Unmet::PullSecret(secret)) => format!(
                "The registry of {object} has no running Pod, because the image of the catalog cannot be pulled \
                 without {secret}. spec.secrets of the CatalogSource names this Secret, but it does not exist. \
                 {why}"
            ),
            Some(Unmet::Other(absent)) => format!(
                "The registry of {object} has no running Pod, because {} does not exist. {why}",
                absent.object()
            ),
            None => format!("The registry of {object} has no running Pod. {why}"),
        }
    }

    /// Returns the command that shows if the missing pull secret exists. Returns None if no pull
    /// secret is missing.
    pub(crate) fn look(&self) -> Option<Step> {
        match &self.lacks {
            Some(Unmet::PullSecret(secret)) => Some(show_secret(secret)),
            Some(Unmet::Other(_)) | None => None,
        }
    }

    /// Returns the evidence from the Pod, and the evidence about the missing object.
    pub(crate) fn evidence(&self) -> Vec<Evidence> {
        let absent = match &self.lacks {
            Some(Unmet::PullSecret(secret)) => Some(Evidence::absent(secret.clone())),
            Some(Unmet::Other(absent)) => Some(absent.evidence()),
            None => None,
        };
        let pod = evidence::pod(self.pod);
        pod.into_iter().chain(absent).collect()
    }
}

/// Returns the action for an image registry that rejects the pull, although no pull secret is known
/// to be missing.
fn unauthorized(offer: &Offer<'_>) -> String {
    let secrets = &offer.registry.source.spec.secrets;
    let namespace = offer.registry.source.namespace();
    match secrets.as_slice() {
        [] => "Add a pull secret with credentials for the registry of the image to spec.secrets of the \
               CatalogSource. Or set an image in spec.image that needs no credentials."
            .to_owned(),
        secrets => format!(
            "Check that the pull secrets in spec.secrets exist in namespace {namespace}, and that their \
             credentials are valid for the registry of the image: {}.",
            listed(secrets.iter().map(|name| cite(name)))
        ),
    }
}
