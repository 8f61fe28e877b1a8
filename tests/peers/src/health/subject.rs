//! Runs `portolan health-server` as a process, with a cluster.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use portolan_proto::health::v1 as pb;
use portolan_proto::health::v1::health_client::HealthClient;
use portolan_proto::health::v1::verdict::State;
use tonic::transport::Channel;

use crate::catalogs::scratch;
use crate::failure::Failure;
use crate::gauge::Gauge;
use crate::pair::free_port;
use crate::process;
use crate::server::{Server, is_ready};

/// The maximum time to wait until all operators are listed as healthy.
const PATIENCE: Duration = Duration::from_secs(600);

/// The pause between two requests while the process starts.
const PAUSE: Duration = Duration::from_millis(20);

/// The process and its measurements.
#[derive(Debug)]
pub(crate) struct Subject {
    server: Server,
    pub(crate) pid: u32,
}

/// The time and memory of a start.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Started {
    /// The time from the start until the process reports that it is ready.
    pub(crate) ready: Duration,
    /// The time from the start until the process lists all operators.
    pub(crate) listed: Duration,
    /// The time from the start until the process lists all operators as healthy.
    pub(crate) judged: Duration,
    pub(crate) processor_time: Duration,
    /// The peak memory until the process was ready, in bytes.
    pub(crate) peak: u64,
    /// The memory when the process was ready, in bytes.
    pub(crate) memory: u64,
}

// === impl Subject ===

impl Subject {
    /// Starts the process. Waits until it lists this number of operators, and then until all of
    /// them are healthy.
    pub(crate) async fn start(
        portolan: &Path,
        kubeconfig: &Path,
        operators: usize,
    ) -> Result<(Self, Started), Failure> {
        let (port, probes) = (free_port()?, free_port()?);
        let mut server = Server::start(
            command(portolan, kubeconfig, port, probes),
            port,
            scratch()?,
        )?;
        let (begun, pid) = (server.begun(), server.pid());
        let gauge = Gauge::of(pid);
        while !is_ready(probes).await {
            server.check_running()?;
            rest(begun, "is not ready").await?;
        }
        let ready = begun.elapsed();
        let mut listed = None;
        loop {
            let all = list(server.connection()).await?;
            let is_whole = all.len() >= operators;
            if is_whole {
                listed.get_or_insert_with(|| begun.elapsed());
            }
            if is_whole && all.iter().all(is_well) {
                break;
            }
            server.check_running()?;
            rest(begun, &first_ill(&all, operators)).await?;
        }
        let judged = begun.elapsed();
        let started = Started {
            ready,
            listed: listed.unwrap_or(judged),
            judged,
            processor_time: process::processor_time(pid)?,
            peak: gauge.peak()?,
            memory: process::memory(pid)?,
        };
        Ok((Self { server, pid }, started))
    }

    pub(crate) fn connection(&self) -> Channel {
        self.server.connection()
    }

    pub(crate) fn processor_time(&self) -> Result<Duration, Failure> {
        process::processor_time(self.pid)
    }

    pub(crate) fn memory(&self) -> Result<u64, Failure> {
        process::memory(self.pid)
    }

    /// Returns the number of operators that have a reason with this code.
    pub(crate) async fn said(&self, code: &str) -> Result<usize, Failure> {
        let all = list(self.connection()).await?;
        let says = |operator: &&pb::Operator| {
            let reasons = operator.verdict.iter().flat_map(|verdict| &verdict.reasons);
            reasons.into_iter().any(|reason| reason.code == code)
        };
        Ok(all.iter().filter(says).count())
    }
}

/// Returns the command that starts the process. Its connections have a long maximum age, so that no
/// watch ends during a measurement.
fn command(portolan: &Path, kubeconfig: &Path, port: u16, probes: u16) -> Command {
    let mut command = Command::new(portolan);
    command
        .arg("health-server")
        .arg("--kubeconfig")
        .arg(PathBuf::from(kubeconfig));
    command.arg(format!("--listen=127.0.0.1:{port}"));
    command.arg(format!("--probes-listen=127.0.0.1:{probes}"));
    command.arg("--max-connection-age=12h");
    command
}

/// Requests all pages, one after the other.
async fn list(channel: Channel) -> Result<Vec<pb::Operator>, Failure> {
    let mut client = HealthClient::new(channel).max_decoding_message_size(usize::MAX);
    let mut operators = Vec::new();
    let mut request = pb::ListOperatorsRequest::default();
    loop {
        let page = client.list_operators(request.clone()).await;
        let page = page.map_err(|status| Failure::Call {
            method: "ListOperators",
            status: status.into(),
        })?;
        let page = page.into_inner();
        operators.extend(page.operators);
        if page.next_page_token.is_empty() {
            return Ok(operators);
        }
        request.page_token = page.next_page_token;
    }
}

fn is_well(operator: &pb::Operator) -> bool {
    let state = operator.verdict.as_ref().map(pb::Verdict::state);
    state == Some(State::Yes)
}

/// Returns the error message after a timeout: the first operator that is not healthy.
fn first_ill(operators: &[pb::Operator], wanted: usize) -> String {
    let ill = operators.iter().find(|operator| !is_well(operator));
    let ill = ill.map(|operator| (&operator.subject, &operator.verdict));
    format!(
        "lists {} of {wanted} operators; not well: {ill:?}",
        operators.len()
    )
}

async fn rest(begun: Instant, otherwise: &str) -> Result<(), Failure> {
    if begun.elapsed() > PATIENCE {
        return Err(Failure::Expect(format!(
            "portolan health-server {otherwise}"
        )));
    }
    tokio::time::sleep(PAUSE).await;
    Ok(())
}
