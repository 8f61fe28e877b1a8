//! `portolan plan status`: shows the progress of plans, and the problems that block them.

mod changes;
mod report;
mod tree;
mod watch;

use std::time::Duration;

use clap::Parser;
use portolan_shell::parse_duration;
use serde::Serialize;

use self::report::PlanReport;
use super::facts::{PlanArgs, Plans};
use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::print::{Detail, Format, OutputArgs, Page, Remark, Render, words};
use crate::scope::{NamespaceArgs, WatchArgs};

/// Show the status of InstallPlans: a table of all plans, or a tree of one plan.
///
/// The tree shows the problems of one plan: conditions with their messages, the current stage, each
/// object that is not ready, and the previous and next plans.
///
/// With -o wide, the tree shows all objects of the plan. -o json prints one object with the list
/// `plans`.
///
/// With --watch, the status is printed again whenever the status changes. With NAME, the command
/// ends when the plan is ready, inactive, failed or deleted, or after --timeout. With -o wide, each
/// later change is a row with the time, the new state and the object.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  every selected plan is ready, or is inactive because another plan has replaced it",
        "1  a plan is not ready; with --watch NAME: the plan failed, was deleted, or is not ready in time";
        "portolan plan status -A",
        "portolan plan status ferry-7087355c -n harbor",
        "portolan plan status ferry-7087355c -n harbor -o wide",
        "portolan plan status ferry-7087355c -n harbor --watch --timeout 10m",
        "portolan plan status -o json",
        "portolan plan status --world ./plans.yaml"
    )
)]
pub(crate) struct PlanStatusArgs {
    /// Plan to show. Default: list all plans.
    #[arg(value_name = "NAME")]
    plan: Option<String>,

    #[command(flatten)]
    whose: NamespaceArgs,

    #[command(flatten)]
    watched: WatchArgs,

    /// Timeout of --watch, such as 90s or 10m. Default: unlimited.
    #[arg(long, value_name = "DURATION", requires_all = ["watch", "plan"], value_parser = parse_duration)]
    timeout: Option<Duration>,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    facts: PlanArgs,
}

/// The complete result of the command.
#[derive(Debug, Serialize)]
struct PlanList {
    plans: Vec<PlanReport>,
    /// True if the user named a plan.
    #[serde(skip)]
    is_one: bool,
    #[serde(skip)]
    namespace: String,
}

// === impl PlanStatusArgs ===

impl PlanStatusArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        if self.watched.watch {
            let asked = watch::WatchParams {
                plan: self.plan.as_deref(),
                namespace: &self.whose.namespace,
                timeout: self.timeout,
                format: self.output.format,
            };
            return watch::run(&self.facts, asked).await;
        }
        let plans = self.facts.read(&self.whose.namespace).await?;
        let reports = match &self.plan {
            Some(name) => vec![report_on(&plans, plans.named(name)?)],
            None => plans
                .all
                .iter()
                .map(|(_, plan)| report_on(&plans, plan))
                .collect(),
        };
        self.output.format.show(&PlanList {
            plans: reports,
            is_one: self.plan.is_some(),
            namespace: self.whose.namespace,
        })
    }
}

fn report_on(plans: &Plans, plan: &portolan_api::plan::InstallPlan) -> PlanReport {
    PlanReport::of(plan, &plans.succession(plan))
}

// === impl PlanList ===

impl PlanList {
    /// Returns the plans in the form that a watch compares, and prints again after each change.
    fn watched(plans: Vec<PlanReport>, is_one: bool) -> Self {
        Self {
            plans,
            is_one,
            namespace: String::new(),
        }
    }
}

impl Render for PlanList {
    fn page(&self, detail: Detail) -> Page {
        let mut page = Page::default();
        match self.plans.as_slice() {
            [plan] if self.is_one => tree::draw(&mut page, plan, detail),
            [] => {}
            plans => tree::table(&mut page, plans, detail),
        }
        page
    }

    fn names(&self) -> Option<Vec<String>> {
        Some(self.plans.iter().map(PlanReport::name).collect())
    }

    fn remark(&self, _: Format) -> Option<Remark> {
        let place = words::within(&self.namespace);
        let nothing = format!("No InstallPlans of plans.portolan.dev found{place}.");
        self.plans.is_empty().then_some(Remark::Note(nothing))
    }

    fn exit(&self) -> Exit {
        Exit::no_if(self.plans.iter().any(|plan| !plan.is_fine()))
    }
}
