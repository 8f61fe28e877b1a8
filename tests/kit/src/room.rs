//! A process that has no room left.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The memory that a process may map, in bytes, where it has no room: less than the stack of a
/// thread that goes deep.
const ROOM: u64 = 256 * 1024 * 1024;

/// Does something while this process, all of it, can map next to no memory. So no thread with a large stack can
/// be started. A test that does so is alone in its program.
///
/// # Panics
/// When the system does not take the limit.
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
