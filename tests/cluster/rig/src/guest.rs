//! A program of the test, as a process of a rig.

use std::fs;
use std::path::Path;

use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::folder;
use crate::supervisor::Process;
use crate::wait::{PATIENCE, Seen, until};

/// A process that a test can freeze and wait for. It is killed when this value is dropped, or at
/// the latest when its rig ends.
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

    /// Sends the signal to end the process, as a kubelet does first.
    /// # Errors
    /// The process is not running.
    pub fn terminate(&self) -> Result<(), Failure> {
        self.cluster.supervisor().terminate(&self.name)
    }

    /// Freezes the process, as [`Cluster::freeze`] freezes a component.
    /// # Errors
    /// The process is not running.
    pub fn freeze(&self) -> Result<(), Failure> {
        self.cluster.supervisor().freeze(&self.name)
    }

    /// Resumes the process.
    /// # Errors
    /// The process is not running.
    pub fn thaw(&self) -> Result<(), Failure> {
        self.cluster.supervisor().thaw(&self.name)
    }

    /// Waits until the process ends by itself. Returns its exit status, such as `exit status: 0`.
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

    /// Returns everything that the process has printed to standard output and standard error.
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
        // The process may already have ended with its cluster.
        let _ = self.cluster.stop(&self.name);
    }
}
