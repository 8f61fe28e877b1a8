//! Runs the command `go`, which builds the modules in their pinned versions.

use std::fs;
use std::io::{BufRead as _, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, Command, Stdio};

use crate::failure::Failure;
use crate::parent::killed_with_parent_and_children;
use crate::say;

const DOWNLOADING: &str = "go: downloading";
/// The folder for temporary files of `go`. It is next to the folder of the module, so that both are
/// removed together.
const SCRATCH: &str = "scratch";

/// Creates a folder for modules and for the temporary files of their builds. The caller removes the
/// folder after the build.
pub(crate) fn workshop(partial: &Path) -> Result<PathBuf, Failure> {
    let mut version = Command::new("go");
    version.arg("version");
    output(version, "anything with Go")?;
    let workshop = partial.join("go");
    let scratch = workshop.join(SCRATCH);
    fs::create_dir_all(&scratch).map_err(touch("create", &scratch))?;
    Ok(workshop)
}

/// Writes a Go module with these files into the build folder.
pub(crate) fn write(
    workshop: &Path,
    module: &str,
    files: &[(&str, &str)],
) -> Result<PathBuf, Failure> {
    let place = workshop.join(module);
    fs::create_dir_all(&place).map_err(touch("create", &place))?;
    for (name, text) in files {
        fs::write(place.join(name), text).map_err(touch("fill", &place))?;
    }
    Ok(place)
}

/// Returns the command `go` for a module. If this process is killed, the compilers that `go` starts
/// are also killed.
pub(crate) fn go(module: &Path) -> Command {
    let mut command = killed_with_parent_and_children("go");
    command.current_dir(module).env("CGO_ENABLED", "0");
    command.env("GOTMPDIR", module.with_file_name(SCRATCH));
    // Flags and workspaces of the user would change the build.
    command.env("GOFLAGS", "").env("GOWORK", "off");
    command
}

pub(crate) fn output(mut command: Command, program: &str) -> Result<String, Failure> {
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|source| match source.kind() {
        ErrorKind::NotFound => Failure::FindGo,
        _ => touch("run", Path::new("go"))(source),
    })?;
    // The output has at most one line, so it fits into its pipe while the errors are read.
    let message = child.stderr.take().map(listen).unwrap_or_default();
    let output = child.wait_with_output();
    let output = output.map_err(touch("hear", Path::new("go")))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(Failure::Build {
        program: program.to_owned(),
        message: complaint(&message),
    })
}

/// Reads standard error of `go` until `go` ends. Prints a message about the first download, because
/// downloads take minutes.
fn listen(errors: ChildStderr) -> String {
    let (mut message, mut is_reported) = (String::new(), false);
    for line in BufReader::new(errors).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        if line.starts_with(DOWNLOADING) && !is_reported {
            say!("    downloading its Go modules ...");
            is_reported = true;
        }
        message.push_str(&line);
        message.push('\n');
    }
    message
}

/// Returns the last lines of the error output of `go`, without progress messages. If a module
/// cannot be downloaded, the result begins with the name of the module.
fn complaint(message: &str) -> String {
    let lines: Vec<&str> = message
        .lines()
        .filter(|line| !line.starts_with(DOWNLOADING))
        .collect();
    let last = lines[lines.len().saturating_sub(8)..].join("\n");
    match missing_module(message) {
        Some(module) => format!("the Go module {module} is unavailable\n{last}"),
        None => last,
    }
}

/// Returns the module with its version if it cannot be downloaded. Most errors of `go` contain
/// `path@version`. With `GOPROXY=off`, the error does not contain it, so the last module in the
/// progress messages is returned.
fn missing_module(message: &str) -> Option<String> {
    let named = message
        .split_whitespace()
        .map(|word| word.trim_end_matches([':', ',']))
        .find(|word| word.contains("@v") && !word.starts_with(['/', '"', '.']));
    if let Some(module) = named {
        return Some(module.to_owned());
    }
    let announced = message
        .lines()
        .rfind(|line| line.starts_with(DOWNLOADING))?;
    let (module, version) = announced
        .strip_prefix(DOWNLOADING)?
        .trim()
        .split_once(' ')?;
    let is_refused = message.contains("module lookup disabled");
    is_refused.then(|| format!("{module}@{version}"))
}

fn touch(verb: &str, path: &Path) -> impl FnOnce(std::io::Error) -> Failure {
    Failure::touch(format!("{verb} {}", path.display()))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::no_network(
        "k8s.io/kubernetes@v1.36.1: Get \"http://[::1]/k8s.io/kubernetes/@v/v1.zip\""
    )]
    #[case::no_checksum("go: k8s.io/kubernetes@v1.36.1: missing go.sum entry")]
    #[case::no_proxy("module lookup disabled by GOPROXY=off")]
    fn unavailable_module_is_named(#[case] error: &str) {
        let message = format!("go: downloading k8s.io/kubernetes v1.36.1\n{error}\n");
        assert_eq!(
            complaint(&message),
            format!("the Go module k8s.io/kubernetes@v1.36.1 is unavailable\n{error}")
        );
    }

    #[test]
    fn full_disk_names_no_module() {
        let error = "# k8s.io/api/core/v1\nwrite /tmp/go-build1/b001: no space left on device";
        let message = format!("go: downloading k8s.io/api v0.36.1\n{error}\n");
        assert_eq!(complaint(&message), error);
    }
}
