//! Runs the built program in the same way as users do.

use std::env;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use portolan_kit::TempFolder;

/// The catalog that most tests use, as a value of `--catalog`.
pub(crate) const FERRY: &str = "demo=tests/fixtures/catalogs/ferry";

/// Returns a command that runs in the root of the repository. Its environment contains only PATH,
/// so that variables such as OTEL_* and PORTOLAN_* of the user do not affect the test.
pub(crate) fn command(program: impl AsRef<Path>) -> Command {
    let mut command = Command::new(program.as_ref());
    command.env_clear().stdin(Stdio::null());
    command.env("PATH", env::var_os("PATH").unwrap_or_default());
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    command
}

/// Returns the program with the arguments in one line. Use `arg` for an argument that contains a
/// space.
pub(crate) fn portolan(line: &str) -> Command {
    let mut command = command(env!("CARGO_BIN_EXE_portolan"));
    command.args(line.split_whitespace());
    command
}

/// Returns `portolan upgrades` for the package ferry in the catalog of the fixtures.
pub(crate) fn ferry_upgrades(line: &str) -> Command {
    portolan(&format!("upgrades --catalog {FERRY} ferry {line}"))
}

/// Returns the program with the catalog `demo`, whose content is the folder.
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

/// Returns standard output and standard error of a command, and its exit code.
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
