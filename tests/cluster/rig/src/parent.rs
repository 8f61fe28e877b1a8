//! Commands that do not outlive the process that started them, `kill -9` included.
//!
//! The kernel offers two means. A process can ask to be killed when its parent ends, which does not
//! affect the children that it has by then. And when the first process of a PID namespace ends, all
//! processes in the namespace are killed. Not every machine allows all users to create one.

use std::env;
use std::ffi::OsStr;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// The prefix of a command that makes it die with its parent.
const LEASH: [&str; 4] = ["setpriv", "--pdeathsig", "KILL", "--"];

/// The ways into a PID namespace, the plain one (as root) first.
const WALLS: [&[&str]; 2] = [
    &["unshare", "--pid", "--fork", "--kill-child"],
    &[
        "unshare",
        "--user",
        "--map-root-user",
        "--pid",
        "--fork",
        "--kill-child",
    ],
];

const ENCLOSURE: [&str; 6] = [
    "unshare",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount",
    "--mount-proc",
];

/// The command that runs `program` so that it dies with its parent, if the machine supports it.
pub(crate) fn killed_with_parent(program: impl AsRef<OsStr>) -> Command {
    command(parent(), program)
}

/// The command that runs `program` so that none of its children outlives it, if the machine
/// supports it.
pub(crate) fn walled(program: impl AsRef<OsStr>) -> Command {
    command(wall(), program)
}

/// The command that runs `program` with mounts and processes of its own, for users that may have
/// them. None of its children outlives it.
pub(crate) fn enclosed(program: impl AsRef<OsStr>) -> Command {
    command(&ENCLOSURE, program)
}

/// Both: it dies with its parent, and none of its children outlives it.
pub(crate) fn killed_with_parent_and_children(program: impl AsRef<OsStr>) -> Command {
    let words: Vec<_> = parent().iter().chain(wall()).copied().collect();
    command(&words, program)
}

fn command(before: &[&str], program: impl AsRef<OsStr>) -> Command {
    let Some((first, others)) = before.split_first() else {
        return Command::new(program);
    };
    let mut command = Command::new(first);
    command.args(others).arg(program);
    command
}

fn parent() -> &'static [&'static str] {
    let path = env::var_os("PATH").unwrap_or_default();
    let is_there = env::split_paths(&path).any(|folder| folder.join(LEASH[0]).is_file());
    if is_there { &LEASH } else { &[] }
}

/// The best wall this machine has.
fn wall() -> &'static [&'static str] {
    static WALL: LazyLock<&'static [&'static str]> = LazyLock::new(|| {
        let stands = |wall: &&[&str]| {
            command(wall, "true")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
        };
        WALLS.into_iter().find(stands).unwrap_or_default()
    });
    *WALL
}
