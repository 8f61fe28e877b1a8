//! The progress that is reported while an image is pulled.

use std::fmt;
use std::time::Duration;

use crate::digest::OciDigest;
use crate::reference::Repository;

/// One thing that has happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress<'p> {
    /// The digest of the image is known.
    Resolved(&'p OciDigest),
    /// This much of this many bytes is here, of all blobs together.
    Received { bytes: u64, of: u64 },
    /// A registry is asked again after a pause, and why.
    Waiting { pause: Duration, why: String },
    /// Another process pulls the same blob into the same cache.
    Shared(&'p OciDigest),
    /// The place does not have it, and the next place is tried.
    NotAt { place: &'p Repository, why: String },
}

/// The function that gets the progress.
pub type OnProgress<'t> = &'t (dyn Fn(Progress<'_>) + Send + Sync);

impl fmt::Display for Progress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resolved(digest) => write!(f, "it is {digest}"),
            Self::Received { bytes, of } => write!(f, "{bytes} of {of} bytes"),
            Self::Waiting { pause, why } => {
                write!(f, "{why}; retrying in {} s", pause.as_secs_f32().ceil())
            }
            Self::Shared(digest) => write!(f, "{digest} is being pulled by another process"),
            Self::NotAt { place, why } => write!(f, "not from {place}: {why}"),
        }
    }
}
