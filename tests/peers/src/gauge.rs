//! Measures the peak memory of a process during some time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::failure::Failure;
use crate::process;

/// The interval between two samples. Each sample interrupts the process for about a millisecond for
/// each 100 MB.
const PAUSE: Duration = Duration::from_millis(25);

/// Samples a process until this value is dropped. A separate thread does it, because this program
/// may be busy.
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
                    // A process that has ended has no memory.
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

    /// The most until now, in bytes.
    pub(crate) fn peak(&self) -> Result<u64, Failure> {
        let now = process::memory(self.pid)?;
        Ok(self.seen.most.load(Ordering::Relaxed).max(now))
    }
}

impl Drop for Gauge {
    fn drop(&mut self) {
        self.seen.is_over.store(true, Ordering::Relaxed);
        if let Some(looking) = self.looking.take() {
            // The thread cannot panic, and a panic could not be handled here.
            let _ = looking.join();
        }
    }
}
