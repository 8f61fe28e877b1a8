//! What was measured, and on what.

use std::path::Path;
use std::process::Command;
use std::{fs, thread};

use crate::Scale;
use crate::failure::Failure;
use crate::pair::Pair;

/// Go writes into a program which modules it is made of, a line each.
const OPM_MODULE: &[u8] = b"\tgithub.com/operator-framework/operator-registry\t";

/// The head of the table.
pub(crate) fn described(pair: &Pair, scale: &Scale) -> Result<Vec<String>, Failure> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let built = match cfg!(debug_assertions) {
        true => "WITHOUT optimization: no figure of ours counts",
        false => "optimized",
    };
    let load = &scale.load;
    Ok(vec![
        format!("ours: {}, {built}", portolan_version(&pair.portolan)?),
        format!("opm:  operator-registry {}", opm_version(&pair.opm)?),
        format!(
            "on {cores} cores of {}; both sides in turn, medians of {} turns",
            processor(),
            scale.turns
        ),
        format!(
            "calls: a closed loop of {} s, its client on the same cores",
            load.lasting.as_secs_f32()
        ),
    ])
}

fn portolan_version(program: &Path) -> Result<String, Failure> {
    let output = Command::new(program).arg("--version").output();
    let output = output.map_err(Failure::touch("run", program))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// It says "unknown" itself.
fn opm_version(program: &Path) -> Result<String, Failure> {
    let bytes = fs::read(program).map_err(Failure::touch("read", program))?;
    let named = bytes
        .windows(OPM_MODULE.len())
        .position(|part| part == OPM_MODULE);
    let version = named.map(|at| &bytes[at + OPM_MODULE.len()..]);
    let version = version.and_then(|rest| rest.split(u8::is_ascii_whitespace).next());
    Ok(version.map_or_else(
        || "of unknown version".to_owned(),
        |version| String::from_utf8_lossy(version).into_owned(),
    ))
}

fn processor() -> String {
    let described = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = described
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let model = model.map(|rest| rest.trim_start_matches([' ', '\t', ':']).to_owned());
    model.unwrap_or_else(|| "an unnamed processor".to_owned())
}
