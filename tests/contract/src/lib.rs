//! Starts real servers on real ports, to test the guarantees that the shell gives to each service.
//!
//! The service of these servers is a [`Fake`]. The test decides when each call starts and ends, so
//! that no test waits for time to pass. [`Raw`] is a client without the automatic features of a
//! client library, for example timers.
//!
//! ```text
//! let fake = Fake::default();
//! let running = served(fake.clone()).await;
//! running.resolver().list_upgrades(ask("ok")).await
//! ```

mod fake;
mod load;
mod names;
mod pages;
mod raw;
mod running;

pub use fake::{Fake, LARGE, ask, list_response};
pub use load::Load;
pub use names::Names;
pub use pages::{Page, calls, ended_calls};
pub use raw::{Begun, End, LIST_UPGRADES, REFLECT, Raw, WATCH, WATCH_CATALOGS, frame};
pub use running::{Running, flags, replica, run, run_until, served, served_with};

use std::future::Future;
use std::time::Duration;

/// The maximum time that a test waits for an expected event.
const PATIENCE: Duration = Duration::from_secs(20);

/// Waits for an expected event. Panics if the event does not happen in time.
pub async fn within<T>(awaited: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, awaited)
        .await
        .expect("what a test waits for must happen")
}
