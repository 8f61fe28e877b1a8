//! Measures the peak memory of a process in a period.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::failure::Failure;
use crate::process;

/// The pause between two measurements. Each measurement stops the process for about one millisecond
/// for each 100 MB of memory.
const PAUSE: Duration = Duration::from_millis(25);

/// Measures the memory of a process again and again, until this value is dropped. Uses a separate
/// thread, because the other threads may be busy.
#[derive(Debug)]
pub(crate) struct Gauge {
    pid: u32,
    seen: Arc<Seen>,
    looking: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Seen {
    most: AtomicU64,
    is_over: AtomicBool,
}

// === impl Gauge ===

impl Gauge {
    pub(crate) fn of(pid: u32) -> Self {
        let seen = Arc::new(Seen::default());
        let looking = thread::spawn({
            let seen = Arc::clone(&seen);
            move || {
                while !seen.is_over.load(Ordering::Relaxed) {
                    // After the process has ended, its memory is unknown.
                    let memory = process::memory(pid).unwrap_or_default();
                    seen.most.fetch_max(memory, Ordering::Relaxed);
                    thread::sleep(PAUSE);
                }
            }
        });
        Self {
            pid,
            seen,
            looking: Some(looking),
        }
    }

    /// Returns the peak memory so far in bytes.
    pub(crate) fn peak(&self) -> Result<u64, Failure> {
        let now = process::memory(self.pid)?;
        Ok(self.seen.most.load(Ordering::Relaxed).max(now))
    }
}

impl Drop for Gauge {
    fn drop(&mut self) {
        self.seen.is_over.store(true, Ordering::Relaxed);
        if let Some(looking) = self.looking.take() {
            // The thread never panics. Even if it did, the error could not be handled here.
            let _ = looking.join();
        }
    }
}
