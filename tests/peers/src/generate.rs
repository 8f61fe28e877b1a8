//! Measures `portolan generate` for many operators, and compares it with one `opm render` of the
//! same catalog.
//!
//! Portolan reads the catalog, finds the newest version of each operator and its dependencies, and
//! proves that there is an upgrade route. opm reads the catalog and writes it again.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;
use std::process::{Command, Stdio};

use flate2::read::GzDecoder;
use portolan_kit::real_catalog;
use tempfile::TempDir;

use crate::Scale;
use crate::catalogs::scratch;
use crate::ended::{Cost, Ended};
use crate::failure::Failure;
use crate::generated::{self, Format};
use crate::pair::Pair;
use crate::table::{Better, Row, Table, megabytes, milliseconds};

/// A real catalog with enough packages, which is stored as a compressed file.
const REAL: &str = "operatorhub";
/// The end of the file name of a compressed catalog.
const PACKED: &str = ".jsonl.gz";
/// The number of requested operators.
const OPERATORS: usize = 40;
/// Portolan must be faster than opm by this factor.
const GOAL: f64 = 2.0;

/// The packages in a folder, and their origin.
struct Shop {
    title: String,
    folder: TempDir,
    packages: Vec<String>,
}

/// Runs both programs alternately. The first run of each program is not measured.
pub(crate) fn measure(
    pair: &Pair,
    scale: &Scale,
    is_quick: bool,
    table: &mut Table,
) -> Result<(), Failure> {
    let shop = match real_catalog(REAL).filter(|_| !is_quick) {
        Some(packed) => Shop::unpacked(&packed)?,
        None => Shop::generated(scale.packages)?,
    };
    let packages = shop.granted(pair)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for turn in 0..=scale.turns {
        let pairs = [
            (&mut ours, &pair.portolan, shop.ours(pair, &packages)),
            (&mut theirs, &pair.opm, shop.theirs(pair)),
        ];
        for (costs, program, command) in pairs {
            let cost = ended_well(program, command)?;
            if turn > 0 {
                costs.push(cost);
            }
        }
    }
    let (ours, theirs) = (Cost::median(&ours), Cost::median(&theirs));
    let title = format!("Operators of {} packages of {}", packages.len(), shop.title);
    table.comparison(title, "opm render");
    for (what, ours, theirs, shown, goal) in [
        (
            "the whole command",
            ours.time,
            theirs.time,
            milliseconds as fn(f64) -> String,
            Some(GOAL),
        ),
        ("peak memory", ours.peak, theirs.peak, megabytes, None),
    ] {
        table.row(Row {
            what: what.to_owned(),
            ours,
            theirs,
            shown,
            better: Better::Less,
            goal,
        });
    }
    Ok(())
}

// === impl Shop ===

impl Shop {
    /// Writes one file for each package, because opm reads this format.
    fn unpacked(packed: &Path) -> Result<Self, Failure> {
        let folder = scratch()?;
        let mut packages = Vec::new();
        let entries = fs::read_dir(packed).map_err(Failure::touch("read", packed))?;
        for entry in entries {
            let path = entry.map_err(Failure::touch("read", packed))?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let Some(package) = name.and_then(|name| name.strip_suffix(PACKED)) else {
                continue;
            };
            let unpacked = folder.path().join(format!("{package}.json"));
            unpack(&path, &unpacked)?;
            packages.push(package.to_owned());
        }
        packages.sort_unstable();
        Ok(Self {
            title: REAL.to_owned(),
            folder,
            packages,
        })
    }

    fn generated(packages: usize) -> Result<Self, Failure> {
        let folder = scratch()?;
        generated::write(folder.path(), packages, Format::Json)?;
        let entries = generated::entries(packages).into_iter();
        let mut packages: Vec<_> = entries.map(|entry| entry.package).collect();
        packages.dedup();
        Ok(Self {
            title: "a generated catalog".to_owned(),
            folder,
            packages,
        })
    }

    /// Returns packages that can be installed, from all parts of the alphabet. Some packages of a
    /// real catalog cannot be installed, because they require packages of other catalogs.
    fn granted(&self, pair: &Pair) -> Result<Vec<String>, Failure> {
        let step = (self.packages.len() / OPERATORS).max(1);
        let in_order = (0..step).flat_map(|first| self.packages.iter().skip(first).step_by(step));
        let mut granted = Vec::new();
        for package in in_order {
            let request = vec![package.clone()];
            let mut command = self.ours(pair, &request);
            let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
            let status = status.map_err(Failure::touch("run", &pair.portolan))?;
            if status.success() {
                granted.extend(request);
            }
            if granted.len() == OPERATORS {
                break;
            }
        }
        granted.sort_unstable();
        Ok(granted)
    }

    fn ours(&self, pair: &Pair, packages: &[String]) -> Command {
        let mut command = Command::new(&pair.portolan);
        command
            .args(["generate", "--allow-warnings"])
            .args(packages);
        command.arg(format!("--catalog=it={}", self.folder.path().display()));
        command
    }

    fn theirs(&self, pair: &Pair) -> Command {
        let mut command = Command::new(&pair.opm);
        command.arg("render").arg(self.folder.path());
        command.args(["-o", "json"]);
        command
    }
}

fn unpack(packed: &Path, unpacked: &Path) -> Result<(), Failure> {
    let from = File::open(packed).map_err(Failure::touch("read", packed))?;
    let into = File::create(unpacked).map_err(Failure::touch("write", unpacked))?;
    let mut from = GzDecoder::new(from);
    io::copy(&mut from, &mut BufWriter::new(into)).map_err(Failure::touch("unpack", packed))?;
    Ok(())
}

/// Returns the cost of a command. Returns an error if the command prints nothing.
pub(crate) fn ended_well(program: &Path, mut command: Command) -> Result<Cost, Failure> {
    let said = tempfile::tempfile().map_err(Failure::touch("store the output of", program))?;
    let written = said.try_clone();
    let written = written.map_err(Failure::touch("store the output of", program))?;
    command.stdin(Stdio::null()).stdout(written);
    command.stderr(Stdio::null());
    let start = || command.spawn().map_err(Failure::touch("run", program));
    let Ended { status, cost } = Ended::of(program, start)?;
    let printed = said.metadata().map(|metadata| metadata.len());
    let printed = printed.map_err(Failure::touch("read the output of", program))?;
    if status.success() && printed > 0 {
        Ok(cost)
    } else {
        Err(Failure::Expect(format!(
            "{command:?} ends with {status} and prints {printed} bytes"
        )))
    }
}
