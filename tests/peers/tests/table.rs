//! Runs a quick measurement, and checks that the table contains all lines. Does not check times,
//! because they depend on the machine.

use std::process::Command;

use portolan_kit::assert_same;
use portolan_rig::is_left_out;

const PEERS: &str = env!("CARGO_BIN_EXE_portolan-peers");

/// Returns the first column of each line in each section, and the number of values in the line.
fn lines(table: &str) -> Vec<(String, usize)> {
    let lines = table.lines().filter(|line| line.starts_with("  "));
    let named = lines.filter(|line| !line.starts_with("   "));
    named
        .map(|line| {
            let line = line.trim();
            let (name, figures) = line.split_once("  ").unwrap_or((line, ""));
            let figures = figures.split("  ").filter(|figure| !figure.is_empty());
            (name.to_owned(), figures.count())
        })
        .collect()
}

/// Returns the output of a quick run of the program.
fn table(flags: &[&str]) -> String {
    let mut command = Command::new(PEERS);
    command.arg("--quick").args(flags);
    let output = command.output().expect("the program must start");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!table.contains("NaN") && !table.contains("inf"), "{table}");
    table
}

fn expect(table: &str, expected: &[(&str, usize)]) {
    let expected = expected.iter();
    let expected: Vec<_> = expected
        .map(|(name, figures)| ((*name).to_owned(), *figures))
        .collect();
    assert_same!(lines(table), expected);
}

#[test]
fn every_line_about_bundles_has_its_figures() {
    if is_left_out() {
        return;
    }
    let table = table(&["--only=bundles"]);
    let figures = [("the whole command", 3), ("peak memory", 3)];
    expect(&table, &[figures, figures, figures].concat());
}

#[test]
fn every_line_about_the_servers_has_its_figures() {
    if is_left_out() {
        return;
    }
    let table = table(&["--only=startup,calls,growth"]);
    let startup = [
        ("time, opm cold", 5),
        ("processor time, opm cold", 3),
        ("peak memory, opm cold", 5),
        ("time, opm cached", 5),
        ("processor time, opm cached", 3),
        ("peak memory, opm cached", 5),
    ];
    let calls = [
        ("calls a second", 5),
        ("p99", 5),
        ("median", 3),
        ("processor time a call", 3),
        ("mean answer", 3),
        ("peak memory", 5),
    ];
    let batch = [("answers a second", 5), ("processor time an answer", 3)];
    let growth = [
        ("catalog", 4),
        ("load time", 4),
        ("load time, ratio", 5),
        ("memory", 4),
        ("memory, ratio", 5),
        ("a query", 4),
        ("a query, ratio", 5),
    ];
    let expected = [&startup[..], &startup, &calls, &batch, &growth].concat();
    expect(&table, &expected);
}

#[test]
#[ignore = "builds a Go program of its own"]
fn every_line_about_the_solvers_has_its_figures() {
    let table = table(&["--only=resolve"]);
    let any = [
        ("50 bundles, 2 wishes, p50", 5),
        ("50 bundles, 2 wishes, p99", 5),
        ("100 bundles, 2 wishes, p50", 5),
        ("100 bundles, 2 wishes, p99", 5),
        ("50 bundles, 2 wishes", 4),
        ("100 bundles, 2 wishes", 4),
    ];
    let ranges = [
        ("400 bundles, 2 wishes, p50", 5),
        ("400 bundles, 2 wishes, p99", 5),
        ("400 bundles, 2 wishes", 4),
    ];
    let growth = [("bundles", 2), ("ours", 2), ("deppy", 2)];
    let alone = [("p50", 2), ("p99", 1)];
    let hard = [("ours", 2), ("deppy", 2)];
    expect(
        &table,
        &[&any[..], &ranges, &growth, &alone, &hard].concat(),
    );
}

#[test]
#[ignore = "soak: a bench on clusters"]
fn every_line_about_health_has_its_figures() {
    if is_left_out() {
        return;
    }
    let table = table(&["--only=health"]);
    let start = [
        ("start to ready", 1),
        ("start to all listed", 1),
        ("start to all judged", 1),
        ("processor time until then", 1),
        ("memory then", 3),
        ("peak memory until then", 3),
    ];
    let turns = [("p50", 1), ("p99", 3), ("slowest", 1)];
    let watcher = [("p50", 3), ("p99", 3), ("slowest", 3)];
    let idle = [
        ("processor time", 1),
        ("requests besides watches", 3),
        ("watches opened anew", 1),
        ("received", 1),
        ("memory at its end", 3),
    ];
    let storm = [("fail", 8), ("recover", 8)];
    let asked = [("Pods", 2), ("ReplicaSets", 2), ("Events", 2), ("all", 2)];
    let burden = [("peak memory meanwhile", 3), ("memory afterwards", 3)];
    let olm = [("p50", 3), ("slowest", 3), ("p50 after the Deployment", 3)];
    let expected = [
        &start[..],
        &turns,
        &watcher,
        &idle,
        &storm,
        &asked,
        &start,
        &burden,
        &olm,
    ];
    expect(&table, &expected.concat());
}

#[test]
#[ignore = "soak: a bench on clusters"]
fn every_line_about_approval_has_its_figures() {
    if is_left_out() {
        return;
    }
    let table = table(&["--only=approval"]);
    let start = [
        ("start to ready", 1),
        ("start to all reviewed", 1),
        ("processor time until then", 1),
        ("memory then", 1),
        ("peak memory until then", 1),
    ];
    let reviews = [
        ("a plan, p50", 5),
        ("a plan, p99", 3),
        ("a namespace, p50", 5),
        ("a namespace, p99", 3),
    ];
    let changes = [("p50", 1), ("p99", 3), ("slowest", 1)];
    let idle = [
        ("processor time", 1),
        ("requests besides watches", 3),
        ("watches opened anew", 1),
        ("received", 1),
        ("memory at its end", 1),
    ];
    expect(&table, &[&start[..], &reviews, &changes, &idle].concat());
}

#[test]
fn every_line_about_diagnoses_has_its_figures() {
    let table = table(&["--only=diagnose"]);
    let whole = [
        ("the dump", 1),
        ("files", 1),
        ("the whole command", 3),
        ("peak memory", 1),
    ];
    let alone = [("all operators", 3), ("those of a namespace", 1)];
    let growth = [("the dump", 3), ("peak memory", 5)];
    expect(&table, &[&whole[..], &alone, &growth].concat());
}

#[test]
fn every_line_about_the_console_has_its_figures() {
    let table = table(&["--only=console"]);
    let page = [
        ("first byte, p50", 1),
        ("first byte, p95", 3),
        ("first byte, p99", 1),
        ("size with headers", 3),
    ];
    // Seven pages, and all open pages together.
    let pages = [page; 8].concat();
    let memory = [("the dump", 1), ("memory", 1), ("peak memory", 1)];
    expect(&table, &[&pages[..], &memory].concat());
}

#[test]
fn every_line_about_generate_has_its_figures() {
    if is_left_out() {
        return;
    }
    let table = table(&["--only=generate"]);
    expect(&table, &[("the whole command", 5), ("peak memory", 3)]);
}

#[test]
#[ignore = "soak: a bench on clusters"]
fn every_line_about_plans_has_its_figures() {
    if is_left_out() {
        return;
    }
    let table = table(&["--only=install"]);
    let both = [("time", 3), ("requests", 3), ("peak memory", 3)];
    let drift = [
        ("until it is put right, p50", 1),
        ("until it is put right, p95", 1),
        ("kubectl apply of all", 1),
    ];
    expect(&table, &[&both[..], &both, &both, &both, &drift].concat());
}

#[test]
#[ignore = "soak: a bench on clusters"]
fn every_line_about_policies_has_its_figures() {
    if is_left_out() {
        return;
    }
    let table = table(&["--only=operatorpolicy"]);
    let recorded = [
        ("until all are Compliant", 5),
        ("calls until then", 5),
        ("statuses written until then", 3),
        ("idle, requests", 5),
        ("idle, writes", 5),
        ("100 edits, calls", 3),
        ("100 edits, writes", 5),
        ("NonCompliant, p50", 5),
        ("NonCompliant, p95", 5),
        ("Compliant again, p50", 5),
        ("Compliant again, p95", 5),
        ("calls until NonCompliant", 3),
        ("open watches", 3),
        ("memory", 5),
    ];
    let growth = recorded.map(|(name, _)| (name, 3));
    let besides = [
        ("processor time until Compliant", 3),
        ("writes until Compliant", 3),
        ("calls until Compliant again", 3),
        ("idle, processor time", 2),
        ("idle, Lease renewals", 3),
        ("idle, watches opened anew", 2),
        ("memory, before policies", 3),
        ("memory, controller", 3),
        ("memory, resolver", 3),
        ("memory, health", 3),
        ("memory, approval", 3),
    ];
    expect(&table, &[&recorded[..], &growth, &besides].concat());
}
