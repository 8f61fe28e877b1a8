//! Measures `portolan console` with the dump of thousands of operators and a hundred open pages.
//!
//! The times begin before the connection, and end with the first byte of the response. All open
//! pages request their content again at the same time after a change, as their script does.

mod visitor;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use futures::future::try_join_all;
use serde_json::json;

use self::visitor::{Reply, Visitor};
use crate::diagnose::dump::{Dump, Fleet};
use crate::diagnose::run::command;
use crate::failure::Failure;
use crate::figure::{begin, figure};
use crate::process;
use crate::table::{Table, bytes, megabytes, milliseconds, percentile};

/// The size of the dump for which the goals are defined.
const FULL: Fleet = Fleet {
    operators: 2_000,
    namespaces: 800,
    packages: 300,
};

const QUICK: Fleet = Fleet {
    operators: 90,
    namespaces: 36,
    packages: 30,
};

/// The pages that are measured.
const PAGES: [&str; 7] = [
    "/",
    "/operators",
    "/operators?q=p0&state=stuck&row=11",
    "/plans",
    "/catalogs",
    "/diagnose",
    "/search?q=p1",
];

/// The maximum time until the first byte of a page in seconds, for 95 of 100 requests.
const MOST_TIME: f64 = 0.1;
/// The maximum size of a page in bytes.
const MOST_BYTES: f64 = 60_000.0;
/// The maximum time until the first page is complete.
const PATIENCE: Duration = Duration::from_secs(120);
/// The pause between two requests of a person.
const PAUSE: Duration = Duration::from_millis(20);

/// A running console. Dropping this value ends it.
struct Console {
    child: Child,
    url: String,
}

/// Measures each page alone, and then with a hundred open pages.
pub(crate) async fn measure(
    portolan: &Path,
    is_quick: bool,
    table: &mut Table,
) -> Result<(), Failure> {
    let (fleet, open, turns) = if is_quick {
        (QUICK, 10, 3)
    } else {
        (FULL, 100, 100)
    };
    let dump = Dump::of(fleet)?;
    let console = Console::start(portolan, &dump)?;
    let visitor = Visitor::enter(&console.url).await?;
    visitor.until("/operators", " operators.", PATIENCE).await?;
    for page in PAGES {
        let mut replies = Vec::new();
        for _ in 0..turns {
            replies.push(visitor.get(page).await?);
            tokio::time::sleep(PAUSE).await;
        }
        let title = format!("The page {page} with {} operators", fleet.operators);
        report(&title, &replies, table);
    }
    let mut listeners = Vec::new();
    for _ in 0..open {
        listeners.push(visitor.listen().await?);
    }
    let file = dump.world.join("policy-of-the-benchmark.json");
    let policy = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Policy",
        "metadata": {"name": "tides"}, "spec": {},
    });
    fs::write(&file, policy.to_string()).map_err(Failure::touch("write", &file))?;
    let pages = PAGES.iter().cycle();
    let reloading = listeners.iter_mut().zip(pages).map(async |(page, path)| {
        page.until_changed(PATIENCE).await?;
        visitor.get(path).await
    });
    let replies = try_join_all(reloading).await?;
    let title = format!("{open} open pages after a change, all at once");
    report(&title, &replies, table);
    begin("Memory of the console", table);
    let memory = process::memory(console.child.id())? as f64;
    let peak = process::peak_memory(console.child.id())? as f64;
    figure("the dump", dump.bytes as f64, megabytes).report(table);
    figure("memory", memory, megabytes).report(table);
    figure("peak memory", peak, megabytes).report(table);
    Ok(())
}

fn report(title: &str, replies: &[Reply], table: &mut Table) {
    let times: Vec<_> = replies
        .iter()
        .map(|it| it.first_byte.as_secs_f64())
        .collect();
    let sizes = replies.iter().map(|it| it.text.len() as f64);
    let largest = sizes.fold(0.0, f64::max);
    begin(title, table);
    for figure in [
        figure("first byte, p50", percentile(&times, 0.5), milliseconds),
        figure("first byte, p95", percentile(&times, 0.95), milliseconds).below(MOST_TIME),
        figure("first byte, p99", percentile(&times, 0.99), milliseconds),
        figure("size with headers", largest, bytes).below(MOST_BYTES),
    ] {
        figure.report(table);
    }
}

// === impl Console ===

impl Console {
    /// Starts a console with a dump, and waits for the address that it prints.
    fn start(portolan: &Path, dump: &Dump) -> Result<Self, Failure> {
        let mut command = command(portolan, "console", dump);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let child = command.stderr(Stdio::piped()).spawn();
        let mut child = child.map_err(Failure::touch("run", portolan))?;
        let stderr = child.stderr.take().map(BufReader::new);
        let mut said = Vec::new();
        let mut lines = stderr
            .into_iter()
            .flat_map(|it| it.lines().map_while(Result::ok));
        let url = lines.find_map(|line| {
            let is_url = line.starts_with("http://");
            said.push(line.clone());
            is_url.then_some(line)
        });
        // Reads all further output, because the program would block if the pipe were full.
        thread::spawn(move || lines.for_each(drop));
        let url = url.ok_or_else(|| Failure::Ended {
            program: "portolan console".to_owned(),
            said: said.join(" "),
        })?;
        Ok(Self { child, url })
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        // Ignores an error: the process may have exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
