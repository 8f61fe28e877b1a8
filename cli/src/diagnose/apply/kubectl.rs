//! Runs kubectl for a user at the terminal.

use std::fs::OpenOptions;
use std::io;
use std::process::Stdio;
use std::time::Duration;

use portolan_core_diagnosis::{KubectlRun, PortolanRun};
use portolan_world::Access;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::walk::Terminal;
use crate::failure::Failure;
use crate::print;

/// Shows steps and runs commands at the terminal of this process.
pub(super) struct KubectlTerminal {
    /// The flags that select the cluster and the user. kubectl and Portolan accept the same flags.
    flags: Vec<String>,
    /// True if the user confirmed all steps in advance with a flag.
    is_confirmed: bool,
}

// === impl KubectlTerminal ===

impl KubectlTerminal {
    pub(super) fn new(access: &Access, is_confirmed: bool) -> Self {
        Self {
            flags: flags(access),
            is_confirmed,
        }
    }

    fn command(&self, run: &KubectlRun) -> Result<Command, Failure> {
        let mut command = Command::new("kubectl");
        command.args(&self.flags).args(&run.arguments);
        if let Some(file) = &run.saved_to {
            // Never overwrites a file: an existing file may be the only copy of an object.
            let saved = OpenOptions::new().write(true).create_new(true).open(file);
            let saved = saved.map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => Failure::usage(format!(
                    "{file} already exists, and would be overwritten; move the file"
                )),
                _ => Failure::failed_to(format!("cannot create {file}"), &error),
            })?;
            command.stdout(saved);
        }
        Ok(command)
    }
}

impl Terminal for KubectlTerminal {
    fn show(&mut self, text: &str) -> Result<(), Failure> {
        print::text(text)
    }

    fn is_confirmed(&mut self) -> Result<bool, Failure> {
        if self.is_confirmed {
            return Ok(true);
        }
        print::note("Run this step? [y/N]");
        let mut answer = String::new();
        let read = io::stdin().read_line(&mut answer);
        read.map_err(|error| Failure::failed_to("cannot read the reply of the user", &error))?;
        Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
    }

    async fn kubectl(&mut self, run: &KubectlRun, input: Option<&str>) -> Result<bool, Failure> {
        let mut command = self.command(run)?;
        command.stdin(input.map_or_else(Stdio::null, |_| Stdio::piped()));
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => Failure::usage(
                "kubectl not found in PATH; install kubectl, or run the commands manually",
            ),
            _ => Failure::failed_to("cannot run kubectl", &error),
        };
        let mut kubectl = command.spawn().map_err(failed)?;
        if let (Some(mut pipe), Some(input)) = (kubectl.stdin.take(), input) {
            // Ignores a failed write: if kubectl exits early, its exit code reports the failure.
            let _ = pipe.write_all(input.as_bytes()).await;
        }
        let status = kubectl.wait().await.map_err(failed)?;
        Ok(status.success())
    }

    async fn portolan(&mut self, run: &PortolanRun) -> Result<bool, Failure> {
        let failed = |error: io::Error| Failure::failed_to("cannot run portolan", &error);
        let program = std::env::current_exe().map_err(failed)?;
        let mut command = Command::new(program);
        command.args(&run.arguments).args(&self.flags);
        let status = command.stdin(Stdio::null()).status();
        Ok(status.await.map_err(failed)?.success())
    }

    async fn pause(&mut self, seconds: u64) {
        tokio::time::sleep(Duration::from_secs(seconds)).await;
    }
}

/// Returns the kubectl flags that select the same cluster and user as the flags of Portolan.
fn flags(access: &Access) -> Vec<String> {
    let Access {
        kubeconfig,
        context,
        user,
        groups,
    } = access;
    let kubeconfig = kubeconfig.iter().map(|path| path.display().to_string());
    let kubeconfig = kubeconfig.map(|path| format!("--kubeconfig={path}"));
    let context = context.iter().map(|name| format!("--context={name}"));
    let user = user.iter().map(|name| format!("--as={name}"));
    let groups = groups.iter().map(|name| format!("--as-group={name}"));
    kubeconfig
        .chain(context)
        .chain(user)
        .chain(groups)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kubectl_uses_the_cluster_and_user_of_the_diagnosis() {
        let access = Access {
            kubeconfig: Some("a/config".into()),
            context: Some("prod".to_owned()),
            user: Some("ann".to_owned()),
            groups: vec!["sre".to_owned()],
        };
        let expected = [
            "--kubeconfig=a/config",
            "--context=prod",
            "--as=ann",
            "--as-group=sre",
        ];
        assert_eq!(flags(&access), expected);
        assert_eq!(flags(&Access::default()), [""; 0]);
    }
}
