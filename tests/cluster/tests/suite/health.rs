//! Tests the reported health of operators and catalogs while the real programs fail and recover.
//!
//! A test changes its cluster, waits until the watch reports the effect, and prints how long this
//! took. At the same time, a [`witness`] of the test reads the objects. If the watch reports `Yes`,
//! the objects must confirm it.

mod catalogs;
mod faults;
mod folder;
mod groups;
mod news;
mod odd;
mod quiet;
mod serving;
mod stage;
mod troubles;
mod watcher;
mod witness;
pub(crate) mod written;
