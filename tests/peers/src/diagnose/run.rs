//! `portolan diagnose` over a dump, from its start to its end, on one processor.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::Value;

use super::dump::Dump;
use crate::failure::Failure;
use crate::process;
use crate::table::median;

/// How often its memory is looked at.
const PAUSE: Duration = Duration::from_millis(2);

/// What a run took, each the median of its turns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    /// In seconds.
    pub(super) time: f64,
    /// The most memory that it had, in bytes.
    pub(super) peak: f64,
}

/// Runs it that many times.
pub(super) fn median_of(portolan: &Path, dump: &Dump, turns: usize) -> Result<Run, Failure> {
    let runs: Vec<Run> = (0..turns)
        .map(|_| run(portolan, dump))
        .collect::<Result<_, _>>()?;
    Ok(Run {
        time: median(runs.iter().map(|run| run.time)),
        peak: median(runs.iter().map(|run| run.peak)),
    })
}

fn run(portolan: &Path, dump: &Dump) -> Result<Run, Failure> {
    let mut said =
        tempfile::tempfile().map_err(Failure::touch("keep what is said by", portolan))?;
    let written = said
        .try_clone()
        .map_err(Failure::touch("keep what is said by", portolan))?;
    let mut command = command(portolan, "diagnose", dump);
    command.args(["-o", "json"]);
    command
        .stdin(Stdio::null())
        .stdout(written)
        .stderr(Stdio::null());
    let begun = Instant::now();
    let mut child = on_one_processor(|| command.spawn().map_err(Failure::touch("run", portolan)))?;
    let mut peak = 0;
    let ended = loop {
        // One that has ended has no memory any more.
        peak = process::peak_memory(child.id())
            .unwrap_or_default()
            .max(peak);
        match child
            .try_wait()
            .map_err(Failure::touch("wait for", portolan))?
        {
            Some(ended) => break ended,
            None => thread::sleep(PAUSE),
        }
    };
    let time = begun.elapsed().as_secs_f64();
    match ended.code() {
        // Something is stuck or broken.
        Some(1) => expect(&mut said, dump)?,
        _ => {
            return Err(Failure::Expect(format!(
                "portolan diagnose ends with {ended}"
            )));
        }
    }
    Ok(Run {
        time,
        peak: peak as f64,
    })
}

pub(super) fn command(portolan: &Path, what: &str, dump: &Dump) -> Command {
    let mut command = Command::new(portolan);
    command.arg(what).arg("--world").arg(&*dump.world);
    let catalog = format!("--catalog=olm/shop={}", dump.catalog.display());
    command.arg(catalog);
    command
}

/// What is started meanwhile runs on the first of the processors that this program may run on.
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

/// Whether every operator is spoken of, and every trouble is told.
fn expect(said: &mut File, dump: &Dump) -> Result<(), Failure> {
    let mut text = String::new();
    let read = said.rewind().and_then(|()| said.read_to_string(&mut text));
    read.map_err(Failure::touch(
        "read what is said by",
        Path::new("portolan"),
    ))?;
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
            "portolan diagnose tells of {all} operators and not of {operators}, or not of {missing:?}"
        )));
    }
    Ok(())
}
