//! Finds the changes between two reports about a plan. Each changed object has a row.

use std::collections::BTreeMap;

use jiff::{Timestamp, Unit};
use portolan_api::plan::MemberStatus;

use super::report::{JobReport, ObjectReport, ObjectState, PlanReport};
use super::tree;
use crate::print::{Detail, Span, Table};

/// An object of the plan, with its new state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChangeRow {
    state: Span,
    object: String,
    message: String,
}

/// Returns a row for the plan if its phase or its cause has changed. Also returns a row for each
/// object and each Job whose state has changed.
pub(super) fn changes(before: &PlanReport, now: &PlanReport) -> Vec<ChangeRow> {
    let mut known: BTreeMap<_, _> = rows(before).into_iter().collect();
    let mut changed = Vec::new();
    for (key, row) in rows(now) {
        if known.remove(&key).as_ref() != Some(&row) {
            changed.push(row);
        }
    }
    // These objects are no longer in the report. Objects of stages never disappear, so these
    // objects are outside of the stages.
    changed.extend(known.into_values().map(|row| ChangeRow {
        state: Span::good("Gone"),
        message: String::new(),
        ..row
    }));
    changed
}

/// Returns one line for each row, with a header before the first line.
pub(super) fn table(rows: &[ChangeRow], now: Timestamp) -> Vec<Vec<Span>> {
    let time = now.round(Unit::Second).unwrap_or(now).to_string();
    let table = Table::of(rows, Detail::Whole)
        .column("TIME", &|_| time.as_str().into())
        .column("STATE", &|row| row.state.clone())
        .text("OBJECT", &|row| &row.object)
        .text("MESSAGE", &|row| &row.message);
    table.into_lines()
}

/// The identity of a row in a report. The name of an object is not sufficient, because a plan may
/// refer to the same manifest twice.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum RowKey {
    Plan,
    Object(usize, usize),
    Job(usize, usize),
    Leftover(String),
}

fn rows(plan: &PlanReport) -> Vec<(RowKey, ChangeRow)> {
    let cause = plan.cause().map(ToString::to_string);
    let own = ChangeRow {
        state: tree::phase(plan.phase),
        object: plan.name(),
        message: cause.unwrap_or_default(),
    };
    let stages = plan.stages.iter().enumerate();
    let stages = stages.flat_map(|(at, stage)| {
        let objects = stage.objects.iter().enumerate();
        let objects = objects.map(move |(place, it)| (RowKey::Object(at, place), object(it)));
        let jobs = stage.jobs.iter().enumerate();
        objects.chain(jobs.map(move |(place, it)| (RowKey::Job(at, place), job(it))))
    });
    let left = plan.leftovers.iter();
    let left = left.map(|told| (RowKey::Leftover(told.object.clone()), member(told)));
    let rows = std::iter::once((RowKey::Plan, own));
    rows.chain(stages).chain(left).collect()
}

fn object(object: &ObjectReport) -> ChangeRow {
    match &object.state {
        ObjectState::Told(told) => member(told),
        ObjectState::Ready | ObjectState::Waiting | ObjectState::Unknown => ChangeRow {
            state: tree::object_state(&object.state),
            object: object.name.clone(),
            message: String::new(),
        },
    }
}

fn job(job: &JobReport) -> ChangeRow {
    ChangeRow {
        state: tree::job_state(job.state),
        object: format!("Job {}", job.job.as_ref().unwrap_or(&job.name)),
        message: job.message.clone(),
    }
}

fn member(told: &MemberStatus) -> ChangeRow {
    ChangeRow {
        state: tree::member_state(told.state),
        object: told.object.clone(),
        message: told.message.clone(),
    }
}

#[cfg(test)]
mod tests {
    use portolan_api::plan::InstallPlan;
    use portolan_core_install::Succession;
    use serde_json::{Value, json};

    use super::*;
    use crate::print::Page;

    fn plan(status: Value) -> PlanReport {
        let manifest = |name: &str| {
            json!({"manifest": {
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "harbor"},
            }})
        };
        let stage = json!({"name": "all", "resources": [manifest("a"), manifest("b")]});
        let mut plan: InstallPlan = serde_json::from_value(json!({
            "apiVersion": "plans.portolan.dev/v1alpha1",
            "kind": "InstallPlan",
            "metadata": {"name": "ferry", "namespace": "harbor", "generation": 1},
            "spec": {"serviceAccountName": "installer", "stages": [stage]},
        }))
        .expect("a plan");
        plan.status = serde_json::from_value(status).expect("a status");
        PlanReport::of(&plan, &Succession::default())
    }

    fn render(before: Value, now: Value) -> String {
        let rows = changes(&plan(before), &plan(now));
        let lines = table(&rows, "2026-01-01T06:00:00.7Z".parse().expect("a time"));
        let mut page = Page::default();
        page.rows(&lines);
        anstream::adapter::strip_str(&page.into_text()).to_string()
    }

    fn not_fine(index: u32, object: &str, state: &str, message: &str) -> Value {
        json!({"stage": "all", "index": index, "object": object, "state": state, "message": message})
    }

    #[test]
    fn prints_a_row_for_each_object_with_a_changed_state() {
        let applying = json!({
            "observedGeneration": 1, "phase": "Applying", "stage": {"name": "all", "index": 0},
            "members": [
                not_fine(1, "ConfigMap harbor/b", "NotApplied", "is not applied yet"),
                not_fine(0, "ConfigMap harbor/old", "Remaining", "is still there"),
            ],
        });
        let ready = json!({
            "observedGeneration": 1, "phase": "Ready", "stage": {"name": "all", "index": 0},
        });
        assert_eq!(
            render(applying.clone(), ready),
            "TIME                   STATE   OBJECT                                 MESSAGE\n\
             2026-01-01T06:00:01Z   Ready   installplan.plans.portolan.dev/ferry   -\n\
             2026-01-01T06:00:01Z   Ready   ConfigMap harbor/b                     -\n\
             2026-01-01T06:00:01Z   Gone    ConfigMap harbor/old                   -\n"
        );
        let header = "TIME   STATE   OBJECT   MESSAGE\n";
        assert_eq!(render(applying.clone(), applying), header);
    }
}
