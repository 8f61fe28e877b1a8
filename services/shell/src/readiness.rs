//! The readiness of a service. The service becomes ready once, and the probes report this.

use tokio::sync::watch;

/// The readiness of a service to process requests. Clones share the state.
#[derive(Debug, Clone)]
pub struct Readiness {
    claim: watch::Sender<bool>,
}

// === impl Readiness ===

impl Readiness {
    /// Creates the initial state. The service is not ready until it has its first Snapshot.
    pub fn pending() -> Self {
        Self {
            claim: watch::Sender::new(false),
        }
    }

    /// Marks the service as ready. Further calls change nothing.
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
