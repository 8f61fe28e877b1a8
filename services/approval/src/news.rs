//! Computes the changes for clients of a watch, including changes that only the passing of time
//! causes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::future::join_all;
use jiff::Timestamp;
use portolan_core_approval::Review;
use portolan_core_approval::consent::Move;
use portolan_scaffold::{Compare, Posted, WatchUpdate};

use crate::clock::Clock;
use crate::judges::{Judges, ReviewUpgrade, ReviewedUpgrade};
use crate::restricted::{Restricted, restricted};
use crate::snapshot::{Change, Located, Snapshot, Subject, UpgradeFacts, says_as};

/// The reviews of InstallPlans that one client of a watch has received.
#[derive(Debug)]
pub(crate) struct PlanNews {
    judges: Judges,
    clock: Clock,
    /// The only namespace to watch. None for all namespaces.
    only: Option<String>,
    before: Arc<Snapshot>,
    /// The InstallPlans whose reviews depend on windows, rules or the time. Each has the review
    /// that was sent last.
    bound: BTreeMap<Subject, Restricted>,
}

/// The results about upgrades that one client of a watch has received.
#[derive(Debug)]
pub(crate) struct UpgradeNews {
    judges: Judges,
    clock: Clock,
    asked: Vec<Move>,
    facts: Option<Arc<UpgradeFacts>>,
    answers: BTreeMap<usize, ReviewedUpgrade>,
}

/// The result of one query of a watch. `place` is the index of the query in the request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answered {
    pub(crate) place: usize,
    pub(crate) answer: ReviewedUpgrade,
}

// === impl PlanNews ===

impl PlanNews {
    pub(crate) fn new((judges, clock): (Judges, Clock), only: Option<String>) -> Self {
        Self {
            judges,
            clock,
            only,
            before: Arc::default(),
            bound: BTreeMap::new(),
        }
    }

    /// Returns the InstallPlans whose reviews may have changed without a change of their objects:
    /// because of changed UpgradePolicies, or because time has passed.
    fn due(&self, snapshot: &Snapshot) -> BTreeSet<Subject> {
        let now = self.clock.now();
        let timed = self.bound.iter();
        let timed = timed.filter(|(_, told)| told.next.is_some_and(|next| next <= now));
        let mut due: BTreeSet<_> = timed.map(|(subject, _)| subject.clone()).collect();
        if !is_same(self.before.upgrades.as_ref(), snapshot.upgrades.as_ref()) {
            let all = snapshot.reviews();
            let all = all.filter(|(namespace, _)| self.is_meant(namespace));
            let open = all.filter(|(_, review)| review.approvals().next().is_some());
            due.extend(open.map(|(namespace, review)| Subject {
                namespace: namespace.clone(),
                name: review.plan.clone(),
            }));
        }
        due
    }

    fn is_meant(&self, namespace: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == namespace)
    }

    fn last_review(&self, subject: &Subject) -> Option<&Arc<Review>> {
        let bound = self.bound.get(subject).map(|told| &told.review);
        bound.or_else(|| self.before.review(subject))
    }

    /// Stores the current review of an InstallPlan. Returns the review if it has changed.
    fn take(&mut self, subject: Subject, own: &Arc<Review>, now: Restricted) -> Option<Change> {
        let told = self.last_review(&subject);
        let is_news = told.is_none_or(|told| !says_as(told, &now.review));
        let change = Change::Review(Located {
            namespace: subject.namespace.clone(),
            review: now.review.clone(),
        });
        if Arc::ptr_eq(own, &now.review) && now.next.is_none() {
            self.bound.remove(&subject);
        } else {
            self.bound.insert(subject, now);
        }
        is_news.then_some(change)
    }
}

impl Compare<Option<Posted<Snapshot>>> for PlanNews {
    type Change = Change;

    async fn compare(&mut self, posted: Option<Posted<Snapshot>>) -> Option<WatchUpdate<Change>> {
        let Posted { revision, snapshot } = posted?;
        let (mut news, mut due) = (Vec::new(), self.due(&snapshot));
        for change in snapshot.since(&self.before, self.only.as_deref()) {
            match change {
                Change::Review(located) => drop(due.insert(located.subject())),
                Change::Gone(subject) => {
                    self.bound.remove(&subject);
                    news.push(Change::Gone(subject));
                }
            }
        }
        let due = due.into_iter().filter_map(|subject| {
            let review = snapshot.review(&subject)?.clone();
            Some((subject, review))
        });
        let (judges, now) = (&self.judges, self.clock.now());
        let facts = snapshot.upgrades.as_ref();
        let judged = due.map(async |(subject, review)| {
            let now = restricted(judges, facts, &review, now).await;
            (subject, review, now)
        });
        for (subject, review, now) in join_all(judged).await {
            news.extend(self.take(subject, &review, now));
        }
        self.before = snapshot;
        let next = self.bound.values().filter_map(|told| told.next).min();
        Some(WatchUpdate {
            revision,
            changes: news,
            again: next.map(|next| self.clock.moment(next)),
        })
    }
}

// === impl UpgradeNews ===

impl UpgradeNews {
    pub(crate) fn new((judges, clock): (Judges, Clock), asked: Vec<Move>) -> Self {
        Self {
            judges,
            clock,
            asked,
            facts: None,
            answers: BTreeMap::new(),
        }
    }

    fn is_due(&self, place: usize, is_changed: bool, now: Timestamp) -> bool {
        let known = self.answers.get(&place);
        is_changed || known.is_none_or(|it| it.next().is_some_and(|next| next <= now))
    }
}

impl Compare<Option<Posted<Snapshot>>> for UpgradeNews {
    type Change = Answered;

    async fn compare(&mut self, posted: Option<Posted<Snapshot>>) -> Option<WatchUpdate<Answered>> {
        let Posted { revision, snapshot } = posted?;
        let facts = snapshot.upgrades.as_ref()?;
        let is_changed = !is_same(self.facts.as_ref(), Some(facts));
        let now = self.clock.now();
        let asked = self.asked.iter().enumerate();
        let due = asked.filter(|(place, _)| self.is_due(*place, is_changed, now));
        let judged = due.map(async |(place, asked)| {
            let asked = asked.clone();
            let question = ReviewUpgrade { asked, at: now };
            let answer = self.judges.judge(question, facts.clone()).await;
            Answered { place, answer }
        });
        let mut news = join_all(judged).await;
        news.retain(|Answered { place, answer }| {
            // A result that is equal to the previous result is also stored, because it may be valid
            // for a longer time.
            let told = self.answers.insert(*place, answer.clone());
            told.is_none_or(|told| !told.says_as(answer))
        });
        self.facts = Some(facts.clone());
        let next = self.answers.values().filter_map(ReviewedUpgrade::next);
        let again = next.min().map(|next| self.clock.moment(next));
        Some(WatchUpdate {
            revision,
            changes: news,
            again,
        })
    }
}

fn is_same(one: Option<&Arc<UpgradeFacts>>, other: Option<&Arc<UpgradeFacts>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        (one, other) => one.is_none() && other.is_none(),
    }
}
