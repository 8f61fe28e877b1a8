//! The readiness of a service. The service sets it once, and the probes report it.

use tokio::sync::watch;

/// The readiness of a service to process requests. Clones have the same state.
#[derive(Debug, Clone)]
pub struct Readiness {
    claim: watch::Sender<bool>,
}

// === impl Readiness ===

impl Readiness {
    /// Returns the initial state: the service is not ready until it has its first Snapshot.
    pub fn pending() -> Self {
        Self {
            claim: watch::Sender::new(false),
        }
    }

    /// Marks the service as ready. Repeated calls change nothing.
    pub fn set_ready(&self) {
        self.claim
            .send_if_modified(|ready| !std::mem::replace(ready, true));
    }

    /// Returns true if the service can process requests now.
    pub fn is_ready(&self) -> bool {
        *self.claim.borrow()
    }

    /// Waits until the service can process requests.
    pub async fn ready(&self) {
        let mut claim = self.claim.subscribe();
        // `self` holds the sender, so the wait cannot fail.
        let _ = claim.wait_for(|ready| *ready).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waiter_is_woken_by_any_clone() {
        let readiness = Readiness::pending();
        let waiter = tokio::spawn({
            let readiness = readiness.clone();
            async move { readiness.ready().await }
        });
        assert!(!readiness.is_ready());
        readiness.clone().set_ready();
        waiter.await.expect("the waiter must end");
        assert!(readiness.is_ready());
    }
}
