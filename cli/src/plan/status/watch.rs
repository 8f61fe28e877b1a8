//! Prints plans again after each change. If the user selected a plan, the watch ends when this plan
//! ends.

use std::time::Duration;

use jiff::Timestamp;
use portolan_api::plan::{InstallPlan, Phase, Reason};
use portolan_world::{Key, Objects, State, View};
use tokio::time::timeout;
use tokio_stream::{Stream, StreamExt as _};

use super::changes::{changes, table};
use super::report::PlanReport;
use super::{PlanList, report_on, tree};
use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::plan::facts::{PlanArgs, Plans};
use crate::print::{self, ChangePrinter, Detail, Format, Page, Widths};

/// The plans to watch.
pub(super) struct WatchParams<'a> {
    /// The name of the selected plan. None for all plans of the namespace.
    pub(super) plan: Option<&'a str>,
    pub(super) namespace: &'a str,
    /// The maximum time to watch. None if there is no limit.
    pub(super) timeout: Option<Duration>,
    pub(super) format: Format,
}

/// A watch of plans.
struct Watch {
    plans: Plans,
    /// The plan that the user selected.
    only: Option<Key>,
    screen: Screen,
    is_lost: bool,
}

/// The output of a watch.
struct Screen {
    format: Format,
    answers: ChangePrinter,
    /// The last printed report. Set if the screen prints only the changes from now on.
    before: Option<PlanReport>,
    widths: Widths,
    has_header: bool,
}

/// The end state of a plan.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Ready,
    /// The plan has failed. Contains the reason.
    Failed(String),
}

/// Prints plans after each change until a signal stops the command. If the user selected a plan,
/// also returns when this plan ends.
pub(super) async fn run(facts: &PlanArgs, asked: WatchParams<'_>) -> Result<Exit, Failure> {
    let WatchParams {
        plan,
        namespace,
        timeout: longest,
        format,
    } = asked;
    format.refuse_unless_streamed("--watch")?;
    let stops = std::pin::pin!(exit::stops()?);
    let (plans, objects) = facts.follow(namespace).await?;
    let only = plan.map(|name| plans.named(name)).transpose()?;
    let only = only.map(|plan| key(plan));
    let mut watch = Watch {
        plans,
        only,
        screen: Screen::of(format),
        is_lost: false,
    };
    let Some(longest) = longest else {
        return watch.follow(objects, stops).await;
    };
    let following = watch.follow(objects, stops);
    match timeout(longest, following).await {
        Ok(ended) => ended,
        Err(_) => {
            print::error(&watch.late(longest));
            Ok(Exit::No)
        }
    }
}

fn key(plan: &InstallPlan) -> Key {
    let [namespace, name] = [&plan.metadata.namespace, &plan.metadata.name]
        .map(|name| name.as_deref().unwrap_or_default());
    Key::new(namespace, name)
}

// === impl Watch ===

impl Watch {
    async fn follow(
        &mut self,
        mut objects: Objects<InstallPlan>,
        mut stops: impl Stream<Item = ()> + Unpin,
    ) -> Result<Exit, Failure> {
        loop {
            if let Some(exit) = self.take(&objects.now())? {
                return Ok(exit);
            }
            tokio::select! {
                biased;
                // The user interrupted the watch before the plan was ready. The exit code differs
                // from that for a ready plan, so that scripts can distinguish the two results.
                _ = stops.next() => return Ok(Exit::no_if(self.only.is_some())),
                changed = objects.changed() => {
                    changed.map_err(|ended| Failure::failed_to("cannot watch InstallPlans", &ended))?;
                }
            }
        }
    }

    /// Prints a view if it differs from the last printed view. Returns the exit code if the command
    /// must end.
    fn take(&mut self, view: &View<InstallPlan>) -> Result<Option<Exit>, Failure> {
        if let Some((trouble, _)) = view.state.trouble() {
            if !trouble.may_pass() {
                return Err(Failure::failed_to("cannot watch InstallPlans", trouble));
            }
            if !std::mem::replace(&mut self.is_lost, true) {
                print::warn(&format!("cannot watch InstallPlans: {trouble}; retrying"));
            }
            return Ok(None);
        }
        if view.state == State::Pending {
            return Ok(None);
        }
        self.is_lost = false;
        self.plans.renew(view);
        match self.only.clone() {
            Some(only) => self.take_one(&only, view),
            None => self.take_all(),
        }
    }

    fn take_all(&mut self) -> Result<Option<Exit>, Failure> {
        let all = self.plans.all.iter();
        let plans = all.map(|(_, plan)| report_on(&self.plans, plan)).collect();
        let is_read = self.screen.show_all(PlanList::watched(plans, false))?;
        Ok((!is_read).then_some(Exit::Answered))
    }

    fn take_one(&mut self, only: &Key, view: &View<InstallPlan>) -> Result<Option<Exit>, Failure> {
        let Some(plan) = view.object(&only.namespace, &only.name) else {
            print::error(&format!("{only} is deleted"));
            return Ok(Some(Exit::No));
        };
        let plan = report_on(&self.plans, plan);
        let end = end(&plan);
        let is_read = self.screen.show_one(plan)?;
        Ok(match end {
            Some(End::Ready) => Some(Exit::Answered),
            Some(End::Failed(why)) => {
                print::error(&format!("{only} has failed: {why}"));
                Some(Exit::No)
            }
            None => (!is_read).then_some(Exit::No),
        })
    }

    /// Returns the message for a watch that has reached its time limit.
    fn late(&self, longest: Duration) -> String {
        let seconds = longest.as_secs_f64();
        let is_meant = |key: &Key| self.only.as_ref() == Some(key);
        let found = self.plans.all.iter().find(|(key, _)| is_meant(key));
        let Some((key, plan)) = found else {
            return format!("the plans were not read within {seconds} s");
        };
        let plan = report_on(&self.plans, plan);
        let why = plan.cause().map_or_else(
            || {
                "the controller has reported no reason; check that the controller runs with --plans"
                    .to_owned()
            },
            ToString::to_string,
        );
        format!("{key} is not ready after {seconds} s: {why}")
    }
}

/// Returns the end state of a plan. Returns None if the plan is still in progress.
fn end(plan: &PlanReport) -> Option<End> {
    if plan.is_fine() {
        return Some(End::Ready);
    }
    if !plan.is_current || plan.is_being_deleted {
        return None;
    }
    let is_over = match plan.phase? {
        Phase::Invalid => true,
        Phase::Failed => !plan.runs_again(),
        Phase::Applying => plan.has_reason(Reason::StageDeadlineExceeded),
        Phase::Ready
        | Phase::Superseded
        | Phase::Pending
        | Phase::Suspended
        | Phase::Applied
        | Phase::Terminating
        | Phase::Unknown => false,
    };
    let why = plan.cause().map(ToString::to_string).unwrap_or_default();
    is_over.then_some(End::Failed(why))
}

// === impl Screen ===

impl Screen {
    fn of(format: Format) -> Self {
        Self {
            answers: ChangePrinter::of(format),
            format,
            before: None,
            widths: Widths::default(),
            has_header: false,
        }
    }

    /// Prints the table of all plans. Returns false if the output is closed.
    fn show_all(&mut self, plans: PlanList) -> Result<bool, Failure> {
        self.answers.show(&plans)
    }

    /// Prints the whole plan. If the user requests all details, later calls print only one row for
    /// each change. Returns false if the output is closed.
    fn show_one(&mut self, plan: PlanReport) -> Result<bool, Failure> {
        if self.format.detail() != Some(Detail::Whole) {
            return self.answers.show(&PlanList::watched(vec![plan], true));
        }
        let page = match &self.before {
            None => {
                let mut page = Page::default();
                tree::draw(&mut page, &plan, Detail::Whole);
                page
            }
            Some(before) => {
                let lines = table(&changes(before, &plan), Timestamp::now());
                let mut page = Page::default();
                if let [_, _, ..] = lines.as_slice() {
                    let header = usize::from(std::mem::replace(&mut self.has_header, true));
                    self.widths.rows(&mut page, &lines[header..]);
                }
                page
            }
        };
        self.before = Some(plan);
        print::page(page)
    }
}

#[cfg(test)]
mod tests {
    use portolan_core_install::Succession;
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    fn plan(status: Value) -> PlanReport {
        let stage = json!({"name": "all", "resources": [], "jobs": [{"name": "migrate", "retries": 1, "template": {}}]});
        let mut plan: InstallPlan = serde_json::from_value(json!({
            "apiVersion": "plans.portolan.dev/v1alpha1",
            "kind": "InstallPlan",
            "metadata": {"name": "ferry", "namespace": "harbor", "generation": 2},
            "spec": {"serviceAccountName": "installer", "stages": [stage]},
        }))
        .expect("a plan");
        plan.status = serde_json::from_value(status).expect("a status");
        PlanReport::of(&plan, &Succession::default())
    }

    fn applied(reason: &str, phase: &str) -> Value {
        json!({
            "observedGeneration": 2,
            "phase": phase,
            "conditions": [{
                "type": "Applied",
                "status": "False",
                "reason": reason,
                "message": "because",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }],
        })
    }

    fn job(failures: u32) -> Value {
        let mut status = applied("JobFailed", "Failed");
        status["jobs"] = json!([{
            "stage": "all", "name": "migrate", "run": failures, "failures": failures, "job": "ferry-1-x",
            "state": "Failed", "message": "exit code 1",
        }]);
        status
    }

    #[rstest]
    #[case::ready(json!({"observedGeneration": 2, "phase": "Ready"}), Some(End::Ready))]
    #[case::replaced(json!({"observedGeneration": 2, "phase": "Superseded"}), Some(End::Ready))]
    #[case::ready_before_its_last_change(json!({"observedGeneration": 1, "phase": "Ready"}), None)]
    #[case::without_a_status(json!({}), None)]
    #[case::applying(applied("Applying", "Applying"), None)]
    #[case::colliding(applied("ObjectNotOwned", "Pending"), None)]
    #[case::invalid(
        applied("SpecInvalid", "Invalid"),
        Some(End::Failed("Applied=False (SpecInvalid): because".to_owned()))
    )]
    #[case::stuck(
        applied("StageDeadlineExceeded", "Applying"),
        Some(End::Failed("Applied=False (StageDeadlineExceeded): because".to_owned()))
    )]
    #[case::job_that_runs_again(job(1), None)]
    #[case::job_without_retries(
        job(2),
        Some(End::Failed("Applied=False (JobFailed): because".to_owned()))
    )]
    fn ends_when_plan_is_ready_or_has_failed(#[case] status: Value, #[case] expected: Option<End>) {
        assert_eq!(end(&plan(status)), expected);
    }
}
