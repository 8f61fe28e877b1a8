//! Measures a process while nothing changes.

use std::process::Command;
use std::time::Duration;

use portolan_rig::Cluster;

use crate::asked::{self, Asked};
use crate::failure::Failure;
use crate::figure::{begin, count, figure};
use crate::process;
use crate::table::{Table, bytes, megabytes, milliseconds};

/// The time to wait at first, until the effects of earlier work have ended.
const AFTERMATH: Duration = Duration::from_secs(5);

/// The cost of a period without changes.
#[derive(Debug)]
pub(crate) struct Idle {
    pub(crate) lasting: Duration,
    pub(crate) processor_time: Duration,
    pub(crate) asked: Asked,
    /// The number of bytes that the API server has sent to the process. None if the operating
    /// system does not report it.
    pub(crate) bytes: Option<u64>,
    /// The memory at the end of the period, in bytes.
    pub(crate) memory: u64,
}

/// Measures a process while nothing changes. The process authenticates to the API server as `user`.
pub(crate) async fn measure(
    cluster: &Cluster,
    user: &str,
    pid: u32,
    lasting: Duration,
) -> Result<Idle, Failure> {
    tokio::time::sleep(AFTERMATH).await;
    let until = asked::until_now(cluster, user)?;
    let spent = process::processor_time(pid)?;
    let received_before = received(cluster, pid);
    tokio::time::sleep(lasting).await;
    let received = received(cluster, pid);
    Ok(Idle {
        lasting,
        processor_time: process::processor_time(pid)? - spent,
        asked: asked::since(cluster, user, until)?,
        bytes: received_before
            .zip(received)
            .map(|(before, now)| now.saturating_sub(before)),
        memory: process::memory(pid)?,
    })
}

/// Adds the cost of a period without changes to the table.
pub(crate) fn report(idle: &Idle, most: Option<f64>, table: &mut Table) {
    begin(
        format!("{} s in which nothing happens", idle.lasting.as_secs()),
        table,
    );
    let time = idle.processor_time.as_secs_f64();
    figure("processor time", time, milliseconds).report(table);
    figure("requests besides watches", idle.asked.others as f64, count)
        .below(0.0)
        .report(table);
    figure("watches opened anew", idle.asked.watches as f64, count).report(table);
    match idle.bytes {
        Some(received) => figure("received", received as f64, bytes).report(table),
        None => table.line(vec!["received".to_owned(), "not known".to_owned()]),
    }
    let memory = figure("memory at its end", idle.memory as f64, megabytes);
    most.map_or(memory, |most| memory.below(most)).report(table);
}

/// Returns the bytes that the process has received from the API server. Reads them from the output
/// of `ss`.
fn received(cluster: &Cluster, pid: u32) -> Option<u64> {
    let address = cluster.address();
    let server = address.trim_start_matches("https://");
    let output = Command::new("ss").args(["-tinpHO"]).output().ok()?;
    let sockets = String::from_utf8(output.stdout).ok()?;
    let owner = format!("pid={pid},");
    let own = sockets.lines().filter(|line| line.contains(&owner));
    let counts = own
        .filter_map(|line| bytes_from(line, server))
        .collect::<Vec<_>>();
    (!counts.is_empty()).then(|| counts.iter().sum())
}

/// Returns the bytes that one socket has received. Returns None if the other end is not this
/// server.
fn bytes_from(line: &str, server: &str) -> Option<u64> {
    let mut words = line.split_whitespace();
    (words.nth(4)? == server).then_some(())?;
    words.find_map(|word| word.strip_prefix("bytes_received:")?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bytes_from_the_server_are_counted() {
        let line = "ESTAB 0 0 127.0.0.1:40000 127.0.0.1:6443 users:((\"portolan\",pid=7,fd=9)) \
                    cubic bytes_sent:12 bytes_received:34 segs_out:5";
        assert_eq!(bytes_from(line, "127.0.0.1:6443"), Some(34));
        assert_eq!(bytes_from(line, "127.0.0.1:40000"), None);
    }
}
