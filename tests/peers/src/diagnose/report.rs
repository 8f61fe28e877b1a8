//! The measured values of diagnoses, as lines of the table.

use super::dump::{Dump, Fleet};
use super::served::Served;
use crate::ended::Cost;
use crate::figure::{begin, count, figure};
use crate::table::{Table, megabytes, milliseconds};

/// The maximum time of the whole command in seconds.
const MOST: f64 = 0.5;

/// The maximum ratio of the growth of memory to the growth of the dump.
const PROPORTION: f64 = 1.1;

pub(super) fn whole(fleet: Fleet, dump: &Dump, run: &Cost, table: &mut Table) {
    let Fleet {
        operators,
        namespaces,
        packages,
    } = fleet;
    let real: Vec<_> = dump.catalogs().skip(1).map(|(name, _)| name).collect();
    let besides = if real.is_empty() {
        String::new()
    } else {
        format!(" and of {}", real.join(", "))
    };
    let title = format!(
        "Diagnosis of {operators} operators in {namespaces} namespaces, of a catalog of {packages} \
         packages{besides}"
    );
    begin(title, table);
    for figure in [
        figure("the dump", dump.bytes as f64, megabytes),
        figure("files", dump.files as f64, count),
        figure("the whole command", run.time, milliseconds).below(MOST),
        figure("peak memory", run.peak, megabytes),
    ] {
        figure.report(table);
    }
}

pub(super) fn alone(served: &Served, table: &mut Table) {
    begin("A server that has read the same", table);
    figure("all operators", served.all, milliseconds)
        .below(MOST)
        .report(table);
    figure("those of a namespace", served.one, milliseconds).report(table);
}

/// Compares the larger dump with the smaller dump.
pub(super) fn growth(large: (&Dump, &Cost), small: (&Dump, &Cost), table: &mut Table) {
    let head = ["", "a quarter", "all", "times", "goal", ""];
    table.section("Growth with the dump", head.map(str::to_owned).to_vec());
    let ((dump, run), (part, shorter)) = (large, small);
    let sizes = (part.bytes as f64, dump.bytes as f64);
    let most = sizes.1 / sizes.0 * PROPORTION;
    let rows = [
        ("the dump", sizes, None),
        ("peak memory", (shorter.peak, run.peak), Some(most)),
    ];
    for (what, (part, all), most) in rows {
        let times = all / part;
        let mut cells = vec![
            what.to_owned(),
            megabytes(part),
            megabytes(all),
            ratio(times),
        ];
        if let Some(most) = most {
            let verdict = if times <= most { "reached" } else { "MISSED" };
            cells.extend([format!("<= {}", ratio(most)), verdict.to_owned()]);
        }
        table.line(cells);
    }
}

fn ratio(times: f64) -> String {
    format!("{times:.2}x")
}
