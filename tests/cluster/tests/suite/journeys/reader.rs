//! The reader of a tutorial: a shell in an empty folder. PATH contains `portolan` and kubectl.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use portolan_kit::TempFolder;
use portolan_kit::blocks::{self, matches};
use portolan_rig::{Cluster, Failure};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use super::masks::masked;
use crate::program::{output, portolan};

/// The maximum time for which a command that only reads is repeated, until its output equals the
/// page.
const PATIENCE: Duration = Duration::from_secs(60);
/// The same time if the test writes the page. It is short, because the expected output is not
/// known.
const BRIEF: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(300);

/// The commands of `portolan` that only read. A reader can repeat these commands.
const READS: [&str; 10] = [
    "diagnose",
    "explain",
    "generate",
    "health",
    "installed",
    "packages",
    "plan status",
    "resolve",
    "review",
    "upgrades",
];

pub(crate) struct Reader {
    folder: TempFolder,
    programs: TempFolder,
    path: String,
    environment: Vec<(String, String)>,
    /// The commands that end in ` &`, with their processes and their output. They must run until
    /// the page ends.
    background: Vec<(String, Child, TempFolder)>,
}

impl Reader {
    /// Returns a reader who is the administrator of a cluster.
    pub(crate) async fn of(cluster: &Cluster) -> Result<Self, Failure> {
        Self::with_users(cluster, &[]).await
    }

    /// Returns a reader with a kubeconfig of the administrator. The kubeconfig also has a context
    /// for each of these users.
    pub(super) async fn with_users(cluster: &Cluster, users: &[&str]) -> Result<Self, Failure> {
        let (folder, programs) = (TempFolder::empty(), TempFolder::empty());
        let built = portolan().await?;
        for name in ["portolan", "kubectl-operator"] {
            link(&built, &programs.join(name))?;
        }
        let kubectl = cluster.binaries().folder().join("kubectl");
        link(&kubectl, &programs.join("kubectl"))?;
        let others = std::env::var("PATH").unwrap_or_default();
        let kubeconfig = programs.join("kubeconfig");
        let merged = merged_kubeconfig(cluster, users)?.to_string();
        fs::write(&kubeconfig, merged).map_err(Failure::touch("write a kubeconfig"))?;
        Ok(Self {
            path: format!("{}:{others}", programs.display()),
            environment: vec![
                ("KUBECONFIG".to_owned(), kubeconfig.display().to_string()),
                ("HOME".to_owned(), programs.display().to_string()),
            ],
            folder,
            programs,
            background: Vec::new(),
        })
    }

    /// Adds another program to PATH.
    pub(super) fn has(self, program: &Path, name: &str) -> Result<Self, Failure> {
        link(program, &self.programs.join(name))?;
        Ok(self)
    }

    /// Sets an environment variable that the section "Before you start" requires.
    pub(crate) fn exports(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn saves(&self, name: &str, lines: &[&str]) -> Result<(), Failure> {
        let path = self.folder.join(name);
        let folder = path.parent().unwrap_or(&path);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, lines.join("\n") + "\n"))
            .map_err(Failure::touch("save a file"))
    }

    /// Runs a command. Returns its output if the output differs from the page.
    pub(super) async fn types(
        &mut self,
        command: &blocks::Command,
    ) -> Result<Option<String>, Failure> {
        if let Some(typed) = command.typed.strip_suffix(" &") {
            let started = self.starts(typed)?;
            self.background.push(started);
            return Ok(None);
        }
        let patience = if is_rewriting() { BRIEF } else { PATIENCE };
        let is_read = only_reads(&command.typed);
        let shown: Vec<_> = command.shown.iter().map(|line| masked(line)).collect();
        let begun = Instant::now();
        loop {
            let printed = self.prints(&command.typed).await?;
            self.assert_background_runs()?;
            let lines: Vec<_> = printed.lines().map(masked).collect();
            if matches(&lines, &shown) {
                return Ok(None);
            }
            if !is_read || begun.elapsed() > patience {
                return Ok(Some(printed));
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Returns standard output and standard error of a command, in the order in which they were
    /// written.
    async fn prints(&self, typed: &str) -> Result<String, Failure> {
        let output = output(self.bash(&format!("exec 2>&1\n{typed}"))).await?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Starts a command in the background. Replaces the ports of `portolan up` with free ports,
    /// because several tests run at the same time.
    fn starts(&self, typed: &str) -> Result<(String, Child, TempFolder), Failure> {
        let ports = "--listen=127.0.0.1:0 --probes-listen=127.0.0.1:0";
        let ports = if typed.starts_with("portolan up ") {
            ports
        } else {
            ""
        };
        let log = TempFolder::empty();
        let file = File::create(log.join("output")).map_err(Failure::touch("create a file"))?;
        let twin = file.try_clone().map_err(Failure::touch("share a file"))?;
        let mut command = self.bash(&format!("exec {typed} {ports}"));
        command.process_group(0).stdin(Stdio::null());
        command.stdout(file).stderr(twin);
        let child = command.spawn().map_err(Failure::touch("run a command"))?;
        Ok((typed.to_owned(), child, log))
    }

    fn assert_background_runs(&mut self) -> Result<(), Failure> {
        for (typed, child, log) in &mut self.background {
            let ended = child.try_wait().map_err(Failure::touch("wait"))?;
            let output = fs::read_to_string(log.join("output")).unwrap_or_default();
            assert_eq!(ended, None, "`{typed}` has ended:\n{output}");
        }
        Ok(())
    }

    fn bash(&self, typed: &str) -> Command {
        let mut command = Command::new("bash");
        command
            .args(["-c", typed])
            .env("PATH", &self.path)
            .env_remove("PORTOLAN_SERVER")
            .env_remove("PORTOLAN_WORLD")
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(&*self.folder);
        command
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        for (_, child, _) in &mut self.background {
            // Ignores an error: the process may have exited.
            let _ = kill_process_group(Pid::from_child(child), Signal::TERM);
            let _ = child.wait();
        }
    }
}

/// Returns true if the test writes the pages instead of comparing them.
pub(super) fn is_rewriting() -> bool {
    std::env::var_os("PORTOLAN_WRITE_PAGES").is_some_and(|value| value == "1")
}

/// Returns true if the command can be repeated.
fn only_reads(typed: &str) -> bool {
    if let Some(words) = typed.strip_prefix("portolan ") {
        return READS.iter().any(|read| words.starts_with(read));
    }
    typed.starts_with("kubectl ") && typed.contains(" get ") && !typed.contains("$(")
}

fn link(program: &Path, place: &Path) -> Result<(), Failure> {
    symlink(program, place).map_err(Failure::touch("link a program"))
}

/// Returns a kubeconfig with a context for each user. The first context is that of the
/// administrator.
fn merged_kubeconfig(cluster: &Cluster, users: &[&str]) -> Result<Value, Failure> {
    let mut files: Vec<(&str, PathBuf)> = vec![("demo", cluster.kubeconfig())];
    for user in users {
        files.push((user, cluster.admit(user, None)?));
    }
    let (mut clusters, mut known, mut contexts) = (Value::Null, Vec::new(), Vec::new());
    for (context, file) in files {
        let text = fs::read_to_string(file).map_err(Failure::touch("read a kubeconfig"))?;
        let mut one: Value = serde_json::from_str(&text).map_err(Failure::read("a kubeconfig"))?;
        clusters = one["clusters"].take();
        let user = one["users"][0].take();
        contexts.push(json!({
            "name": context, "context": {"cluster": "rig", "user": user["name"]},
        }));
        known.push(user);
    }
    Ok(json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "demo",
        "clusters": clusters, "users": known, "contexts": contexts,
    }))
}
