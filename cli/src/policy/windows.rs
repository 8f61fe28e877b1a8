//! `portolan policy windows`: shows when the windows of Policies open and close.

use clap::Parser;
use jiff::Timestamp;
use portolan_core_rules::schedule::{Window, windows};
use serde::Serialize;

use super::facts::{ConsentArgs, PolicyObjects};
use crate::exit::{self, Exit};
use crate::facts::time;
use crate::failure::Failure;
use crate::print::{Detail, Format, OutputArgs, Page, Remark, Render, Span, Table};

/// List the next time windows of each Policy, and the errors of invalid Policies.
///
/// A window includes its start and excludes its end. Times are in UTC. On some days, daylight
/// saving time skips or repeats the local time at which a window starts or ends. Such a window is
/// marked as `shifted`.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  every Policy is valid",
        "1  a Policy is invalid";
        "portolan policy windows policies.yaml",
        "portolan policy windows policies.yaml --at 2026-03-28T00:00:00Z --count 5",
        "portolan policy windows --world dump -o json"
    )
)]
pub(crate) struct PolicyWindowsArgs {
    /// Time from which windows are listed (RFC 3339). Default: now.
    #[arg(long, value_name = "TIME", value_parser = time)]
    at: Option<Timestamp>,

    /// Number of windows to list for each Policy.
    #[arg(long, value_name = "NUMBER", default_value = "3", value_parser = clap::value_parser!(u16).range(1..=1000))]
    count: u16,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    facts: ConsentArgs,
}

/// The result of the command.
#[derive(Debug, Serialize)]
struct WindowList {
    policies: Vec<PolicyDocument>,
}

/// A Policy, and its windows.
#[derive(Debug, Serialize)]
struct PolicyDocument {
    name: String,
    /// The reason why the Policy is invalid. None if the Policy is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    /// True if the Policy also contains a rule, which must allow the upgrade.
    rule: bool,
    /// The windows in which the Policy allows upgrades. None if the Policy does not depend on the
    /// time.
    #[serde(skip_serializing_if = "Option::is_none")]
    windows: Option<Vec<WindowDocument>>,
}

#[derive(Debug, Serialize)]
struct WindowDocument {
    opens: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    closes: Option<String>,
    shifted: bool,
}

/// One row of the table.
struct WindowRow<'a> {
    policy: &'a str,
    opens: &'a str,
    closes: &'a str,
    note: &'a str,
}

// === impl PolicyWindowsArgs ===

impl PolicyWindowsArgs {
    pub(super) async fn run(self) -> Result<Exit, Failure> {
        let consent = self.facts.read().await?;
        let at = self.at.unwrap_or_else(Timestamp::now);
        let answer = WindowList::of(&consent, at, self.count.into());
        self.output.format.show(&answer)
    }
}

// === impl WindowList ===

impl WindowList {
    fn of(consent: &PolicyObjects, at: Timestamp, count: usize) -> Self {
        let policies = consent.world.policies().iter();
        let policies = policies.map(|(name, policy)| {
            let intent = policy.as_ref().ok();
            let schedules = intent.and_then(|intent| intent.schedules.as_deref());
            PolicyDocument {
                name: name.clone(),
                refused: policy.as_ref().err().cloned(),
                rule: intent.is_some_and(|intent| intent.rule.is_some()),
                windows: schedules.map(|schedules| {
                    let windows = windows(schedules, at).take(count);
                    windows.map(WindowDocument::from).collect()
                }),
            }
        });
        Self {
            policies: policies.collect(),
        }
    }
}

impl Render for WindowList {
    fn page(&self, detail: Detail) -> Page {
        let mut page = Page::default();
        let rows: Vec<_> = self
            .policies
            .iter()
            .flat_map(PolicyDocument::rows)
            .collect();
        if !rows.is_empty() {
            let table = Table::of(&rows, detail)
                .text("POLICY", &|row: &WindowRow<'_>| row.policy)
                .text("OPENS", &|row| row.opens)
                .text("CLOSES", &|row| row.closes)
                .text("NOTE", &|row| row.note);
            page.table(table);
        }
        for policy in &self.policies {
            if let Some(refused) = &policy.refused {
                let name = format!("{}:", policy.name);
                page.line([Span::error(name), Span::plain(refused)]);
            }
        }
        page
    }
    fn names(&self) -> Option<Vec<String>> {
        let policies = self.policies.iter();
        let names = policies.map(|policy| format!("upgradepolicy/{}", policy.name));
        Some(names.collect())
    }

    fn remark(&self, _: Format) -> Option<Remark> {
        let nothing = "No Policies of operators.operatorframework.io found.";
        let is_empty = self.policies.is_empty();
        is_empty.then(|| Remark::Note(nothing.to_owned()))
    }

    fn exit(&self) -> Exit {
        let mut policies = self.policies.iter();
        Exit::no_if(policies.any(|policy| policy.refused.is_some()))
    }
}

// === impl PolicyDocument ===

impl PolicyDocument {
    fn rows(&self) -> Vec<WindowRow<'_>> {
        let row = |opens, closes, note| WindowRow {
            policy: &self.name,
            opens,
            closes,
            note,
        };
        let by_rule = if self.rule { "by a rule" } else { "" };
        match &self.windows {
            _ if self.refused.is_some() => Vec::new(),
            None => vec![row("always", "never", by_rule)],
            Some(windows) if windows.is_empty() => vec![row("never", "", by_rule)],
            Some(windows) => {
                let rows = windows.iter().map(|window| {
                    let closes = window.closes.as_deref().unwrap_or("never");
                    let note = if window.shifted { "shifted" } else { by_rule };
                    row(&window.opens, closes, note)
                });
                rows.collect()
            }
        }
    }
}

impl From<Window> for WindowDocument {
    fn from(window: Window) -> Self {
        let Window {
            opens,
            closes,
            is_shifted,
        } = window;
        Self {
            opens: opens.to_string(),
            closes: closes.map(|closes| closes.to_string()),
            shifted: is_shifted,
        }
    }
}
