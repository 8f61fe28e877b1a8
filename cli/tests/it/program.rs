//! The built program, run as a person runs it.

use std::env;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use portolan_kit::TempFolder;

/// The `--catalog` that most tests ask.
pub(crate) const FERRY: &str = "demo=tests/fixtures/catalogs/ferry";

/// A command in the root of the repository with nothing but PATH in its environment: the OTEL_*
/// and PORTOLAN_* of whoever runs the tests stay out.
pub(crate) fn command(program: impl AsRef<Path>) -> Command {
    let mut command = Command::new(program.as_ref());
    command.env_clear().stdin(Stdio::null());
    command.env("PATH", env::var_os("PATH").unwrap_or_default());
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    command
}

/// The program with the arguments of one line; an argument with a space in it needs `arg`.
pub(crate) fn portolan(line: &str) -> Command {
    let mut command = command(env!("CARGO_BIN_EXE_portolan"));
    command.args(line.split_whitespace());
    command
}

/// `portolan upgrades` about the package ferry, from its files.
pub(crate) fn ferry_upgrades(line: &str) -> Command {
    portolan(&format!("upgrades --catalog {FERRY} ferry {line}"))
}

/// The program in a folder that is the catalog `demo`.
pub(crate) fn in_demo(folder: &TempFolder, line: &str) -> Command {
    let mut command = portolan(line);
    command.args(["--catalog", "demo=."]).current_dir(folder);
    command
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?} must run: {error}"))
}

/// All that a command printed, and its exit code.
pub(crate) fn transcript(command: &mut Command) -> String {
    let output = run(command);
    let mut text = String::new();
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !bytes.is_empty() {
            text += &format!("[{name}]\n{}", String::from_utf8_lossy(bytes));
        }
    }
    match output.status.code() {
        Some(code) => text + &format!("[exit {code}]"),
        None => text + &format!("[{}]", output.status),
    }
}
