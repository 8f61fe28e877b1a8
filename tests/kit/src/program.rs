//! Builds the programs of this workspace, for tests that run a program as a process.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::{env, io};

use serde_json::Value;

/// The prefixes of environment variables that cargo sets for its child processes. They must be
/// removed: build scripts that read them would run again, and a nested cargo would rebuild
/// everything that depends on these scripts.
const SET_BY_CARGO: [&str; 5] = [
    "CARGO_BIN_",
    "CARGO_CRATE_",
    "CARGO_MANIFEST_",
    "CARGO_PKG_",
    "CARGO_PRIMARY_",
];

/// Builds `portolan` in the same build profile as the test. Builds the whole workspace, because
/// this reuses the compiled packages. A build of fewer packages would select other features and
/// compile them again.
///
/// # Errors
/// Returns an error if cargo cannot be run, or the build fails.
pub fn portolan() -> io::Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| built("portolan").map_err(|error| error.to_string()));
    built.clone().map_err(io::Error::other)
}

/// Builds another program of the workspace in the same way as [`portolan`].
///
/// # Errors
/// Returns an error if cargo cannot be run, or the build fails.
pub fn built(name: &str) -> io::Result<PathBuf> {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let set = env::vars_os().map(|(name, _)| name).filter(|name| {
        let name = name.to_string_lossy();
        SET_BY_CARGO.iter().any(|start| name.starts_with(start))
    });
    set.for_each(|name| {
        command.env_remove(name);
    });
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command.args(["build", "--workspace", &format!("--bin={name}")]);
    if cfg!(debug_assertions) {
        // The flag for an example makes the build select the same features as a build of tests.
        command.arg("--example=crdgen");
    } else {
        command.arg("--release");
    }
    command.arg("--message-format=json-render-diagnostics");
    let output = command.stderr(Stdio::inherit()).output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let messages = said
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut programs = messages
        .filter(|message| message["target"]["name"] == name)
        .filter_map(|message| Some(message["executable"].as_str()?.into()));
    let program = programs.next_back().filter(|_| output.status.success());
    program.ok_or_else(|| io::Error::other(format!("cargo built no {name}: {}", output.status)))
}
