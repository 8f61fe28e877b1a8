//! Evaluates untrusted rules in a separate process with limited memory and time.
//!
//! The number of evaluation steps is always limited, but a single step may need much time or
//! memory. Therefore the program starts itself as a worker for each evaluation, and sends the input
//! on standard input. It kills the worker if the worker exceeds a limit. Therefore a rule cannot
//! affect other callers. In the worst case, the upgrade is denied.

use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;

use jiff::Timestamp;
use portolan_core_approval::consent::in_process;
use portolan_core_rules::rego::{Rule, Ruling};
use portolan_shell::platform::{self, ProcessLimits};
use serde_json::{Value, json};

/// The first command line argument of a worker process.
pub const COMMAND: &str = "evaluate-rule";

/// The maximum memory of a worker, in bytes. Half of it is reserved for the stack and is usually
/// unused. This process and all concurrent workers must fit into the memory limit of the container.
/// If a container exceeds its limit, the kernel kills all processes of the container.
const MEMORY: u64 = 512 * 1024 * 1024;
/// The maximum CPU time of a worker, in seconds.
const SECONDS: u64 = 2;

/// The program that is run as a worker.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Registers the program that is started as a worker. The program must handle [`COMMAND`] before
/// its other arguments.
pub fn offer(program: PathBuf) {
    // Repeated calls set the same value, so the error is ignored.
    let _ = PROGRAM.set(program);
}

/// Evaluates a rule. If a worker program is registered, evaluates the rule in a separate process.
/// Otherwise, evaluates the rule in this thread.
///
/// # Errors
/// Returns an error if there is no result within the limits.
pub fn judge(rule: &Rule, input: &Value, at: Timestamp) -> Result<Ruling, String> {
    match PROGRAM.get() {
        Some(program) => beside(program, rule, input, at),
        None => in_process(rule, input, at),
    }
}

fn beside(program: &Path, rule: &Rule, input: &Value, at: Timestamp) -> Result<Ruling, String> {
    let question = json!({"rule": rule.as_str(), "input": input, "at": at.to_string()});
    let answer = run(program, &question.to_string());
    let answer = answer.map_err(|error| format!("cannot be evaluated: {error}"))?;
    let answer = answer.ok_or("uses more memory or time than a rule may use")?;
    let flag = |name: &str| answer[name].as_bool();
    match (flag("allows"), flag("asksForTime")) {
        (Some(allows), Some(asks_for_time)) => Ok(Ruling {
            allows,
            asks_for_time,
        }),
        _ => Err(answer["why"].as_str().unwrap_or("has no answer").to_owned()),
    }
}

/// Runs the worker and returns its response. Returns None if the worker was killed or has failed.
fn run(program: &Path, question: &str) -> io::Result<Option<Value>> {
    let mut worker = Command::new(program)
        .arg(COMMAND)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut input) = worker.stdin.take() {
        input.write_all(question.as_bytes())?;
    }
    let output = worker.wait_with_output()?;
    let answer = serde_json::from_slice(&output.stdout).ok();
    Ok(answer.filter(|_| output.status.success()))
}

/// Runs as a worker: evaluates one rule and exits. Accesses only standard input and output.
pub fn serve() -> ExitCode {
    match limited().and_then(|()| answered()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn limited() -> io::Result<()> {
    platform::limit_process(ProcessLimits {
        memory: MEMORY,
        cpu_seconds: SECONDS,
    })
}

fn answered() -> io::Result<()> {
    let mut question = String::new();
    io::stdin().read_to_string(&mut question)?;
    let question: Value = serde_json::from_str(&question)?;
    let answer = match evaluated(&question) {
        Ok(Ruling {
            allows,
            asks_for_time,
        }) => json!({"allows": allows, "asksForTime": asks_for_time}),
        Err(why) => json!({"why": why}),
    };
    io::stdout().write_all(answer.to_string().as_bytes())
}

fn evaluated(question: &Value) -> Result<Ruling, String> {
    let text = |name: &str| question[name].as_str().unwrap_or_default();
    let rule = Rule::parse(text("rule")).map_err(|fault| fault.to_string())?;
    let at = text("at").parse();
    let at: Timestamp = at.map_err(|_| "is evaluated without a time".to_owned())?;
    in_process(&rule, &question["input"], at)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::judges::TOGETHER;

    /// The memory of this process with a thousand policies, plus some reserve.
    const OWN: u64 = 192 * 1024 * 1024;

    #[test]
    fn workers_fit_into_the_memory_limit_of_the_deployment() {
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../deploy/base/approval/deployment.yaml"
        );
        let text = fs::read_to_string(file).expect("the manifest");
        let (_, limits) = text.split_once("limits:").expect("limits");
        let (_, memory) = limits.split_once("memory: ").expect("a limit of memory");
        let (mebibytes, _) = memory.split_once("Mi").expect("mebibytes");
        let limit: u64 = mebibytes.parse().expect("a number");
        assert!(TOGETHER as u64 * MEMORY + OWN <= limit * 1024 * 1024);
    }
}
