//! Clients that ask without a pause, and remember what they were told.

use std::time::{Duration, Instant};

use portolan_proto::resolver::v1::ListUpgradesRequest;
use portolan_rig::PATIENCE;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::questions::Client;
use super::serving::Serving;

/// How many ask at a time.
const CLIENTS: usize = 4;

/// A steady load, which ends with this value.
pub(crate) struct Load {
    told: watch::Sender<Told>,
    _asking: JoinSet<()>,
}

/// All answers so far.
#[derive(Debug, Default)]
struct Told {
    /// Of each client, what it was told one after the other, without repetitions.
    versions: [Vec<Version>; CLIENTS],
    failures: Vec<String>,
    answers: usize,
}

/// What an answer says of its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) digest: String,
    pub(crate) is_stale: bool,
    /// What is to be installed next.
    pub(crate) recommended: String,
}

// === impl Load ===

impl Load {
    /// Begins to ask what a bundle can be updated to. Each client has a connection of its own.
    pub(crate) fn over(serving: &Serving, catalog: &str, package: &str, installed: &str) -> Self {
        let question = ListUpgradesRequest {
            catalog: catalog.to_owned(),
            package: package.to_owned(),
            installed: installed.to_owned(),
            ..Default::default()
        };
        let told = watch::Sender::default();
        let mut asking = JoinSet::new();
        for at in 0..CLIENTS {
            asking.spawn(ask(at, serving.client(), question.clone(), told.clone()));
        }
        Self {
            told,
            _asking: asking,
        }
    }

    /// Waits until each client has been told this last, and says how long that took.
    pub(crate) async fn until(&self, is_wanted: impl Fn(&Version) -> bool) -> Duration {
        let begun = Instant::now();
        let is_last = |told: &Told| {
            let mut last = told.versions.iter().map(|versions| versions.last());
            last.all(|last| last.is_some_and(&is_wanted))
        };
        let mut told = self.told.subscribe();
        if timeout(PATIENCE, told.wait_for(is_last)).await.is_err() {
            panic!(
                "the answers must become as wanted: {:?}",
                self.told.borrow()
            );
        }
        begun.elapsed()
    }

    /// Waits until so many more questions have been answered.
    pub(crate) async fn answered(&self, count: usize) {
        let mut told = self.told.subscribe();
        let wanted = told.borrow().answers + count;
        let answered = timeout(PATIENCE, told.wait_for(|told| told.answers >= wanted)).await;
        assert!(answered.is_ok(), "questions must be answered");
    }

    /// What each client was told, which must have been the same, and without any failure.
    pub(crate) fn versions(self) -> Vec<Version> {
        let told = self.told.borrow();
        assert_eq!(told.failures, [""; 0], "no question may fail");
        for versions in &told.versions {
            assert_eq!(versions, &told.versions[0], "of {} answers", told.answers);
        }
        told.versions[0].clone()
    }
}

async fn ask(
    at: usize,
    mut client: Client,
    question: ListUpgradesRequest,
    told: watch::Sender<Told>,
) {
    loop {
        let answer = client.list_upgrades(question.clone()).await;
        told.send_modify(|told| match answer {
            Ok(answer) => {
                told.answers += 1;
                let answer = answer.into_inner();
                let catalog = &answer.catalogs[0];
                let version = Version {
                    digest: catalog.digest.clone(),
                    is_stale: catalog.stale,
                    recommended: answer.recommended,
                };
                let versions = &mut told.versions[at];
                if versions.last() != Some(&version) {
                    versions.push(version);
                }
            }
            Err(failure) => told.failures.push(failure.to_string()),
        });
        // The others on this thread have to come to their turn.
        tokio::task::yield_now().await;
    }
}
