//! Calls a second, and how long the slowest take.

use std::sync::Arc;

use crate::Scale;
use crate::catalogs::Catalog;
use crate::failure::Failure;
use crate::load::{Flow, Load};
use crate::pair::Pair;
use crate::question::Question;
use crate::startup::{start_ours, start_theirs};
use crate::table::{Better, Row, Table, bytes, median, megabytes, microseconds, rate};

/// Loads both in turn, each alone on the machine with the client.
pub(crate) async fn measure(
    pair: &Pair,
    catalog: &Catalog,
    scale: &Scale,
    table: &mut Table,
) -> Result<(), Failure> {
    let entries = &catalog.entries;
    let upgrades: Arc<[Question]> = entries.iter().map(|entry| entry.upgrades()).collect();
    let bundles: Arc<[Question]> = entries.iter().map(|entry| entry.bundle()).collect();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..scale.turns {
        let (server, _) = start_ours(pair, &catalog.folder, &upgrades[0]).await?;
        ours.push(scale.load.drive(&server, &upgrades).await?);
        drop(server);
        let (server, _) = start_theirs(pair, catalog, true).await?;
        theirs.push(scale.load.drive(&server, &bundles).await?);
    }
    tell(catalog, &scale.load, &ours, &theirs, table);
    Ok(())
}

fn tell(catalog: &Catalog, load: &Load, ours: &[Flow], theirs: &[Flow], table: &mut Table) {
    let Load {
        connections,
        in_flight,
        ..
    } = load;
    table.comparison(format!(
        "ListUpgrades beside GetBundle: {}; {in_flight} in flight over {connections} connections",
        catalog.title
    ));
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
