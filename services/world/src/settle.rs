//! Reads a folder or a single file again whenever its content has changed and is complete.
//!
//! Programs write files in steps, so a reader may see an incomplete state. Therefore a [`Settled`]
//! reads only after a time without changes. It compares the [`Stamps`] from before and after the
//! read, and discards the result if the content has changed during the read. Notifications of the
//! operating system only trigger these checks. A slow periodic check finds changes without a
//! notification, for example on network file systems.
//!
//! The module supports all ways of replacing files: writing in place, renaming over an old file,
//! deleting and creating, and swapping links, as Kubernetes does with the volumes of ConfigMaps and
//! Secrets. The files are not interpreted.
//!
//! ```no_run
//! use portolan_world::settle::{Pace, Settled};
//!
//! # async fn example() {
//! let mut folder = Settled::at("catalogs", Pace::default());
//! loop {
//!     let files = folder.read(|stamps| stamps.files().count()).await;
//!     println!("{files} files");
//! }
//! # }
//! ```
//!
//! A folder that changes all the time is never read, because it never counts as complete.

mod listener;
mod stamps;
#[cfg(test)]
mod tests;

use std::fmt;
use std::future::pending;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{sleep, timeout};

use self::listener::{Links, Listener};
pub use self::stamps::{Stamp, Stamps};

/// The waiting times of a [`Settled`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// The time without a change after which the content counts as complete.
    pub quiet: Duration,
    /// The time without a notification after which the stamps are checked.
    pub look: Duration,
}

/// A folder or file that is read when its content is complete, and again after each change.
#[derive(Debug)]
pub struct Settled {
    root: Arc<Path>,
    pace: Pace,
    listener: Arc<Listener>,
    look: StampReader,
    /// The stamps of the content that was read last.
    read: Option<Arc<Stamps>>,
}

/// The function that returns the stamps of the relevant files at a root.
#[derive(Clone)]
struct StampReader(Arc<dyn Fn(&Path) -> Stamps + Send + Sync>);

// === impl Pace ===

impl Default for Pace {
    fn default() -> Self {
        Self {
            quiet: Duration::from_millis(200),
            look: Duration::from_secs(10),
        }
    }
}

// === impl Settled ===

impl Settled {
    /// Creates the watch of the content at `root`. The path does not have to exist yet.
    pub fn at(root: impl AsRef<Path>, pace: Pace) -> Self {
        Self::new(root.as_ref(), pace, Links::Followed, Stamps::of)
    }

    /// Creates the watch of only the paths whose stamps `look` returns with [`Stamps::of_paths`].
    /// Other changes are ignored, and links to folders are not followed.
    pub fn only(
        root: impl AsRef<Path>,
        pace: Pace,
        look: impl Fn(&Path) -> Stamps + Send + Sync + 'static,
    ) -> Self {
        Self::new(root.as_ref(), pace, Links::Left, look)
    }

    fn new(
        root: &Path,
        pace: Pace,
        links: Links,
        look: impl Fn(&Path) -> Stamps + Send + Sync + 'static,
    ) -> Self {
        // Notifications contain absolute paths, so the root must be absolute, too. Only an empty
        // path cannot be made absolute.
        let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
        Self {
            listener: Arc::new(Listener::at(&root, links)),
            root: root.into(),
            pace,
            look: StampReader(Arc::new(look)),
            read: None,
        }
    }

    /// Returns the root, as an absolute path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Waits until the content is complete and differs from the content that was read before. Then
    /// reads the content. The first read is immediate if there was no recent change.
    ///
    /// `read` runs on a blocking thread. The read is repeated if the content has changed in the
    /// meantime.
    ///
    /// # Cancel safety
    /// Dropping the future early has no effect.
    pub async fn read<T: Send + 'static>(
        &mut self,
        read: impl Fn(&Stamps) -> T + Send + Sync + 'static,
    ) -> T {
        let read = Arc::new(read);
        loop {
            let before = self.changed().await;
            let (read, stamps) = (read.clone(), before.clone());
            let value = blocking(move || read(&stamps)).await;
            if self.look().await == before {
                self.read = Some(before);
                return value;
            }
        }
    }

    /// Makes the next call of [`read`](Self::read) read the content again, even if the content has
    /// not changed.
    pub fn forget(&mut self) {
        self.read = None;
    }

    /// Waits until the content differs from the content that was read last and does not change any
    /// more.
    async fn changed(&self) -> Arc<Stamps> {
        let mut found = self.look().await;
        loop {
            if self.read.as_ref() == Some(&found) {
                // The timeout ensures that the content is also checked without a notification.
                let _ = timeout(self.pace.look, self.listener.heard()).await;
                sleep(self.pace.quiet).await;
                found = self.look().await;
            } else if found.is_quiet_for(self.pace.quiet) {
                return found;
            } else {
                sleep(self.pace.quiet).await;
                let again = self.look().await;
                if again == found {
                    return found;
                }
                found = again;
            }
        }
    }

    async fn look(&self) -> Arc<Stamps> {
        let (root, look) = (self.root.clone(), self.look.clone());
        let listener = self.listener.clone();
        // Listening starts before the check, so that no later change is missed.
        blocking(move || {
            listener.listen();
            Arc::new((look.0)(&root))
        })
        .await
    }
}

// === impl StampReader ===

impl fmt::Debug for StampReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Look").finish_non_exhaustive()
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(value) => value,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The task was cancelled, because the runtime is shutting down.
            Err(_) => pending().await,
        },
    }
}

/// Returns true if the last component of a path begins with two dots. Kubernetes volumes use such
/// internal names, and the visible names are links to them.
fn is_machinery(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b".."))
}

/// Returns the parent folder of `path`.
fn parent(path: &Path) -> PathBuf {
    path.parent().unwrap_or(path).to_owned()
}
