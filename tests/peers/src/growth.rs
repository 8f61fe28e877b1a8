//! Measures catalogs of growing size. Some costs may grow with the size, and other costs must not
//! grow.

use std::sync::Arc;
use std::time::Duration;

use crate::Scale;
use crate::catalogs::scratch;
use crate::failure::Failure;
use crate::generated::{self, Format};
use crate::load::Load;
use crate::pair::Pair;
use crate::question::Question;
use crate::startup::start_ours;
use crate::table::{Table, median, megabytes, microseconds, milliseconds};

const FACTORS: [usize; 4] = [1, 2, 4, 8];

/// A load of one call at a time, to measure the duration of a call without other calls.
const ALONE: Load = Load {
    connections: 1,
    in_flight: 1,
    lasting: Duration::from_millis(400),
};

/// The cost of a catalog.
#[derive(Debug, Clone, Copy)]
struct Cost {
    bytes: f64,
    time: f64,
    memory: f64,
    query: f64,
}

/// Starts our server with a catalog of one package, and with catalogs of one, two, four and eight
/// times the given size.
pub(crate) async fn measure(pair: &Pair, scale: &Scale, table: &mut Table) -> Result<(), Failure> {
    let bare = cost(pair, 1, scale.turns).await?;
    let mut costs = Vec::new();
    for factor in FACTORS {
        let cost = cost(pair, scale.seedling * factor, scale.turns).await?;
        costs.push(cost.above(&bare));
    }
    report(&costs, table);
    Ok(())
}

async fn cost(pair: &Pair, packages: usize, turns: usize) -> Result<Cost, Failure> {
    let folder = scratch()?;
    let bytes = generated::write(folder.path(), packages, Format::Yaml)?;
    let entries = generated::entries(packages);
    let questions: Arc<[Question]> = entries.iter().map(|entry| entry.upgrades()).collect();
    let (mut times, mut memories, mut queries) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..turns {
        let (server, started) = start_ours(pair, folder.path(), &questions[0]).await?;
        times.push(started.time.as_secs_f64());
        memories.push(started.memory as f64);
        let flow = ALONE.drive(&server, &questions).await?;
        queries.push(flow.median.as_secs_f64());
    }
    Ok(Cost {
        bytes: bytes as f64,
        time: median(times),
        memory: median(memories),
        query: median(queries),
    })
}

// === impl Cost ===

impl Cost {
    /// Subtracts the cost of a process that reads almost no catalog. The result is at least a small
    /// positive value.
    fn above(self, bare: &Self) -> Self {
        Self {
            time: (self.time - bare.time).max(1e-4),
            memory: (self.memory - bare.memory).max(4096.0),
            ..self
        }
    }
}

fn report(costs: &[Cost], table: &mut Table) {
    let mut head = vec!["".to_owned()];
    head.extend(FACTORS.iter().map(|factor| format!("{factor}x")));
    head.push("wanted".to_owned());
    table.section("Growth of ours, generated YAML", head);
    let mut line = |what: &str, wanted: &str, cell: &dyn Fn(&Cost) -> String| {
        let mut cells = vec![what.to_owned()];
        cells.extend(costs.iter().map(cell));
        cells.push(wanted.to_owned());
        table.line(cells);
    };
    let first = costs[0];
    let ratio = |value: f64, base: f64| format!("{:.2}", value / base);
    line("catalog", "", &|cost| megabytes(cost.bytes));
    line("load time", "", &|cost| milliseconds(cost.time));
    line("load time, ratio", "linear", &|cost| {
        ratio(cost.time, first.time)
    });
    line("memory", "", &|cost| megabytes(cost.memory));
    line("memory, ratio", "linear", &|cost| {
        ratio(cost.memory, first.memory)
    });
    line("a query", "", &|cost| microseconds(cost.query));
    line("a query, ratio", "flat", &|cost| {
        ratio(cost.query, first.query)
    });
}
