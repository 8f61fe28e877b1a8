//! Requests from the approval service if upgrade policies allow an Operator to be upgraded.
//! Responses are not cached.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use portolan_core_operator::{Answer, ConsentQuestion, PolicyDecision};
use portolan_proto::approval::v1 as pb;
use portolan_proto::approval::v1::approval_client::ApprovalClient;
use portolan_shell::client::Connection;
use tokio::time::{Instant, sleep, timeout};
use tonic::Status;

use super::changes::{ChangeQueue, Due, Topic};
use super::status::why_after;
use super::{Clock, wire};

/// The maximum time for a response. It is long because evaluating the rules of users may take some
/// time.
const DEADLINE: Duration = Duration::from_secs(10);
/// The maximum number of requests, and the pause between them, until a response is based on the
/// policies that this process has read. Both processes watch the same objects, but not at the same
/// speed.
const LOOKS: (usize, Duration) = (8, Duration::from_millis(150));
/// The first and the maximum pause before a request without a response is repeated.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// Requests the decisions about upgrades from the approval service.
pub(super) struct Consents {
    client: ApprovalClient<Connection>,
    changes: Arc<ChangeQueue>,
    clock: Clock,
    silence: Mutex<Option<Silence>>,
}

/// A period in which the approval service does not respond.
#[derive(Debug, Clone, Copy)]
struct Silence {
    again: Instant,
    pause: Duration,
}

// === impl Consents ===

impl Consents {
    pub(super) fn new(
        client: ApprovalClient<Connection>,
        changes: Arc<ChangeQueue>,
        clock: Clock,
    ) -> Self {
        Self {
            client,
            changes,
            clock,
            silence: Mutex::default(),
        }
    }

    /// Returns the decision that is based on exactly the policies that this process has read.
    pub(super) async fn ask(&self, question: &ConsentQuestion) -> Answer<PolicyDecision> {
        let answer = self.current(question).await;
        match &answer {
            Answer::Known(_) => *self.lock() = None,
            Answer::Refused(_) | Answer::Unavailable(_) => self.again(),
        }
        answer
    }

    async fn current(&self, question: &ConsentQuestion) -> Answer<PolicyDecision> {
        let (looks, pause) = LOOKS;
        let mut answer = self.once(question).await;
        for _ in 1..looks {
            match answer {
                Err(OtherPolicies) => sleep(pause).await,
                Ok(answer) => return answer,
            }
            answer = self.once(question).await;
        }
        answer.unwrap_or_else(|OtherPolicies| {
            let sentence =
                "the approval service has not yet observed the same Policies and PolicyBindings \
                 as this controller";
            Answer::Unavailable(sentence.to_owned())
        })
    }

    async fn once(
        &self,
        question: &ConsentQuestion,
    ) -> Result<Answer<PolicyDecision>, OtherPolicies> {
        let request = wire::encode_consent(question, self.clock.now());
        let mut client = self.client.clone();
        let answered = timeout(DEADLINE, client.review_upgrade(request)).await;
        let answered = answered.unwrap_or_else(|_| Err(Status::deadline_exceeded("")));
        let response = match answered {
            Ok(response) => response.into_inner(),
            Err(status) => {
                let why = why_after(&status, "ReviewUpgrade", DEADLINE);
                return Ok(Answer::Unavailable(format!("approval: {why}")));
            }
        };
        if is_of_others(question, &response) {
            return Err(OtherPolicies);
        }
        Ok(wire::decode_consent(response))
    }

    /// Schedules a reconciliation of all Operators. The pause grows while the service is
    /// unavailable.
    fn again(&self) {
        let now = Instant::now();
        let mut silence = self.lock();
        let pause = match *silence {
            Some(Silence { again, .. }) if now < again => return,
            Some(Silence { pause, .. }) => (pause * 2).min(PAUSES.1),
            None => PAUSES.0,
        };
        let again = now + pause;
        *silence = Some(Silence { again, pause });
        drop(silence);
        let everything = Due::Again(Topic::Everything);
        self.changes.push_at(everything, again);
    }

    /// Locks the state. A panic of another holder leaves the state consistent, so a poisoned lock
    /// is safe to use.
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Silence>> {
        self.silence.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The error that the response is based on other policies than this process has read.
struct OtherPolicies;

fn is_of_others(question: &ConsentQuestion, response: &pb::ReviewUpgradeResponse) -> bool {
    let told: BTreeSet<_> = response.grounds.iter().map(wire::decode_ground).collect();
    question.grounds.as_ref().is_some_and(|seen| {
        let seen: BTreeSet<_> = seen.iter().map(wire::seen_ground).collect();
        seen != told
    })
}

impl std::fmt::Debug for Consents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Consents")
    }
}

#[cfg(test)]
mod tests;
