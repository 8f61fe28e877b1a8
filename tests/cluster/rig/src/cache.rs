//! The cache of built programs. Each build has a separate folder in the cache.
//!
//! ```text
//! ${PORTOLAN_CACHE:-${XDG_CACHE_HOME:-~/.cache}/portolan}/
//!   <name>-<key>.lock       held by the running build
//!   <name>-<key>.partial/   a running build, or a killed one; the next build removes it
//!   <name>-<key>/           a finished build
//! ```

use std::env;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::folder::clear;
use crate::say;

const LOCK: &str = "lock";
const PARTIAL: &str = "partial";

/// Returns the folder with this name. If the folder does not exist, `build` writes into an empty
/// folder, which is then renamed.
pub(crate) fn found_or_built(
    name: &str,
    build: impl FnOnce(&Path) -> Result<(), Failure>,
) -> Result<PathBuf, Failure> {
    let cache = cache_folder()?;
    let folder = cache.join(name);
    if folder.is_dir() {
        return Ok(folder);
    }
    fs::create_dir_all(&cache).map_err(touch("create", &cache))?;
    let _lock = lock(&folder.with_extension(LOCK))?;
    if !folder.is_dir() {
        sweep(&cache)?;
        let partial = folder.with_extension(PARTIAL);
        clear(&partial).map_err(touch("remove", &partial))?;
        fs::create_dir_all(&partial).map_err(touch("create", &partial))?;
        build(&partial)?;
        fs::rename(&partial, &folder).map_err(touch("rename", &partial))?;
    }
    Ok(folder)
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

/// Removes the incomplete folders of killed builds. A running build holds a lock, so its folder is
/// kept. This process holds the lock of its own build, see [`found_or_built`].
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

/// Waits until no other process builds the same folder, and returns the lock.
fn lock(path: &Path) -> Result<File, Failure> {
    let file = File::create(path).map_err(touch("create", path))?;
    if file.try_lock().is_err() {
        say!(
            "another process builds {}; waiting for it",
            path.with_extension("").display()
        );
        file.lock().map_err(touch("lock", path))?;
    }
    Ok(file)
}

fn touch(verb: &str, path: &Path) -> impl FnOnce(std::io::Error) -> Failure {
    Failure::touch(format!("{verb} {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_of_a_killed_build_is_removed_and_of_a_running_build_is_kept() -> Result<(), Failure> {
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
}
