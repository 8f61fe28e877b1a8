//! Clients that send requests continuously, and record the responses.

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

/// A steady load, which ends with this value.
pub(crate) struct Load {
    received: watch::Sender<Received>,
    _asking: JoinSet<()>,
}

/// The answers so far.
#[derive(Debug, Default)]
struct Received {
    /// The responses to each client in order, without consecutive duplicates.
    versions: [Vec<Version>; CLIENTS],
    failures: Vec<String>,
    answers: usize,
}

/// The state and the content of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) digest: String,
    pub(crate) is_stale: bool,
    /// The next bundle to install.
    pub(crate) recommended: String,
}

// === impl Load ===

impl Load {
    /// Starts clients that request the updates of a bundle. Each client has its own connection.
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

    /// Waits until `is_wanted` accepts the last answer to each client. Returns the time that this
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

    /// Waits until this many more requests have got a response.
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

    /// Returns the responses to each client. Asserts that all clients got the same responses,
    /// without failures.
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
        // The other tasks on this thread need to run.
        tokio::task::yield_now().await;
    }
}
