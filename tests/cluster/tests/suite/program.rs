//! Runs the built program as a separate process.

use std::path::PathBuf;
use std::process::{Child, Command, Output};

use portolan_rig::{Failure, PATIENCE, Seen, until};
use rustix::process::{Pid, Signal, kill_process};

/// Returns the path of the built program `portolan`.
pub(crate) async fn portolan() -> Result<PathBuf, Failure> {
    let built = tokio::task::spawn_blocking(portolan_kit::portolan).await;
    let built = built.map_err(Failure::read("the end of the build"))?;
    built.map_err(Failure::touch("build portolan"))
}

/// Runs a program until it exits.
pub(crate) async fn output(mut command: Command) -> Result<Output, Failure> {
    let run = tokio::task::spawn_blocking(move || command.output());
    let output = run.await.map_err(Failure::read("the end of a program"))?;
    output.map_err(Failure::touch("run a program"))
}

/// A running process. Dropping this value kills it.
#[derive(Debug)]
pub(crate) struct Started(Child);

impl Started {
    pub(crate) fn by(command: &mut Command) -> Result<Self, Failure> {
        command
            .spawn()
            .map(Self)
            .map_err(Failure::touch("run a program"))
    }

    /// Returns the process id.
    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    /// Sends SIGTERM to the process. The kubelet does the same before it kills a container.
    pub(crate) fn terminate(&self) -> Result<(), Failure> {
        let pid = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw);
        let reported = kill_process(pid.expect("a process"), Signal::TERM);
        reported.map_err(|error| Failure::touch("stop a process")(error.into()))
    }

    /// Waits until the process has exited. Returns its exit code.
    pub(crate) async fn ended(&mut self, what: &str) -> Result<Option<i32>, Failure> {
        until(format!("{what} to end"), PATIENCE, async || {
            let ended = self.0.try_wait().map_err(Failure::touch("wait"))?;
            Ok(match ended {
                Some(status) => Seen::Yes(status.code()),
                None => Seen::NotYet("it runs".to_owned()),
            })
        })
        .await
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // Ignores an error: the process may already have exited.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
