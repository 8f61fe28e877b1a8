//! Listens to notifications of the operating system about changes of files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use notify::event::EventKind;
use notify::{Config, Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use portolan_shell::platform::file_identity;
use tokio::sync::Notify;

use super::{is_machinery, parent};

/// Reports the changes of one path. Reports no changes if the operating system has no
/// notifications.
#[derive(Debug)]
pub(crate) struct Listener {
    root: PathBuf,
    links: Links,
    told: Arc<Notify>,
    listening: Mutex<Option<Listening>>,
}

/// Shows if changes in folders behind links are relevant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    Followed,
    Left,
}

#[derive(Debug)]
struct Listening {
    /// The watcher. Notifications arrive while the watcher exists.
    _watcher: Option<RecommendedWatcher>,
    at: Places,
}

/// The identities of the root and of its parent folder. They show that a folder was replaced,
/// because no notification reports this.
type Places = [Option<(u64, u64)>; 2];

impl Listener {
    pub(crate) fn at(root: &Path, links: Links) -> Self {
        Self {
            root: root.to_owned(),
            links,
            told: Arc::default(),
            listening: Mutex::default(),
        }
    }

    /// Waits for a change since the last change that was reported.
    pub(crate) async fn heard(&self) {
        self.told.notified().await;
    }

    /// Listens at the current root. Does nothing if this root is already observed.
    pub(crate) fn listen(&self) {
        let mut listening = self
            .listening
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let at = [self.root.clone(), parent(&self.root)].map(|path| identity(&path));
        if listening.as_ref().is_some_and(|known| known.at == at) {
            return;
        }
        let watcher = self.watcher();
        if let Err(error) = &watcher {
            let root = self.root.display();
            tracing::debug!(%root, %error, "polling for file changes, because the system sends no \
                notifications");
        }
        *listening = Some(Listening {
            _watcher: watcher.ok(),
            at,
        });
    }

    /// Creates the watcher. The watcher also observes the parent folder of the root, because the
    /// parent folder reports the replacement of the root.
    fn watcher(&self) -> notify::Result<RecommendedWatcher> {
        let (root, told) = (self.root.clone(), self.told.clone());
        let tell = move |event: notify::Result<Event>| {
            if event.is_ok_and(|event| is_of_interest(&root, &event)) {
                told.notify_one();
            }
        };
        let follows = self.links == Links::Followed;
        let config = Config::default().with_follow_symlinks(follows);
        let mut watcher = RecommendedWatcher::new(tell, config)?;
        watcher.watch(&parent(&self.root), RecursiveMode::NonRecursive)?;
        if self.root.is_dir() {
            watcher.watch(&self.root, RecursiveMode::Recursive)?;
        }
        Ok(watcher)
    }
}

/// Returns true if an event must cause a check. Events that are caused by reading the files are
/// ignored.
fn is_of_interest(root: &Path, event: &Event) -> bool {
    let is_ours = |path: &PathBuf| path.starts_with(root) || is_machinery(path);
    !matches!(event.kind, EventKind::Access(_))
        && (event.need_rescan() || event.paths.iter().any(is_ours))
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    let metadata = fs::metadata(path).ok()?;
    Some(file_identity(&metadata))
}
