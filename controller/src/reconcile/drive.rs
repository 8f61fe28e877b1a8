//! Has each policy looked at when something bears on it: several at a time, none twice at once.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use jiff::Timestamp;
use portolan_core_operatorpolicy::{Contest, Hands, Unkept};
use portolan_shell::Readiness;
use portolan_world::{Ended, Key};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Round;
use super::echo::Echoes;
use super::queue::Queue;
use crate::metrics::{Metrics, Severity};
use crate::observe::{Census, DEFINITION, Elsewhere, Schema, Seen};

/// How many policies are looked at at a time.
const AT_ONCE: usize = 8;

/// How long it takes at most until the world shows what was written; it shows it no sooner because
/// it is waited for.
const UNSEEN: Duration = Duration::from_secs(10);

/// The least time from one look at the world to the next: what comes in a burst is taken over in a
/// few looks.
const LOOK: Duration = Duration::from_millis(2);

/// How long it takes until a definition that may not be read is tried again.
const UNREAD: Duration = Duration::from_secs(30);

/// How long it takes until a definition is tried again about which nobody answered.
const UNANSWERED: Duration = Duration::from_secs(5);

/// How often that is tried before nothing is written, where it was never read.
const TRIES: u32 = 3;

/// What is done about a policy.
pub(crate) trait Work: Send + Sync + 'static {
    /// Asks, decides and writes.
    fn reconcile(&self, seen: Seen) -> impl Future<Output = Round> + Send;

    /// Waits until those who are asked may say something else.
    fn news(&self) -> impl Future<Output = Vec<Elsewhere>> + Send;

    /// What somebody else changed back again and again in a namespace, and until when it is left
    /// alone.
    fn contests(&self, namespace: &str) -> (Vec<Contest>, Option<std::time::Instant>);

    /// What the API server did not keep of what was written in a namespace.
    fn unkept(&self, namespace: &str) -> Vec<Unkept>;

    /// Forgets a policy that is gone.
    fn forget(&self, policy: &Key);

    /// Every policy was looked at, and nothing is left to look at for now.
    fn rests(&self) {}
}

/// Reads what the definition of policies has room for.
pub(crate) trait ReadSchema: Send + Sync + 'static {
    /// What it has room for, as it is now; why nobody can tell for the moment.
    fn read(&self) -> impl Future<Output = Result<Schema, String>> + Send;
}

/// Everything that looks at policies.
pub(crate) struct Driver<W, S> {
    pub(crate) census: Census,
    pub(crate) work: Arc<W>,
    pub(crate) schema: Arc<S>,
    pub(crate) metrics: Arc<Metrics>,
    /// Turns ready once everything was looked at.
    pub(crate) settled: Readiness,
}

/// What a driver remembers.
struct Drive<W, S> {
    driver: Driver<W, S>,
    queue: Queue,
    echoes: Echoes,
    running: FuturesUnordered<BoxFuture<'static, (Key, Round)>>,
    /// The definition that was read last, by its resource version, or that there was none.
    read: Option<Option<String>>,
    reading: Option<Reading>,
    /// How often in a row nobody answered about it.
    unanswered: u32,
    /// Whether anything may be written, as it was last told.
    hands: Hands,
    leads: bool,
    stop: CancellationToken,
}

/// What the definition of policies has room for, once that is known.
type Reading = BoxFuture<'static, Result<Schema, String>>;

/// What a driver waits for.
enum Next {
    World(Result<(), Ended>),
    News(Vec<Elsewhere>),
    Round(Box<(Key, Round)>),
    Schema(Result<Schema, String>),
    Leads,
    Time,
    Stop,
}

impl<W: Work, S: ReadSchema> Driver<W, S> {
    /// Runs until the world ends, or until it is told to stop and what runs has ended. Nothing is
    /// reconciled before `leads` has ended; until then the world is only followed.
    ///
    /// # Errors
    /// The world has ended.
    pub(crate) async fn run(
        self,
        leads: impl Future<Output = ()> + Send,
        stop: CancellationToken,
    ) -> Result<(), Ended> {
        let mut drive = Drive {
            queue: Queue::default(),
            echoes: Echoes::default(),
            running: FuturesUnordered::new(),
            read: None,
            reading: None,
            unanswered: 0,
            hands: Hands::Free,
            leads: false,
            stop,
            driver: self,
        };
        let mut leads = pin!(leads);
        let work = drive.driver.work.clone();
        let mut news = Box::pin(work.news());
        drive.look().await;
        loop {
            drive.start();
            if drive.stop.is_cancelled() && drive.running.is_empty() {
                return Ok(());
            }
            if drive.rests() {
                work.rests();
            }
            match drive.next(leads.as_mut(), news.as_mut()).await {
                Next::World(Ok(())) => drive.look().await,
                Next::World(Err(ended)) => return Err(ended),
                Next::News(topics) => {
                    drive.hear(&topics);
                    news = Box::pin(work.news());
                }
                Next::Round(ended) => drive.end(&ended.0, ended.1),
                Next::Schema(Ok(schema)) => drive.learn(schema),
                Next::Schema(Err(why)) => drive.miss(why),
                Next::Leads => {
                    drive.leads = true;
                    drive.driver.metrics.leads();
                }
                Next::Time => drive.settle(),
                Next::Stop => {}
            }
        }
    }
}

impl<W: Work, S: ReadSchema> Drive<W, S> {
    async fn next(
        &mut self,
        leads: Pin<&mut impl Future<Output = ()>>,
        news: Pin<&mut impl Future<Output = Vec<Elsewhere>>>,
    ) -> Next {
        let wake = self.wake();
        let is_stopping = self.stop.is_cancelled();
        let stopping = self.stop.cancelled();
        tokio::select! {
            changed = self.driver.census.changed() => Next::World(changed),
            () = leads, if !self.leads => Next::Leads,
            topics = news => Next::News(topics),
            Some(ended) = self.running.next() => Next::Round(Box::new(ended)),
            schema = read(&mut self.reading) => {
                self.reading = None;
                Next::Schema(schema)
            }
            () = until(wake) => Next::Time,
            () = stopping, if !is_stopping => Next::Stop,
        }
    }

    /// Takes over what the world shows.
    async fn look(&mut self) {
        // What comes in a burst comes together.
        tokio::time::sleep(LOOK).await;
        let touched = self.driver.census.look().await;
        self.settle();
        self.touch(&touched);
        let definition = Some(self.driver.census.definition().map(str::to_owned));
        if definition != self.read && self.driver.census.is_known() {
            self.reading = Some(reading(self.driver.schema.clone(), Duration::ZERO));
            self.read = definition;
        }
        self.tell_hands();
    }

    /// What the services may say otherwise bears on policies.
    fn hear(&mut self, topics: &[Elsewhere]) {
        for topic in topics {
            let touched = self.driver.census.bearing(topic);
            self.touch(&touched);
        }
    }

    /// Nobody answered about the definition. What was known of it is so, until somebody does.
    fn miss(&mut self, why: String) {
        self.unanswered += 1;
        let is_unknown = *self.driver.census.schema() == Schema::Unread;
        if is_unknown && self.unanswered >= TRIES {
            return self.learn(Schema::Unreadable(why));
        }
        tracing::warn!(
            error = why,
            name = DEFINITION,
            "the definition is read again"
        );
        self.reading = Some(reading(self.driver.schema.clone(), UNANSWERED));
    }

    fn learn(&mut self, schema: Schema) {
        self.unanswered = 0;
        if let Schema::Unreadable(error) = &schema {
            tracing::warn!(error, name = DEFINITION, "the definition is not read");
            self.reading = Some(reading(self.driver.schema.clone(), UNREAD));
        }
        let touched = self.driver.census.learn(schema);
        self.touch(&touched);
        self.tell_hands();
        self.driver.settled.set_ready();
    }

    /// Begins with as many policies as may be looked at now.
    fn start(&mut self) {
        while self.may_start() {
            let Some(key) = self.queue.next(now()) else {
                return;
            };
            match self.observe(&key) {
                Some(seen) => {
                    let (work, metrics) = (self.driver.work.clone(), self.driver.metrics.clone());
                    let reconciling = async move {
                        let begun = Instant::now();
                        let round = work.reconcile(seen).await;
                        metrics.reconciled(round.failure.is_some(), begun.elapsed());
                        (key, round)
                    };
                    self.running.push(Box::pin(reconciling));
                }
                None => self.forget(&key),
            }
        }
    }

    /// Whether one more policy may be looked at: everything is seen, it is known what the definition
    /// of policies has room for, and not too many are looked at.
    fn may_start(&self) -> bool {
        let census = &self.driver.census;
        let is_unlearned = self.reading.is_some() && *census.schema() == Schema::Unread;
        let may = self.leads && census.is_known() && !is_unlearned && !self.stop.is_cancelled();
        may && self.running.len() < AT_ONCE
    }

    fn rests(&self) -> bool {
        let is_due = self.queue.wake().is_some_and(|time| time <= now());
        self.may_start() && self.running.is_empty() && !is_due
    }

    fn observe(&mut self, key: &Key) -> Option<Seen> {
        let mut seen = self.driver.census.observe(key)?;
        if let Some(scene) = &seen.observed.scene {
            (seen.observed.contested, _) = self.driver.work.contests(&scene.name);
            seen.observed.unkept = self.driver.work.unkept(&scene.name);
        }
        Some(seen)
    }

    fn forget(&mut self, key: &Key) {
        self.queue.forget(key);
        self.echoes.forget(key);
        self.driver.metrics.forget(key);
        self.driver.work.forget(key);
    }

    fn end(&mut self, key: &Key, round: Round) {
        let Round {
            echoes,
            has_acted,
            failure,
            is_overtaken,
            again,
            supposed,
            compliance,
        } = round;
        if let Some(error) = &failure {
            tracing::warn!(policy = %key, error, "a policy is to be tried again");
        }
        let contested = self.contested_until(key);
        let again = again.map(instant).into_iter().chain(contested).min();
        let has_failed = failure.is_some() || is_overtaken;
        self.queue.end(key, (now(), has_failed), again);
        if has_acted {
            self.queue.touch(key, now());
        }
        if !echoes.is_empty() {
            let until = now() + UNSEEN;
            self.queue.hold(key, until);
            self.echoes.expect(key, echoes, until);
            self.settle();
        }
        if let Some(status) = supposed {
            let touched = self.driver.census.suppose(key, status);
            self.touch(&touched);
        }
        if let Some(policy) = self.driver.census.policy(key) {
            let severity = Severity::of(policy);
            self.driver.metrics.is(key, severity, compliance);
        }
    }

    fn contested_until(&self, key: &Key) -> Option<std::time::Instant> {
        let namespace = self.driver.census.namespace(key)?;
        self.driver.work.contests(namespace).1
    }

    /// Lets go the policies of which everything is seen that was written, or not in time.
    fn settle(&mut self) {
        let census = &self.driver.census;
        let settled = self.echoes.settle(now(), |echo| {
            let namespace = echo.namespace.as_deref().unwrap_or_default();
            census.shown(&echo.kind, &Key::new(namespace, &echo.name))
        });
        settled.iter().for_each(|key| self.queue.release(key));
    }

    fn touch(&mut self, keys: &BTreeSet<Key>) {
        let census = &self.driver.census;
        for key in keys.iter().filter(|key| census.is_ours(key)) {
            self.queue.touch(key, now());
        }
    }

    /// Says once whether anything is written.
    fn tell_hands(&mut self) {
        let hands = self.driver.census.hands();
        if hands != self.hands {
            match &hands {
                Hands::Free => tracing::info!("policies are enforced"),
                Hands::Tied(reason) => tracing::warn!(reason, "nothing is written"),
            }
        }
        self.driver.metrics.is_read_only(hands != Hands::Free);
        self.hands = hands;
    }

    fn wake(&self) -> Option<std::time::Instant> {
        let next = self.queue.wake().filter(|_| self.may_start());
        next.into_iter().chain(self.echoes.wake()).min()
    }
}

fn reading<S: ReadSchema>(schema: Arc<S>, after: Duration) -> Reading {
    Box::pin(async move {
        tokio::time::sleep(after).await;
        schema.read().await
    })
}

async fn read(reading: &mut Option<Reading>) -> Result<Schema, String> {
    match reading {
        Some(reading) => reading.await,
        None => std::future::pending().await,
    }
}

/// Waits until that moment; for ever if there is none.
async fn until(moment: Option<std::time::Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

/// The moment of a time on the wall.
fn instant(time: Timestamp) -> std::time::Instant {
    let left = time.duration_since(Timestamp::now());
    now() + Duration::try_from(left).unwrap_or_default()
}
