//! The measured values of approval, as lines of the table.

use super::port::Port;
use super::reviews::Reviews;
use super::subject::Started;
use crate::figure::{begin, figure};
use crate::table::{Better, Row, Table, megabytes, milliseconds, percentile};

/// The maximum delay of an event in seconds. 99 of 100 events must not exceed it.
const LATE: f64 = 0.1;

/// The minimum ratio of two times: the time of a review with one namespace, and with all
/// namespaces. The ratio 0.5 means that the review takes twice as long with all namespaces.
const SHARE: f64 = 0.5;

pub(crate) fn start(port: Port, started: &Started, table: &mut Table) {
    let title = format!(
        "Approval of {} InstallPlans under {} policies in {} namespaces",
        port.all_plans(),
        port.all_policies(),
        port.namespaces
    );
    begin(title, table);
    let time = |time: std::time::Duration| time.as_secs_f64();
    for figure in [
        figure("start to ready", time(started.ready), milliseconds),
        figure(
            "start to all reviewed",
            time(started.reviewed),
            milliseconds,
        ),
        figure(
            "processor time until then",
            time(started.processor_time),
            milliseconds,
        ),
        figure("memory then", started.memory as f64, megabytes),
        figure("peak memory until then", started.peak as f64, megabytes),
    ] {
        figure.report(table);
    }
}

pub(crate) fn reviews(among: &Reviews, alone: &Reviews, table: &mut Table) {
    let title = format!(
        "{} reviews of each kind, one after the other",
        among.plans.len()
    );
    table.comparison(title, "one namespace");
    let kinds = [
        ("a plan", &among.plans, &alone.plans),
        ("a namespace", &among.namespaces, &alone.namespaces),
    ];
    for (what, among, alone) in kinds {
        for (share, name) in [(0.5, "p50"), (0.99, "p99")] {
            table.row(Row {
                what: format!("{what}, {name}"),
                ours: percentile(among, share),
                theirs: percentile(alone, share),
                shown: milliseconds,
                better: Better::Less,
                goal: (name == "p50").then_some(SHARE),
            });
        }
    }
}

pub(crate) fn changes(reported: &[f64], table: &mut Table) {
    let title = format!(
        "{} changes of a policy, until the event of Watch",
        reported.len()
    );
    begin(title, table);
    figure("p50", percentile(reported, 0.5), milliseconds).report(table);
    figure("p99", percentile(reported, 0.99), milliseconds)
        .below(LATE)
        .report(table);
    figure("slowest", percentile(reported, 1.0), milliseconds).report(table);
}
