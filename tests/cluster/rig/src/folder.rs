//! The folder and the ports that a rig reserves. They stay reserved while its supervisor runs.
//!
//! The kernel releases both reservations, no matter how the supervisor ends. A file lock reserves
//! the folder. The next supervisor finds the folders of dead supervisors by these locks, and
//! removes them. A block of ports is reserved by listening on its first port.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::failure::Failure;
use crate::site::OWN_PORTS;
use crate::supervisor::remove_cgroups;

/// The first port that a rig can use. The kernel assigns higher ports to clients, so no connection
/// of another process uses these ports.
pub(crate) const FIRST_PORT: u16 = 21_000;
const LAST_PORT: u16 = 31_000;
/// The number of ports in the block of a rig: the port that reserves the block, the ports of the
/// control plane, and the ports of catalogs.
pub(crate) const PORTS: u16 = 100;

/// The address for checks if a port is free. Some programs of OLM listen on all addresses.
const ANY: Ipv4Addr = Ipv4Addr::UNSPECIFIED;

/// A reserved folder. The process with this value is the supervisor.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    first_port: u16,
    _ports: TcpListener,
    _lock: File,
}

impl Folder {
    /// Removes the folders of dead supervisors in `root`, and reserves a new folder.
    pub(crate) fn claim(root: &Path) -> Result<Self, Failure> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(root)
            .map_err(Failure::touch(format!("create {}", root.display())))?;
        // Only one process at a time reserves a folder. So a folder that is not locked yet is not
        // removed.
        let door = File::create(root.join("lock")).map_err(Failure::touch("create a lock"))?;
        door.lock()
            .map_err(Failure::touch("lock the rigs' folder"))?;
        sweep(root)?;
        let (first_port, ports) = reserve().ok_or_else(|| Failure::Supervise {
            message: format!("all ports from {FIRST_PORT} to {LAST_PORT} are taken"),
        })?;
        let path = root.join(format!("{first_port}-{:x}", moment()));
        fs::create_dir_all(path.join("logs")).map_err(Failure::touch("create a rig's folder"))?;
        fs::create_dir_all(path.join("tmp")).map_err(Failure::touch("create a rig's folder"))?;
        let lock = File::create(path.join("lock")).map_err(Failure::touch("create a lock"))?;
        lock.lock().map_err(Failure::touch("lock a rig's folder"))?;
        Ok(Self {
            path,
            first_port,
            _ports: ports,
            _lock: lock,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn first_port(&self) -> u16 {
        self.first_port
    }

    pub(crate) fn log(&self, name: &str) -> PathBuf {
        log(&self.path, name)
    }

    /// Copies the logs and the audit log into a new subfolder of `shelf`.
    pub(crate) fn keep_logs(&self, shelf: &Path) -> Result<(), Failure> {
        let copies = shelf.join(self.path.file_name().unwrap_or_default());
        fs::create_dir_all(&copies).map_err(Failure::touch("create the folder of kept logs"))?;
        let logs = fs::read_dir(self.path.join("logs")).map_err(Failure::touch("list the logs"))?;
        let logs = logs.filter_map(|entry| Some(entry.ok()?.path()));
        for log in logs.chain([self.path.join("audit.log")]) {
            let copy = copies.join(log.file_name().unwrap_or_default());
            fs::copy(&log, copy).map_err(Failure::touch(format!("keep {}", log.display())))?;
        }
        Ok(())
    }

    /// Removes the folder. All processes that write into the folder must have ended.
    pub(crate) fn remove(self) -> Result<(), Failure> {
        clear(&self.path).map_err(Failure::touch("remove a rig's folder"))
    }
}

/// Returns the path of a process log. `name` is the name of the process, and `folder` is the folder
/// of its rig.
pub(crate) fn log(folder: &Path, name: &str) -> PathBuf {
    folder.join("logs").join(format!("{name}.log"))
}

/// Reserves the first block whose ports for the control plane are free. The ports for catalogs are
/// checked later.
fn reserve() -> Option<(u16, TcpListener)> {
    (FIRST_PORT..LAST_PORT)
        .step_by(PORTS.into())
        .find_map(|first| {
            let claim = TcpListener::bind((ANY, first)).ok()?;
            let mut others = first + 1..first + OWN_PORTS;
            others.all(is_free).then_some((first, claim))
        })
}

pub(crate) fn is_free(port: u16) -> bool {
    TcpListener::bind((ANY, port)).is_ok()
}

/// Removes the folders of dead supervisors.
fn sweep(root: &Path) -> Result<(), Failure> {
    let entries = fs::read_dir(root).map_err(Failure::touch("list the rigs' folders"))?;
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() && !is_held(&path) {
            remove_cgroups(&path);
            clear(&path).map_err(Failure::touch("sweep a dead rig's folder"))?;
        }
    }
    Ok(())
}

/// Removes a folder, which may already be removed.
///
/// A supervisor that removes its own folder appears to be dead as soon as its lock file is deleted.
/// So another process may remove the same folder at the same time.
pub(crate) fn clear(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Returns true if the supervisor of the folder is running. A folder without a lock file belongs to
/// a supervisor that is removing the folder, or that has died meanwhile.
fn is_held(path: &Path) -> bool {
    File::open(path.join("lock")).is_ok_and(|lock| lock.try_lock().is_err())
}

fn moment() -> u128 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_micros())
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn folder_of_a_living_rig_is_kept_and_of_a_dead_rig_is_removed() -> Result<(), Failure> {
        let root = tempfile::tempdir().map_err(Failure::touch("create a folder"))?;
        let living = Folder::claim(root.path())?;
        let dead = Folder::claim(root.path())?;
        assert_ne!(living.first_port(), dead.first_port());
        let left_behind = dead.path().to_owned();
        drop(dead);
        assert!(left_behind.exists(), "a released lock removes nothing");

        Folder::claim(root.path())?;

        assert!(!left_behind.exists());
        assert!(living.path().exists());
        Ok(())
    }

    #[test]
    fn many_processes_remove_the_same_folder() -> Result<(), Failure> {
        let root = tempfile::tempdir().map_err(Failure::touch("create a folder"))?;
        let own = Folder::claim(root.path())?;
        let dead = root.path().join("dead");
        fs::create_dir_all(dead.join("logs")).map_err(Failure::touch("create a folder"))?;

        let sweepers = [(); 8].map(|()| {
            let root = root.path().to_owned();
            thread::spawn(move || sweep(&root))
        });
        for sweeper in sweepers {
            sweeper.join().expect("a sweeper must not panic")?;
        }
        assert!(!dead.exists());

        clear(own.path()).map_err(Failure::touch("remove a folder"))?;
        own.remove()
    }
}
