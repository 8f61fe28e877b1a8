//! Go programs that only some tests need: programs of these tests that use features only Go has,
//! and programs of other projects.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest as _, Sha256};

use crate::cache;
use crate::failure::Failure;
use crate::go::{go, output, workshop, write};
use crate::parent::killed_with_parent;
use crate::say;

const FLAGS: [&str; 3] = ["-trimpath", "-buildvcs=false", "-ldflags=-s -w"];

/// A Go module with one program. The crate that needs the program contains the files of the module
/// as text. The program is built separately from the control plane, and only if a test requests it.
#[derive(Debug)]
pub struct OwnProgram {
    pub name: &'static str,
    /// The Go package to build: `.` for the package in the module itself, or the path of a package.
    pub package: &'static str,
    /// The name and the content of each file, including `go.mod` and `go.sum`.
    pub files: &'static [(&'static str, &'static str)],
}

/// Helm, for tests of charts, and for tests of Helm installations next to Portolan.
pub const HELM: OwnProgram = OwnProgram {
    name: "helm",
    package: "helm.sh/helm/v3/cmd/helm",
    files: &[
        ("go.mod", include_str!("../../programs/helm/go.mod")),
        ("go.sum", include_str!("../../programs/helm/go.sum")),
    ],
};

/// kapp, for tests of kapp installations next to Portolan.
pub const KAPP: OwnProgram = OwnProgram {
    name: "kapp",
    package: "carvel.dev/kapp/cmd/kapp",
    files: &[
        ("go.mod", include_str!("../../programs/kapp/go.mod")),
        ("go.sum", include_str!("../../programs/kapp/go.sum")),
    ],
};

/// distribution, an image registry. The registries of most cloud providers are based on it.
pub const DISTRIBUTION: OwnProgram = OwnProgram {
    name: "distribution",
    package: "github.com/distribution/distribution/v3/cmd/registry",
    files: &[
        ("go.mod", include_str!("../../programs/distribution/go.mod")),
        ("go.sum", include_str!("../../programs/distribution/go.sum")),
    ],
};

/// CoreDNS, with the plugins that cluster DNS needs.
pub(crate) const COREDNS: OwnProgram = OwnProgram {
    name: "coredns",
    package: ".",
    files: &[
        ("go.mod", include_str!("../../programs/coredns/go.mod")),
        ("go.sum", include_str!("../../programs/coredns/go.sum")),
        ("main.go", include_str!("../../programs/coredns/main.go")),
    ],
};

/// The program of the pause container, which keeps the namespaces of a Pod alive.
pub(crate) const PAUSE: OwnProgram = OwnProgram {
    name: "pause",
    package: ".",
    files: &[
        ("go.mod", include_str!("../../programs/pause/go.mod")),
        ("go.sum", include_str!("../../programs/pause/go.sum")),
        ("main.go", include_str!("../../programs/pause/main.go")),
    ],
};

/// crane, for tests that push images without Docker.
pub const CRANE: OwnProgram = OwnProgram {
    name: "crane",
    package: "github.com/google/go-containerregistry/cmd/crane",
    files: &[
        ("go.mod", include_str!("../../programs/crane/go.mod")),
        ("go.sum", include_str!("../../programs/crane/go.sum")),
    ],
};

impl OwnProgram {
    /// Returns a command that runs the program. Builds the program if no earlier run has built it.
    /// The program is killed when the thread that started it ends, if the machine supports this.
    /// # Errors
    /// Go is missing, a module cannot be downloaded, or the cache folder cannot be written.
    pub fn command(&self) -> Result<Command, Failure> {
        self.program().map(killed_with_parent)
    }

    /// Returns the path of the program, for a test that starts the program in another way.
    /// # Errors
    /// See [`OwnProgram::command`].
    pub fn program(&self) -> Result<PathBuf, Failure> {
        let name = format!("{}-{}", self.name, self.key());
        let folder = cache::found_or_built(&name, |folder| self.build(folder))?;
        Ok(folder.join(self.name))
    }

    /// Returns a key for the cache. The same files and flags give the same key on each machine.
    fn key(&self) -> String {
        let mut digest = Sha256::new();
        let files = self.files.iter().flat_map(|(name, text)| [*name, *text]);
        for part in files.chain(FLAGS).chain([self.package]) {
            digest.update(part);
            digest.update([0]);
        }
        let digest = digest.finalize();
        digest.iter().take(8).fold(String::new(), |mut key, byte| {
            let _ = write!(key, "{byte:02x}");
            key
        })
    }

    fn build(&self, folder: &Path) -> Result<(), Failure> {
        say!("building {}, once", self.name);
        let source = workshop(folder)?;
        let module = write(&source, self.name, self.files)?;
        compile(&module, self.package, &folder.join(self.name), self.name)?;
        fs::remove_dir_all(&source).map_err(Failure::touch(format!("remove {}", source.display())))
    }
}

/// A Go module in a folder of the test. The test generates some of its files.
#[derive(Debug)]
pub struct OwnModule {
    folder: PathBuf,
}

impl OwnModule {
    /// Creates an empty module in a subfolder of this folder.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn within(folder: &Path) -> Result<Self, Failure> {
        let module = write(&workshop(folder)?, "module", &[])?;
        Ok(Self { folder: module })
    }

    /// Writes a file into the module.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn put(&self, name: &str, text: &str) -> Result<(), Failure> {
        let path = self.folder.join(name);
        let parent = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(parent).map_err(Failure::touch("make a folder"))?;
        fs::write(&path, text).map_err(Failure::touch("write a file of Go"))
    }

    /// Returns the command that runs a tool in the go.mod of the module.
    pub fn tool(&self, name: &str) -> Command {
        let mut command = go(&self.folder);
        command.args(["tool", name]);
        command
    }

    /// Builds the module, and writes the program to this path.
    /// # Errors
    /// Go is missing, a module cannot be downloaded, or the program does not compile.
    pub fn build(&self, program: &Path) -> Result<(), Failure> {
        compile(&self.folder, ".", program, "a program of Go")
    }
}

fn compile(module: &Path, package: &str, program: &Path, called: &str) -> Result<(), Failure> {
    let mut command = go(module);
    command.arg("build").args(FLAGS);
    command.arg("-o").arg(program).arg(package);
    output(command, called).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_key_changes_with_every_file() {
        let key = |files| {
            let (name, package) = ("own", ".");
            let program = OwnProgram {
                name,
                package,
                files,
            };
            program.key()
        };
        let keys = [
            key(&[("go.mod", "module a"), ("main.go", "package main")]),
            key(&[("go.mod", "module b"), ("main.go", "package main")]),
            key(&[("go.mod", "module a"), ("main.go", "package  main")]),
            key(&[("go.mod", "module a"), ("bench.go", "package main")]),
        ];
        for (at, key) in keys.iter().enumerate() {
            assert!(!keys[..at].contains(key), "{at}: {keys:?}");
        }
    }
}
