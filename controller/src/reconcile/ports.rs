//! Whom a reconciliation reads from and asks beside the caches.

use std::sync::Arc;

use kube::Client;
use portolan_core_olm::CustomResourceDefinition;
use portolan_core_operatorpolicy::{Instances, Observed, Outcome, Target};
use portolan_world::Key;

use super::Fetch;
use crate::ask::{Services, Topic};
use crate::instances::instances;
use crate::observe::ServiceChange;
use crate::write::Reviewer;

/// Reads what nobody watches from a cluster; without one, nothing is known of it.
#[derive(Clone)]
pub(crate) struct LiveReader(pub(crate) Option<Client>);

/// Approval, which is asked once more right before an InstallPlan is approved.
#[derive(Debug)]
pub(crate) struct ApprovalCheck(pub(crate) Arc<Services>);

/// What the services may say otherwise, from now on.
pub(crate) fn news_of(services: &Arc<Services>) -> Fetch<Vec<ServiceChange>> {
    let services = services.clone();
    Box::new(move || {
        let services = services.clone();
        Box::pin(async move {
            let topics = services.changed().await;
            topics.into_iter().map(ServiceChange::from).collect()
        })
    })
}

impl Reviewer for ApprovalCheck {
    async fn still_allowed(&self, plan: &Target, observed: &Observed) -> Result<(), Outcome> {
        self.0.still_allowed(plan, observed).await
    }
}

impl LiveReader {
    /// The custom resources of CRDs that are to go.
    pub(crate) async fn instances(&self, crds: &[Arc<CustomResourceDefinition>]) -> Vec<Instances> {
        match &self.0 {
            Some(client) => instances(client, crds).await,
            None => crds.iter().map(|each| untold(each)).collect(),
        }
    }
}

/// There is no cluster to ask. Files have custom resources or not, and tell nothing by that.
fn untold(crd: &CustomResourceDefinition) -> Instances {
    Instances {
        crd: crd.metadata.name.clone().unwrap_or_default(),
        found: Err("files do not tell which there are".to_owned()),
        has_more: false,
    }
}

// A client cannot be printed.
impl std::fmt::Debug for LiveReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LiveReader").finish_non_exhaustive()
    }
}

impl From<Topic> for ServiceChange {
    fn from(topic: Topic) -> Self {
        match topic {
            Topic::Namespace(name) => Self::Namespace(name),
            Topic::Catalog(name) => match name.split_once('/') {
                Some((namespace, name)) => Self::Catalog(Key::new(namespace, name)),
                // Who names a catalog in another way means one that cannot be told.
                None => Self::Everything,
            },
            Topic::Everything => Self::Everything,
        }
    }
}
