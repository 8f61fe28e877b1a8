//! The programs of the control plane, in a folder of the [cache](crate::cache). The subfolder
//! `crds/` contains the CRDs of OLM.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use crate::cache;
use crate::failure::Failure;
use crate::go::{go, output, workshop, write};
use crate::parent::killed_with_parent;
use crate::program::{CONTROL_PLANE, Crds, Program, Set};
use crate::say;

/// The folder with the CRDs, in the folder of the programs.
const CRDS: &str = "crds";

/// The folder with the programs of a completed build.
#[derive(Clone, Debug)]
pub struct Binaries {
    folder: PathBuf,
}

impl Binaries {
    /// Returns the programs of an earlier build with the same pinned versions. If there is no such
    /// build, builds the programs. A build takes about nine minutes on two cores, and prints one
    /// line for each program.
    /// # Errors
    /// Go is missing, a module cannot be downloaded, or the cache folder cannot be written.
    pub fn ready() -> Result<Self, Failure> {
        // Only one thread of a process reads the cache or builds. All threads share the result, so
        // that a failed build is not repeated by each test.
        static READY: OnceLock<Result<Binaries, Arc<Failure>>> = OnceLock::new();
        let ready = READY.get_or_init(|| Self::found_or_built().map_err(Arc::new));
        let ready = ready.as_ref().map_err(Failure::shared("have the programs"));
        ready.cloned()
    }

    fn found_or_built() -> Result<Self, Failure> {
        built(&CONTROL_PLANE).map(|folder| Self { folder })
    }

    /// Returns the folder of the programs.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of a program, such as `kubectl` or `grpcurl`.
    pub fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Returns a command that runs a program without a cluster. The program is killed when the
    /// thread that started it ends, if the machine supports this.
    pub fn command(&self, name: &str) -> Command {
        let mut command = killed_with_parent(self.program(name));
        // The programs of the control plane have the same value: garbage collection is less
        // frequent, because memory is sufficient but CPU time is not.
        command.env("GOGC", "400");
        command
    }

    /// Returns the paths of OLM's CRDs, sorted by name. Each CRD is a YAML file.
    pub(crate) fn crds(&self) -> Result<Vec<PathBuf>, Failure> {
        crds(&self.folder)
    }
}

/// Returns the folder of these programs. Builds the programs if no earlier run has built the same
/// programs.
pub(crate) fn built(set: &Set) -> Result<PathBuf, Failure> {
    cache::found_or_built(&format!("{}-{}", set.name, set.key()), |folder| {
        build(set, folder)
    })
}

fn build(set: &Set, folder: &Path) -> Result<(), Failure> {
    let source = workshop(folder)?;
    for module in set.modules {
        let files = [("go.mod", module.go_mod), ("go.sum", module.go_sum)];
        write(&source, module.name, &files)?;
    }
    let (begun, called, all) = (Instant::now(), set.called, set.programs.len());
    say!(
        "building {called}, once, into {}",
        folder.with_extension("").display()
    );
    for (at, program) in set.programs.iter().enumerate() {
        let started = Instant::now();
        say!("  {} of {all}: {} ...", at + 1, program.name);
        compile(
            program,
            &source.join(program.module.name),
            &folder.join(program.name),
        )?;
        say!("  {} took {} s", program.name, started.elapsed().as_secs());
    }
    for crds in set.crds {
        copy_crds(crds, &source, &folder.join(CRDS))?;
    }
    fs::remove_dir_all(&source).map_err(touch("remove", &source))?;
    say!("{called} is built: {} s", begun.elapsed().as_secs());
    Ok(())
}

fn compile(program: &Program, module: &Path, binary: &Path) -> Result<(), Failure> {
    let mut command = go(module);
    command.arg("build").args(program.build_flags());
    command.arg("-o").arg(binary).arg(program.package());
    output(command, program.name).map(drop)
}

/// Copies the CRDs into the folder of the programs.
fn copy_crds(crds: &Crds, source: &Path, copies: &Path) -> Result<(), Failure> {
    let mut command = go(&source.join(crds.module.name));
    command.args(["list", "-m", "-f", "{{.Dir}}", crds.path]);
    let place = output(command, "OLM's CRDs")?;
    fs::create_dir_all(copies).map_err(touch("create", copies))?;
    for file in yaml_files(&Path::new(place.trim()).join(crds.folder))? {
        let text = fs::read(&file).map_err(touch("read", &file))?;
        let copy = copies.join(file.file_name().unwrap_or_default());
        fs::write(&copy, text).map_err(touch("write", &copy))?;
    }
    Ok(())
}

/// Returns the paths of the CRDs next to the built programs in this folder.
pub(crate) fn crds(programs: &Path) -> Result<Vec<PathBuf>, Failure> {
    yaml_files(&programs.join(CRDS))
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
