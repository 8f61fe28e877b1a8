//! The measured values of policies, as lines of the table.

use std::time::Duration;

use super::rounds::Run;
use crate::figure::{begin, count, figure};
use crate::table::{Table, megabytes, milliseconds, percentile};

const MIB: f64 = 1024.0 * 1024.0;

/// The maximum memory of all processes together, in bytes.
const MEMORY: f64 = 150e6;

/// The number of policies for which the maximum memory is defined.
const MANY: usize = 1_000;

/// A measured value, and the recorded value of the established controller.
struct Beside {
    what: &'static str,
    ours: fn(&Run) -> f64,
    recorded: f64,
    shown: fn(f64) -> String,
    goal: Goal,
}

/// The goal for a measured value.
#[derive(Clone, Copy)]
enum Goal {
    None,
    /// The measured value must be lower than the recorded value by this factor.
    Times(f64),
    /// The measured value must not exceed this limit.
    Most(f64),
}

/// The values of the established controller. They were recorded with 200 policies on two shared
/// cores, and several runs had similar results. This program does not measure them.
const RECORDED: [Beside; 14] = [
    beside("until all are Compliant", settled, 53.0, milliseconds).times(10.0),
    beside("calls until then", calls, 3_808.0, count).times(6.0),
    beside("statuses written until then", statuses, 200.0, count),
    beside("idle, requests", questions, 0.0, count).most(0.0),
    beside("idle, writes", idle_writes, 0.0, count).most(0.0),
    beside("100 edits, calls", edit_calls, 200.0, count),
    beside("100 edits, writes", edit_writes, 100.0, count).most(0.0),
    beside(
        "NonCompliant, p50",
        |run| percentile(&run.flips.fall, 0.5),
        0.024,
        milliseconds,
    )
    .times(1.0),
    beside(
        "NonCompliant, p95",
        |run| percentile(&run.flips.fall, 0.95),
        0.034,
        milliseconds,
    )
    .times(1.0),
    beside(
        "Compliant again, p50",
        |run| percentile(&run.flips.rise, 0.5),
        0.022,
        milliseconds,
    )
    .times(1.0),
    beside(
        "Compliant again, p95",
        |run| percentile(&run.flips.rise, 0.95),
        0.041,
        milliseconds,
    )
    .times(1.0),
    beside("calls until NonCompliant", fall_calls, 3.0, tenths),
    beside("open watches", watches, 1_600.0, count),
    beside(
        "memory",
        |run| run.after.all() as f64,
        170.0 * MIB,
        megabytes,
    )
    .times(2.0),
];

/// A value without a recorded value: its name, its expected growth, and a function that returns the
/// value.
type OtherFigure = (&'static str, &'static str, fn(&Run) -> String);

/// The values without recorded values.
const OTHERS: [OtherFigure; 11] = [
    ("processor time until Compliant", "linear", |run| {
        time(run.settled.processor_time)
    }),
    ("writes until Compliant", "linear", |run| {
        run.settled.asked.writes.to_string()
    }),
    ("calls until Compliant again", "flat", |run| {
        tenths(rise_calls(run))
    }),
    ("idle, processor time", "", |run| {
        time(run.rest.processor_time)
    }),
    ("idle, Lease renewals", "flat", |run| {
        run.rest.asked.leases.to_string()
    }),
    ("idle, watches opened anew", "", |run| {
        run.rest.asked.watches.to_string()
    }),
    ("memory, before policies", "linear", |run| {
        megabytes(run.before.all() as f64)
    }),
    ("memory, controller", "linear", |run| {
        megabytes(run.after.controller as f64)
    }),
    ("memory, resolver", "linear", |run| {
        megabytes(run.after.resolver as f64)
    }),
    ("memory, health", "linear", |run| {
        megabytes(run.after.health as f64)
    }),
    ("memory, approval", "linear", |run| {
        megabytes(run.after.approval as f64)
    }),
];

/// Prints the measured values next to the recorded values.
pub(crate) fn recorded(run: &Run, table: &mut Table) {
    let title = format!(
        "{} policies; the established controller as recorded with 200",
        run.policies
    );
    let head = ["", "ours", "recorded", "ratio", "goal", ""];
    table.section(title, head.map(str::to_owned).to_vec());
    RECORDED.iter().for_each(|beside| beside.report(run, table));
}

/// Compares the values for different numbers of policies, and prints the other values.
pub(crate) fn growth(runs: &[Run], table: &mut Table) {
    let mut head = vec![String::new()];
    head.extend(runs.iter().map(|run| run.policies.to_string()));
    head.push("wanted".to_owned());
    table.section("By the number of policies", head);
    let mut line = |what: &str, wanted: &str, cell: &dyn Fn(&Run) -> String| {
        let mut cells = vec![what.to_owned()];
        cells.extend(runs.iter().map(cell));
        cells.push(wanted.to_owned());
        table.line(cells);
    };
    for beside in &RECORDED {
        line(beside.what, wanted(beside.what), &|run| {
            (beside.shown)((beside.ours)(run))
        });
    }
    for (what, wanted, cell) in OTHERS {
        line(what, wanted, &cell);
    }
    many(runs, table);
}

fn many(runs: &[Run], table: &mut Table) {
    for run in runs.iter().filter(|run| run.policies == MANY) {
        begin(format!("{MANY} policies"), table);
        figure("memory of all", run.after.all() as f64, megabytes)
            .below(MEMORY)
            .report(table);
    }
}

fn wanted(what: &str) -> &'static str {
    match what {
        "until all are Compliant"
        | "calls until then"
        | "statuses written until then"
        | "memory" => "linear",
        _ => "flat",
    }
}

fn settled(run: &Run) -> f64 {
    run.settled.time.as_secs_f64()
}

fn calls(run: &Run) -> f64 {
    run.settled.asked.calls as f64
}

fn statuses(run: &Run) -> f64 {
    run.settled.asked.statuses as f64
}

fn questions(run: &Run) -> f64 {
    run.rest.asked.questions as f64
}

fn idle_writes(run: &Run) -> f64 {
    run.rest.asked.writes as f64
}

fn edit_calls(run: &Run) -> f64 {
    run.edited.calls as f64
}

fn edit_writes(run: &Run) -> f64 {
    run.edited.writes as f64
}

fn fall_calls(run: &Run) -> f64 {
    run.flips.fallen.calls as f64 / run.flips.fall.len() as f64
}

fn rise_calls(run: &Run) -> f64 {
    run.flips.risen.calls as f64 / run.flips.rise.len() as f64
}

fn watches(run: &Run) -> f64 {
    run.watches as f64
}

fn time(time: Duration) -> String {
    milliseconds(time.as_secs_f64())
}

fn tenths(value: f64) -> String {
    format!("{value:.1}")
}

const fn beside(
    what: &'static str,
    ours: fn(&Run) -> f64,
    recorded: f64,
    shown: fn(f64) -> String,
) -> Beside {
    Beside {
        what,
        ours,
        recorded,
        shown,
        goal: Goal::None,
    }
}

// === impl Beside ===

impl Beside {
    const fn times(self, times: f64) -> Self {
        let goal = Goal::Times(times);
        Self { goal, ..self }
    }

    const fn most(self, most: f64) -> Self {
        let goal = Goal::Most(most);
        Self { goal, ..self }
    }

    fn report(&self, run: &Run, table: &mut Table) {
        let ours = (self.ours)(run);
        let ratio = self.recorded / ours;
        let ratio = if ratio.is_finite() {
            format!("{ratio:.2}x")
        } else {
            "-".to_owned()
        };
        let (goal, is_reached) = match self.goal {
            Goal::None => (String::new(), None),
            Goal::Times(times) => (format!(">= {times}x"), Some(ours * times <= self.recorded)),
            Goal::Most(most) => (format!("<= {}", (self.shown)(most)), Some(ours <= most)),
        };
        let verdict = is_reached.map(|is_reached| if is_reached { "reached" } else { "MISSED" });
        table.line(vec![
            self.what.to_owned(),
            (self.shown)(ours),
            (self.shown)(self.recorded),
            ratio,
            goal,
            verdict.unwrap_or_default().to_owned(),
        ]);
    }
}
