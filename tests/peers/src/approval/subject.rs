//! Runs `portolan approval` as a process, with a cluster.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use portolan_proto::approval::v1 as pb;
use portolan_proto::approval::v1::approval_client::ApprovalClient;
use portolan_proto::approval::v1::verdict::State;
use tonic::transport::Channel;

use super::port::{PlanNamespace, Port};
use crate::catalogs::scratch;
use crate::failure::Failure;
use crate::gauge::Gauge;
use crate::pair::free_port;
use crate::process;
use crate::server::{Server, is_ready};

/// The maximum time to wait until the process has started.
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
    /// The time from the start until the process allows each pending plan.
    pub(crate) reviewed: Duration,
    pub(crate) processor_time: Duration,
    /// The peak memory until the process was ready, in bytes.
    pub(crate) peak: u64,
    /// The memory when the process was ready, in bytes.
    pub(crate) memory: u64,
}

// === impl Subject ===

impl Subject {
    /// Starts the process, and waits until it allows the pending plan in each namespace.
    pub(crate) async fn start(
        portolan: &Path,
        kubeconfig: &Path,
        port: Port,
    ) -> Result<(Self, Started), Failure> {
        let (listen, probes) = (free_port()?, free_port()?);
        let command = command(portolan, kubeconfig, listen, probes);
        let mut server = Server::start(command, listen, scratch()?)?;
        let (begun, pid) = (server.begun(), server.pid());
        let gauge = Gauge::of(pid);
        while !is_ready(probes).await {
            server.check_running()?;
            rest(begun, "is not ready").await?;
        }
        let ready = begun.elapsed();
        let subject = Self { server, pid };
        let mut client = subject.client();
        for berth in port.berths() {
            while !is_allowed(&mut client, berth).await? {
                rest(
                    begun,
                    &format!("does not allow the plan of {}", berth.namespace()),
                )
                .await?;
            }
        }
        let started = Started {
            ready,
            reviewed: begun.elapsed(),
            processor_time: process::processor_time(pid)?,
            peak: gauge.peak()?,
            memory: process::memory(pid)?,
        };
        Ok((subject, started))
    }

    pub(crate) fn client(&self) -> ApprovalClient<Channel> {
        ApprovalClient::new(self.server.connection()).max_decoding_message_size(usize::MAX)
    }
}

/// Returns the command that starts the process. Its connections have a long maximum age, so that no
/// watch ends during a measurement.
fn command(portolan: &Path, kubeconfig: &Path, listen: u16, probes: u16) -> Command {
    let mut command = Command::new(portolan);
    command.arg("approval").arg("--kubeconfig").arg(kubeconfig);
    command.arg(format!("--listen=127.0.0.1:{listen}"));
    command.arg(format!("--probes-listen=127.0.0.1:{probes}"));
    command.arg("--max-connection-age=12h");
    command
}

/// Requests the review of the pending plan in a namespace.
pub(crate) async fn review(
    client: &mut ApprovalClient<Channel>,
    berth: PlanNamespace,
) -> Result<pb::Review, Failure> {
    let asked = client.review_plan(pb::ReviewPlanRequest {
        namespace: berth.namespace(),
        name: berth.waiting(),
    });
    let answer = asked.await.map_err(|status| Failure::Call {
        method: "ReviewPlan",
        status: status.into(),
    })?;
    let review = answer.into_inner().review;
    review.ok_or_else(|| Failure::Expect("an answer has no review".to_owned()))
}

pub(crate) fn is_yes(review: &pb::Review) -> bool {
    let state = review.verdict.as_ref().map(pb::Verdict::state);
    state == Some(State::Yes)
}

async fn is_allowed(
    client: &mut ApprovalClient<Channel>,
    berth: PlanNamespace,
) -> Result<bool, Failure> {
    Ok(is_yes(&review(client, berth).await?))
}

async fn rest(begun: Instant, otherwise: &str) -> Result<(), Failure> {
    if begun.elapsed() > PATIENCE {
        return Err(Failure::Expect(format!("portolan approval {otherwise}")));
    }
    tokio::time::sleep(PAUSE).await;
    Ok(())
}
