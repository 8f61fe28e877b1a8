//! A cache of blobs on disk. The name of each file is the digest of its blob. All processes that
//! use the same folder share the cache.
//!
//! ```text
//! DIR/blobs/sha256-<hex>      complete: written elsewhere, checked by its digest, then renamed
//! DIR/partial/sha256-<hex>    incomplete; the next pull of the same digest continues it
//! DIR/locks/sha256-<hex>      locked while that blob is written or read
//! ```
//!
//! A lock file is deleted together with its blob. Therefore a process that has locked a file must
//! check that this file is still the current lock file, and that no other process has deleted it.

mod evict;
mod lock;

use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use portolan_shell::platform::create_private_folder;
use tokio::task::spawn_blocking;

use self::evict::{CachedFile, evict};
use self::lock::Lock;
use crate::digest::{Hasher, OciDigest};
use crate::failure::{Failure, Unkept};
use crate::options::CacheOptions;

const BLOBS: &str = "blobs";
const PARTIAL: &str = "partial";
const LOCKS: &str = "locks";

/// A cache in a folder. Clones use the same folder.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    options: Arc<CacheOptions>,
}

/// The locked entry of a blob. While this value exists, no other process can write or delete the
/// blob.
#[derive(Debug)]
pub(crate) struct CachedBlob {
    cache: Cache,
    digest: OciDigest,
    _lock: Lock,
}

/// A blob that is being written.
pub(crate) struct Partial {
    place: Arc<CachedBlob>,
    file: Arc<File>,
    pub(crate) length: u64,
    pub(crate) hasher: Hasher,
}

// === impl Cache ===

impl Cache {
    pub(crate) fn new(options: CacheOptions) -> Self {
        Self {
            options: Arc::new(options),
        }
    }

    /// Locks a blob. Returns None while another process has locked it.
    pub(crate) async fn place(&self, digest: &OciDigest) -> Result<Option<CachedBlob>, Failure> {
        let (cache, digest) = (self.clone(), digest.clone());
        let made = blocking(move || {
            for part in [BLOBS, PARTIAL, LOCKS] {
                // Content that required credentials must be readable only for the current user.
                create_private_folder(&cache.options.folder.join(part))?;
            }
            let lock = Lock::try_at(&cache.path(LOCKS, &digest))?;
            Ok(lock.map(|lock| CachedBlob {
                cache,
                digest,
                _lock: lock,
            }))
        });
        made.await.map_err(self.failed("open"))
    }

    fn path(&self, part: &str, digest: &OciDigest) -> PathBuf {
        let name = format!("{}-{}", digest.algorithm(), digest.hex());
        self.options.folder.join(part).join(name)
    }

    /// Deletes the least recently used blobs that are not locked.
    fn tidy(&self) -> io::Result<()> {
        let mut kept = Vec::new();
        for part in [BLOBS, PARTIAL] {
            for entry in fs::read_dir(self.options.folder.join(part))? {
                // If another process deletes the file at this moment, the file is skipped.
                let Ok(entry) = entry else { continue };
                let Ok(metadata) = entry.metadata() else {
                    continue;
                };
                kept.push(CachedFile {
                    path: entry.path(),
                    bytes: metadata.len(),
                    used: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
                });
            }
        }
        evict(kept, self.options.limit, |kept| self.remove(&kept.path));
        for entry in fs::read_dir(self.options.folder.join(LOCKS))?.flatten() {
            self.unlock(&entry.file_name());
        }
        Ok(())
    }

    /// Deletes the lock file of a blob that no longer exists, unless another process holds the
    /// lock.
    fn unlock(&self, name: &OsStr) {
        let is_there = |part| self.options.folder.join(part).join(name).exists();
        if is_there(BLOBS) || is_there(PARTIAL) {
            return;
        }
        if let Ok(Some(lock)) = Lock::try_at(&self.options.folder.join(LOCKS).join(name)) {
            // Before this process got the lock, another process may have written the blob.
            if !is_there(BLOBS) && !is_there(PARTIAL) {
                lock.remove();
            }
        }
    }

    /// Deletes a blob. Returns false without deleting it if another process has locked the blob.
    fn remove(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default();
        let lock = Lock::try_at(&self.options.folder.join(LOCKS).join(name));
        let Ok(Some(lock)) = lock else { return false };
        let is_gone = fs::remove_file(path).is_ok();
        drop(lock);
        is_gone
    }

    fn failed(&self, act: &'static str) -> impl Fn(io::Error) -> Failure {
        let folder = self.options.folder.clone();
        move |error| Failure::Keep {
            act,
            folder: folder.clone(),
            why: Unkept::from(error),
        }
    }
}

// === impl CachedBlob ===

impl CachedBlob {
    /// Returns the blob if it exists and matches its digest. Deletes a blob that does not match its
    /// digest.
    pub(crate) async fn read(self: &Arc<Self>, most: u64) -> Result<Option<Bytes>, Failure> {
        let place = self.clone();
        let read = blocking(move || place.read_now(most));
        read.await.map_err(self.cache.failed("read"))
    }

    fn read_now(&self, most: u64) -> io::Result<Option<Bytes>> {
        let path = self.path(BLOBS);
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        if file.metadata()?.len() > most {
            // The announced size is smaller than the size of the blob. Only the registry can show
            // which size is correct, so the cached blob is not used.
            return Ok(None);
        }
        let mut bytes = Vec::new();
        (&file).take(most).read_to_end(&mut bytes)?;
        if self.digest.same_of(&bytes) != self.digest {
            fs::remove_file(&path)?;
            return Ok(None);
        }
        // The modification time shows the last use, and decides which blobs are deleted first. If
        // it cannot be set, the blob may only be deleted earlier.
        let _ = file.set_times(FileTimes::new().set_modified(SystemTime::now()));
        Ok(Some(bytes.into()))
    }

    /// Opens the incomplete file of a blob, in order to append to it.
    pub(crate) async fn partial(self: &Arc<Self>) -> Result<Partial, Failure> {
        let place = self.clone();
        let opened = blocking(move || {
            let path = place.path(PARTIAL);
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(path)?;
            let mut hasher = place.digest.hasher();
            let length = file.metadata()?.len();
            add_up(&file, length, &mut hasher)?;
            Ok((file, length, hasher))
        });
        let (file, length, hasher) = opened.await.map_err(self.cache.failed("write to"))?;
        Ok(Partial {
            place: self.clone(),
            file: Arc::new(file),
            length,
            hasher,
        })
    }

    fn path(&self, part: &str) -> PathBuf {
        self.cache.path(part, &self.digest)
    }
}

/// Reads the first `length` bytes of the file into the hasher. The file position is then after
/// these bytes.
fn add_up(mut file: &File, length: u64, hasher: &mut Hasher) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    let mut rest = file.take(length);
    loop {
        match rest.read(&mut buffer)? {
            0 => break,
            read => hasher.add(&buffer[..read]),
        }
    }
    file.seek(io::SeekFrom::Start(length)).map(drop)
}

// === impl Partial ===

impl Partial {
    pub(crate) async fn write(&mut self, bytes: Bytes) -> Result<(), Failure> {
        self.hasher.add(&bytes);
        self.length += bytes.len() as u64;
        let (file, place) = (self.file.clone(), self.place.clone());
        // The caller may stop waiting earlier. The blob is locked until these bytes are written.
        let written = blocking(move || {
            let written = (&*file).write_all(&bytes);
            drop(place);
            written
        });
        let written = written.await;
        match written {
            Ok(()) => Ok(()),
            Err(error) => {
                let failure = self.place.cache.failed("write to")(error);
                // Writing fails if the disk is full, so the incomplete file is deleted to free
                // space.
                self.drop_it().await;
                Err(failure)
            }
        }
    }

    /// Deletes the received bytes and starts again.
    pub(crate) async fn restart(&mut self) -> Result<(), Failure> {
        self.hasher = self.place.digest.hasher();
        self.length = 0;
        let file = self.file.clone();
        let emptied = blocking(move || {
            file.set_len(0)?;
            (&*file).rewind()
        });
        emptied.await.map_err(self.place.cache.failed("write to"))
    }

    /// Moves the file to the complete blobs. The caller must have verified the digest.
    pub(crate) async fn keep(self) -> Result<(), Failure> {
        let place = self.place.clone();
        let kept = blocking(move || {
            // Without this call, a crash of the machine could leave a file name without the
            // content.
            self.file.sync_all()?;
            let blob = self.place.path(BLOBS);
            fs::rename(self.place.path(PARTIAL), &blob)?;
            if let Some(folder) = blob.parent() {
                File::open(folder)?.sync_all()?;
            }
            self.place.cache.tidy()
        });
        kept.await.map_err(place.cache.failed("write to"))
    }

    /// Deletes the incomplete file.
    pub(crate) async fn drop_it(&self) {
        let path = self.place.path(PARTIAL);
        // If this also fails, only the earlier failure is reported.
        let _ = blocking(move || fs::remove_file(path)).await;
    }
}

async fn blocking<T: Send + 'static>(
    act: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let done = spawn_blocking(act).await;
    done.unwrap_or_else(|error| Err(io::Error::other(error)))
}
