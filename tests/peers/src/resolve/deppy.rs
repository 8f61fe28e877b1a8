//! Runs deppy in a process that solves problems one after the other.

use std::process::Stdio;
use std::time::Duration;

use portolan_rig::OwnProgram;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::problem::Problem;
use crate::failure::Failure;

const GO_MOD: &str = include_str!("../../go/deppy/go.mod");

const BENCH: OwnProgram = OwnProgram {
    name: "deppy-bench",
    package: ".",
    files: &[
        ("go.mod", GO_MOD),
        ("go.sum", include_str!("../../go/deppy/go.sum")),
        ("main.go", include_str!("../../go/deppy/main.go")),
    ],
};

const MODULE: &str = "github.com/operator-framework/deppy ";

/// The process of deppy. Dropping this value ends the process.
#[derive(Debug)]
pub(crate) struct Deppy {
    child: Child,
    problems: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

/// The result of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Solved {
    pub(crate) took: Duration,
    pub(crate) is_granted: bool,
}

/// Returns the version of deppy.
pub(crate) fn version() -> &'static str {
    let mut pins = GO_MOD
        .split_whitespace()
        .skip_while(|word| *word != MODULE.trim_end());
    pins.nth(1).unwrap_or("of unknown version")
}

// === impl Deppy ===

impl Deppy {
    pub(crate) fn start() -> Result<Self, Failure> {
        let mut command = Command::from(BENCH.command()?);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().map_err(touch("start"))?;
        let ends = child.stdin.take().zip(child.stdout.take());
        let (problems, answers) = ends.ok_or_else(|| ended("has no pipes"))?;
        Ok(Self {
            child,
            problems,
            answers: BufReader::new(answers).lines(),
        })
    }

    /// Solves a problem. Returns `None` after the timeout. The process is then killed and cannot be
    /// used again.
    pub(crate) async fn solve(
        &mut self,
        problem: &Problem<'_>,
        patience: Duration,
    ) -> Result<Option<Solved>, Failure> {
        let text = serde_json::to_vec(problem).map_err(|error| Failure::Write(error.into()))?;
        self.problems.write_all(&text).await.map_err(touch("ask"))?;
        self.problems.flush().await.map_err(touch("ask"))?;
        let Ok(answer) = tokio::time::timeout(patience, self.answers.next_line()).await else {
            self.child.kill().await.map_err(touch("kill"))?;
            return Ok(None);
        };
        let answer = answer.map_err(touch("hear"))?;
        let answer = answer.ok_or_else(|| ended("ended before it answered"))?;
        read(&answer).map(Some)
    }
}

/// Parses a result: `NANOSECONDS SELECTED` or `NANOSECONDS unsat`.
fn read(answer: &str) -> Result<Solved, Failure> {
    let words = answer.split_once(' ');
    let solved = words.and_then(|(nanoseconds, selected)| {
        Some(Solved {
            took: Duration::from_nanos(nanoseconds.parse().ok()?),
            is_granted: selected != "unsat",
        })
    });
    solved.ok_or_else(|| ended(&format!("answered {answer:?}")))
}

fn touch(verb: &str) -> impl FnOnce(std::io::Error) -> Failure {
    let act = format!("{verb} deppy-bench");
    move |source| Failure::Touch { act, source }
}

fn ended(what: &str) -> Failure {
    Failure::Expect(format!("deppy-bench {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_pinned_version_of_deppy() {
        assert_eq!(version(), "v0.3.0");
    }

    #[test]
    fn parses_answers_of_deppy() {
        let solved = |is_granted| Solved {
            took: Duration::from_micros(1),
            is_granted,
        };
        assert_eq!(read("1000 12").unwrap(), solved(true));
        assert_eq!(read("1000 unsat").unwrap(), solved(false));
        assert!(read("unsat").is_err());
    }
}
