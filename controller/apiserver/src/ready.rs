//! Decides when a replica becomes ready.

use std::time::Duration;

use k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1::APIService;
use kube::{Api, Client};
use portolan_shell::Readiness;
use tokio::time::{Instant, sleep};

use crate::authenticate::Identities;
use crate::shown::Shown;

/// The time until this replica has reached every version that other replicas have published. API
/// servers report new versions of lists to this replica within a minute. Other replicas publish
/// these versions after another minute.
const JOINED: Duration = Duration::from_secs(130);
/// The pause between checks for other replicas.
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
    /// Marks this replica as ready. A client may list from one replica and watch from another
    /// replica. Therefore, if other replicas are ready, waits until this replica has reached all
    /// versions that they have published.
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
