//! A client that watches the health service, and records each event.

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

/// A watch of one namespace. A task reads events all the time, so that the server does not merge
/// two changes into one event.
pub(super) struct Watcher {
    namespace: String,
    log: watch::Receiver<Log>,
    /// The number of events before the last action of the test, and the time of this action.
    mark: (usize, Instant),
    /// The number of events when the last wait ended.
    heard: usize,
}

#[derive(Debug, Default)]
struct Log {
    reported: Vec<Reported>,
    /// The reason why the watch has ended.
    end: Option<String>,
}

/// An event, and the time at which it arrived.
#[derive(Debug, Clone)]
pub(super) struct Reported {
    at: Instant,
    event: Event,
}

/// A period in which an operator was healthy, and its ClusterServiceVersion in this period.
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

    /// Runs an action. Then waits until the watch reports the expected health of a subject.
    pub(super) async fn reports<T>(
        &mut self,
        of: &Subject,
        wanted: Wanted,
        act: impl Future<Output = Result<T, Failure>>,
    ) -> Result<Event, Failure> {
        self.mark();
        act.await?;
        Ok(self.until(of, wanted).await)
    }

    /// Makes later waits ignore all events so far.
    pub(super) fn mark(&mut self) {
        self.mark = (self.log.borrow().reported.len(), Instant::now());
    }

    /// Waits until the watch reports the expected health of a subject, in an event after the mark.
    pub(super) async fn until(&mut self, of: &Subject, wanted: Wanted) -> Event {
        self.after(self.mark.0, of, wanted).await
    }

    /// Waits until the watch reports the expected health of a subject, in an event after the last
    /// wait.
    pub(super) async fn then(&mut self, of: &Subject, wanted: Wanted) -> Event {
        self.after(self.heard, of, wanted).await
    }

    async fn after(&mut self, events_before: usize, of: &Subject, wanted: Wanted) -> Event {
        let is_wanted = |reported: &Reported| of.is_reported(&wanted, &reported.event);
        let heard = self.log.wait_for(|log| {
            assert_eq!(log.end, None, "the watch must go on");
            log.reported[events_before..].iter().any(is_wanted)
        });
        let found = match timeout(PATIENCE, heard).await {
            Ok(heard) => {
                let log = heard.expect("the watch must go on");
                let mut since = log.reported.iter().enumerate().skip(events_before);
                let found = since.find(|(_, reported)| is_wanted(reported));
                found.map(|(at, reported)| (at, reported.clone()))
            }
            Err(_) => None,
        };
        let Some((place, Reported { at, event })) = found else {
            let lines = self.lines(events_before).join("\n  ");
            panic!("{of:?} must be reported as {wanted:?}; the watch reported\n  {lines}");
        };
        self.heard = place + 1;
        let took = at.saturating_duration_since(self.mark.1).as_millis();
        println!("health: {}: {}: {took} ms", self.namespace, line(&event));
        event
    }

    /// Returns the events since the mark. Each event is one line.
    pub(super) fn since_mark(&self) -> Vec<String> {
        self.lines(self.mark.0)
    }

    fn lines(&self, from: usize) -> Vec<String> {
        let log = self.log.borrow();
        let since = log.reported[from..].iter();
        since.map(|reported| line(&reported.event)).collect()
    }

    /// Returns the periods in which an operator was healthy. A period ends with the next event
    /// about the operator.
    pub(super) fn well(&self, of: &Subject) -> Vec<Spell> {
        let log = self.log.borrow();
        let about = |reported: &&Reported| subject(&reported.event).is_some_and(|it| of.is(it));
        let reported: Vec<_> = log.reported.iter().filter(about).collect();
        let ends = reported.iter().skip(1).map(|reported| reported.at);
        let ends = ends.chain([Instant::now()]);
        let spells = reported.iter().zip(ends).filter_map(|(reported, to)| {
            let Event::Operator(operator) = &reported.event else {
                return None;
            };
            let verdict = operator.verdict.as_ref()?;
            (verdict.state() == State::Yes).then(|| Spell {
                csv: operator.csv.clone(),
                from: reported.at,
                to,
            })
        });
        spells.collect()
    }

    /// Checks that a subject was healthy all the time since the mark.
    pub(super) fn stayed_well(&self, of: &Subject, since: Instant) {
        let log = self.log.borrow();
        let reported = log.reported.iter().filter(|reported| reported.at >= since);
        let ill = reported.filter(|reported| of.is_reported(&Wanted::NotWell, &reported.event));
        let ill: Vec<_> = ill.map(|reported| line(&reported.event)).collect();
        assert!(ill.is_empty(), "{of:?} must have stayed well: {ill:#?}");
    }

    /// Checks that the last events equal the current responses, and that no event repeats the
    /// previous event.
    pub(super) async fn agrees(&self, serving: &Serving) {
        let is_shown = |(reported, answered): &(Vec<String>, Vec<String>)| reported == answered;
        let mut both = (Vec::new(), vec!["nothing".to_owned()]);
        let begun = Instant::now();
        // The responses may be newer than the events, so the comparison is repeated.
        while !is_shown(&both) && begun.elapsed() < PATIENCE {
            both = (self.last(), answered(serving, &self.namespace).await);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_same!(both.0, both.1);
        self.is_all_news();
    }

    /// Returns the last event about each subject, without fields that change all the time.
    fn last(&self) -> Vec<String> {
        let log = self.log.borrow();
        let mut last: Vec<(&ObjectRef, &Event)> = Vec::new();
        for Reported { event, .. } in &log.reported {
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
        for Reported { event, .. } in &log.reported {
            assert!(!matches!(event, Event::Reset(_)), "no client was slow");
            synced += usize::from(matches!(event, Event::Synced(_)));
            let Some(of) = subject(event) else { continue };
            let answered = substance(event);
            if let Some((_, before)) = known.iter().find(|(known, _)| *known == of) {
                assert!(*before != answered, "reported twice in a row: {answered}");
            }
            known.retain(|(known, _)| *known != of);
            known.push((of, answered));
        }
        assert_eq!(synced, 1, "the initial state must have been reported once");
        println!(
            "health: {}: {} events in all",
            self.namespace,
            log.reported.len()
        );
    }
}

async fn listen(mut news: Streaming<pb::WatchResponse>, log: watch::Sender<Log>) {
    let end = loop {
        let event = match news.message().await {
            Ok(Some(reported)) => reported.event.expect("an event must be of some kind"),
            Ok(None) => break "it ended".to_owned(),
            Err(status) => break status.to_string(),
        };
        if !matches!(event, Event::Heartbeat(_)) {
            let at = Instant::now();
            log.send_modify(|log| log.reported.push(Reported { at, event }));
        }
    };
    log.send_modify(|log| log.end = Some(end));
}

/// Returns the response about a namespace, without fields that change all the time.
async fn answered(serving: &Serving, namespace: &str) -> Vec<String> {
    let operators = serving.operators(namespace).await.into_iter();
    let catalogs = serving.catalogs(namespace).await.into_iter();
    let events = operators.map(Event::Operator);
    let events = events.chain(catalogs.map(Event::Catalog));
    let mut answered: Vec<_> = events.map(|event| substance(&event)).collect();
    answered.sort();
    answered
}

/// Returns an event without the fields that change all the time: details, resource versions, and
/// the time of the last request to a registry.
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

/// Removes values that differ between two reads of the same state.
pub(super) fn settle(fact: &mut Fact) {
    fact.detail.clear();
    if let Some(observed) = &mut fact.observed {
        observed.resource_version.clear();
    }
    fact.facts.iter_mut().for_each(settle);
}
