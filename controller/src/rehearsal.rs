//! The dry run of policies. It makes the same decisions as the controller, but writes nothing.

mod change;
mod operators;
mod proposed;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use portolan_api::{ConditionType, Intent, OperatorPolicyStatus, Rendered};
use portolan_core_operatorpolicy::{
    Answer, Answers, Observed, PlanReview, Preview, StaleKind, Unavailable, WriteMode, is_outdated,
    preview, render_status,
};
use portolan_runtime::{AT_ONCE, Driver, Outcome, Reconciler, Reconciles, instant};
use portolan_shell::Readiness;
use portolan_world::{AnyWorld, Ended, Key};
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

pub use self::change::{Change, Verb};
pub use self::operators::{OperatorRehearsal, OperatorTerms};
pub use self::proposed::Proposed;
use crate::ask::{Connections, Services};
use crate::crd::schema_of;
use crate::instances::LiveReader;
use crate::metrics::Metrics;
use crate::observe::{Informers, PolicySnapshot, Rules};
use crate::reconcile::{Decided, PolicyCache, PolicyReport, decided, service_changes};

/// The waiting times of a dry run.
#[derive(Debug, Clone, Copy)]
struct Pace {
    /// The maximum time to wait for services that do not respond.
    patience: Duration,
    /// The time without changes after which the dry run is complete. A change is followed by a
    /// reconciliation only after a delay.
    quiet: Duration,
}

const WITH_CLUSTER: Pace = Pace {
    patience: Duration::from_secs(10),
    quiet: Duration::from_millis(300),
};

/// The waiting times for files. They are short, because the first response of each service is
/// already complete.
const WITH_FILES: Pace = Pace {
    patience: Duration::from_secs(2),
    quiet: Duration::from_millis(300),
};

/// The settings of a dry run of policies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// True if policies are enforced even if another controller writes their statuses.
    pub takes_over: bool,
    /// The namespace for operators whose policy and catalog specify no namespace.
    pub default_namespace: Option<String>,
    /// The only namespace whose policies are enforced. None for all namespaces.
    pub only_namespace: Option<String>,
}

/// The result of the dry run of one policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Rehearsed {
    /// The namespace of the policy.
    pub namespace: String,
    /// The name of the policy.
    pub name: String,
    /// A sentence for each error in the policy. An invalid policy is not enforced.
    pub refusals: Vec<String>,
    /// The status that the policy would have before the first step.
    pub status: OperatorPolicyStatus,
    /// The types of the conditions that make the policy non-compliant.
    pub violations: Vec<String>,
    /// A sentence if the requested catalog, package or channel does not exist.
    pub lacking: Option<String>,
    /// The fields with templates. Each field has its template and its result. None if the policy
    /// has no templates.
    pub rendered: Option<Vec<(String, Value, Value)>>,
    /// The changes that the controller would make next, in order.
    pub changes: Vec<Change>,
    /// The reason as a sentence why the controller would make no changes. None if there is no such
    /// reason.
    pub withheld: Option<String>,
    /// A sentence for each unknown fact.
    pub unknown: Vec<String>,
    /// The objects that the controller would delete or keep if the policy were deleted. None for an
    /// invalid policy.
    pub removal: Option<Preview>,
}

/// A dry run of all policies. Decisions are made again after each relevant change, but not
/// executed. The dry run ends when this value is dropped.
#[derive(Debug)]
pub struct Rehearsal {
    board: watch::Receiver<Board>,
    pace: Pace,
    _driving: AbortOnDropHandle<Result<(), Ended>>,
}

/// The results of the dry run so far.
#[derive(Debug, Default)]
struct Board {
    policies: BTreeMap<Key, Noted>,
    /// True if all policies have been reconciled and no policy is due.
    is_at_rest: bool,
    /// The number of reconciliations.
    rounds: u64,
}

#[derive(Debug)]
struct Noted {
    rehearsed: Rehearsed,
    /// True if the result may still change, because a service has not responded or its response is
    /// outdated.
    is_silent: bool,
}

/// Decides about policies. Records the steps instead of executing them.
struct DryRunReconciler {
    services: Arc<Services>,
    live: LiveReader,
    board: watch::Sender<Board>,
}

// === impl Rehearsal ===

impl Rehearsal {
    /// Starts a dry run of all policies in a world.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn of(world: &Proposed<AnyWorld>, services: Connections, terms: &Terms) -> Self {
        let client = match world.under() {
            AnyWorld::Cluster(cluster) => Some(cluster.client()),
            AnyWorld::Files(_) => None,
        };
        let (sender, board) = watch::channel(Board::default());
        let rules = Rules {
            takes_over: terms.takes_over,
            default_namespace: terms.default_namespace.clone(),
            only_namespace: terms.only_namespace.clone(),
            is_rehearsed: true,
            read_only: None,
        };
        let services = Arc::new(Services::of(services));
        let (metrics, _) = Metrics::new();
        let driver = Driver {
            cache: PolicyCache::new(
                Informers::of(world, rules),
                service_changes(&services),
                schema_of(client.clone()),
                Arc::new(metrics),
            ),
            reconciler: Arc::new(DryRunReconciler {
                services,
                live: LiveReader(client),
                board: sender,
            }),
            at_once: AT_ONCE,
            ready: Readiness::pending(),
            metrics: Reconciles::default(),
        };
        let never = CancellationToken::new();
        let driving = driver.run(std::future::ready(()), never);
        Self {
            board,
            pace: match world.under() {
                AnyWorld::Cluster(_) => WITH_CLUSTER,
                AnyWorld::Files(_) => WITH_FILES,
            },
            _driving: AbortOnDropHandle::new(tokio::spawn(driving)),
        }
    }

    /// Returns the result for each policy, sorted by namespace and name. Waits until all policies
    /// were reconciled, every service has responded, and there was no change for some time. The
    /// wait has a time limit, because a service may not respond or changes may never stop.
    ///
    /// # Errors
    /// Returns an error if the world has ended.
    pub async fn settled(&mut self) -> Result<Vec<Rehearsed>, Ended> {
        self.until(|board| board.is_at_rest).await?;
        let patience = self.pace.patience;
        match tokio::time::timeout(patience, self.calm()).await {
            Ok(calm) => calm?,
            Err(_) => self.until(|board| board.is_at_rest).await?,
        }
        Ok(self.board.borrow_and_update().all())
    }

    async fn calm(&mut self) -> Result<(), Ended> {
        loop {
            self.until(|board| board.is_at_rest && !board.has_silence())
                .await?;
            let rounds = self.board.borrow().rounds;
            tokio::time::sleep(self.pace.quiet).await;
            let board = self.board.borrow();
            if board.is_at_rest && board.rounds == rounds {
                return Ok(());
            }
        }
    }

    /// Waits until the result for a policy changes.
    ///
    /// # Errors
    /// Returns an error if the world has ended.
    pub async fn changed(&mut self) -> Result<(), Ended> {
        self.board.changed().await.map_err(|_| Ended)
    }

    async fn until(&mut self, is_wanted: impl Fn(&Board) -> bool) -> Result<(), Ended> {
        let found = self.board.wait_for(is_wanted).await;
        found.map(drop).map_err(|_| Ended)
    }
}

// === impl Board ===

impl Board {
    fn has_silence(&self) -> bool {
        self.policies.values().any(|noted| noted.is_silent)
    }

    fn all(&self) -> Vec<Rehearsed> {
        let all = self.policies.values();
        all.map(|noted| noted.rehearsed.clone()).collect()
    }
}

// === impl DryRunReconciler ===

impl Reconciler for DryRunReconciler {
    type Cache = PolicyCache;

    async fn reconcile(&self, key: &Key, seen: PolicySnapshot) -> Outcome<PolicyReport> {
        self.board.send_if_modified(|board| {
            board.is_at_rest = false;
            board.rounds += 1;
            false
        });
        let parsed = seen.parsed.clone();
        let Decided {
            observed,
            answers,
            desired,
        } = decided(&self.services, &self.live, seen, Timestamp::now).await;
        let policy = &observed.policy;
        let before = policy.status.clone().unwrap_or_default();
        let update = render_status(&desired.report, policy, &before, Timestamp::now());
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let violating = desired
            .report
            .conditions
            .iter()
            .filter(|condition| condition.violates);
        let secret = parsed
            .as_ref()
            .as_ref()
            .map(|intent| &intent.subscription.secret_variables);
        let secret = secret.cloned().unwrap_or_default();
        let steps = desired.steps.iter();
        let rehearsed = Rehearsed {
            namespace: text(&policy.metadata.namespace),
            name: text(&policy.metadata.name),
            refusals: parsed
                .as_ref()
                .as_ref()
                .err()
                .map(|refusals| refusals.sentences())
                .unwrap_or_default(),
            status: update.status.clone(),
            violations: violating
                .map(|condition| condition.type_.as_str().to_owned())
                .collect(),
            lacking: desired.report.lacking.clone(),
            changes: steps.map(|step| Change::of(step, &secret)).collect(),
            rendered: policy.spec.rendered().map(Rendered::differences),
            withheld: match &observed.write_mode {
                WriteMode::ReadWrite => None,
                WriteMode::ReadOnly(why) => Some(why.clone()),
            },
            unknown: unknown(&observed, &answers, &desired.report.kept),
            removal: removal(parsed.as_ref().as_ref().ok(), &observed),
        };
        let noted = Noted {
            rehearsed,
            is_silent: !unavailable_services(&answers).is_empty()
                || is_behind(&answers.reviews, &observed),
        };
        let key = key.clone();
        self.board.send_if_modified(|board| {
            board.policies.insert(key, noted);
            false
        });
        // The dry run does not execute the steps, so the next reconciliation has the same input.
        Outcome {
            requeue_at: desired.requeue_at.map(instant),
            report: PolicyReport {
                supposed: desired.report.is_partial.then_some(update.status),
                compliance: None,
            },
            ..Outcome::default()
        }
    }

    fn forget(&self, policy: &Key) {
        self.board.send_if_modified(|board| {
            board.policies.remove(policy);
            board.is_at_rest = false;
            false
        });
    }

    fn idle(&self) {
        self.board
            .send_if_modified(|board| !std::mem::replace(&mut board.is_at_rest, true));
    }
}

/// Returns a sentence for each unknown fact, without duplicates.
fn unknown(
    observed: &Observed,
    answers: &Answers,
    kept: &[(ConditionType, String)],
) -> Vec<String> {
    let unavailable_services = unavailable_services(answers);
    let stale = observed.stale.iter().map(|stale| {
        let StaleKind { kind, why, .. } = stale;
        format!("{kind} objects are not observed: {why}")
    });
    // The time since which a service is unavailable does not help the user of a dry run, so it is
    // left out.
    let silent = unavailable_services.iter().map(|unavailable| {
        let Unavailable { service, why, .. } = unavailable;
        format!("{service}: {why}")
    });
    let is_unavailable = |why: &String| {
        unavailable_services
            .iter()
            .any(|unavailable| unavailable.to_string() == *why)
    };
    let kept = kept
        .iter()
        .map(|(_, why)| why)
        .filter(|why| !is_unavailable(why));
    let mut all: Vec<String> = Vec::new();
    for sentence in stale.chain(silent).chain(kept.cloned()) {
        if !all.contains(&sentence) {
            all.push(sentence);
        }
    }
    all
}

fn removal(intent: Option<&Intent>, observed: &Observed) -> Option<Preview> {
    intent.map(|intent| preview(intent, observed))
}

/// Returns true if a review of the approval service is outdated, and a newer review will follow.
fn is_behind(reviews: &Answer<Vec<PlanReview>>, observed: &Observed) -> bool {
    match reviews {
        Answer::Found(all) => all.iter().any(|review| is_outdated(review, observed)),
        Answer::NotAsked | Answer::NotFound(_) | Answer::Unavailable(_) => false,
    }
}

/// Returns the services that did not respond.
fn unavailable_services(answers: &Answers) -> Vec<&Unavailable> {
    fn of<T>(answer: &Answer<T>) -> Option<&Unavailable> {
        match answer {
            Answer::Unavailable(unavailable) => Some(unavailable),
            Answer::NotAsked | Answer::Found(_) | Answer::NotFound(_) => None,
        }
    }
    let Answers {
        sight: _,
        offer,
        modes,
        route,
        conflict,
        operator,
        catalog,
        reviews,
    } = answers;
    let all = [
        of(offer),
        of(modes),
        of(route),
        of(conflict),
        of(operator),
        of(catalog),
        of(reviews),
    ];
    all.into_iter().flatten().collect()
}
