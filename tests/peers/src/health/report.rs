//! The measured values of health, as lines of the table.

use super::Extent;
use super::rival::Reactions;
use super::storm::Wave;
use super::subject::Started;
use super::turns::Turns;
use crate::figure::{begin, figure};
use crate::table::{Better, Row, Table, megabytes, milliseconds, percentile};

/// The maximum memory of the process, in bytes.
pub(crate) const MEMORY: f64 = 120e6;

/// The maximum delay of an event in seconds. 99 of 100 events must not exceed it.
const LATE: f64 = 0.1;

/// The maximum number of Deployments whose Pods the process watches at the same time.
const LOOKED_INTO: usize = 64;

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
        figure.report(table);
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
    figure("p50", percentile(ours, 0.5), milliseconds).report(table);
    figure("p99", percentile(ours, 0.99), milliseconds)
        .below(LATE)
        .report(table);
    figure("slowest", percentile(ours, 1.0), milliseconds).report(table);
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
    let title = format!("{} crashes of Pods, until they are reported", ours.len());
    table.comparison(title, "OLM");
    for (what, share) in [("p50", 0.5), ("slowest", 1.0)] {
        table.row(times(what, percentile(ours, share), percentile(olm, share)));
    }
    let after = |times: &[f64]| {
        let after = times
            .iter()
            .zip(deployment)
            .map(|(reported, seen)| reported - seen);
        // The Deployment changes before OLM and our service can report it. An earlier report is
        // only an effect of thread scheduling.
        percentile(&after.collect::<Vec<_>>(), 0.5).max(1e-4)
    };
    table.row(times("p50 after the Deployment", after(ours), after(olm)));
}

pub(crate) fn storm(extent: &Extent, waves: &[(&'static str, Wave)], table: &mut Table) {
    let head = [
        "",
        "until reported",
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
        cells.extend([wave.reported, wave.seen, wave.written, wave.processor_time].map(time));
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

/// Prints the memory of the process while large objects are written, and afterwards.
pub(crate) fn burden(arriving: u64, settled: u64, table: &mut Table) {
    begin("The same written while it runs".to_owned(), table);
    figure("peak memory meanwhile", arriving as f64, megabytes)
        .below(MEMORY)
        .report(table);
    figure("memory afterwards", settled as f64, megabytes)
        .below(MEMORY)
        .report(table);
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
