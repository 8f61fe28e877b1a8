//! Measures a command from its start until it exits.

use std::path::Path;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::process;
use crate::table::median;

/// The pause between two measurements of the memory.
const PAUSE: Duration = Duration::from_millis(2);

/// The exit status of a command, and its time and memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) cost: Cost,
}

/// The time and memory of a command, or their medians for several runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// The time in seconds.
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
            // After the process has ended, its memory is unknown, so the last value is kept.
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
