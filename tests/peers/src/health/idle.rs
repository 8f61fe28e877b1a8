//! A while in which nothing happens.

use std::process::Command;
use std::time::Duration;

use portolan_rig::Cluster;

use super::asked::{self, Asked};
use super::subject::Subject;
use crate::failure::Failure;

/// What happened before has its end first.
const AFTERMATH: Duration = Duration::from_secs(5);

/// What a while of nothing cost.
#[derive(Debug)]
pub(crate) struct Idle {
    pub(crate) lasting: Duration,
    pub(crate) processor_time: Duration,
    pub(crate) asked: Asked,
    /// What came from the API server, in bytes; none where the system does not tell.
    pub(crate) bytes: Option<u64>,
    /// The memory at its end, in bytes.
    pub(crate) memory: u64,
}

pub(crate) async fn measure(
    cluster: &Cluster,
    subject: &Subject,
    lasting: Duration,
) -> Result<Idle, Failure> {
    tokio::time::sleep(AFTERMATH).await;
    let until = asked::until_now(cluster)?;
    let spent = subject.processor_time()?;
    let received_before = received(cluster, subject.pid);
    tokio::time::sleep(lasting).await;
    let received = received(cluster, subject.pid);
    Ok(Idle {
        lasting,
        processor_time: subject.processor_time()? - spent,
        asked: asked::since(cluster, until)?,
        bytes: received_before
            .zip(received)
            .map(|(before, now)| now.saturating_sub(before)),
        memory: subject.memory()?,
    })
}

/// What the connections of that process to the API server have received, in bytes, as `ss` tells.
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

/// What one socket has received, if its peer is that server.
fn bytes_from(line: &str, server: &str) -> Option<u64> {
    let mut words = line.split_whitespace();
    (words.nth(4)? == server).then_some(())?;
    words.find_map(|word| word.strip_prefix("bytes_received:")?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_comes_from_the_server_counts() {
        let line = "ESTAB 0 0 127.0.0.1:40000 127.0.0.1:6443 users:((\"portolan\",pid=7,fd=9)) \
                    cubic bytes_sent:12 bytes_received:34 segs_out:5";
        assert_eq!(bytes_from(line, "127.0.0.1:6443"), Some(34));
        assert_eq!(bytes_from(line, "127.0.0.1:40000"), None);
    }
}
