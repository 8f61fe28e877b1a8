//! Locks a blob, so that only one process writes or deletes it.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use portolan_shell::platform::file_identity;

/// A lock on a file. The lock is released when this value is dropped, or when the process ends for
/// any reason.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    _file: File,
}

// === impl Lock ===

impl Lock {
    /// Locks a file. Returns None if another process holds the lock.
    pub(super) fn try_at(path: &Path) -> io::Result<Option<Self>> {
        let file = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // Between opening and locking the file, another process may have deleted the file and
        // locked a new file with the same name.
        let own = file.metadata()?;
        match fs::metadata(path) {
            Ok(there) if file_identity(&there) == file_identity(&own) => Ok(Some(Self {
                path: path.to_owned(),
                _file: file,
            })),
            _ => Ok(None),
        }
    }

    /// Deletes the lock file after its blob was deleted.
    pub(super) fn remove(self) {
        // If the lock file cannot be deleted, the next process uses it again.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_is_exclusive_until_it_is_dropped() -> io::Result<()> {
        let folder = portolan_kit::TempFolder::empty();
        let path = folder.join("a");
        let first = Lock::try_at(&path)?.expect("it is free");
        assert!(Lock::try_at(&path)?.is_none());
        drop(first);
        assert!(Lock::try_at(&path)?.is_some());
        Ok(())
    }

    #[test]
    fn removed_lock_file_does_not_block_a_new_lock() -> io::Result<()> {
        let folder = portolan_kit::TempFolder::empty();
        let path = folder.join("a");
        let waiting = File::create(&path)?;
        Lock::try_at(&path)?.expect("it is free").remove();
        waiting.lock()?;
        let other = Lock::try_at(&path)?;
        assert!(
            other.is_some(),
            "the lock on the removed file must not block"
        );
        Ok(())
    }
}
