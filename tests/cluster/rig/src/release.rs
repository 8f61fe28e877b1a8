//! Creates the files of a release, from the programs that cargo has built for each platform. The
//! same programs give the same files, byte by byte.

mod archive;
mod bill;
mod chart;
mod installers;
mod platform;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest as _, Sha256};

pub use self::platform::{PLATFORMS, Platform};
use crate::failure::Failure;
use crate::folder::clear;
use crate::image::{CERTIFICATES, Image, ImageIndex, Program, Start};

/// The file that contains the checksums of all other files.
pub const CHECKSUMS: &str = "SHA256SUMS";

/// The input for a release.
#[derive(Clone, Debug)]
pub struct Release {
    /// The root folder of the repository.
    pub root: PathBuf,
    /// The version, such as 0.2.0.
    pub version: String,
    /// The program for each platform. A program for the platform of this machine is required,
    /// because it writes the man pages and the completions.
    pub programs: Vec<(Platform, PathBuf)>,
    /// The repository of the image, which becomes a default value of the chart.
    pub image: Option<String>,
    /// The URLs in the krew manifest and in the install script. If None, these two files are
    /// omitted.
    pub places: Option<Places>,
}

/// The URLs at which users find a release.
#[derive(Clone, Debug)]
pub struct Places {
    /// The URL of the folder with the files.
    pub downloads: String,
    /// The URL of the project.
    pub homepage: String,
}

/// A file of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleaseFile {
    pub name: String,
    pub content: Vec<u8>,
}

impl ReleaseFile {
    fn new(name: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            content: content.into(),
        }
    }

    /// Returns the SHA-256 digest in the format of `sha256sum`.
    pub fn digest(&self) -> String {
        let digest = Sha256::digest(&self.content);
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl Release {
    /// Returns all files of the release. The last file contains the checksums of the other files.
    /// # Errors
    /// A program or a file of the repository cannot be read, or a program is not what it must be.
    pub fn files(&self) -> Result<Vec<ReleaseFile>, Failure> {
        let version = &self.version;
        let mut files = self.archives()?;
        files.push(ReleaseFile::new(
            format!("portolan-image-{version}.tar"),
            self.images()?.archive(&format!("portolan:{version}")),
        ));
        files.push(self.chart()?);
        files.push(ReleaseFile::new(
            format!("portolan-{version}.cdx.json"),
            bill::of_materials(&self.root)?,
        ));
        if let Some(places) = &self.places {
            files.push(installers::krew(self, places, &files)?);
            files.push(installers::script(self, places)?);
        }
        let sums = files.iter();
        let sums: String = sums
            .map(|file| format!("{}  {}\n", file.digest(), file.name))
            .collect();
        files.push(ReleaseFile::new(CHECKSUMS, sums));
        Ok(files)
    }

    /// Returns the images for all platforms on which containers run.
    /// # Errors
    /// A program cannot be read, or is not static.
    pub fn images(&self) -> Result<ImageIndex, Failure> {
        let mut images = Vec::new();
        for (platform, path) in &self.programs {
            if platform.has_images() {
                let program = Program::fixed(path)?.named("portolan");
                let program = program.with_certificates(Path::new(CERTIFICATES));
                let start = Start {
                    architecture: platform.arch.to_owned(),
                    labels: vec![(
                        "org.opencontainers.image.version".into(),
                        self.version.clone(),
                    )],
                    ..Start::default()
                };
                images.push((platform.arch.to_owned(), program.image(start)?));
            }
        }
        Ok(ImageIndex::of(images))
    }

    /// Returns the chart as an OCI artifact, in the form in which `helm push` pushes it.
    /// # Errors
    /// A file of the chart cannot be read.
    pub fn chart_artifact(&self) -> Result<Image, Failure> {
        chart::artifact(&self.root, self.chart()?.content)
    }

    fn chart(&self) -> Result<ReleaseFile, Failure> {
        let content = chart::package(&self.root, self.image.as_deref())?;
        let name = format!("portolan-{}.tgz", self.version);
        Ok(ReleaseFile::new(name, content))
    }

    /// Returns the name of the archive for a platform, without its file extension.
    fn archive_name(&self, platform: Platform) -> String {
        format!("portolan-{}-{}", self.version, platform.name())
    }

    fn archives(&self) -> Result<Vec<ReleaseFile>, Failure> {
        let pages = self.pages()?;
        let archive = |(platform, path): &(Platform, PathBuf)| {
            let name = self.archive_name(*platform);
            let program = (platform.file_name(), read(path)?);
            let content = archive::of_program(&name, program, &pages, &self.root)?;
            Ok(ReleaseFile::new(format!("{name}.tar.gz"), content))
        };
        self.programs.iter().map(archive).collect()
    }

    /// Returns the man pages and the completions, by their paths in an archive. Runs the program
    /// for the platform of this machine to create them.
    fn pages(&self) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        let own = self.programs.iter();
        let mut own = own.filter(|(platform, _)| platform.is_of_this_machine());
        let Some((_, program)) = own.next() else {
            return Err(Failure::Release {
                why: "the program for the platform of this machine is missing: it writes the man \
                      pages and completions"
                    .to_owned(),
            });
        };
        let folder = crate::image::scratch()?;
        let pages = pages(program, &folder);
        clear(&folder).map_err(Failure::touch("remove a folder"))?;
        pages
    }
}

fn pages(program: &Path, folder: &Path) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    run(Command::new(program).arg("man").arg(folder))?;
    let mut pages = Vec::new();
    let entries = fs::read_dir(folder).map_err(Failure::touch("list the man pages"))?;
    for entry in entries {
        let path = entry.map_err(Failure::touch("list the man pages"))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        pages.push((format!("man/man1/{name}"), read(&path)?));
    }
    pages.sort();
    for (shell, name) in [
        ("bash", "portolan.bash"),
        ("fish", "portolan.fish"),
        ("zsh", "_portolan"),
    ] {
        let script = run(Command::new(program).args(["completion", shell]))?;
        pages.push((format!("completions/{name}"), script));
    }
    Ok(pages)
}

/// Runs a program, and returns its standard output.
fn run(command: &mut Command) -> Result<Vec<u8>, Failure> {
    let act = format!("run {}", command.get_program().to_string_lossy());
    let output = command.output().map_err(Failure::touch(act.clone()))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(Failure::Release {
        why: format!("cannot {act}: {message}"),
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(Failure::touch(format!("read {}", path.display())))
}

fn text(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(Failure::touch(format!("read {}", path.display())))
}

#[cfg(test)]
mod tests;
