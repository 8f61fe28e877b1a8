//! A client that watches health and records every event.

use std::time::{Duration, Instant};

use portolan_kit::assert_same;
use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::health::v1 as pb;
use portolan_proto::health::v1::Fact;
use portolan_proto::health::v1::verdict::State;
use portolan_proto::health::v1::watch_response::Event;
use portolan_rig::{Failure, PATIENCE};
use tokio::sync::watch;
use tokio::time::timeout;
use tonic::Streaming;

use super::news::{Subject, Wanted, line, subject};
use super::serving::Serving;

/// A watch of one namespace. It listens all the time, so that nothing comes as one that was two.
pub(super) struct Watcher {
    namespace: String,
    log: watch::Receiver<Log>,
    /// The number of events, and the time, of the test's last action.
    mark: (usize, Instant),
    /// The number of events at the end of the last wait.
    heard: usize,
}

#[derive(Debug, Default)]
struct Log {
    told: Vec<Told>,
    /// The reason for the end of the watch.
    end: Option<String>,
}

/// An event and its time.
#[derive(Debug, Clone)]
pub(super) struct Told {
    at: Instant,
    event: Event,
}

/// A period in which an operator was healthy, and its ClusterServiceVersion.
#[derive(Debug, Clone)]
pub(super) struct Spell {
    pub(super) csv: String,
    pub(super) from: Instant,
    pub(super) to: Instant,
}

// === impl Watcher ===

impl Watcher {
    pub(super) fn of(namespace: &str, news: Streaming<pb::WatchResponse>) -> Self {
        let (log, receiver) = watch::channel(Log::default());
        tokio::spawn(listen(news, log));
        Self {
            namespace: namespace.to_owned(),
            log: receiver,
            mark: (0, Instant::now()),
            heard: 0,
        }
    }

    /// Executes an action, and waits until the watch reports the expected health of a subject.
    pub(super) async fn tells<T>(
        &mut self,
        of: &Subject,
        wanted: Wanted,
        act: impl Future<Output = Result<T, Failure>>,
    ) -> Result<Event, Failure> {
        self.mark();
        act.await?;
        Ok(self.until(of, wanted).await)
    }

    /// Ignores all events so far.
    pub(super) fn mark(&mut self) {
        self.mark = (self.log.borrow().told.len(), Instant::now());
    }

    /// Waits until the watch reports the expected health of a subject, since the mark.
    pub(super) async fn until(&mut self, of: &Subject, wanted: Wanted) -> Event {
        self.after(self.mark.0, of, wanted).await
    }

    /// Like `until`, from the end of the last wait.
    pub(super) async fn then(&mut self, of: &Subject, wanted: Wanted) -> Event {
        self.after(self.heard, of, wanted).await
    }

    async fn after(&mut self, told_before: usize, of: &Subject, wanted: Wanted) -> Event {
        let is_wanted = |told: &Told| of.is_told(&wanted, &told.event);
        let heard = self.log.wait_for(|log| {
            assert_eq!(log.end, None, "the watch must go on");
            log.told[told_before..].iter().any(is_wanted)
        });
        let found = match timeout(PATIENCE, heard).await {
            Ok(heard) => {
                let log = heard.expect("the watch must go on");
                let mut since = log.told.iter().enumerate().skip(told_before);
                let found = since.find(|(_, told)| is_wanted(told));
                found.map(|(at, told)| (at, told.clone()))
            }
            Err(_) => None,
        };
        let Some((place, Told { at, event })) = found else {
            let lines = self.lines(told_before).join("\n  ");
            panic!("{of:?} must be reported as {wanted:?}; the watch reported\n  {lines}");
        };
        self.heard = place + 1;
        let took = at.saturating_duration_since(self.mark.1).as_millis();
        println!("health: {}: {}: {took} ms", self.namespace, line(&event));
        event
    }

    /// Returns the events since the mark, one line each.
    pub(super) fn since_mark(&self) -> Vec<String> {
        self.lines(self.mark.0)
    }

    fn lines(&self, from: usize) -> Vec<String> {
        let log = self.log.borrow();
        let since = log.told[from..].iter();
        since.map(|told| line(&told.event)).collect()
    }

    /// Returns the periods in which an operator was healthy, each until the next event.
    pub(super) fn well(&self, of: &Subject) -> Vec<Spell> {
        let log = self.log.borrow();
        let about = |told: &&Told| subject(&told.event).is_some_and(|it| of.is(it));
        let told: Vec<_> = log.told.iter().filter(about).collect();
        let ends = told.iter().skip(1).map(|told| told.at);
        let ends = ends.chain([Instant::now()]);
        let spells = told.iter().zip(ends).filter_map(|(told, to)| {
            let Event::Operator(operator) = &told.event else {
                return None;
            };
            let verdict = operator.verdict.as_ref()?;
            (verdict.state() == State::Yes).then(|| Spell {
                csv: operator.csv.clone(),
                from: told.at,
                to,
            })
        });
        spells.collect()
    }

    /// Asserts that a subject was always healthy since then.
    pub(super) fn stayed_well(&self, of: &Subject, since: Instant) {
        let log = self.log.borrow();
        let told = log.told.iter().filter(|told| told.at >= since);
        let ill = told.filter(|told| of.is_told(&Wanted::NotWell, &told.event));
        let ill: Vec<_> = ill.map(|told| line(&told.event)).collect();
        assert!(ill.is_empty(), "{of:?} must have stayed well: {ill:#?}");
    }

    /// Asserts that the last events equal the current answers, and that no event repeats its
    /// predecessor.
    pub(super) async fn agrees(&self, serving: &Serving) {
        let is_said = |(told, said): &(Vec<String>, Vec<String>)| told == said;
        let mut both = (Vec::new(), vec!["nothing".to_owned()]);
        let begun = Instant::now();
        // The answers may be a moment newer than the events.
        while !is_said(&both) && begun.elapsed() < PATIENCE {
            both = (self.last(), said(serving, &self.namespace).await);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_same!(both.0, both.1);
        self.is_all_news();
    }

    /// Returns the substance of the last event of each subject.
    fn last(&self) -> Vec<String> {
        let log = self.log.borrow();
        let mut last: Vec<(&ObjectRef, &Event)> = Vec::new();
        for Told { event, .. } in &log.told {
            let Some(of) = subject(event) else { continue };
            last.retain(|(known, _)| *known != of);
            last.push((of, event));
        }
        let there = last
            .into_iter()
            .filter(|(_, event)| !matches!(event, Event::Gone(_)));
        let mut last: Vec<_> = there.map(|(_, event)| substance(event)).collect();
        last.sort();
        last
    }

    fn is_all_news(&self) {
        let log = self.log.borrow();
        let mut known: Vec<(&ObjectRef, String)> = Vec::new();
        let mut synced = 0;
        for Told { event, .. } in &log.told {
            assert!(!matches!(event, Event::Reset(_)), "no client was slow");
            synced += usize::from(matches!(event, Event::Synced(_)));
            let Some(of) = subject(event) else { continue };
            let said = substance(event);
            if let Some((_, before)) = known.iter().find(|(known, _)| *known == of) {
                assert!(*before != said, "reported twice in a row: {said}");
            }
            known.retain(|(known, _)| *known != of);
            known.push((of, said));
        }
        assert_eq!(synced, 1, "the initial state must have been reported once");
        println!(
            "health: {}: {} events in all",
            self.namespace,
            log.told.len()
        );
    }
}

async fn listen(mut news: Streaming<pb::WatchResponse>, log: watch::Sender<Log>) {
    let end = loop {
        let event = match news.message().await {
            Ok(Some(told)) => told.event.expect("an event must be of some kind"),
            Ok(None) => break "it ended".to_owned(),
            Err(status) => break status.to_string(),
        };
        if !matches!(event, Event::Heartbeat(_)) {
            let at = Instant::now();
            log.send_modify(|log| log.told.push(Told { at, event }));
        }
    };
    log.send_modify(|log| log.end = Some(end));
}

/// Returns the substance of the answer for a namespace.
async fn said(serving: &Serving, namespace: &str) -> Vec<String> {
    let operators = serving.operators(namespace).await.into_iter();
    let catalogs = serving.catalogs(namespace).await.into_iter();
    let events = operators.map(Event::Operator);
    let events = events.chain(catalogs.map(Event::Catalog));
    let mut said: Vec<_> = events.map(|event| substance(&event)).collect();
    said.sort();
    said
}

/// An event without what changes by itself all the time: details, the state in which objects were
/// looked at, and when a registry was asked.
fn substance(event: &Event) -> String {
    let event = match event.clone() {
        Event::Operator(mut operator) => {
            operator.facts.iter_mut().for_each(settle);
            Event::Operator(operator)
        }
        Event::Catalog(mut catalog) => {
            catalog.facts.iter_mut().for_each(settle);
            if let Some(probe) = &mut catalog.probe {
                probe.answered.clear();
            }
            Event::Catalog(catalog)
        }
        other => other,
    };
    format!("{event:#?}")
}

/// Leaves out what may differ between two looks at the same.
pub(super) fn settle(fact: &mut Fact) {
    fact.detail.clear();
    if let Some(observed) = &mut fact.observed {
        observed.resource_version.clear();
    }
    fact.facts.iter_mut().for_each(settle);
}
