//! Room for what is nested as deep as a text is long.

use std::panic;
use std::thread::{Builder, scope};

use crate::Fault;

/// Of memory that is not touched nothing is used.
const STACK: usize = 256 * 1024 * 1024;

/// Does something with a large stack of its own. The engine goes as deep as a text is, and a chain such as
/// `1 + 1 + 1` is as deep as it is long.
///
/// # Errors
/// There is no room, or the engine has panicked.
#[expect(
    clippy::disallowed_methods,
    reason = "for its stack alone: nothing runs beside it, and it is over when this returns"
)]
pub(crate) fn deep<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Fault> {
    scope(|scope| {
        let work = panic::AssertUnwindSafe(work);
        // What panics is told as an answer, so that it is nobody's else's end.
        let caught = move || panic::catch_unwind(work).ok();
        let thread = Builder::new().stack_size(STACK).spawn_scoped(scope, caught);
        let done = thread.map_err(|error| error.to_string());
        let done = done.and_then(|thread| thread.join().map_err(|_| String::new()));
        done.ok().flatten().ok_or_else(|| Fault {
            line: 1,
            column: 1,
            message: "has the engine fail".to_owned(),
        })
    })
}
