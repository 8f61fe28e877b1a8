//! Simulates a user who runs the built program, and runs the commands that it prints.

use std::path::{Path, PathBuf};
use std::process::Command;

use portolan_rig::{Failure, World};

use crate::program::{output, portolan};

/// A user at a terminal, with the permissions of a cluster administrator.
pub(crate) struct User {
    portolan: PathBuf,
    kubeconfig: PathBuf,
    /// The folder that contains `kubectl`.
    binaries: PathBuf,
    namespace: String,
}

/// The output of a program as JSON and as text, and its exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Printed {
    pub(crate) text: String,
    pub(crate) code: Option<i32>,
}

// === impl User ===

impl User {
    pub(crate) async fn of(world: &World) -> Result<Self, Failure> {
        let cluster = world.cluster();
        Ok(Self {
            portolan: portolan().await?,
            kubeconfig: cluster.kubeconfig(),
            binaries: cluster.binaries().folder().to_owned(),
            namespace: world.namespace().to_owned(),
        })
    }

    /// Runs `portolan diagnose` with the cluster, or with a folder if the arguments name one.
    pub(crate) async fn diagnose(&self, words: &[String]) -> Result<Printed, Failure> {
        let mut command = Command::new(&self.portolan);
        command.arg("diagnose").args(words);
        let (printed, message) = self.run(command).await?;
        // Exit code 3 is also an answer: no controller writes the status of policies in this
        // cluster, so their state is unknown.
        let is_answer = matches!(printed.code, Some(0 | 1 | 3));
        assert!(is_answer, "diagnose {words:?}: {message}");
        Ok(printed)
    }

    /// Runs another command of the program, and returns its output. Does not check the exit code,
    /// because some commands answer with it.
    pub(super) async fn portolan(&self, words: &[&str]) -> Result<String, Failure> {
        println!("diagnose: {}: $ portolan {words:?}", self.namespace);
        let mut command = Command::new(&self.portolan);
        command.args(words);
        let (printed, message) = self.run(command).await?;
        println!("{}{message}", printed.text);
        assert_ne!(printed.code, Some(2), "{words:?}: {message}");
        Ok(printed.text)
    }

    /// Runs a script in a shell, like a user who pastes it. `$NS` is the namespace of the test.
    pub(crate) async fn types(&self, text: &str) -> Result<(), Failure> {
        println!("diagnose: {}: $ {text}", self.namespace);
        let mut command = Command::new("sh");
        command.args(["-e", "-c", text]);
        let (printed, message) = self.run(command).await?;
        assert_eq!(printed.code, Some(0), "{text}: {message}");
        println!("{}", printed.text);
        Ok(())
    }

    async fn run(&self, mut command: Command) -> Result<(Printed, String), Failure> {
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .env("PATH", format!("{}:{path}", self.binaries.display()))
            .env("KUBECONFIG", &self.kubeconfig)
            .env("NS", &self.namespace)
            .env_remove("PORTOLAN_SERVER")
            .current_dir(Path::new(env!("CARGO_TARGET_TMPDIR")));
        let output = output(command).await?;
        let printed = Printed {
            text: String::from_utf8_lossy(&output.stdout).into_owned(),
            code: output.status.code(),
        };
        Ok((
            printed,
            String::from_utf8_lossy(&output.stderr).into_owned(),
        ))
    }
}

// === impl Printed ===

impl Printed {
    /// Returns the lines below the heading of an operator.
    pub(crate) fn block(&self, heading: &str) -> Vec<&str> {
        let lines = self.text.lines();
        let block = lines.skip_while(|line| !line.starts_with(heading));
        block.take_while(|line| !line.is_empty()).collect()
    }
}

/// The labels above commands that change objects.
const CHANGES: [&str; 3] = ["Fix", "Decide", "Or"];
/// The beginnings of lines that follow the commands of a change.
const NOTES: [&str; 3] = ["      Deletes: ", "      Keeps: ", "      Risk: "];

/// Returns the commands of the first change of the root cause.
pub(super) fn first_fix(block: &[&str]) -> Option<String> {
    fix(block, "")
}

/// Returns the commands of a change of the root cause. The sentence of the change begins with
/// `sentence`.
pub(crate) fn fix(block: &[&str], sentence: &str) -> Option<String> {
    let mut changes = CHANGES.into_iter();
    changes.find_map(|label| commands(block, label, sentence).into_iter().next())
}

/// Returns the commands of the root cause for a later time. Their sentence begins with `sentence`.
pub(super) fn later(block: &[&str], sentence: &str) -> Option<String> {
    commands(block, "Later", sentence).into_iter().next()
}

/// Returns the read-only commands of the root cause.
pub(super) fn looks(block: &[&str]) -> Vec<String> {
    commands(block, "Look", "")
}

/// Returns the commands below each sentence with this label that begins with `sentence`. Ignores
/// commands of causes below the root, which have more indentation.
fn commands(block: &[&str], label: &str, sentence: &str) -> Vec<String> {
    let begins = format!("    {label}: {sentence}");
    let is_command = |line: &&&str| {
        let is_note = NOTES.iter().any(|note| line.starts_with(note));
        line.starts_with("      ") && !is_note
    };
    let found = block.iter().enumerate();
    let found = found.filter(|(_, line)| line.starts_with(&begins));
    let commands = found.map(|(at, _)| {
        let lines = block[at + 1..].iter().take_while(is_command);
        lines.copied().collect::<Vec<_>>().join("\n")
    });
    commands.collect()
}
