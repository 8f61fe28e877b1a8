//! The running processes of a rig, by name.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::process::{self, Child, Command, Stdio};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

use super::enclosure::NETWORK;
use super::wire::Process;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::parent::killed_with_parent;

#[derive(Debug)]
pub(super) struct Children<'f> {
    folder: &'f Folder,
    running: BTreeMap<String, Child>,
    is_killed_with_parent: bool,
    has_own_network: bool,
}

impl<'f> Children<'f> {
    pub(super) fn of(folder: &'f Folder, has_own_network: bool) -> Self {
        Self {
            folder,
            running: BTreeMap::new(),
            // If the first process of a PID namespace ends, the kernel kills all other processes in
            // the namespace. Without a PID namespace, each child must request from the kernel to be
            // killed with the supervisor.
            is_killed_with_parent: process::id() != 1,
            has_own_network,
        }
    }

    pub(super) fn start(&mut self, process: &Process) -> Result<(), Failure> {
        let Process {
            name,
            program,
            args,
            env,
        } = process;
        if self.running.contains_key(name) {
            return Err(Failure::Supervise {
                message: format!("{name} runs already"),
            });
        }
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.folder.log(name))
            .map_err(Failure::touch(format!("open the log of {name}")))?;
        let errors = log.try_clone().map_err(Failure::touch("share a log"))?;
        let child = self
            .command(program)
            .args(args)
            .envs(env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(errors)
            .spawn()
            .map_err(Failure::touch(format!("start {name}")))?;
        self.running.insert(name.clone(), child);
        Ok(())
    }

    /// Returns the command for a process of the rig. The process does not inherit the environment
    /// of the user. It therefore has no kubeconfig and no proxy, and no variable `CI`, which makes
    /// OLM panic if a label is missing.
    ///
    /// Go programs collect garbage less frequently than usual, because memory is sufficient and all
    /// clusters of the suite share few cores.
    fn command(&self, program: &PathBuf) -> Command {
        let mut command = if self.has_own_network {
            // nsenter replaces itself with the program, so the process ID does not change.
            let mut command = Command::new("nsenter");
            command.arg(format!("--net={NETWORK}")).arg("--");
            command.arg(program);
            command
        } else if self.is_killed_with_parent {
            killed_with_parent(program)
        } else {
            Command::new(program)
        };
        let path = env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/bin:/bin"));
        command
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.folder.path())
            .env("TMPDIR", self.folder.path().join("tmp"))
            .env("GOGC", "400")
            .current_dir(self.folder.path());
        command
    }

    pub(super) fn kill(&mut self, name: &str) -> Result<(), Failure> {
        let Some(mut child) = self.running.remove(name) else {
            return Err(unknown(name));
        };
        child
            .kill()
            .and_then(|()| child.wait())
            .map(drop)
            .map_err(Failure::touch(format!("kill {name}")))
    }

    pub(super) fn terminate(&self, name: &str) -> Result<(), Failure> {
        kill_process(self.pid(name)?, Signal::TERM)
            .map_err(|errno| Failure::touch(format!("terminate {name}"))(errno.into()))
    }

    /// Freezes a process. Returns when all of its threads have stopped, because until then the
    /// process may still send a response.
    pub(super) fn freeze(&self, name: &str) -> Result<(), Failure> {
        let pid = self.pid(name)?;
        // NOWAIT does not consume the event, so that a later call can wait for it again.
        let standstill = WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT;
        kill_process(pid, Signal::STOP)
            .and_then(|()| waitid(WaitId::Pid(pid), standstill))
            .map(drop)
            .map_err(|errno| Failure::touch(format!("freeze {name}"))(errno.into()))
    }

    pub(super) fn thaw(&self, name: &str) -> Result<(), Failure> {
        kill_process(self.pid(name)?, Signal::CONT)
            .map_err(|errno| Failure::touch(format!("thaw {name}"))(errno.into()))
    }

    fn pid(&self, name: &str) -> Result<Pid, Failure> {
        let child = self.running.get(name).ok_or_else(|| unknown(name))?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        pid.ok_or_else(|| unknown(name))
    }

    /// Returns the first process that has exited and that the test did not kill, and its exit
    /// status.
    pub(super) fn ended(&mut self) -> Option<(String, String)> {
        self.running.iter_mut().find_map(|(name, child)| {
            let status = child.try_wait().ok().flatten()?;
            Some((name.clone(), status.to_string()))
        })
    }

    /// Returns the name and the exit status of this process if it has exited and the test did not
    /// kill it.
    pub(super) fn end_of(&mut self, name: &str) -> Option<(String, String)> {
        let child = self.running.get_mut(name)?;
        let status = child.try_wait().ok().flatten()?;
        Some((name.to_owned(), status.to_string()))
    }

    /// Kills all processes, and then waits until all processes have ended. Afterwards no process
    /// writes into the folder.
    pub(super) fn end(mut self) {
        for child in self.running.values_mut() {
            // Ignores an error: the process may have ended already.
            let _ = child.kill();
        }
        for child in self.running.values_mut() {
            let _ = child.wait();
        }
    }
}

fn unknown(name: &str) -> Failure {
    Failure::Supervise {
        message: format!("no process of this rig is called {name}"),
    }
}
