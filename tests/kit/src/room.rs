//! Runs code without free memory.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The maximum mapped memory in bytes. It is smaller than the stack that deep recursion needs.
const ROOM: u64 = 256 * 1024 * 1024;

/// Runs a closure while this process can map almost no memory. The process then cannot start a
/// thread with a large stack. A test that uses this function must be the only test in its program.
///
/// # Panics
/// Panics if the system rejects the limit.
pub fn without_room<T>(work: impl FnOnce() -> T) -> T {
    let before = getrlimit(Resource::As);
    limit(Rlimit {
        current: Some(ROOM),
        ..before
    });
    let done = work();
    limit(before);
    done
}

fn limit(limit: Rlimit) {
    setrlimit(Resource::As, limit).expect("the limit must be taken");
}
