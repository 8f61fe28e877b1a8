//! `go`, as a command that builds what the pins say and nothing else.

use std::fs;
use std::io::{BufRead as _, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, Command, Stdio};

use crate::failure::Failure;
use crate::parent::killed_with_parent_and_children;
use crate::say;

const DOWNLOADING: &str = "go: downloading";
/// The folder of the temporary files of `go`, beside the modules, so that it is removed with them.
const SCRATCH: &str = "scratch";

/// A folder for modules and what their builds need for a moment; to be removed when they are built.
pub(crate) fn workshop(partial: &Path) -> Result<PathBuf, Failure> {
    let mut version = Command::new("go");
    version.arg("version");
    output(version, "anything with Go")?;
    let workshop = partial.join("go");
    let scratch = workshop.join(SCRATCH);
    fs::create_dir_all(&scratch).map_err(touch("create", &scratch))?;
    Ok(workshop)
}

/// Writes a module of those files into the workshop.
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

/// `go` starts compilers, which must not go on when a run is killed.
pub(crate) fn go(module: &Path) -> Command {
    let mut command = killed_with_parent_and_children("go");
    command.current_dir(module).env("CGO_ENABLED", "0");
    command.env("GOTMPDIR", module.with_file_name(SCRATCH));
    // Flags and workspaces of the person at the keyboard would change what is built.
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
    // What it prints is a line at most, and waits in its pipe until it has said everything.
    let said = child.stderr.take().map(listen).unwrap_or_default();
    let output = child.wait_with_output();
    let output = output.map_err(touch("hear", Path::new("go")))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(Failure::Build {
        program: program.to_owned(),
        said: complaint(&said),
    })
}

/// All that `go` says, until it ends. Downloads take minutes on their own, so the first is told.
fn listen(errors: ChildStderr) -> String {
    let (mut said, mut is_told) = (String::new(), false);
    for line in BufReader::new(errors).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        if line.starts_with(DOWNLOADING) && !is_told {
            say!("    downloading its Go modules ...");
            is_told = true;
        }
        said.push_str(&line);
        said.push('\n');
    }
    said
}

/// Returns the output of `go`, without the lines that only report progress. A module that cannot be
/// had is named in front.
fn complaint(said: &str) -> String {
    let told: Vec<&str> = said
        .lines()
        .filter(|line| !line.starts_with(DOWNLOADING))
        .collect();
    let last = told[told.len().saturating_sub(8)..].join("\n");
    match missing_module(said) {
        Some(module) => format!("the Go module {module} cannot be had\n{last}"),
        None => last,
    }
}

/// `path@version`, as most of go's complaints have it; `GOPROXY=off` complains without a name,
/// about the module that was announced last.
fn missing_module(said: &str) -> Option<String> {
    let named = said
        .split_whitespace()
        .map(|word| word.trim_end_matches([':', ',']))
        .find(|word| word.contains("@v") && !word.starts_with(['/', '"', '.']));
    if let Some(module) = named {
        return Some(module.to_owned());
    }
    let announced = said.lines().rfind(|line| line.starts_with(DOWNLOADING))?;
    let (module, version) = announced
        .strip_prefix(DOWNLOADING)?
        .trim()
        .split_once(' ')?;
    let is_refused = said.contains("module lookup disabled");
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
    fn a_module_that_cannot_be_had_is_named(#[case] told: &str) {
        let said = format!("go: downloading k8s.io/kubernetes v1.36.1\n{told}\n");
        assert_eq!(
            complaint(&said),
            format!("the Go module k8s.io/kubernetes@v1.36.1 cannot be had\n{told}")
        );
    }

    #[test]
    fn no_module_is_blamed_for_a_full_disk() {
        let told = "# k8s.io/api/core/v1\nwrite /tmp/go-build1/b001: no space left on device";
        let said = format!("go: downloading k8s.io/api v0.36.1\n{told}\n");
        assert_eq!(complaint(&said), told);
    }
}
