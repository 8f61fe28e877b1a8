//! `portolan check`: checks a cluster before and after an installation.

use std::time::{Duration, Instant};

use clap::Parser;
use jiff::Timestamp;
use portolan_controller::{Check, CheckPhase, CheckState, ClusterSetup, check};
use portolan_shell::parse_duration;
use portolan_world::Access;
use serde::Serialize;
use tokio::time::sleep;

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::print::{Detail, Format, Page, Render, Span, TEXT_OR_JSON};
use crate::program_name::ProgramName;

/// The time between two checks, if the user specified `--wait`.
const AGAIN: Duration = Duration::from_secs(2);

/// Check whether a cluster can run Portolan, and whether Portolan is running.
///
/// Each failed check and each warning has a remedy. A warning does not change the exit code.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  no check failed; warnings are allowed",
        "1  a check failed; its line contains the remedy";
        "portolan check --pre",
        "portolan check",
        "portolan check --wait 2m",
        "portolan check -o json"
    )
)]
pub(crate) struct CheckArgs {
    /// Rejected: files, which other commands check.
    #[arg(hide = true)]
    files: Vec<String>,

    /// Check whether Portolan can be installed.
    #[arg(long, conflicts_with = "wait")]
    pre: bool,

    /// Repeat the checks until no check fails, but not longer than this time, such as 90s or 2m.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    wait: Option<Duration>,

    /// Output format.
    #[arg(short, long, value_name = "FORM", default_value = "text", value_parser = Format::among(TEXT_OR_JSON))]
    output: Format,

    #[command(flatten)]
    access: Access,
}

/// The results of all checks.
#[derive(Debug, Serialize)]
struct Checked {
    checks: Vec<Check>,
}

// === impl CheckArgs ===

impl CheckArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        if let Some(file) = self.files.first() {
            let program = ProgramName::now();
            let program = program.typed();
            return Err(Failure::usage(format!(
                "`check` checks a cluster; to check files: {program} bundle check {file}, or {program} catalog check {file}"
            )));
        }
        let client = self.access.client().await.map_err(Failure::refused)?;
        let phase = if self.pre {
            CheckPhase::Before
        } else {
            CheckPhase::After
        };
        let began = Instant::now();
        loop {
            let facts = ClusterSetup::read(&client).await;
            let checks = check(&facts, phase, Timestamp::now());
            let checked = Checked { checks };
            let is_over = self.wait.is_none_or(|longest| began.elapsed() >= longest);
            if checked.exit() == Exit::Answered || is_over {
                return self.output.show(&checked);
            }
            sleep(AGAIN).await;
        }
    }
}

impl Render for Checked {
    fn page(&self, _: Detail) -> Page {
        let mut page = Page::default();
        for checks in self.checks.chunk_by(|a, b| a.section == b.section) {
            page.section(checks.first().map_or("", |check| check.section));
            let rows: Vec<_> = checks.iter().flat_map(rows).collect();
            page.rows(&rows);
        }
        page
    }

    fn exit(&self) -> Exit {
        let worst = self.checks.iter().map(|check| check.state).max();
        match worst {
            None | Some(CheckState::Passed | CheckState::Warning) => Exit::Answered,
            Some(CheckState::Unknown) => Exit::Unknown,
            Some(CheckState::Failed) => Exit::No,
        }
    }
}

/// Returns the line with the result of a check, and the lines with its remedy.
fn rows(check: &Check) -> Vec<Vec<Span>> {
    let line = vec![mark(check.state), Span::plain(&check.message)];
    let remedy = check.remedy.lines();
    let remedy = remedy.map(|line| vec![Span::plain(""), Span::plain(format!("Fix: {line}"))]);
    [line].into_iter().chain(remedy).collect()
}

fn mark(state: CheckState) -> Span {
    match state {
        CheckState::Passed => Span::good("ok"),
        CheckState::Warning => Span::warning("warning"),
        CheckState::Unknown => Span::warning("unknown"),
        CheckState::Failed => Span::error("failed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(states: &[CheckState]) -> Checked {
        let check = |state: &CheckState| Check {
            section: "Portolan",
            name: "one".to_owned(),
            state: *state,
            message: "a message".to_owned(),
            remedy: match state {
                CheckState::Passed => String::new(),
                CheckState::Warning | CheckState::Unknown | CheckState::Failed => {
                    "do it".to_owned()
                }
            },
        };
        Checked {
            checks: states.iter().map(check).collect(),
        }
    }

    #[test]
    fn exit_code_matches_the_worst_check() {
        use CheckState::{Failed, Passed, Unknown, Warning};
        assert_eq!(checked(&[Passed, Warning]).exit(), Exit::Answered);
        assert_eq!(checked(&[Unknown, Passed]).exit(), Exit::Unknown);
        assert_eq!(checked(&[Failed, Unknown]).exit(), Exit::No);
    }

    #[test]
    fn remedy_is_below_its_check() {
        let page = checked(&[CheckState::Passed, CheckState::Failed]).page(Detail::Usual);
        let text = anstream::adapter::strip_str(&page.into_text()).to_string();
        let expected = "Portolan\nok       a message\nfailed   a message\n         Fix: do it\n";
        assert_eq!(text, expected);
    }
}
