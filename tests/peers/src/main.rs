//! Measures Portolan, and compares it with similar tools in a table of ratios.
//!
//! The comparisons with other tools are: `portolan resolver` and `opm serve` with the same
//! catalogs; the dependency solver and deppy with the same requests; `portolan generate` for forty
//! operators and `opm render` of the same catalog; `portolan bundle` and `opm render` of the same
//! bundles; an InstallPlan with a thousand objects, and `kubectl apply` and `helm install` of these
//! objects.
//!
//! The other measurements are: `portolan health-server` with thousands of operators; `portolan
//! approval` with thousands of InstallPlans; `portolan diagnose` with a dump of hundreds of
//! operators; `portolan console` with a dump of thousands of operators and a hundred open pages; all
//! processes together on a cluster with thousands of policies.
//!
//! ```text
//! cargo build --release --workspace --bins
//! target/release/portolan-peers
//! target/release/portolan-peers --only resolve
//! ```
//!
//! The crate is built with the whole workspace, so that it shares compiled code with the programs
//! that it measures.
//!
//! Times depend on the machine. Ratios hardly depend on the machine, because both tools run on it
//! alternately. Servers alternate after each run, and the ratio is that of the medians. Solvers
//! alternate after each request. The program asserts nothing. It prints the figures, the machine,
//! and the goal next to each ratio.
//!
//! The same client calls both servers. It does not decode the responses, so the format of the
//! messages has no effect on the result. The client and the server share the processors. So the
//! program also prints the time that the server itself needs for a call.

mod approval;
mod asked;
mod batch;
mod bundles;
mod calls;
mod catalogs;
mod console;
mod diagnose;
mod ended;
mod failure;
mod figure;
mod gauge;
mod generate;
mod generated;
mod growth;
mod health;
mod idle;
mod install;
mod load;
mod machine;
mod operatorpolicy;
mod pair;
mod plane;
mod process;
mod question;
mod raw;
mod resolve;
mod server;
mod startup;
mod table;
mod writer;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, ValueEnum};

use crate::catalogs::Catalogs;
use crate::failure::Failure;
use crate::load::Load;
use crate::pair::Pair;
use crate::table::Table;

/// Measures the programs of Portolan and comparable programs, and prints a table of the ratios.
#[derive(Debug, Parser)]
struct Flags {
    /// Run each measurement once, with tiny catalogs and clusters. The figures are meaningless, but
    /// show that every measurement works.
    #[arg(long)]
    quick: bool,

    /// Program to measure. Default: the program that cargo builds from this workspace.
    #[arg(long, value_name = "FILE")]
    portolan: Option<PathBuf>,

    /// Number of runs of each program. The table shows the median.
    #[arg(long, value_name = "TURNS", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    turns: u32,

    /// Parts of the table to measure. Default: all parts.
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    only: Vec<Part>,

    /// Numbers of policies, with one measurement for each number. Default: the numbers in the
    /// goals.
    #[arg(long, value_name = "POLICIES", value_delimiter = ',', value_parser = parse_size)]
    policies: Vec<usize>,
}

/// A part of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Startup,
    Calls,
    Growth,
    Resolve,
    Health,
    Approval,
    Diagnose,
    Generate,
    Bundles,
    Install,
    Operatorpolicy,
    Console,
}

/// The size of the measurements.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    pub(crate) turns: usize,
    /// The number of packages in the generated catalog.
    pub(crate) packages: usize,
    /// The number of packages in the smallest of the growing catalogs.
    pub(crate) seedling: usize,
    /// The load for measurements in which both servers get requests as fast as they answer.
    pub(crate) load: Load,
}

fn main() -> ExitCode {
    // A rig starts this program again as its supervisor.
    if std::env::args()
        .nth(1)
        .is_some_and(|word| word == "supervise")
    {
        return portolan_rig::main();
    }
    compare()
}

// The client has only one thread. Waking other threads would take CPU time from the servers.
#[tokio::main(flavor = "current_thread")]
async fn compare() -> ExitCode {
    let mut table = Table::new(machine::described());
    let outcome = run(&Flags::parse(), &mut table).await;
    // Prints the table also after a failure. The values so far took time to measure, and are still
    // valid.
    print!("{table}");
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("portolan-peers: {}", failure.chain());
            ExitCode::FAILURE
        }
    }
}

async fn run(flags: &Flags, table: &mut Table) -> Result<(), Failure> {
    if Part::SERVED.into_iter().any(|part| flags.wants(part)) {
        serve(flags, table).await?;
    }
    if flags.wants(Part::Resolve) {
        table.about(machine::described_solvers());
        resolve::measure(flags.quick, table).await?;
    }
    if flags.wants(Part::Health) {
        let pair = Pair::found(flags.portolan.clone())?;
        table.about(machine::described_health(&pair)?);
        health::measure(&pair.portolan, flags.quick, table).await?;
    }
    if flags.wants(Part::Approval) {
        let pair = Pair::found(flags.portolan.clone())?;
        table.about(machine::described_approval(&pair)?);
        approval::measure(&pair.portolan, flags.quick, table).await?;
    }
    if flags.wants(Part::Diagnose) {
        let portolan = pair::ours(flags.portolan.clone())?;
        table.about(machine::described_diagnosis(&portolan)?);
        let turns = Scale::of(flags).turns;
        diagnose::measure(&portolan, (flags.quick, turns), table).await?;
    }
    if flags.wants(Part::Console) {
        let portolan = pair::ours(flags.portolan.clone())?;
        table.about(machine::described_console(&portolan)?);
        console::measure(&portolan, flags.quick, table).await?;
    }
    if flags.wants(Part::Generate) {
        let pair = Pair::found(flags.portolan.clone())?;
        table.about(machine::described_generate(&pair)?);
        generate::measure(&pair, &Scale::of(flags), flags.quick, table)?;
    }
    if flags.wants(Part::Bundles) {
        let pair = Pair::found(flags.portolan.clone())?;
        table.about(machine::described_bundles(&pair)?);
        bundles::measure(&pair, &Scale::of(flags), flags.quick, table).await?;
    }
    if flags.wants(Part::Install) {
        let portolan = pair::ours(flags.portolan.clone())?;
        table.about(machine::described_install(&portolan)?);
        install::measure(&portolan, flags.quick, table).await?;
    }
    if flags.wants(Part::Operatorpolicy) {
        let pair = Pair::found(flags.portolan.clone())?;
        table.about(machine::described_policies(&pair)?);
        let sizes = (flags.quick, &flags.policies[..]);
        operatorpolicy::measure(&pair.portolan, sizes, table).await?;
    }
    Ok(())
}

/// Runs the measurements of servers.
async fn serve(flags: &Flags, table: &mut Table) -> Result<(), Failure> {
    let scale = Scale::of(flags);
    let pair = Pair::found(flags.portolan.clone())?;
    table.about(machine::described_servers(&pair, &scale)?);
    let catalogs = Catalogs::prepared(&pair, &scale, flags.quick).await?;
    if flags.wants(Part::Startup) {
        for catalog in catalogs.all() {
            startup::measure(&pair, catalog, scale.turns, table).await?;
        }
    }
    if flags.wants(Part::Calls) {
        calls::measure(&pair, catalogs.asked(), &scale, table).await?;
    }
    if flags.wants(Part::Growth) {
        growth::measure(&pair, &scale, table).await?;
    }
    Ok(())
}

// === impl Flags ===

impl Flags {
    fn wants(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }
}

// === impl Part ===

impl Part {
    const SERVED: [Self; 3] = [Self::Startup, Self::Calls, Self::Growth];
}

// === impl Scale ===

impl Scale {
    fn of(flags: &Flags) -> Self {
        let load = |lasting| Load {
            connections: 4,
            in_flight: 64,
            lasting,
        };
        if flags.quick {
            Self {
                turns: 1,
                packages: 6,
                seedling: 2,
                load: load(Duration::from_millis(200)),
            }
        } else {
            Self {
                turns: flags.turns as usize,
                packages: 300,
                seedling: 75,
                load: load(Duration::from_secs(4)),
            }
        }
    }
}

/// Parses a number of policies. The number must be at least one.
fn parse_size(text: &str) -> Result<usize, String> {
    let size = text.parse::<usize>().ok().filter(|size| *size > 0);
    size.ok_or_else(|| format!("`{text}` is not a number of policies, such as 200"))
}
