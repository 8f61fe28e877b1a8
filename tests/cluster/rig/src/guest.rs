//! Runs a program of a test as a process of the rig.

use std::fs;
use std::path::Path;

use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::folder;
use crate::supervisor::Process;
use crate::wait::{PATIENCE, Seen, until};

/// A process that a test can freeze, and for whose end it can wait. Dropping this value kills the
/// process. The process also ends when its rig ends.
#[derive(Debug)]
pub struct Guest {
    cluster: Cluster,
    name: String,
}

impl Guest {
    pub(crate) fn start(
        cluster: &Cluster,
        name: &str,
        program: &Path,
        args: Vec<String>,
    ) -> Result<Self, Failure> {
        cluster.run(Process {
            name: name.to_owned(),
            program: program.to_owned(),
            args,
            env: Vec::new(),
        })?;
        Ok(Self {
            cluster: cluster.clone(),
            name: name.to_owned(),
        })
    }

    /// Sends SIGTERM to the process, as a kubelet does.
    /// # Errors
    /// The process is not running.
    pub fn terminate(&self) -> Result<(), Failure> {
        self.cluster.supervisor().terminate(&self.name)
    }

    /// Freezes the process. See [`Cluster::freeze`].
    /// # Errors
    /// The process is not running.
    pub fn freeze(&self) -> Result<(), Failure> {
        self.cluster.supervisor().freeze(&self.name)
    }

    /// Continues the frozen process.
    /// # Errors
    /// The process is not running.
    pub fn thaw(&self) -> Result<(), Failure> {
        self.cluster.supervisor().thaw(&self.name)
    }

    /// Waits until the process has exited. Returns its exit status, such as `exit status: 0`.
    ///
    /// # Errors
    /// The process did not end within [`PATIENCE`].
    pub async fn ends(&self) -> Result<String, Failure> {
        until(format!("{} to end", self.name), PATIENCE, async || {
            Ok(match self.cluster.supervisor().end_of(&self.name)? {
                Some(status) => Seen::Yes(status),
                None => Seen::NotYet("it runs".to_owned()),
            })
        })
        .await
    }

    /// Returns standard output and standard error of the process so far.
    /// # Errors
    /// The log cannot be read.
    pub fn output(&self) -> Result<String, Failure> {
        let log = fs::read(folder::log(self.cluster.folder(), &self.name));
        let log = log.map_err(Failure::touch(format!("read the log of {}", self.name)))?;
        Ok(String::from_utf8_lossy(&log).into_owned())
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        // Ignores an error: the process may already have ended together with its cluster.
        let _ = self.cluster.stop(&self.name);
    }
}
