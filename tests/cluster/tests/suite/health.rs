//! Health of operators and catalogs while the real programs fail and recover.
//!
//! A test changes its cluster and waits until the watch reports the effect. It prints how long that
//! took. Meanwhile a [`witness`] of the test reads the objects: whenever the watch reports Yes,
//! such a read must confirm it.

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
