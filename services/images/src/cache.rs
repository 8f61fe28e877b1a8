//! Blobs on disk, by their digest, shared by all processes that are given the same folder.
//!
//! ```text
//! DIR/blobs/sha256-<hex>      whole: written elsewhere, held against its digest, then renamed
//! DIR/partial/sha256-<hex>    incomplete; the next pull of the same digest continues it
//! DIR/locks/sha256-<hex>      locked while that blob is written or read
//! ```
//!
//! A lock is deleted with its blob. So after locking a file, check that it is still the current
//! one, and not one that was deleted meanwhile.

mod evict;
mod lock;

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, FileTimes, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use tokio::task::spawn_blocking;

use self::evict::{CachedFile, evict};
use self::lock::Lock;
use crate::digest::{Hasher, OciDigest};
use crate::failure::{Failure, Unkept};
use crate::options::CacheOptions;

const BLOBS: &str = "blobs";
const PARTIAL: &str = "partial";
const LOCKS: &str = "locks";

/// The folder. Clones are the same one.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    options: Arc<CacheOptions>,
}

/// A blob that no other process writes or deletes.
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

    /// Returns the place of a blob; None while another process has it.
    pub(crate) async fn place(&self, digest: &OciDigest) -> Result<Option<CachedBlob>, Failure> {
        let (cache, digest) = (self.clone(), digest.clone());
        let made = blocking(move || {
            for part in [BLOBS, PARTIAL, LOCKS] {
                // Content that needed credentials must not be readable for every user of this
                // machine.
                let mut folders = DirBuilder::new();
                folders.recursive(true).mode(0o700);
                folders.create(cache.options.folder.join(part))?;
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

    /// Deletes the least recently used blobs whose place is free.
    fn tidy(&self) -> io::Result<()> {
        let mut kept = Vec::new();
        for part in [BLOBS, PARTIAL] {
            for entry in fs::read_dir(self.options.folder.join(part))? {
                // Another process may take it away at this moment.
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

    /// Deletes a lock whose blob is gone, if it is not held.
    fn unlock(&self, name: &OsStr) {
        let is_there = |part| self.options.folder.join(part).join(name).exists();
        if is_there(BLOBS) || is_there(PARTIAL) {
            return;
        }
        if let Ok(Some(lock)) = Lock::try_at(&self.options.folder.join(LOCKS).join(name)) {
            // Another process may have written the blob before it was locked here.
            if !is_there(BLOBS) && !is_there(PARTIAL) {
                lock.remove();
            }
        }
    }

    /// Deletes the blob. Returns true if it is gone, and false if its place is taken.
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
    /// Returns the blob if it exists and matches its digest. A blob that does not match is removed.
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
            // A shorter size than that of the blob has to be proved by the registry.
            return Ok(None);
        }
        let mut bytes = Vec::new();
        (&file).take(most).read_to_end(&mut bytes)?;
        if self.digest.same_of(&bytes) != self.digest {
            fs::remove_file(&path)?;
            return Ok(None);
        }
        // That it is used is what keeps it; where the time cannot be set it goes a little earlier.
        let _ = file.set_times(FileTimes::new().set_modified(SystemTime::now()));
        Ok(Some(bytes.into()))
    }

    /// Opens the existing part of the blob, in order to append to it.
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

/// Leaves the file where its first `length` bytes end.
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
        // The caller may stop waiting before that; the place stays locked until this is written.
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
                // An incomplete file on a full disk is useless.
                self.drop_it().await;
                Err(failure)
            }
        }
    }

    /// Starts again.
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

    /// Puts it where whole blobs are. That it is whole is the caller's to know.
    pub(crate) async fn keep(self) -> Result<(), Failure> {
        let place = self.place.clone();
        let kept = blocking(move || {
            // Else a crash of the machine could leave the name and not the bytes.
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

    /// Takes it away.
    pub(crate) async fn drop_it(&self) {
        let path = self.place.path(PARTIAL);
        // If that fails too, the earlier failure is reported.
        let _ = blocking(move || fs::remove_file(path)).await;
    }
}

async fn blocking<T: Send + 'static>(
    act: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let done = spawn_blocking(act).await;
    done.unwrap_or_else(|error| Err(io::Error::other(error)))
}
