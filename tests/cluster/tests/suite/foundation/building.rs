//! Tests builds of the control plane that fail or are interrupted, and the files that they leave.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use portolan_rig::{Failure, PATIENCE, Seen, until};

use super::leftovers::{commands, kill, until_nothing_runs};
use crate::SUPERVISOR;

/// A fake `go` that prints a version. Its builds never end.
const SLOW: &str = "#!/bin/sh\n[ \"$1\" = build ] || exit 0\nexec tail -f \"$0\"\n";
/// A fake `go` that downloads two modules. Its builds fail.
const BROKEN: &str = "#!/bin/sh
[ \"$1\" = build ] || exit 0
echo go: downloading example.test/a v1.0.0 >&2
echo go: downloading example.test/b v1.0.0 >&2
exit 1
";

#[test]
fn missing_go_is_reported_with_a_remedy() -> Result<(), Failure> {
    let cache = tempfile::tempdir().map_err(Failure::touch("create a cache folder"))?;
    let build = Command::new(SUPERVISOR)
        .arg("build")
        .env("PATH", cache.path())
        .env("PORTOLAN_CACHE", cache.path())
        .output()
        .map_err(Failure::touch("run the rig"))?;
    let message = String::from_utf8_lossy(&build.stderr);
    assert!(!build.status.success(), "{message}");
    let last = message.lines().last().unwrap_or_default();
    assert!(last.contains("install Go 1.26"), "{message}");
    assert!(last.contains("PORTOLAN_SKIP_CLUSTER=1"), "{message}");
    Ok(())
}

#[tokio::test]
async fn killed_build_stops_and_next_build_removes_its_folder() -> Result<(), Failure> {
    let cache = tempfile::tempdir().map_err(Failure::touch("create a cache folder"))?;
    let cache = cache.path();
    let mut build = build_with(SLOW, cache)?
        .spawn()
        .map_err(Failure::touch("run the rig"))?;
    let of_this_cache = cache.display().to_string();
    let is_slow_go = |line: &str| line.starts_with("tail\0") && line.contains(&of_this_cache);
    let half = until("a build under way", PATIENCE, async || {
        Ok(match half_built(cache) {
            Some(half) if !commands(is_slow_go).is_empty() => Seen::Yes(half),
            half => Seen::NotYet(format!("{half:?}")),
        })
    })
    .await?;
    let left = half.join("left");
    fs::write(&left, "").map_err(Failure::touch("leave something"))?;

    kill(build.id());
    let _ = build.wait();

    until_nothing_runs(cache).await?;
    assert!(left.exists(), "no process is left to remove the folder");
    let mut next = build_with(BROKEN, cache)?;
    let next = next.status().map_err(Failure::touch("run the rig"))?;
    assert!(!next.success());
    assert!(!left.exists(), "the next build must remove the folder");
    Ok(())
}

#[test]
fn only_the_first_download_is_reported() -> Result<(), Failure> {
    let cache = tempfile::tempdir().map_err(Failure::touch("create a cache folder"))?;
    let mut build = build_with(BROKEN, cache.path())?;
    let build = build.stderr(Stdio::piped()).output();
    let build = build.map_err(Failure::touch("run the rig"))?;
    let message = String::from_utf8_lossy(&build.stderr);
    assert_eq!(message.matches("downloading").count(), 1, "{message}");
    Ok(())
}

/// Returns the command `portolan-rig build` with this cache and this `go`.
fn build_with(go: &str, cache: &Path) -> Result<Command, Failure> {
    // A separate process writes the file. While a process has the file open for writing, the file
    // cannot be executed. If this process wrote it, a child of another thread could inherit the
    // open file.
    let written = Command::new("sh")
        .args(["-c", r#"printf %s "$0" > "$1" && chmod +x "$1""#, go])
        .arg(cache.join("go"))
        .status();
    assert!(written.map_err(Failure::touch("run sh"))?.success());
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = [cache.to_owned()]
        .into_iter()
        .chain(env::split_paths(&path));
    let path = env::join_paths(folders).map_err(Failure::read("PATH"))?;
    let mut build = Command::new(SUPERVISOR);
    build
        .arg("build")
        .env("PATH", path)
        .env("PORTOLAN_CACHE", cache);
    build.stdout(Stdio::null()).stderr(Stdio::null());
    Ok(build)
}

fn half_built(cache: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(cache).into_iter().flatten();
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|end| end == "partial"))
}
