//! Creates the layers of an image that contains one program.

use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, io};

use super::{CERTIFICATES, Entry, Image, Start};
use crate::failure::Failure;
use crate::folder::clear;

/// The folder of the program in an image. This folder is in the default PATH of containers.
const FOLDER: &str = "usr/local/bin";

/// A program file from which an image is created.
#[derive(Clone, Debug)]
pub struct Program {
    path: PathBuf,
    /// The name of the program in the image.
    name: String,
    certificates: Option<PathBuf>,
    libraries: Vec<PathBuf>,
    /// The content of the program. None if it is the content of the file.
    content: Option<Vec<u8>>,
}

impl Program {
    /// Creates a program from a static executable file.
    /// # Errors
    /// The program cannot be read, or needs libraries.
    pub fn fixed(path: &Path) -> Result<Self, Failure> {
        if is_dynamic(&read(path)?) {
            return Err(Failure::Dynamic {
                program: path.to_owned(),
            });
        }
        Ok(Self::at(path, Vec::new()))
    }

    /// Creates a program with the libraries of this machine that the program needs.
    /// # Errors
    /// The program or a library cannot be read.
    pub fn with_libraries(path: &Path) -> Result<Self, Failure> {
        let libraries = if is_dynamic(&read(path)?) {
            libraries(path)?
        } else {
            Vec::new()
        };
        Ok(Self::at(path, libraries))
    }

    fn at(path: &Path, libraries: Vec<PathBuf>) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Self {
            path: path.to_owned(),
            name: name.into_owned(),
            certificates: None,
            libraries,
            content: None,
        }
    }

    /// Sets the name of the program in the image.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Removes symbols and debugging information from the program.
    /// # Errors
    /// The command `strip` is missing, or fails.
    pub fn stripped(mut self) -> Result<Self, Failure> {
        let folder = scratch()?;
        let file = folder.join(&self.name);
        let mut command = Command::new("strip");
        command
            .arg("--strip-all")
            .arg("-o")
            .arg(&file)
            .arg(&self.path);
        let output = command.output();
        let output = output.map_err(Failure::touch("run strip, which is part of binutils"))?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Failure::touch("strip the program")(io::Error::other(
                message,
            )));
        }
        self.content = Some(read(&file)?);
        clear(&folder).map_err(Failure::touch("remove a folder"))?;
        Ok(self)
    }

    /// Adds the certificates of public authorities. They are read from this file.
    #[must_use]
    pub fn with_certificates(mut self, file: &Path) -> Self {
        self.certificates = Some(file.to_owned());
        self
    }

    /// Returns the program, in this folder of an image, and its libraries.
    pub(crate) fn files(&self, folder: &str) -> Result<Vec<Entry>, Failure> {
        let mut files = self.library_files()?;
        files.push(self.file(folder)?);
        Ok(files)
    }

    fn library_files(&self) -> Result<Vec<Entry>, Failure> {
        let files = self.libraries.iter().map(|library| {
            let path = library.display().to_string();
            Ok(Entry::file(&path, 0o755, read(library)?))
        });
        files.collect()
    }

    fn file(&self, folder: &str) -> Result<Entry, Failure> {
        let content = self.content.clone().map_or_else(|| read(&self.path), Ok)?;
        let path = format!("{folder}/{}", self.name);
        Ok(Entry::file(&path, 0o755, content))
    }

    /// Returns an image that runs the program. `start` contains its environment and its labels.
    /// # Errors
    /// A file cannot be read.
    pub fn image(&self, mut start: Start) -> Result<Image, Failure> {
        start.program = format!("/{FOLDER}/{}", self.name);
        let mut base = Vec::new();
        if let Some(file) = &self.certificates {
            base.push(Entry::file(CERTIFICATES, 0o644, read(file)?));
        }
        base.extend(self.library_files()?);
        let layers = [base, vec![self.file(FOLDER)?]];
        let layers = layers.into_iter().filter(|layer| !layer.is_empty());
        Ok(Image::of(&layers.collect::<Vec<_>>(), &start))
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(Failure::touch(format!("read {}", path.display())))
}

/// Creates a folder for temporary files. The caller removes it.
pub(crate) fn scratch() -> Result<PathBuf, Failure> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = env::temp_dir().join(format!("portolan-image-{}-{count}", process::id()));
    fs::create_dir_all(&folder).map_err(Failure::touch("create a folder"))?;
    Ok(folder)
}

/// Returns true if a 64-bit ELF file is dynamic: it names an interpreter, which loads its
/// libraries.
fn is_dynamic(elf: &[u8]) -> bool {
    const INTERPRETER: u64 = 3;
    let number = |at: usize, bytes: usize| -> Option<u64> {
        let bytes = elf.get(at..at.checked_add(bytes)?)?;
        let digits = bytes.iter().rev();
        Some(digits.fold(0, |all, byte| all << 8 | u64::from(*byte)))
    };
    let table = || {
        let headers = (number(0x20, 8)?, number(0x36, 2)?, number(0x38, 2)?);
        elf.starts_with(b"\x7fELF").then_some(headers)
    };
    let Some((first, size, count)) = table() else {
        return false;
    };
    (0..count).any(|at| {
        let place = first.saturating_add(at * size);
        usize::try_from(place).is_ok_and(|place| number(place, 4) == Some(INTERPRETER))
    })
}

/// Returns the libraries that the loader of this machine finds for a program, and the loader
/// itself.
fn libraries(program: &Path) -> Result<Vec<PathBuf>, Failure> {
    let listed = Command::new("ldd").arg(program).output();
    let listed = listed.map_err(Failure::touch("list the libraries of a program with ldd"))?;
    let listed = String::from_utf8_lossy(&listed.stdout);
    let paths = listed
        .split_whitespace()
        .filter(|word| word.starts_with('/'));
    let mut paths: Vec<PathBuf> = paths.map(PathBuf::from).collect();
    paths.sort();
    paths.dedup();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dynamic_program_without_its_libraries_is_rejected() -> Result<(), Failure> {
        let own = env::current_exe().map_err(Failure::touch("find this program"))?;
        let rejected = Program::fixed(&own).map_err(|failure| failure.to_string());
        let error = rejected.expect_err("test programs are dynamic");
        assert!(error.contains("+crt-static"), "{error}");
        let program = Program::with_libraries(&own)?;
        let libraries = program.libraries.iter();
        let names: Vec<_> = libraries
            .filter_map(|path| path.file_name()?.to_str())
            .collect();
        assert!(names.contains(&"libc.so.6"), "{names:?}");
        assert!(
            names.iter().any(|name| name.starts_with("ld-linux")),
            "{names:?}"
        );
        Ok(())
    }

    #[test]
    fn two_builds_of_an_image_are_identical() -> Result<(), Failure> {
        let own = env::current_exe().map_err(Failure::touch("find this program"))?;
        let archive = || {
            let program = Program::with_libraries(&own)?;
            let image = program.with_certificates(&own).image(Start::default())?;
            Ok::<_, Failure>(image.archive("ferry:v1"))
        };
        assert!(archive()? == archive()?, "two archives differ");
        Ok(())
    }

    #[test]
    fn files_that_are_no_programs_are_static() {
        assert!(!is_dynamic(b"#!/bin/sh\n"));
        assert!(!is_dynamic(b"\x7fELF"));
        assert!(!is_dynamic(b""));
    }
}
