//! Describes the measured programs and the machine.

use std::path::Path;
use std::process::Command;
use std::{fs, thread};

use crate::Scale;
use crate::failure::Failure;
use crate::pair::Pair;
use crate::resolve;

/// The beginning of the line about the module of opm. Go stores a list of modules in each program.
const OPM_MODULE: &[u8] = b"\tgithub.com/operator-framework/operator-registry\t";

/// Describes the machine, and the build of this program.
pub(crate) fn described() -> Vec<String> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut lines = vec![format!("on {cores} cores of {}", processor())];
    if cfg!(debug_assertions) {
        lines.push("WITHOUT optimization: no figure of ours counts".to_owned());
    }
    lines
}

/// Describes the two servers and the load on them.
pub(crate) fn described_servers(pair: &Pair, scale: &Scale) -> Result<Vec<String>, Failure> {
    Ok(vec![
        format!("ours: {}", portolan_version(&pair.portolan)?),
        format!("opm:  operator-registry {}", opm_version(&pair.opm)?),
        format!("both sides in turn, medians of {} turns", scale.turns),
        format!(
            "calls: a closed loop of {} s, its client on the same cores",
            scale.load.lasting.as_secs_f32()
        ),
    ])
}

/// Describes the two dependency solvers and their requests.
pub(crate) fn described_solvers() -> Vec<String> {
    vec![
        format!("deppy: {}", resolve::deppy_version()),
        "solvers: request by request in turn; only solving is timed, over a catalog that ours has"
            .to_owned(),
        "prepared once, and of variables that deppy has in memory; the p99 of fifty is the slowest"
            .to_owned(),
    ]
}

/// Describes the health service and its cluster.
pub(crate) fn described_health(pair: &Pair) -> Result<Vec<String>, Failure> {
    Ok(vec![
        format!("health: {}", portolan_version(&pair.portolan)?),
        "health: a real API server and etcd on the same cores; all objects are written by this"
            .to_owned(),
        "program; memory is the proportional set size, looked at forty times a second".to_owned(),
    ])
}

pub(crate) fn described_approval(pair: &Pair) -> Result<Vec<String>, Failure> {
    Ok(vec![
        format!("approval: {}", portolan_version(&pair.portolan)?),
        "approval: a real API server and etcd on the same cores; all objects are written by this"
            .to_owned(),
        "program; beside one namespace only, then beside all of them".to_owned(),
    ])
}

/// Describes the command `diagnose` and its dump.
pub(crate) fn described_diagnosis(portolan: &Path) -> Result<Vec<String>, Failure> {
    Ok(vec![
        format!("diagnosis: {}", portolan_version(portolan)?),
        "diagnosis: the files of a dump, a third of its namespaces with some trouble; on one"
            .to_owned(),
        "processor; no other tool diagnoses, so a smaller dump is the peer".to_owned(),
    ])
}

/// Describes the console and its dump.
pub(crate) fn described_console(portolan: &Path) -> Result<Vec<String>, Failure> {
    Ok(vec![
        format!("console: {}", portolan_version(portolan)?),
        "console: the files of a dump, a third of its namespaces with some trouble; the client is on"
            .to_owned(),
        "the same cores; sizes are not compressed".to_owned(),
    ])
}

/// Describes the command that generates Operators, and the command with which it is compared.
pub(crate) fn described_generate(pair: &Pair) -> Result<Vec<String>, Failure> {
    Ok(vec![
        format!("generate: {}", portolan_version(&pair.portolan)?),
        format!("opm:  operator-registry {}", opm_version(&pair.opm)?),
        "generate: no other tool writes Operators; opm reads the same catalog once, and writes it as"
            .to_owned(),
        "JSON; whole commands in turn".to_owned(),
    ])
}

/// Describes the programs that read bundles.
pub(crate) fn described_bundles(pair: &Pair) -> Result<Vec<String>, Failure> {
    Ok(vec![
        format!("bundles: {}", portolan_version(&pair.portolan)?),
        format!("opm:  operator-registry {}", opm_version(&pair.opm)?),
        "bundles: ours prints what installs a bundle, opm what a catalog lists of it; whole commands in"
            .to_owned(),
        "turn, without a cache; images from distribution on loopback".to_owned(),
    ])
}

/// Describes the controller for plans and its cluster.
pub(crate) fn described_install(portolan: &Path) -> Result<Vec<String>, Failure> {
    Ok(vec![
        format!("install: {}", portolan_version(portolan)?),
        "install: a real API server and etcd on the same cores; nine of ten objects are ConfigMaps,"
            .to_owned(),
        "the rest ServiceAccounts; ours is whole when its plan is Ready, the others with their command;"
            .to_owned(),
        "the memory of ours is its controller's, with all that it caches".to_owned(),
    ])
}

/// Describes the measured processes, and their cluster.
pub(crate) fn described_policies(pair: &Pair) -> Result<Vec<String>, Failure> {
    Ok(vec![
        format!("policies: {}", portolan_version(&pair.portolan)?),
        "policies: a real API server and etcd on the same cores; all objects are written by this"
            .to_owned(),
        "program, each policy in a namespace of its own; one registry answers for all catalogs;"
            .to_owned(),
        "memory is the proportional set size of the controller and its services together; the"
            .to_owned(),
        "established controller does not run here: its figures are recorded ones".to_owned(),
    ])
}

fn portolan_version(program: &Path) -> Result<String, Failure> {
    let output = Command::new(program).arg("--version").output();
    let output = output.map_err(Failure::touch("run", program))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Returns the version of opm from its list of modules, because opm itself prints "unknown".
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
