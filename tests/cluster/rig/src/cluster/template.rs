//! Copies the data of a control plane, so that other control planes start faster.

use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Cluster, Parts, start};
use crate::failure::Failure;
use crate::once::Once;
use crate::pki::Authority;

/// Starts clusters with the data of the first cluster. This is faster than a start without data.
/// The clusters share a certificate authority. The data of a cluster is removed when the cluster
/// ends.
///
/// ```no_run
/// use std::sync::LazyLock;
/// use portolan_rig::{Failure, Template};
///
/// static TEMPLATE: LazyLock<Template> = LazyLock::new(|| Template::of("target/debug/portolan-rig"));
///
/// # async fn example() -> Result<(), Failure> {
/// let cluster = TEMPLATE.start().await?;
/// println!("a cluster of my own: {}", cluster.address());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Template {
    supervisor: PathBuf,
    bare: Once<Written>,
    with_olm: Once<Written>,
}

/// The files of a cluster that has ended.
#[derive(Debug)]
pub(super) struct Written {
    files: Vec<StoredFile>,
    authority: Arc<Authority>,
}

#[derive(Debug)]
struct StoredFile {
    /// The path relative to the folder of the cluster.
    path: PathBuf,
    length: u64,
    /// The blocks of the file that contain data, each with its offset. Leading zeros are omitted,
    /// because etcd reserves much more space than it writes.
    blocks: Vec<(u64, Box<[u8]>)>,
}

// === impl Template ===

impl Template {
    /// Creates a template without data. `supervisor` is the path of the program `portolan-rig`, see
    /// [`Cluster::start`].
    pub fn of(supervisor: impl Into<PathBuf>) -> Self {
        Self {
            supervisor: supervisor.into(),
            bare: Once::default(),
            with_olm: Once::default(),
        }
    }

    /// Starts a cluster with the components of [`Cluster::start`].
    /// # Errors
    /// See [`Cluster::start`].
    pub async fn start(&self) -> Result<Cluster, Failure> {
        self.begun(&self.bare, Parts::default()).await
    }

    /// Starts a cluster with the components of [`Cluster::with_olm`].
    /// # Errors
    /// See [`Cluster::with_olm`].
    pub async fn with_olm(&self) -> Result<Cluster, Failure> {
        let parts = Parts {
            olm: true,
            ..Parts::default()
        };
        self.begun(&self.with_olm, parts).await
    }

    async fn begun(&self, first: &Once<Written>, parts: Parts) -> Result<Cluster, Failure> {
        let Self { supervisor, .. } = self;
        let written = first.outcome(async || {
            let cluster = start::api_server(supervisor, parts, None).await?;
            Written::by(cluster)
        });
        start::everything(supervisor, parts, Some(written.await?)).await
    }
}

// === impl Written ===

impl Written {
    /// Stops the cluster, and returns its data.
    fn by(cluster: Cluster) -> Result<Self, Failure> {
        cluster.stop_api_server()?;
        let folder = cluster.folder();
        let mut files = Vec::new();
        for part in ["etcd", "pki"] {
            collect(folder, Path::new(part), &mut files)?;
        }
        let authority = Arc::clone(&cluster.rig.authority);
        Ok(Self { files, authority })
    }

    /// Writes the data into the folder of a cluster whose components are not running yet.
    pub(super) fn lay(&self, folder: &Path) -> Result<Arc<Authority>, Failure> {
        for StoredFile {
            path,
            length,
            blocks,
        } in &self.files
        {
            let path = folder.join(path);
            let touch = || Failure::touch(format!("write {}", path.display()));
            let parent = path.parent().unwrap_or(folder);
            fs::create_dir_all(parent).map_err(touch())?;
            let file = File::create(&path).map_err(touch())?;
            file.set_len(*length).map_err(touch())?;
            for (at, block) in blocks {
                file.write_all_at(block, *at).map_err(touch())?;
            }
        }
        Ok(Arc::clone(&self.authority))
    }
}

fn collect(folder: &Path, within: &Path, files: &mut Vec<StoredFile>) -> Result<(), Failure> {
    let place = folder.join(within);
    let touch = || Failure::touch(format!("read {}", place.display()));
    for entry in fs::read_dir(&place).map_err(touch())? {
        let entry = entry.map_err(touch())?;
        let path = within.join(entry.file_name());
        // Omits temporary files.
        if path.extension().is_some_and(|end| end == "tmp") {
            continue;
        }
        if entry.file_type().map_err(touch())?.is_dir() {
            collect(folder, &path, files)?;
        } else {
            files.push(StoredFile::read(folder, path)?);
        }
    }
    Ok(())
}

impl StoredFile {
    fn read(folder: &Path, path: PathBuf) -> Result<Self, Failure> {
        const BLOCK: usize = 64 * 1024;
        static ZEROS: [u8; BLOCK] = [0; BLOCK];
        let place = folder.join(&path);
        let touch = || Failure::touch(format!("read {}", place.display()));
        let mut file = File::open(&place).map_err(touch())?;
        let (mut length, mut blocks) = (0, Vec::new());
        loop {
            let mut block = Vec::with_capacity(BLOCK);
            let read = file.by_ref().take(BLOCK as u64).read_to_end(&mut block);
            if read.map_err(touch())? == 0 {
                break;
            }
            let at = length;
            length += block.len() as u64;
            if block[..] != ZEROS[..block.len()] {
                blocks.push((at, block.into_boxed_slice()));
            }
        }
        Ok(Self {
            path,
            length,
            blocks,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn sparse_file_is_restored_unchanged() -> Result<(), Failure> {
        let touch = || Failure::touch("use a folder");
        let from = tempfile::tempdir().map_err(touch())?;
        let to = tempfile::tempdir().map_err(touch())?;
        let mut content = vec![1; 10];
        content.resize(300_000, 0);
        content.push(2);
        content.resize(400_000, 0);
        let wal = Path::new("etcd/member/wal");
        let file = wal.join("0.wal");
        fs::create_dir_all(from.path().join(wal)).map_err(touch())?;
        fs::write(from.path().join(&file), &content).map_err(touch())?;
        fs::write(from.path().join(wal).join("1.tmp"), "claimed").map_err(touch())?;

        let mut files = Vec::new();
        collect(from.path(), Path::new("etcd"), &mut files)?;
        let kept = files.iter().flat_map(|file| &file.blocks);
        let kept: usize = kept.map(|(_, block)| block.len()).sum();
        assert_eq!(kept, 2 * 64 * 1024);
        let authority = Authority::found(&from.path().join("pki"), Ipv4Addr::LOCALHOST)?;
        let authority = Arc::new(authority);
        Written { files, authority }.lay(to.path())?;
        assert_eq!(fs::read(to.path().join(&file)).map_err(touch())?, content);
        assert!(!to.path().join(wal).join("1.tmp").exists());
        Ok(())
    }
}
