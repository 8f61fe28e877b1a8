//! A folder that gets its final name only when it is complete.

use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;

/// A folder that is written under a temporary name, and is removed if it stays incomplete.
pub(super) struct Unfinished {
    path: PathBuf,
    to: PathBuf,
}

/// The reasons why the temporary folder cannot be created.
#[derive(Debug, Error)]
pub(super) enum BeginFolder {
    /// The folder is not empty. The program overwrites no files.
    #[error("folder {} is not empty; use a new folder", .0.display())]
    Taken(PathBuf),
    /// The folder is empty, but cannot be replaced by the complete folder.
    #[error("folder {} cannot be replaced; write the dump to a subfolder", path.display())]
    Fixed { path: PathBuf, source: io::Error },
    /// The temporary folder already exists. A killed process has left it, or another process is
    /// writing to it.
    #[error("temporary folder {} already exists; delete the folder, unless another process is writing to it", .0.display())]
    Left(PathBuf),
    /// The path has no last component, so the folder has no name.
    #[error("{} is not the name of a folder; use a path such as ./dump", .0.display())]
    Nameless(PathBuf),
    /// The operating system refuses to create the folder.
    #[error("cannot create {}", path.display())]
    Make { path: PathBuf, source: io::Error },
}

/// The complete folder cannot be moved to its final path.
#[derive(Debug, Error)]
#[error("cannot rename {} to {}", from.display(), to.display())]
pub(super) struct FinishFolder {
    from: PathBuf,
    to: PathBuf,
    source: io::Error,
}

// === impl Unfinished ===

impl Unfinished {
    /// Creates the empty temporary folder.
    pub(super) fn begin(to: &Path) -> Result<Self, BeginFolder> {
        let Some(name) = to.file_name() else {
            return Err(BeginFolder::Nameless(to.to_owned()));
        };
        match fs::read_dir(to).map(Iterator::count) {
            // This removal fails for a symbolic link or a mount point. The final rename could not
            // replace such a folder, so the command stops now.
            Ok(0) => fs::remove_dir(to).map_err(|source| {
                let path = to.to_owned();
                BeginFolder::Fixed { path, source }
            })?,
            Ok(_) => return Err(BeginFolder::Taken(to.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) if to.exists() => return Err(BeginFolder::Taken(to.to_owned())),
            Err(source) => {
                let path = to.to_owned();
                return Err(BeginFolder::Make { path, source });
            }
        }
        let mut part = name.to_owned();
        part.push(".part");
        let path = to.with_file_name(part);
        match fs::create_dir(&path) {
            Ok(()) => Ok(Self {
                path,
                to: to.to_owned(),
            }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(BeginFolder::Left(path))
            }
            Err(source) => Err(BeginFolder::Make { path, source }),
        }
    }

    /// Returns the path of the temporary folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Moves the complete folder to its final path.
    pub(super) fn finish(self) -> Result<(), FinishFolder> {
        fs::rename(&self.path, &self.to).map_err(|source| FinishFolder {
            from: self.path.clone(),
            to: self.to.clone(),
            source,
        })
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // After `finish`, the folder has its final name and no longer exists here, so an error is
        // ignored.
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use portolan_kit::TempFolder;

    use super::*;

    #[test]
    fn folder_appears_only_when_it_is_complete() {
        let top = TempFolder::empty();
        let to = top.join("dump");
        for _ in 0..2 {
            let unfinished = Unfinished::begin(&to).expect("a folder");
            fs::write(unfinished.path().join("a"), "a").expect("a file");
            assert!(!to.join("a").exists());
            unfinished.finish().expect("a complete folder");
            assert_eq!(fs::read(to.join("a")).expect("a file"), b"a");
            fs::remove_file(to.join("a")).expect("an empty folder, which may be replaced");
        }
        assert!(!top.join("dump.part").exists());
    }

    #[test]
    fn removes_unfinished_folder() {
        let top = TempFolder::empty();
        let to = top.join("dump");
        let unfinished = Unfinished::begin(&to).expect("a folder");
        fs::write(unfinished.path().join("a"), "a").expect("a file");
        let second = Unfinished::begin(&to)
            .err()
            .expect("another dump is being written");
        assert!(
            second.to_string().contains("dump.part already exists"),
            "{second}"
        );
        drop(unfinished);
        assert_eq!(fs::read_dir(&*top).expect("a folder").count(), 0);
    }

    #[test]
    fn rejects_existing_files_and_folders() {
        let top = TempFolder::empty();
        let file = top.join("file");
        fs::write(&file, "a").expect("a file");
        for taken in [&*top, file.as_path()] {
            let error = Unfinished::begin(taken)
                .err()
                .expect("the place is occupied");
            assert!(
                error
                    .to_string()
                    .ends_with("is not empty; use a new folder"),
                "{error}"
            );
        }
        let error = Unfinished::begin(&top.join("no/dump"))
            .err()
            .expect("no parent");
        assert!(error.to_string().starts_with("cannot create "), "{error}");
        assert!(Unfinished::begin(Path::new("..")).is_err());

        let (link, empty) = (top.join("link"), TempFolder::empty());
        std::os::unix::fs::symlink(&*empty, &link).expect("a link");
        let error = Unfinished::begin(&link).err().expect("a link stays");
        assert!(
            error.to_string().ends_with("write the dump to a subfolder"),
            "{error}"
        );
    }
}
