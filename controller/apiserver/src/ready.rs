//! Decides when a replica becomes ready.

use std::time::Duration;

use k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1::APIService;
use kube::{Api, Client};
use portolan_shell::Readiness;
use tokio::time::{Instant, sleep};

use crate::authenticate::Identities;
use crate::shown::Shown;

/// The time until this replica has reached every version that other replicas publish: a minute
/// until the API server has sent the progress to the other replicas, and a minute until they
/// publish it.
const JOINED: Duration = Duration::from_secs(130);
/// The interval between checks for other replicas.
const AGAIN: Duration = Duration::from_secs(2);

/// Decides when this replica becomes ready.
pub(crate) struct Turn {
    pub(crate) client: Client,
    /// The name of the APIService.
    pub(crate) api_service: String,
    pub(crate) has_certificate: Readiness,
    pub(crate) identities: Identities,
    pub(crate) shown: Shown,
    pub(crate) ready: Readiness,
}

// === impl Turn ===

impl Turn {
    /// Marks this replica as ready. If other replicas are ready, first waits until this replica has
    /// reached all versions that they have published, because a client may list from another
    /// replica and watch from this replica. Without other replicas, does not wait.
    pub(crate) async fn come(self) {
        self.has_certificate.ready().await;
        self.identities.known().await;
        self.shown.complete().await;
        let joined = Instant::now() + JOINED;
        while Instant::now() < joined && self.others_answer().await {
            sleep(AGAIN).await;
        }
        self.ready.set_ready();
        tracing::info!("ready");
    }

    async fn others_answer(&self) -> bool {
        let services = Api::<APIService>::all(self.client.clone());
        let Ok(service) = services.get(&self.api_service).await else {
            return false;
        };
        let conditions = service.status.and_then(|status| status.conditions);
        let mut conditions = conditions.iter().flatten();
        conditions.any(|each| each.type_ == "Available" && each.status == "True")
    }
}
