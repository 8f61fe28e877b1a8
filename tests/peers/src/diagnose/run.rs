//! Measures a run of `portolan diagnose` with a dump, on one CPU.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::Value;

use super::dump::Dump;
use crate::ended::{Cost, Ended};
use crate::failure::Failure;

/// Runs the command `turns` times, and returns the median of the costs.
pub(super) fn median_of(portolan: &Path, dump: &Dump, turns: usize) -> Result<Cost, Failure> {
    let runs = (0..turns).map(|_| run(portolan, dump));
    let runs: Vec<_> = runs.collect::<Result<_, _>>()?;
    Ok(Cost::median(&runs))
}

fn run(portolan: &Path, dump: &Dump) -> Result<Cost, Failure> {
    let mut said = tempfile::tempfile().map_err(Failure::touch("store the output of", portolan))?;
    let written = said
        .try_clone()
        .map_err(Failure::touch("store the output of", portolan))?;
    let mut command = command(portolan, "diagnose", dump);
    command.args(["-o", "json"]);
    command
        .stdin(Stdio::null())
        .stdout(written)
        .stderr(Stdio::null());
    let start = || command.spawn().map_err(Failure::touch("run", portolan));
    let Ended { status, cost } = Ended::of(portolan, || on_one_processor(start))?;
    match status.code() {
        // The command exits with 1 if an operator is stuck or broken.
        Some(1) => expect(&mut said, dump)?,
        _ => {
            return Err(Failure::Expect(format!(
                "portolan diagnose ends with {status}"
            )));
        }
    }
    Ok(cost)
}

/// Returns a command of Portolan that reads the dump and its catalogs.
pub(crate) fn command(portolan: &Path, what: &str, dump: &Dump) -> Command {
    let mut command = Command::new(portolan);
    command.arg(what).arg("--world").arg(&*dump.world);
    let catalogs = dump.catalogs();
    command.args(catalogs.map(|(name, at)| format!("--catalog=olm/{name}={}", at.display())));
    command
}

/// Calls `start`. The processes that `start` creates run only on the first CPU that this program
/// may use.
pub(super) fn on_one_processor<T>(
    start: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let bound = |source: rustix::io::Errno| Failure::Touch {
        act: "choose a processor".to_owned(),
        source: source.into(),
    };
    let all = sched_getaffinity(None).map_err(bound)?;
    let mut one = CpuSet::new();
    let first = (0..CpuSet::MAX_CPU).find(|processor| all.is_set(*processor));
    one.set(first.unwrap_or_default());
    sched_setaffinity(None, &one).map_err(bound)?;
    let started = start();
    sched_setaffinity(None, &all).map_err(bound)?;
    started
}

/// Returns an error if the output lacks an operator or a problem.
fn expect(said: &mut File, dump: &Dump) -> Result<(), Failure> {
    let mut text = String::new();
    let read = said.rewind().and_then(|()| said.read_to_string(&mut text));
    read.map_err(Failure::touch("read the output of", Path::new("portolan")))?;
    let answer: Value =
        serde_json::from_str(&text).map_err(|error| Failure::Expect(error.to_string()))?;
    let diagnoses = answer["diagnoses"].as_array();
    let diagnoses = diagnoses.map_or(&[][..], Vec::as_slice);
    let codes = diagnoses
        .iter()
        .filter_map(|each| each["cause"]["code"].as_str());
    let codes: BTreeSet<&str> = codes.collect();
    let missing: Vec<_> = dump
        .codes
        .iter()
        .filter(|code| !codes.contains(**code))
        .collect();
    if diagnoses.len() != dump.operators || !missing.is_empty() {
        let (all, operators) = (diagnoses.len(), dump.operators);
        return Err(Failure::Expect(format!(
            "portolan diagnose reports {all} operators, want {operators}; missing troubles: {missing:?}"
        )));
    }
    Ok(())
}
