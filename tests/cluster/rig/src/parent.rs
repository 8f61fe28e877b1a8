//! Commands that end together with the process that started them, even if that process is killed
//! with `kill -9`.
//!
//! The kernel offers two methods. A process can request to be killed when its parent ends, but this
//! does not affect the children of the process. If the first process of a PID namespace ends, the
//! kernel kills all processes in the namespace, but on some machines not all users can create a PID
//! namespace.

use std::env;
use std::ffi::OsStr;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// The beginning of a command that is killed when its parent ends.
const LEASH: [&str; 4] = ["setpriv", "--pdeathsig", "KILL", "--"];

/// The commands that create a PID namespace. The first command requires root.
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

/// Returns a command that runs `program`. If the machine supports this, `program` is killed when
/// its parent ends.
pub(crate) fn killed_with_parent(program: impl AsRef<OsStr>) -> Command {
    command(parent(), program)
}

/// Returns a command that runs `program`. If the machine supports this, the children of `program`
/// are killed when it ends.
pub(crate) fn walled(program: impl AsRef<OsStr>) -> Command {
    command(wall(), program)
}

/// Returns a command that runs `program` with its own mounts and PID namespace, for users that can
/// create them. The children of `program` are killed when it ends.
pub(crate) fn enclosed(program: impl AsRef<OsStr>) -> Command {
    command(&ENCLOSURE, program)
}

/// Returns a command that runs `program`. If the machine supports this, `program` is killed when
/// its parent ends, and its children are killed when it ends.
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

/// Returns the first command for a PID namespace that works on this machine.
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
