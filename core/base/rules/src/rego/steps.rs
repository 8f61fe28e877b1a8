//! Limits an evaluation by the number of its steps, and not by time.
//!
//! The engine has a time limit, and its user provides the clock. The clock in this module counts
//! how often the engine reads it in a thread, which happens once in each step. So a rule reaches
//! the limit at the same step on every machine.

use std::cell::Cell;
use std::num::NonZeroU32;
use std::sync::Once;
use std::time::Duration;

use regorus::Engine;
use regorus::utils::limits::{ExecutionTimerConfig, TimeSource, set_time_source};

/// The maximum number of steps of an evaluation. The engine counts one step for each expression.
pub const MOST_STEPS: u32 = 100_000;

thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

struct Steps;

impl TimeSource for Steps {
    fn now(&self) -> Option<Duration> {
        let step = STEPS.get() + 1;
        STEPS.set(step);
        Some(Duration::from_nanos(step))
    }
}

static STEPS_AS_TIME: Steps = Steps;
static ONCE: Once = Once::new();

/// Limits the number of steps of an engine.
pub(crate) fn limit(engine: &mut Engine) {
    // Setting the clock fails only if other code in this process also uses the engine, and no other
    // code does.
    ONCE.call_once(|| {
        let set = set_time_source(&STEPS_AS_TIME);
        debug_assert!(set.is_ok(), "nobody else says what time is");
    });
    engine.set_execution_timer_config(ExecutionTimerConfig {
        limit: Duration::from_nanos(MOST_STEPS.into()),
        check_interval: NonZeroU32::MIN,
    });
}

/// Returns true if an error of the engine reports that the limit is exceeded.
pub(crate) fn is_about_steps(text: &str) -> bool {
    text.contains("execution exceeded time limit")
}
