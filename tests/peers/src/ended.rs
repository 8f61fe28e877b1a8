//! Measures a command from its start to its end.

use std::path::Path;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::process;
use crate::table::median;

/// The interval between two samples of the memory.
const PAUSE: Duration = Duration::from_millis(2);

/// The cost of a command and its exit status.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) cost: Cost,
}

/// The cost of a command, or the median costs of several runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// The run time in seconds.
    pub(crate) time: f64,
    /// The peak memory in bytes.
    pub(crate) peak: f64,
}

// === impl Ended ===

impl Ended {
    /// Starts a program and waits until it exits.
    pub(crate) fn of(
        program: &Path,
        start: impl FnOnce() -> Result<Child, Failure>,
    ) -> Result<Self, Failure> {
        let begun = Instant::now();
        let mut child = start()?;
        let mut peak = 0;
        let status = loop {
            // A process that has ended has no memory values any more.
            peak = process::peak_memory(child.id())
                .unwrap_or_default()
                .max(peak);
            match child
                .try_wait()
                .map_err(Failure::touch("wait for", program))?
            {
                Some(status) => break status,
                None => thread::sleep(PAUSE),
            }
        };
        let time = begun.elapsed().as_secs_f64();
        let peak = peak as f64;
        Ok(Self {
            status,
            cost: Cost { time, peak },
        })
    }
}

// === impl Cost ===

impl Cost {
    pub(crate) fn median(all: &[Self]) -> Self {
        Self {
            time: median(all.iter().map(|cost| cost.time)),
            peak: median(all.iter().map(|cost| cost.peak)),
        }
    }
}
