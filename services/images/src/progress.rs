//! The progress of pulling an image.

use std::fmt;
use std::time::Duration;

use crate::digest::OciDigest;
use crate::reference::Repository;

/// An event that reports the progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress<'p> {
    /// The digest of the image is known.
    Resolved(&'p OciDigest),
    /// The number of received bytes, and the total number of bytes of all blobs.
    Received { bytes: u64, of: u64 },
    /// A request to a registry is repeated after a pause, for this reason.
    Waiting { pause: Duration, why: String },
    /// Another process pulls the same blob into the cache. This process waits for the blob.
    Shared(&'p OciDigest),
    /// This location does not supply the image. The next location is tried.
    NotAt { place: &'p Repository, why: String },
}

/// The function that receives the events.
pub type OnProgress<'t> = &'t (dyn Fn(Progress<'_>) + Send + Sync);

impl fmt::Display for Progress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resolved(digest) => write!(f, "the digest is {digest}"),
            Self::Received { bytes, of } => write!(f, "{bytes} of {of} bytes"),
            Self::Waiting { pause, why } => {
                write!(f, "{why}; retrying in {} s", pause.as_secs_f32().ceil())
            }
            Self::Shared(digest) => write!(f, "{digest} is being pulled by another process"),
            Self::NotAt { place, why } => write!(f, "cannot pull from {place}: {why}"),
        }
    }
}
