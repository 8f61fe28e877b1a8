//! What health says of operators and catalogs, as the real programs break them and mend them.
//!
//! A story does something to its cluster and waits until the watch tells what comes of it; how long
//! that took is printed. Meanwhile a [`witness`] of the test's own reads the objects: no Yes may be
//! told that no reading confirms.

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
