//! Measures calls per second and the time of the slowest calls, for single calls and for a stream.

use std::sync::Arc;

use crate::Scale;
use crate::batch::{self, Stream};
use crate::catalogs::Catalog;
use crate::failure::Failure;
use crate::load::{Flow, Load};
use crate::pair::Pair;
use crate::question::Question;
use crate::startup::{start_ours, start_theirs};
use crate::table::{Better, Row, Table, bytes, median, megabytes, microseconds, rate};

/// Sends requests to both servers alternately. While a server is measured, the other server does
/// not run.
pub(crate) async fn measure(
    pair: &Pair,
    catalog: &Catalog,
    scale: &Scale,
    table: &mut Table,
) -> Result<(), Failure> {
    let entries = &catalog.entries;
    let upgrades: Arc<[Question]> = entries.iter().map(|entry| entry.upgrades()).collect();
    let bundles: Arc<[Question]> = entries.iter().map(|entry| entry.bundle()).collect();
    let batch: Arc<[Question]> = entries
        .iter()
        .map(|entry| entry.upgrades_in_batch())
        .collect();
    let (mut ours, mut streams, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..scale.turns {
        let (server, _) = start_ours(pair, &catalog.folder, &upgrades[0]).await?;
        ours.push(scale.load.drive(&server, &upgrades).await?);
        streams.push(batch::drive(&server, &batch, scale.load.lasting).await?);
        drop(server);
        let (server, _) = start_theirs(pair, catalog, true).await?;
        theirs.push(scale.load.drive(&server, &bundles).await?);
    }
    report(catalog, &scale.load, &ours, &theirs, table);
    report_batch(&streams, &theirs, table);
    Ok(())
}

fn report(catalog: &Catalog, load: &Load, ours: &[Flow], theirs: &[Flow], table: &mut Table) {
    let Load {
        connections,
        in_flight,
        ..
    } = load;
    let title = &catalog.title;
    let asked = format!("{in_flight} in flight over {connections} connections");
    let title = format!("ListUpgrades beside GetBundle: {title}; {asked}");
    table.comparison(title, "opm");
    let mut row = |what: &str, of: fn(&Flow) -> f64, shown, better, goal| {
        table.row(Row {
            what: what.to_owned(),
            ours: median(ours.iter().map(of)),
            theirs: median(theirs.iter().map(of)),
            shown,
            better,
            goal,
        });
    };
    row(
        "calls a second",
        |flow| flow.per_second,
        rate,
        Better::More,
        Some(3.0),
    );
    row(
        "p99",
        |flow| flow.p99.as_secs_f64(),
        microseconds,
        Better::Less,
        Some(1.0),
    );
    row(
        "median",
        |flow| flow.median.as_secs_f64(),
        microseconds,
        Better::Less,
        None,
    );
    let cost = |flow: &Flow| flow.processor_time.as_secs_f64();
    row(
        "processor time a call",
        cost,
        microseconds,
        Better::Less,
        None,
    );
    row("mean answer", |flow| flow.bytes, bytes, Better::Less, None);
    row(
        "peak memory",
        |flow| flow.memory as f64,
        megabytes,
        Better::Less,
        Some(8.0),
    );
}

/// opm has no such stream, so its single calls are the comparison.
fn report_batch(ours: &[Stream], theirs: &[Flow], table: &mut Table) {
    table.comparison(
        "BatchListUpgrades over one stream, beside those calls of GetBundle",
        "opm",
    );
    table.row(Row {
        what: "answers a second".to_owned(),
        ours: median(ours.iter().map(|stream| stream.per_second)),
        theirs: median(theirs.iter().map(|flow| flow.per_second)),
        shown: rate,
        better: Better::More,
        goal: Some(20.0),
    });
    table.row(Row {
        what: "processor time an answer".to_owned(),
        ours: median(
            ours.iter()
                .map(|stream| stream.processor_time.as_secs_f64()),
        ),
        theirs: median(theirs.iter().map(|flow| flow.processor_time.as_secs_f64())),
        shown: microseconds,
        better: Better::Less,
        goal: None,
    });
}
