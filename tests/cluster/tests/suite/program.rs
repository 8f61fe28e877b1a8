//! The program as it is built, for stories in which it is a process of its own.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::{env, fs};

use portolan_rig::{Failure, PATIENCE, Seen, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::SUPERVISOR;

/// The built `portolan`. A build of the whole workspace has it; where it is missing, or older than
/// what it is built from, cargo builds it.
pub(crate) async fn portolan() -> Result<PathBuf, Failure> {
    if let Some(beside) = built_beside(Path::new(SUPERVISOR)) {
        return Ok(beside);
    }
    let built = tokio::task::spawn_blocking(built).await;
    built.map_err(Failure::read("the end of the build"))?
}

/// The one that lies beside, if it is newer than all that it was built from.
fn built_beside(other: &Path) -> Option<PathBuf> {
    let portolan = other.with_file_name("portolan");
    let built = fs::metadata(&portolan).ok()?.modified().ok()?;
    // Cargo writes there what the program depends on: a target, a colon, and its sources.
    let sources = fs::read_to_string(portolan.with_extension("d")).ok()?;
    let mut sources = sources.split_whitespace().skip(1);
    let is_older = |source| Some(fs::metadata(source).ok()?.modified().ok()? <= built);
    let is_fresh = sources.all(|source| is_older(source).unwrap_or(false));
    is_fresh.then_some(portolan)
}

fn built() -> Result<PathBuf, Failure> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command.args(["build", "--package=portolan", "--bin=portolan"]);
    command.arg("--message-format=json-render-diagnostics");
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(Failure::touch("run cargo"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let messages = said
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut programs = messages.filter_map(|message| Some(message["executable"].as_str()?.into()));
    let program = programs.next_back().filter(|_| output.status.success());
    program.ok_or_else(|| Failure::Build {
        program: "portolan".to_owned(),
        said: output.status.to_string(),
    })
}

/// Runs a program to its end.
pub(crate) async fn output(mut command: Command) -> Result<Output, Failure> {
    let run = tokio::task::spawn_blocking(move || command.output());
    let output = run.await.map_err(Failure::read("the end of a program"))?;
    output.map_err(Failure::touch("run a program"))
}

/// A process that is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Started(Child);

impl Started {
    pub(crate) fn by(command: &mut Command) -> Result<Self, Failure> {
        command
            .spawn()
            .map(Self)
            .map_err(Failure::touch("run a program"))
    }

    /// Tells it to end, as a kubelet does first.
    pub(crate) fn terminate(&self) -> Result<(), Failure> {
        let pid = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw);
        let told = kill_process(pid.expect("a process"), Signal::TERM);
        told.map_err(|error| Failure::touch("stop a process")(error.into()))
    }

    /// Waits until it has ended, and tells its exit code.
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
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
