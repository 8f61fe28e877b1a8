//! Requests the Kubernetes version of the cluster regularly.

use std::sync::Arc;
use std::time::Duration;

use portolan_core_names::Version;
use portolan_core_names::kubernetes::release;
use portolan_world::World;
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

/// The interval between two requests. Clusters are not upgraded more often.
const LATER: Duration = Duration::from_secs(600);
/// The interval between two requests after a request without a response.
const SOON: Duration = Duration::from_secs(10);

/// The Kubernetes version of the cluster. It is requested regularly. If a request fails, the last
/// known version is kept.
#[derive(Debug, Clone)]
pub(crate) struct Kubernetes {
    told: watch::Receiver<Option<KnownVersion>>,
    _asking: Arc<AbortOnDropHandle<()>>,
}

/// The Kubernetes version. None if it is unknown.
type KnownVersion = Option<Version>;

// === impl Kubernetes ===

impl Kubernetes {
    /// Starts to request the version of a world regularly.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub(crate) fn of(world: impl World) -> Self {
        let (teller, told) = watch::channel(None);
        let asking = tokio::spawn(ask(world, teller));
        Self {
            told,
            _asking: Arc::new(AbortOnDropHandle::new(asking)),
        }
    }

    /// Waits until the first request has ended, with or without a response.
    pub(crate) async fn settled(&self) {
        let mut told = self.told.clone();
        // This value keeps the task running, so the wait cannot fail.
        let _ = told.wait_for(Option::is_some).await;
    }

    pub(crate) fn now(&self) -> Option<Version> {
        self.told.borrow().clone().flatten()
    }
}

async fn ask(world: impl World, teller: watch::Sender<Option<KnownVersion>>) {
    loop {
        let version = world.kubernetes().await.as_deref().and_then(release);
        let is_known = version.is_some();
        teller.send_modify(|told| {
            let before = told.take().flatten();
            *told = Some(version.or(before));
        });
        let rest = if is_known { LATER } else { SOON };
        tokio::time::sleep(rest).await;
    }
}
