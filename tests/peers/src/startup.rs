//! Measures the time and memory of a process from its start to its first response.

use std::path::Path;

use crate::catalogs::{Catalog, scratch};
use crate::failure::Failure;
use crate::pair::{Pair, free_port};
use crate::question::Question;
use crate::server::{Server, Started};
use crate::table::{Better, Row, Table, median, megabytes, milliseconds};

/// Alternately starts our server, opm without a cache, and opm with a cache.
pub(crate) async fn measure(
    pair: &Pair,
    catalog: &Catalog,
    turns: usize,
    table: &mut Table,
) -> Result<(), Failure> {
    let (mut ours, mut cold, mut cached) = (Vec::new(), Vec::new(), Vec::new());
    let question = catalog.entries[0].upgrades();
    for _ in 0..turns {
        ours.push(start_ours(pair, &catalog.folder, &question).await?.1);
        cold.push(start_theirs(pair, catalog, false).await?.1);
        cached.push(start_theirs(pair, catalog, true).await?.1);
    }
    table.comparison(format!("Start to first answer: {}", catalog.title), "opm");
    for (name, theirs, goal) in [("opm cold", &cold, 20.0), ("opm cached", &cached, 10.0)] {
        let row = |what, of: fn(&Started) -> f64, shown, goal| Row {
            what: format!("{what}, {name}"),
            ours: median(ours.iter().map(of)),
            theirs: median(theirs.iter().map(of)),
            shown,
            better: Better::Less,
            goal,
        };
        let time = |start: &Started| start.time.as_secs_f64();
        let processor_time = |start: &Started| start.processor_time.as_secs_f64();
        let memory = |start: &Started| start.memory as f64;
        table.row(row("time", time, milliseconds, Some(goal)));
        table.row(row("processor time", processor_time, milliseconds, None));
        table.row(row("peak memory", memory, megabytes, Some(8.0)));
    }
    Ok(())
}

pub(crate) async fn start_ours(
    pair: &Pair,
    folder: &Path,
    question: &Question,
) -> Result<(Server, Started), Failure> {
    let port = free_port()?;
    let mut server = Server::start(pair.ours(folder, port), port, scratch()?)?;
    let started = server.first_answer(question).await?;
    Ok((server, started))
}

pub(crate) async fn start_theirs(
    pair: &Pair,
    catalog: &Catalog,
    is_cached: bool,
) -> Result<(Server, Started), Failure> {
    let port = free_port()?;
    let cache = is_cached.then_some(catalog.cache.path());
    let command = pair.theirs(&catalog.folder, port, cache);
    let mut server = Server::start(command, port, scratch()?)?;
    let started = server.first_answer(&catalog.entries[0].bundle()).await?;
    Ok((server, started))
}
