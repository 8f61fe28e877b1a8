//! Runs the commands of a console block one after the other, in the root of the repository.

use std::env;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{self, Child, Stdio};
use std::time::{Duration, Instant};

use portolan_kit::blocks::{Command, matches};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::program;

/// The maximum time for which a command is repeated while background commands start.
const PATIENCE: Duration = Duration::from_secs(20);

/// A shell, and the commands that it runs in the background. Dropping this value ends these
/// commands.
#[derive(Debug, Default)]
pub(crate) struct Session {
    background: Vec<Child>,
}

// === impl Session ===

impl Session {
    /// Runs a command. Returns its output if the output differs from the page. A command that ends
    /// in ` &` runs in the background. Later commands are repeated until the background command is
    /// ready.
    pub(crate) fn run(&mut self, command: &Command) -> Result<(), String> {
        if let Some(typed) = command.typed.strip_suffix(" &") {
            self.background.push(start(typed));
            return Ok(());
        }
        let begun = Instant::now();
        loop {
            let printed = printed(&command.typed);
            let lines: Vec<_> = printed.lines().collect();
            if matches(&lines, &command.shown) {
                return Ok(());
            }
            if self.background.is_empty() || begun.elapsed() > PATIENCE {
                return Err(printed);
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        for child in &mut self.background {
            // Ignores an error: the command may have exited. Signals the process group, because
            // bash may have started a child process.
            let _ = kill_process_group(Pid::from_child(child), Signal::TERM);
            let _ = child.wait();
        }
    }
}

fn start(typed: &str) -> Child {
    let mut command = bash(typed);
    command.process_group(0);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let started = command.spawn();
    started.unwrap_or_else(|error| panic!("`{typed}` must start: {error}"))
}

/// Returns standard output and standard error in the order in which they were written, as on a
/// terminal.
fn printed(typed: &str) -> String {
    let (mut reader, writer) = std::io::pipe().expect("a pipe must open");
    let mut command = bash(typed);
    let twin = writer.try_clone().expect("a pipe must have two writers");
    command.stdout(writer).stderr(twin);
    let mut child = command.spawn().expect("bash must start");
    // Closes the writers of this process. Otherwise the reader would never reach the end.
    drop(command);
    let mut text = String::new();
    let read = reader.read_to_string(&mut text);
    read.expect("output must be text");
    child.wait().expect("bash must end");
    text
}

/// Returns `bash -c`. PATH begins with the folder of the built `portolan`.
fn bash(typed: &str) -> process::Command {
    let folder = Path::new(env!("CARGO_BIN_EXE_portolan")).parent();
    let others = env::var_os("PATH").unwrap_or_default();
    let folders = folder.map(Path::to_owned).into_iter();
    let path = env::join_paths(folders.chain(env::split_paths(&others)));
    let mut command = program::command("bash");
    command.args(["-c", typed]);
    command.env(
        "PATH",
        path.expect("a folder must have no colon in its name"),
    );
    command
}

fn command(typed: &str, shown: &[&str]) -> Command {
    Command {
        typed: typed.to_owned(),
        shown: shown.iter().map(|line| (*line).to_owned()).collect(),
    }
}

#[test]
fn returns_both_outputs_in_order() {
    let mut session = Session::default();
    let both = command(
        "echo one; echo two >&2; echo three",
        &["one", "two", "three"],
    );
    assert_eq!(session.run(&both), Ok(()));
    assert_eq!(
        session.run(&command("echo one", &["two"])),
        Err("one\n".to_owned())
    );
}

#[test]
fn runs_built_program() {
    let mut session = Session::default();
    let version = format!("portolan {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(
        session.run(&command("portolan --version", &[&version])),
        Ok(())
    );
}

#[test]
fn retries_until_the_background_command_is_ready_and_stops_it() {
    let folder = portolan_kit::TempFolder::empty();
    let file = folder.join("pid");
    let server = format!("echo $$ > {} && exec sleep 1000 &", file.display());
    let ready = format!("test -s {} && echo ready", file.display());
    let mut session = Session::default();
    assert_eq!(session.run(&command(&server, &[])), Ok(()));
    assert_eq!(session.run(&command(&ready, &["ready"])), Ok(()));

    let pid = std::fs::read_to_string(file).expect("the background must have written");
    let alive = Path::new("/proc").join(pid.trim());
    assert!(alive.exists());
    drop(session);
    assert!(!alive.exists());
}
