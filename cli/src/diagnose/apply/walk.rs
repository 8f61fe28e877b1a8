//! Runs the steps of a fix in order, each after a dry run and a confirmation.

use portolan_core_diagnosis::{KubectlRun, PortolanRun};

use crate::failure::Failure;

/// A step of a fix, ready to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FixStep {
    pub(super) comment: String,
    /// The command as the user would type it in a shell.
    pub(super) text: String,
    pub(super) run: StepRun,
}

/// The action that a step runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StepRun {
    Kubectl {
        run: KubectlRun,
        /// The standard input of kubectl, such as a manifest.
        input: Option<String>,
    },
    /// Run this program.
    Portolan(PortolanRun),
    /// Wait for the number of seconds.
    Pause(u64),
}

/// The reason why a walk ended. Contains the number of the step, which starts at 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Done,
    /// The user declined this step.
    Declined(usize),
    /// The API server rejected the dry run of this step.
    Refused(usize),
    /// This step failed.
    Failed(usize),
}

/// The terminal of the user, and the programs that it runs.
pub(super) trait Terminal {
    /// Shows a text.
    fn show(&mut self, text: &str) -> Result<(), Failure>;

    /// Asks the user to confirm the step that was shown last.
    fn is_confirmed(&mut self) -> Result<bool, Failure>;

    /// Runs kubectl. Returns true if it succeeds.
    async fn kubectl(&mut self, run: &KubectlRun, input: Option<&str>) -> Result<bool, Failure>;

    /// Runs this program. Returns true if it succeeds.
    async fn portolan(&mut self, run: &PortolanRun) -> Result<bool, Failure>;

    /// Waits for this number of seconds.
    async fn pause(&mut self, seconds: u64);
}

/// Runs the steps in order. Shows each step, makes a server-side dry run if possible, and asks the
/// user for a confirmation. Stops at the first step that is rejected, declined or failed.
pub(super) async fn walk(
    steps: &[FixStep],
    terminal: &mut impl Terminal,
) -> Result<Ended, Failure> {
    for (number, step) in (1..).zip(steps) {
        let FixStep { comment, text, run } = step;
        terminal.show(&format!(
            "\nStep {number} of {}: {comment}\n$ {text}\n",
            steps.len()
        ))?;
        if !is_accepted(run, terminal).await? {
            return Ok(Ended::Refused(number));
        }
        if !terminal.is_confirmed()? {
            return Ok(Ended::Declined(number));
        }
        if !is_done(run, terminal).await? {
            return Ok(Ended::Failed(number));
        }
    }
    Ok(Ended::Done)
}

/// Returns false if the API server rejects the dry run of a step.
async fn is_accepted(run: &StepRun, terminal: &mut impl Terminal) -> Result<bool, Failure> {
    match run {
        StepRun::Kubectl { run, input } => match run.dry_run() {
            Some(run) => terminal.kubectl(&run, input.as_deref()).await,
            None => Ok(true),
        },
        StepRun::Portolan(run) => match run.dry_run() {
            Some(run) => terminal.portolan(&run).await,
            None => Ok(true),
        },
        StepRun::Pause(_) => Ok(true),
    }
}

async fn is_done(run: &StepRun, terminal: &mut impl Terminal) -> Result<bool, Failure> {
    match run {
        StepRun::Kubectl { run, input } => terminal.kubectl(run, input.as_deref()).await,
        StepRun::Portolan(run) => terminal.portolan(run).await,
        StepRun::Pause(seconds) => {
            terminal.pause(*seconds).await;
            Ok(true)
        }
    }
}

// === impl Ended ===

impl Ended {
    /// Returns the message that the command prints last.
    pub(super) fn message(self, steps: usize) -> String {
        let stopped = |number: usize, why: &str| match number - 1 {
            0 => format!("{why}. Nothing was changed."),
            done => format!("{why}. Steps 1 to {done} of {steps} are done."),
        };
        match self {
            Self::Done => {
                "All steps are done. Run the command without --apply to check the result."
                    .to_owned()
            }
            Self::Declined(number) => stopped(number, &format!("Stopped before step {number}")),
            Self::Refused(number) => {
                stopped(number, &format!("The API server rejected step {number}"))
            }
            Self::Failed(number) => stopped(number, &format!("Step {number} failed")),
        }
    }
}
