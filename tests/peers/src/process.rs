//! Reads from the operating system which resources a process has used.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::failure::Failure;

/// The unit of CPU times in /proc. It has this value on all Linux systems.
const TICK: Duration = Duration::from_millis(10);

/// Returns the peak memory of the process in bytes.
pub(crate) fn peak_memory(pid: u32) -> Result<u64, Failure> {
    kilobytes(pid, "status", "VmHWM:")
}

/// Returns the current memory of the process in bytes. Shared memory counts in proportion.
pub(crate) fn memory(pid: u32) -> Result<u64, Failure> {
    kilobytes(pid, "smaps_rollup", "Pss:")
}

/// Returns the CPU time of the process. Returns at least one tick.
pub(crate) fn processor_time(pid: u32) -> Result<Duration, Failure> {
    let stat = read(pid, "stat")?;
    // The name in parentheses may contain spaces. After the name, the CPU times are fields 12 and
    // 13.
    let fields = stat.rsplit_once(')').map(|(_, rest)| rest);
    let mut times = fields
        .into_iter()
        .flat_map(str::split_whitespace)
        .skip(11)
        .map_while(|field| field.parse::<u32>().ok());
    match (times.next(), times.next()) {
        (Some(user), Some(system)) => Ok(TICK * (user + system).max(1)),
        _ => Err(unexpected(pid, "stat")),
    }
}

fn kilobytes(pid: u32, what: &str, field: &str) -> Result<u64, Failure> {
    let text = read(pid, what)?;
    let line = text.lines().find_map(|line| line.strip_prefix(field));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    let kilobytes = kilobytes.ok_or_else(|| unexpected(pid, what))?;
    Ok(kilobytes * 1024)
}

fn read(pid: u32, what: &str) -> Result<String, Failure> {
    let path = format!("/proc/{pid}/{what}");
    let path = Path::new(&path);
    fs::read_to_string(path).map_err(Failure::touch("read", path))
}

fn unexpected(pid: u32, what: &str) -> Failure {
    Failure::Expect(format!("/proc/{pid}/{what} is not what Linux writes"))
}
