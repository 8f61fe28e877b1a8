//! Runs clients that send requests continuously and record the responses.

use std::time::{Duration, Instant};

use portolan_proto::resolver::v1::ListUpgradesRequest;
use portolan_rig::PATIENCE;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::questions::Client;
use super::serving::Serving;

/// The number of concurrent clients.
const CLIENTS: usize = 4;

/// Clients that send requests continuously. Dropping this value stops them.
pub(crate) struct Load {
    received: watch::Sender<Received>,
    _asking: JoinSet<()>,
}

/// The responses until now.
#[derive(Debug, Default)]
struct Received {
    /// The responses to each client, in order. Equal consecutive responses are recorded once.
    versions: [Vec<Version>; CLIENTS],
    failures: Vec<String>,
    answers: usize,
}

/// The part of a response that is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) digest: String,
    pub(crate) is_stale: bool,
    /// The bundle that the resolver recommends to install next.
    pub(crate) recommended: String,
}

// === impl Load ===

impl Load {
    /// Starts clients that continuously request the upgrades of an installed bundle. Each client
    /// has its own connection.
    pub(crate) fn over(serving: &Serving, catalog: &str, package: &str, installed: &str) -> Self {
        let question = ListUpgradesRequest {
            catalog: catalog.to_owned(),
            package: package.to_owned(),
            installed: installed.to_owned(),
            ..Default::default()
        };
        let received = watch::Sender::default();
        let mut asking = JoinSet::new();
        for at in 0..CLIENTS {
            asking.spawn(ask(
                at,
                serving.client(),
                question.clone(),
                received.clone(),
            ));
        }
        Self {
            received,
            _asking: asking,
        }
    }

    /// Waits until `is_wanted` accepts the last response to each client. Returns the time that this
    /// took.
    pub(crate) async fn until(&self, is_wanted: impl Fn(&Version) -> bool) -> Duration {
        let begun = Instant::now();
        let is_last = |received: &Received| {
            let mut last = received.versions.iter().map(|versions| versions.last());
            last.all(|last| last.is_some_and(&is_wanted))
        };
        let mut received = self.received.subscribe();
        if timeout(PATIENCE, received.wait_for(is_last)).await.is_err() {
            panic!(
                "the answers did not reach the expected state: {:?}",
                self.received.borrow()
            );
        }
        begun.elapsed()
    }

    /// Waits until the clients have received this many more responses.
    pub(crate) async fn answered(&self, count: usize) {
        let mut received = self.received.subscribe();
        let wanted = received.borrow().answers + count;
        let answered = timeout(
            PATIENCE,
            received.wait_for(|received| received.answers >= wanted),
        )
        .await;
        assert!(answered.is_ok(), "questions must be answered");
    }

    /// Returns the recorded responses of one client. Asserts that all clients received the same
    /// responses, and that no request failed.
    pub(crate) fn versions(self) -> Vec<Version> {
        let received = self.received.borrow();
        assert_eq!(received.failures, [""; 0], "no question may fail");
        for versions in &received.versions {
            assert_eq!(
                versions, &received.versions[0],
                "of {} answers",
                received.answers
            );
        }
        received.versions[0].clone()
    }
}

async fn ask(
    at: usize,
    mut client: Client,
    question: ListUpgradesRequest,
    received: watch::Sender<Received>,
) {
    loop {
        let answer = client.list_upgrades(question.clone()).await;
        received.send_modify(|received| match answer {
            Ok(answer) => {
                received.answers += 1;
                let answer = answer.into_inner();
                let catalog = &answer.catalogs[0];
                let version = Version {
                    digest: catalog.digest.clone(),
                    is_stale: catalog.stale,
                    recommended: answer.recommended,
                };
                let versions = &mut received.versions[at];
                if versions.last() != Some(&version) {
                    versions.push(version);
                }
            }
            Err(failure) => received.failures.push(failure.to_string()),
        });
        // Yields, so that the other tasks on this thread can run.
        tokio::task::yield_now().await;
    }
}
