//! Tests that a rig removes all its files and processes, no matter how it ends.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use portolan_rig::{Failure, PATIENCE, Seen, until};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::{SUPERVISOR, begin};

/// A rig that belongs to another process. Its folder is in a separate folder for rigs, which no
/// other test cleans.
pub(crate) struct Victim {
    process: Child,
    pub(crate) folder: PathBuf,
}

#[tokio::test]
async fn killed_test_leaves_no_process_and_no_folder() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let root = root()?;
    let mut victim = Victim::start(root.path())?;
    assert!(
        processes(&victim.folder).len() >= 5,
        "a whole control plane"
    );

    kill(victim.process.id());
    let _ = victim.process.wait();

    until_nothing_runs(&victim.folder).await?;
    until("the folder to go", PATIENCE, async || {
        Ok(if victim.folder.exists() {
            Seen::NotYet("it still exists".to_owned())
        } else {
            Seen::Yes(())
        })
    })
    .await
}

#[tokio::test]
async fn killed_supervisor_leaves_no_process() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let root = root()?;
    let mut victim = Victim::start(root.path())?;
    victim.kill_supervisor();

    until_nothing_runs(&victim.folder).await?;
    kill(victim.process.id());
    let _ = victim.process.wait();
    // The folder still exists, until the next rig removes it.
    let next = Victim::start(root.path())?;
    assert!(!victim.folder.exists(), "the next rig sweeps");
    drop(next);
    Ok(())
}

#[tokio::test]
async fn interrupted_rig_exits_cleanly_and_leaves_nothing() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let root = root()?;
    let mut victim = Victim::start(root.path())?;
    signal(victim.process.id(), Signal::INT);
    let status = victim.process.wait();
    let status = status.map_err(Failure::touch("wait for the rig"))?;
    assert!(status.success(), "{status}");
    assert!(processes(&victim.folder).is_empty());
    assert!(!victim.folder.exists());
    Ok(())
}

impl Victim {
    /// Starts `portolan-rig up`. The command prints the path of its kubeconfig when the cluster is
    /// ready.
    fn start(root: &Path) -> Result<Self, Failure> {
        Self::start_with(root, &[])
    }

    /// Starts `portolan-rig up` with these flags.
    pub(crate) fn start_with(root: &Path, flags: &[&str]) -> Result<Self, Failure> {
        let mut process = Command::new(SUPERVISOR)
            .arg("up")
            .args(flags)
            .env("TMPDIR", root)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(Failure::touch("start a rig"))?;
        let out = process.stdout.take().expect("its output is a pipe");
        let mut line = String::new();
        BufReader::new(out)
            .read_line(&mut line)
            .map_err(Failure::touch("hear from the rig"))?;
        let folder = Path::new(line.trim()).parent();
        let folder = folder.expect("a kubeconfig lies in a folder").to_owned();
        assert!(folder.starts_with(root), "{}", folder.display());
        Ok(Self { process, folder })
    }

    pub(crate) fn kill_supervisor(&self) {
        let owner = format!("--for\0{}\0", self.process.id());
        // A wrapper process has the same words in its command line. Both processes are killed.
        let supervisors = commands(|line| line.contains("supervise") && line.ends_with(&owner));
        kill(*supervisors.last().expect("a rig has a supervisor"));
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) fn root() -> Result<TempDir, Failure> {
    tempfile::tempdir().map_err(Failure::touch("create a folder for rigs"))
}

pub(crate) async fn until_nothing_runs(folder: &Path) -> Result<(), Failure> {
    until("every process to go", PATIENCE, async || {
        let left = processes(folder);
        Ok(if left.is_empty() {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{} processes: {left:?}", left.len()))
        })
    })
    .await
}

/// Returns the processes that have this folder in their command line.
fn processes(folder: &Path) -> Vec<u32> {
    let folder = folder.display().to_string();
    commands(|line| line.contains(&folder))
}

/// Returns the processes whose command line satisfies a condition, sorted by ID. The arguments of a
/// command line are terminated by zero bytes.
pub(super) fn commands(is_so: impl Fn(&str) -> bool) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten();
    let mut found: Vec<u32> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            is_so(&String::from_utf8_lossy(&line))
        })
        .collect();
    found.sort_unstable();
    found
}

pub(super) fn kill(pid: u32) {
    signal(pid, Signal::KILL);
}

fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    kill_process(pid.expect("a process id is positive"), signal)
        .expect("a process of this test may be killed");
}
