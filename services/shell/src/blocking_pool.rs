//! A pool for work that blocks a thread for a long time.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tokio::sync::Semaphore;
use tonic::Status;
use tracing::Span;

use crate::call::panicked;

/// Runs work that blocks a thread for a long time on separate threads, so that the work does not
/// delay other calls. At most one work item per processor runs at a time. Clones share this limit.
///
/// A caller waits for its turn, at the longest until its call ends. Work that has started always
/// runs to its end and counts toward the limit until then. The duration of the work must therefore
/// be limited.
#[derive(Debug, Clone)]
pub struct BlockingPool {
    places: Arc<Semaphore>,
}

/// A caller that waits for its work. Dropping this value reports that the caller no longer waits.
struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

// === impl BlockingPool ===

impl Default for BlockingPool {
    fn default() -> Self {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        Self {
            places: Arc::new(Semaphore::new(processors)),
        }
    }
}

impl BlockingPool {
    /// Runs work and returns its result. If the work panics, returns INTERNAL. The log contains the
    /// position of the panic.
    ///
    /// # Errors
    /// Returns an error if the work fails, or panics.
    ///
    /// # Cancel safety
    /// If the future is dropped while it waits for its turn, the work never begins.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Status> + Send + 'static,
    ) -> Result<T, Status> {
        self.run_while_awaited(|_| work()).await
    }

    /// Runs work like [`BlockingPool::run`]. The work is notified when its caller stops waiting,
    /// and can then end early.
    ///
    /// # Errors
    /// Returns the same errors as [`BlockingPool::run`].
    ///
    /// # Cancel safety
    /// The same applies as for [`BlockingPool::run`].
    pub async fn run_while_awaited<T: Send + 'static>(
        &self,
        work: impl FnOnce(Arc<AtomicBool>) -> Result<T, Status> + Send + 'static,
    ) -> Result<T, Status> {
        let place = Arc::clone(&self.places).acquire_owned().await;
        let abandoned = Arc::new(AtomicBool::new(false));
        let _waiting = Waiting(abandoned.clone());
        let span = Span::current();
        let done = tokio::task::spawn_blocking(move || {
            // The slot is released when the work ends, even if the caller no longer waits.
            let _place = place;
            span.in_scope(|| work(abandoned))
        });
        done.await.unwrap_or_else(|_| Err(panicked()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use futures::FutureExt;
    use tonic::Code;

    use super::*;

    fn narrow() -> BlockingPool {
        BlockingPool {
            places: Arc::new(Semaphore::new(1)),
        }
    }

    #[tokio::test]
    async fn panic_is_reported_as_internal_error_and_frees_the_slot() {
        let pool = narrow();
        let failed = pool.run(|| -> Result<(), Status> { panic!("a bug") }).await;
        assert_eq!(failed.map_err(|status| status.code()), Err(Code::Internal));
        let next = pool.run(|| Ok(7)).await;
        assert_eq!(next.ok(), Some(7));
    }

    #[tokio::test]
    async fn abandoned_work_is_notified() {
        let pool = narrow();
        let mut first = Box::pin(pool.run_while_awaited(|abandoned| {
            while !abandoned.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            Ok(())
        }));
        assert!(first.as_mut().now_or_never().is_none());
        drop(first);
        let next = pool.run_while_awaited(|abandoned| Ok(abandoned.load(Ordering::Relaxed)));
        assert_eq!(next.await.ok(), Some(false));
    }

    #[tokio::test]
    async fn cancelled_wait_keeps_the_slot_until_the_work_ends() {
        let pool = narrow();
        let (release, released) = mpsc::channel::<()>();
        let first = pool.run(move || {
            let _ = released.recv();
            Ok(())
        });
        let mut first = Box::pin(first);
        // The first poll starts the work. Dropping the future then ends the wait of the caller.
        assert!(first.as_mut().now_or_never().is_none());
        drop(first);
        let second = pool.run(|| Ok("done"));
        let mut second = Box::pin(second);
        assert!(second.as_mut().now_or_never().is_none());
        drop(release);
        assert_eq!(second.await.ok(), Some("done"));
    }
}
