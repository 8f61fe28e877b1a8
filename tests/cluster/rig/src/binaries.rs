//! The built programs in their cache folder.
//!
//! ```text
//! ${PORTOLAN_CACHE:-${XDG_CACHE_HOME:-~/.cache}/portolan}/
//!   rig-<key>.lock       held by the one who builds
//!   rig-<key>.partial/   a build under way, or one that was killed; the next builder removes it
//!   rig-<key>/           whole: ten programs, and crds/ with OLM's
//! ```

use std::env;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use crate::failure::Failure;
use crate::folder::clear;
use crate::leash::{leashed, leashed_and_walled};
use crate::program::{self, MODULES, OLM, OLM_PACKAGE, PROGRAMS, Program};
use crate::say;

const DOWNLOADING: &str = "go: downloading";
const LOCK: &str = "lock";
const PARTIAL: &str = "partial";
/// Where `go` puts what it needs for a moment, beside the modules, so that it goes with them.
const SCRATCH: &str = "scratch";

/// The folder of a finished build.
#[derive(Clone, Debug)]
pub struct Binaries {
    folder: PathBuf,
}

impl Binaries {
    /// Returns what an earlier run built from the same pins, or builds it: about nine minutes on
    /// two cores, with a line of progress for each program.
    ///
    /// # Errors
    /// Go is missing, a module cannot be had, or the cache folder cannot be written.
    pub fn ready() -> Result<Self, Failure> {
        // One thread of a process looks or builds, and what it finds holds for all: a build that
        // failed is not tried again by every test.
        static READY: OnceLock<Result<Binaries, Arc<Failure>>> = OnceLock::new();
        let ready = READY.get_or_init(|| Self::found_or_built().map_err(Arc::new));
        let ready = ready.as_ref().map_err(Failure::shared("have the programs"));
        ready.cloned()
    }

    fn found_or_built() -> Result<Self, Failure> {
        let cache = cache_folder()?;
        let name = format!("rig-{}", program::key());
        let folder = cache.join(&name);
        if folder.is_dir() {
            return Ok(Self { folder });
        }
        fs::create_dir_all(&cache).map_err(touch("create", &cache))?;
        let _lock = lock(&cache.join(&name).with_extension(LOCK))?;
        if !folder.is_dir() {
            sweep(&cache)?;
            build(&folder.with_extension(PARTIAL), &folder)?;
        }
        Ok(Self { folder })
    }

    /// Where the programs are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// One program, such as `kubectl` or `grpcurl`.
    pub fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The command that runs one program on its own, without a cluster. Where the machine can do
    /// that, it ends with the thread that starts it, however that ends.
    pub fn command(&self, name: &str) -> Command {
        leashed(self.program(name))
    }

    /// OLM's CRDs, one YAML file each, in the order of their names.
    pub(crate) fn crds(&self) -> Result<Vec<PathBuf>, Failure> {
        yaml_files(&self.folder.join("crds"))
    }
}

fn cache_folder() -> Result<PathBuf, Failure> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty());
    if let Some(own) = set("PORTOLAN_CACHE") {
        return Ok(own.into());
    }
    let shared = set("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(env::home_dir()?.join(".cache")));
    shared
        .map(|folder| folder.join("portolan"))
        .ok_or_else(|| Failure::Touch {
            act: "choose a cache folder: set PORTOLAN_CACHE".to_owned(),
            source: ErrorKind::NotFound.into(),
        })
}

/// Removes what builders left that were killed, of these pins or others: whoever still builds holds
/// a lock. Ours is held, so that our own remains; see [`build`].
fn sweep(cache: &Path) -> Result<(), Failure> {
    let entries = fs::read_dir(cache).map_err(touch("list", cache))?;
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.extension().is_none_or(|end| end != PARTIAL) {
            continue;
        }
        let lock = File::create(path.with_extension(LOCK)).map_err(touch("create", &path))?;
        if lock.try_lock().is_ok() {
            clear(&path).map_err(touch("remove", &path))?;
        }
    }
    Ok(())
}

/// Waits for whoever builds the same pins at this moment.
fn lock(path: &Path) -> Result<File, Failure> {
    let file = File::create(path).map_err(touch("create", path))?;
    if file.try_lock().is_err() {
        say!("somebody else builds the test control plane; waiting for them");
        file.lock().map_err(touch("lock", path))?;
    }
    Ok(file)
}

/// Builds all into `partial`, which becomes `folder` by one rename.
fn build(partial: &Path, folder: &Path) -> Result<(), Failure> {
    let mut version = Command::new("go");
    version.arg("version");
    output(version, "anything with Go")?;
    clear(partial).map_err(touch("remove", partial))?;
    let source = partial.join("go");
    let scratch = source.join(SCRATCH);
    fs::create_dir_all(&scratch).map_err(touch("create", &scratch))?;
    for module in MODULES {
        let place = source.join(module.name);
        fs::create_dir_all(&place).map_err(touch("create", &place))?;
        fs::write(place.join("go.mod"), module.go_mod).map_err(touch("fill", &place))?;
        fs::write(place.join("go.sum"), module.go_sum).map_err(touch("fill", &place))?;
    }
    let begun = Instant::now();
    say!(
        "building the test control plane, once, into {}",
        folder.display()
    );
    for (at, program) in PROGRAMS.iter().enumerate() {
        let started = Instant::now();
        say!("  {} of {}: {} ...", at + 1, PROGRAMS.len(), program.name);
        compile(
            program,
            &source.join(program.module.name),
            &partial.join(program.name),
        )?;
        say!("  {} took {} s", program.name, started.elapsed().as_secs());
    }
    copy_crds(&source.join(OLM.name), &partial.join("crds"))?;
    fs::remove_dir_all(&source).map_err(touch("remove", &source))?;
    fs::rename(partial, folder).map_err(touch("rename", partial))?;
    say!(
        "the test control plane is built: {} s",
        begun.elapsed().as_secs()
    );
    Ok(())
}

fn compile(program: &Program, module: &Path, binary: &Path) -> Result<(), Failure> {
    let mut command = go(module);
    command.arg("build").args(program.build_flags());
    command.arg("-o").arg(binary).arg(program.package());
    output(command, program.name).map(drop)
}

/// OLM's chart has its CRDs; the module cache keeps them read-only.
fn copy_crds(module: &Path, crds: &Path) -> Result<(), Failure> {
    let mut command = go(module);
    command.args(["list", "-m", "-f", "{{.Dir}}", OLM_PACKAGE]);
    let place = output(command, "OLM's CRDs")?;
    fs::create_dir_all(crds).map_err(touch("create", crds))?;
    for file in yaml_files(&Path::new(place.trim()).join("deploy/chart/crds"))? {
        let text = fs::read(&file).map_err(touch("read", &file))?;
        let copy = crds.join(file.file_name().unwrap_or_default());
        fs::write(&copy, text).map_err(touch("write", &copy))?;
    }
    Ok(())
}

/// `go` starts compilers, which must not go on when a run is killed.
fn go(module: &Path) -> Command {
    let mut command = leashed_and_walled("go");
    command.current_dir(module).env("CGO_ENABLED", "0");
    command.env("GOTMPDIR", module.with_file_name(SCRATCH));
    // Flags and workspaces of the person at the keyboard would change what is built.
    command.env("GOFLAGS", "").env("GOWORK", "off");
    command
}

fn output(mut command: Command, program: &str) -> Result<String, Failure> {
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

/// What `go` had to say, without the lines that only report progress. A module that cannot be had
/// is named in front.
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

fn yaml_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).map_err(touch("list", folder))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "yaml"))
        .collect();
    files.sort();
    Ok(files)
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
    fn a_build_that_was_killed_is_removed_and_one_under_way_is_not() -> Result<(), Failure> {
        let cache = tempfile::tempdir().map_err(Failure::touch("create a folder"))?;
        let folder = |name: &str| {
            let folder = cache.path().join(name);
            fs::create_dir_all(folder.join("go")).map_err(touch("create", &folder))?;
            Ok::<_, Failure>(folder)
        };
        let [killed, busy, whole] = ["rig-a.partial", "rig-b.partial", "rig-c"].map(folder);
        let (killed, busy, whole) = (killed?, busy?, whole?);
        let _builder = lock(&busy.with_extension(LOCK))?;

        sweep(cache.path())?;

        assert!(!killed.exists());
        assert!(busy.exists());
        assert!(whole.exists());
        Ok(())
    }

    #[test]
    fn no_module_is_blamed_for_a_full_disk() {
        let told = "# k8s.io/api/core/v1\nwrite /tmp/go-build1/b001: no space left on device";
        let said = format!("go: downloading k8s.io/api v0.36.1\n{told}\n");
        assert_eq!(complaint(&said), told);
    }
}
