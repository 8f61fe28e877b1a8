//! The figures of health, as lines of the table.

use super::Extent;
use super::idle::Idle;
use super::rival::Reactions;
use super::storm::Wave;
use super::subject::Started;
use super::turns::Turns;
use crate::table::{Better, Row, Table, bytes, megabytes, milliseconds, percentile};

/// The most memory that it is to need, in bytes.
const MEMORY: f64 = 120e6;

/// How late an event may be, in seconds, in one of a hundred cases.
const LATE: f64 = 0.1;

/// Into how many Deployments it looks at a time.
const LOOKED_INTO: usize = 64;

/// One figure and, where there is one, what it is to stay below.
struct Figure {
    what: &'static str,
    value: f64,
    shown: fn(f64) -> String,
    most: Option<f64>,
}

const fn figure(what: &'static str, value: f64, shown: fn(f64) -> String) -> Figure {
    Figure {
        what,
        value,
        shown,
        most: None,
    }
}

pub(crate) fn start(title: String, started: &Started, table: &mut Table) {
    begin(title, table);
    let time = |time: std::time::Duration| time.as_secs_f64();
    for figure in [
        figure("start to ready", time(started.ready), milliseconds),
        figure("start to all listed", time(started.listed), milliseconds),
        figure("start to all judged", time(started.judged), milliseconds),
        figure(
            "processor time until then",
            time(started.processor_time),
            milliseconds,
        ),
        figure("memory then", started.memory as f64, megabytes).below(MEMORY),
        figure("peak memory until then", started.peak as f64, megabytes).below(MEMORY),
    ] {
        figure.tell(table);
    }
}

pub(crate) fn turns(turns: &Turns, table: &mut Table) {
    let Turns { ours, watcher } = turns;
    begin(
        format!(
            "{} changes of a Deployment, until the event of Watch",
            ours.len()
        ),
        table,
    );
    figure("p50", percentile(ours, 0.5), milliseconds).tell(table);
    figure("p99", percentile(ours, 0.99), milliseconds)
        .below(LATE)
        .tell(table);
    figure("slowest", percentile(ours, 1.0), milliseconds).tell(table);
    table.comparison(
        "The same changes, seen by a plain watcher in this program",
        "watcher",
    );
    for (what, share) in [("p50", 0.5), ("p99", 0.99), ("slowest", 1.0)] {
        table.row(times(
            what,
            percentile(ours, share),
            percentile(watcher, share),
        ));
    }
}

pub(crate) fn rival(reactions: &Reactions, table: &mut Table) {
    let Reactions {
        ours,
        olm,
        deployment,
    } = reactions;
    let title = format!("{} times that Pods crash, until it is told", ours.len());
    table.comparison(title, "OLM");
    for (what, share) in [("p50", 0.5), ("slowest", 1.0)] {
        table.row(times(what, percentile(ours, share), percentile(olm, share)));
    }
    let after = |times: &[f64]| {
        let after = times.iter().zip(deployment).map(|(told, seen)| told - seen);
        // Neither can be told before the Deployment itself but for how threads take turns.
        percentile(&after.collect::<Vec<_>>(), 0.5).max(1e-4)
    };
    table.row(times("p50 after the Deployment", after(ours), after(olm)));
}

pub(crate) fn idle(idle: &Idle, table: &mut Table) {
    begin(
        format!("{} s in which nothing happens", idle.lasting.as_secs()),
        table,
    );
    let time = idle.processor_time.as_secs_f64();
    figure("processor time", time, milliseconds).tell(table);
    figure("requests besides watches", idle.asked.others as f64, count)
        .below(0.0)
        .tell(table);
    figure("watches opened anew", idle.asked.watches as f64, count).tell(table);
    match idle.bytes {
        Some(received) => figure("received", received as f64, bytes).tell(table),
        None => table.line(vec!["received".to_owned(), "not known".to_owned()]),
    }
    figure("memory at its end", idle.memory as f64, megabytes)
        .below(MEMORY)
        .tell(table);
}

pub(crate) fn storm(extent: &Extent, waves: &[(&'static str, Wave)], table: &mut Table) {
    let head = [
        "",
        "until told",
        "watcher",
        "writes",
        "CPU",
        "peak",
        "causes left out",
        "goal",
        "",
    ];
    let title = format!("{} Deployments at once", extent.storm);
    table.section(title, head.map(str::to_owned).to_vec());
    for (what, wave) in waves {
        let time = |time: std::time::Duration| milliseconds(time.as_secs_f64());
        let mut cells = vec![(*what).to_owned()];
        cells.extend([wave.told, wave.seen, wave.written, wave.processor_time].map(time));
        cells.extend([
            megabytes(wave.peak as f64),
            wave.causes_left_out.to_string(),
        ]);
        let verdict = if wave.peak as f64 <= MEMORY {
            "reached"
        } else {
            "MISSED"
        };
        cells.extend([format!("<= {}", megabytes(MEMORY)), verdict.to_owned()]);
        table.line(cells);
    }
    asked(waves, table);
}

fn asked(waves: &[(&'static str, Wave)], table: &mut Table) {
    let mut head = vec![String::new()];
    head.extend(waves.iter().map(|(what, _)| (*what).to_owned()));
    let title = format!("Requests for that, {LOOKED_INTO} Deployments at a time");
    table.section(title, head);
    let mut line = |what: &str, cell: fn(&Wave) -> usize| {
        let mut cells = vec![what.to_owned()];
        cells.extend(waves.iter().map(|(_, wave)| cell(wave).to_string()));
        table.line(cells);
    };
    line("Pods", |wave| wave.asked.of("pods"));
    line("ReplicaSets", |wave| wave.asked.of("replicasets"));
    line("Events", |wave| wave.asked.of("events"));
    line("all", |wave| wave.asked.all());
}

/// What is large beside it, while it runs and when it starts.
pub(crate) fn burden(arriving: u64, settled: u64, table: &mut Table) {
    begin("The same written while it runs".to_owned(), table);
    figure("peak memory meanwhile", arriving as f64, megabytes)
        .below(MEMORY)
        .tell(table);
    figure("memory afterwards", settled as f64, megabytes)
        .below(MEMORY)
        .tell(table);
}

fn begin(title: String, table: &mut Table) {
    let head = ["", "measured", "goal", ""];
    table.section(title, head.map(str::to_owned).to_vec());
}

fn times(what: &str, ours: f64, theirs: f64) -> Row {
    Row {
        what: what.to_owned(),
        ours,
        theirs,
        shown: milliseconds,
        better: Better::Less,
        goal: None,
    }
}

fn count(value: f64) -> String {
    format!("{value:.0}")
}

// === impl Figure ===

impl Figure {
    const fn below(self, most: f64) -> Self {
        Self {
            most: Some(most),
            ..self
        }
    }

    fn tell(self, table: &mut Table) {
        let Self {
            what,
            value,
            shown,
            most,
        } = self;
        let mut cells = vec![what.to_owned(), shown(value)];
        if let Some(most) = most {
            let verdict = if value <= most { "reached" } else { "MISSED" };
            cells.extend([format!("<= {}", shown(most)), verdict.to_owned()]);
        }
        table.line(cells);
    }
}
