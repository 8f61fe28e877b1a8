//! Starts the supervisor, and sends orders to it. The supervisor is a process that starts and stops
//! all other processes of a rig.
//!
//! ```text
//! test process ==stdin==> portolan-rig supervise --> etcd, kube-apiserver, ...
//!              <==stdout=
//! ```
//!
//! The test sends orders as lines of JSON, and the supervisor sends one response for each order.
//! The test sends the next order only after the response. The pipe also shows if the test is alive.
//! The pipe closes after a drop of the rig, and after a panic or a kill of the test. The supervisor
//! then kills its processes and removes the folder of the rig.
//!
//! If the kernel permits this, the supervisor is the first process of a PID namespace. So if the
//! supervisor is killed, the kernel kills all processes in the namespace.

mod children;
mod enclosure;
mod serve;
mod wire;

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Mutex, PoisonError};
use std::{env, fs, process};

use crate::failure::Failure;
use crate::folder;
use crate::parent::{enclosed, walled};

pub(crate) use enclosure::remove_cgroups;
pub(crate) use serve::supervise;
pub(crate) use wire::Process;
use wire::{Answer, Order};

/// A running supervisor. Dropping this value ends the rig, and waits until the folder is removed.
#[derive(Debug)]
pub(crate) struct Supervisor {
    folder: PathBuf,
    first_port: u16,
    pipe: Mutex<Pipe>,
    process: Child,
}

#[derive(Debug)]
struct Pipe {
    /// The pipe for orders. `None` after the pipe is closed.
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Supervisor {
    /// Starts the program `binary` as the supervisor, which reserves a folder and ports. If the rig
    /// has a node, the supervisor also gets its own mounts and network.
    pub(crate) fn launch(binary: &Path, has_node: bool) -> Result<Self, Failure> {
        let mut process = if has_node {
            enclosed(binary)
        } else {
            walled(binary)
        };
        process.arg("supervise").arg("--root").arg(rigs_folder());
        if has_node {
            process.arg("--node");
        }
        let mut process = process
            .args(["--for", &process::id().to_string()])
            // Ctrl-C in the terminal must not reach the supervisor. The rig ends when its test
            // ends.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(Failure::touch(format!("start {}", binary.display())))?;
        let (Some(orders), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(failed("its pipes are missing"));
        };
        let mut pipe = Pipe {
            orders: Some(orders),
            answers: BufReader::new(answers),
        };
        match pipe.answer()? {
            Answer::Claimed { folder, first_port } => Ok(Self {
                folder,
                first_port,
                pipe: Mutex::new(pipe),
                process,
            }),
            Answer::Refused { message } => Err(Failure::Supervise { message }),
            other @ (Answer::Done | Answer::Ended { .. }) => {
                Err(failed(&format!("it began with {other:?}")))
            }
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn first_port(&self) -> u16 {
        self.first_port
    }

    pub(crate) fn start(&self, process: Process) -> Result<(), Failure> {
        self.order(&Order::Start(process)).map(drop)
    }

    /// Kills a process. Returns after the process has ended.
    pub(crate) fn kill(&self, name: &str) -> Result<(), Failure> {
        self.order(&Order::Kill { name: name.into() }).map(drop)
    }

    pub(crate) fn terminate(&self, name: &str) -> Result<(), Failure> {
        let name = name.into();
        self.order(&Order::Terminate { name }).map(drop)
    }

    pub(crate) fn freeze(&self, name: &str) -> Result<(), Failure> {
        self.order(&Order::Freeze { name: name.into() }).map(drop)
    }

    pub(crate) fn thaw(&self, name: &str) -> Result<(), Failure> {
        self.order(&Order::Thaw { name: name.into() }).map(drop)
    }

    /// Returns an error if a process has exited that the test did not kill.
    pub(crate) fn look(&self) -> Result<(), Failure> {
        let Answer::Ended { name, status } = self.order(&Order::Look)? else {
            return Ok(());
        };
        Err(Failure::Ended {
            tail: self.log_tail(&name),
            component: name,
            status,
        })
    }

    /// Returns the exit status of a process that has exited and that the test did not kill. Returns
    /// `None` while the process is running.
    pub(crate) fn end_of(&self, name: &str) -> Result<Option<String>, Failure> {
        match self.order(&Order::EndOf { name: name.into() })? {
            Answer::Ended { status, .. } => Ok(Some(status)),
            Answer::Done | Answer::Claimed { .. } | Answer::Refused { .. } => Ok(None),
        }
    }

    fn order(&self, order: &Order) -> Result<Answer, Failure> {
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        pipe.send(order)?;
        match pipe.answer()? {
            Answer::Refused { message } => Err(Failure::Supervise { message }),
            answer => Ok(answer),
        }
    }

    /// Returns the last lines of the log of a process.
    pub(crate) fn log_tail(&self, name: &str) -> String {
        let log = fs::read(folder::log(&self.folder, name)).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        let pipe = self.pipe.get_mut().unwrap_or_else(PoisonError::into_inner);
        pipe.orders = None;
        // The supervisor has ended, so a failure can no longer be reported.
        let _ = self.process.wait();
    }
}

impl Pipe {
    fn send(&mut self, order: &Order) -> Result<(), Failure> {
        let mut line = serde_json::to_string(order).map_err(Failure::read("an order"))?;
        line.push('\n');
        let Some(orders) = &mut self.orders else {
            return Err(failed("its pipe is closed"));
        };
        orders
            .write_all(line.as_bytes())
            .map_err(Failure::touch("give the supervisor an order"))
    }

    fn answer(&mut self) -> Result<Answer, Failure> {
        let mut line = String::new();
        let read = self.answers.read_line(&mut line);
        match read.map_err(Failure::touch("hear the supervisor"))? {
            0 => Err(failed("it has ended")),
            _ => serde_json::from_str(&line).map_err(Failure::read("the supervisor's answer")),
        }
    }
}

fn failed(message: &str) -> Failure {
    Failure::Supervise {
        message: message.to_owned(),
    }
}

/// Returns the folder that contains the rigs of this user.
fn rigs_folder() -> PathBuf {
    let user = rustix::process::getuid().as_raw();
    env::temp_dir().join(format!("portolan-rigs-{user}"))
}
