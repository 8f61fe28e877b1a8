//! Runs deeply nested evaluations on a large stack.

use std::panic;
use std::thread::{Builder, scope};

use crate::rego::Failure;

/// The size of the stack in bytes. Only the parts that are used need memory.
const STACK: usize = 256 * 1024 * 1024;

/// Runs a closure in a thread with a large stack, and waits until it has finished. The recursion
/// depth of an evaluation is as large as the chain of rules that refer to each other.
///
/// # Errors
/// Returns an error if no thread can be started, or if the engine panics.
#[expect(
    clippy::disallowed_methods,
    reason = "for its stack alone: nothing runs beside it, and it is over when this returns"
)]
pub(crate) fn deep<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    scope(|scope| {
        let work = panic::AssertUnwindSafe(work);
        // A panic becomes an error, so that it does not affect other rules and callers.
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
    fn panic_of_the_engine_is_an_error() {
        let done: Result<(), _> = deep(|| panic!("a fault of the engine"));
        assert_eq!(done, Err(Failure::Engine));
        assert_eq!(deep(|| 7), Ok(7));
    }
}
