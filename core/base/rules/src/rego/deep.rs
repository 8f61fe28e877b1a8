//! Room for an evaluation that is as deep as a text is long.

use std::panic;
use std::thread::{Builder, scope};

use crate::rego::Failure;

/// Of memory that is not touched nothing is used.
const STACK: usize = 256 * 1024 * 1024;

/// Does something with a large stack of its own, and blocks until it is done. An evaluation goes as deep as rules
/// refer to each other.
///
/// # Errors
/// No thread can be started, or the engine has panicked.
#[expect(
    clippy::disallowed_methods,
    reason = "for its stack alone: nothing runs beside it, and it is over when this returns"
)]
pub(crate) fn deep<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    scope(|scope| {
        let work = panic::AssertUnwindSafe(work);
        // What panics is told as an answer, so that it is nobody's else's end.
        let caught = move || panic::catch_unwind(work).ok();
        let thread = Builder::new().stack_size(STACK).spawn_scoped(scope, caught);
        let thread = thread.map_err(|error| Failure::NoThread(error.to_string()))?;
        thread.join().ok().flatten().ok_or(Failure::Engine)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_panics_is_a_failure_and_nobody_elses_end() {
        let done: Result<(), _> = deep(|| panic!("a fault of the engine"));
        assert_eq!(done, Err(Failure::Engine));
        assert_eq!(deep(|| 7), Ok(7));
    }
}
