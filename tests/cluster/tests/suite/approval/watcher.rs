//! A client that watches the approval service, and records each event.

use std::time::{Duration, Instant};

use portolan_kit::assert_same;
use portolan_proto::approval::v1 as pb;
use portolan_proto::approval::v1::watch_response::Event;
use portolan_proto::basis::v1::ObjectRef;
use portolan_rig::{Failure, PATIENCE};
use tokio::sync::watch;
use tokio::time::timeout;
use tonic::Streaming;

use super::report::lines;
use super::serving::Serving;

/// A watch of one namespace. A task reads events all the time, so that the server does not merge
/// two changes into one event.
pub(super) struct Watcher {
    namespace: String,
    log: watch::Receiver<Log>,
    /// The number of events before the last action of the test, and the time of this action.
    mark: (usize, Instant),
}

#[derive(Debug, Default)]
struct Log {
    /// The events, each with the time at which it arrived.
    reported: Vec<(Instant, Event)>,
    /// The reason why the watch has ended.
    end: Option<String>,
}

/// A review, and the time at which it arrived.
#[derive(Debug)]
struct Reported {
    at: Instant,
    review: pb::Review,
}

impl Watcher {
    pub(super) fn of(namespace: &str, news: Streaming<pb::WatchResponse>) -> Self {
        let (log, receiver) = watch::channel(Log::default());
        tokio::spawn(listen(news, log));
        Self {
            namespace: namespace.to_owned(),
            log: receiver,
            mark: (0, Instant::now()),
        }
    }

    /// Runs an action. Then waits until the watch reports a plan with exactly these lines.
    pub(super) async fn reports<T>(
        &mut self,
        plan: &str,
        wanted: &[&str],
        act: impl Future<Output = Result<T, Failure>>,
    ) -> Result<pb::Review, Failure> {
        self.mark = (self.log.borrow().reported.len(), Instant::now());
        act.await?;
        let Reported { at, review } = self.heard(plan, wanted).await;
        let took = at.saturating_duration_since(self.mark.1).as_millis();
        let (namespace, answered) = (&self.namespace, wanted[0]);
        println!("approval: {namespace}: {plan}: {answered}: {took} ms");
        Ok(review)
    }

    /// Waits until the last review of a plan has exactly these lines. In the lines, `the plan`
    /// stands for the name of the plan, and `here` for its namespace.
    pub(super) async fn until(&mut self, plan: &str, wanted: &[&str]) -> pb::Review {
        self.heard(plan, wanted).await.review
    }

    async fn heard(&mut self, plan: &str, wanted: &[&str]) -> Reported {
        let namespace = &self.namespace;
        // Replaces names that differ in each run.
        let shown = |review: &pb::Review| -> Vec<String> {
            let lines = lines(review).into_iter();
            let lines = lines.map(|line| line.replace(namespace, "here"));
            lines.map(|line| line.replace(plan, "the plan")).collect()
        };
        let mut heard = None;
        let waited = self.log.wait_for(|log| {
            assert_eq!(log.end, None, "the watch must go on");
            heard = log
                .last(plan)
                .filter(|reported| shown(&reported.review) == wanted);
            heard.is_some()
        });
        // Ignores a timeout: the assertion below then shows the last review.
        let _ = timeout(PATIENCE, waited).await;
        heard.unwrap_or_else(|| {
            let last = self.log.borrow().last(plan);
            let last = last.map_or_else(Vec::new, |reported| shown(&reported.review));
            assert_same!(last, wanted.to_vec());
            panic!("the event was a moment late");
        })
    }

    /// Returns the events about a plan since the last action of the test. Each event is one line.
    pub(super) fn since(&self, plan: &str) -> Vec<String> {
        let log = self.log.borrow();
        let since = log.reported[self.mark.0..].iter();
        let of_plan = since.filter(|(_, event)| is_about(event, plan));
        let first = of_plan.map(|(_, event)| match event {
            Event::Review(review) => lines(review).swap_remove(0),
            Event::Gone(_) => "gone".to_owned(),
            Event::Synced(_) | Event::Reset(_) | Event::Heartbeat(_) => String::new(),
        });
        first.collect()
    }

    /// Checks that the last events equal the current responses, and that no event repeats the
    /// previous event.
    pub(super) async fn agrees(&self, serving: &Serving) {
        let mut both = (Vec::new(), vec!["nothing".to_owned()]);
        let begun = Instant::now();
        // The responses may be newer than the events, so the comparison is repeated.
        while both.0 != both.1 && begun.elapsed() < PATIENCE {
            both = (self.last(), answered(serving, &self.namespace).await);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_same!(both.0, both.1);
        self.is_all_news();
    }

    /// Returns the last review of each existing plan.
    fn last(&self) -> Vec<String> {
        let log = self.log.borrow();
        let mut last: Vec<(&ObjectRef, &Event)> = Vec::new();
        for (_, event) in &log.reported {
            if let Some(of) = subject(event) {
                last.retain(|(known, _)| *known != of);
                last.push((of, event));
            }
        }
        last.retain(|(_, event)| !matches!(event, Event::Gone(_)));
        let mut last: Vec<_> = last.iter().map(|(_, event)| substance(event)).collect();
        last.sort();
        last
    }

    fn is_all_news(&self) {
        let log = self.log.borrow();
        let mut known: Vec<(&ObjectRef, String)> = Vec::new();
        let mut synced = 0;
        for (_, event) in &log.reported {
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
        let count = log.reported.len();
        println!("approval: {}: {count} events in all", self.namespace);
    }
}

impl Log {
    /// Returns the last review of a plan.
    fn last(&self, plan: &str) -> Option<Reported> {
        let reported = self.reported.iter().rev();
        let mut of_plan = reported.filter(|(_, event)| is_about(event, plan));
        let (at, event) = of_plan.next()?;
        match event {
            Event::Review(review) => Some(Reported {
                at: *at,
                review: review.clone(),
            }),
            Event::Gone(_) | Event::Synced(_) | Event::Reset(_) | Event::Heartbeat(_) => None,
        }
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
            log.send_modify(|log| log.reported.push((at, event)));
        }
    };
    log.send_modify(|log| log.end = Some(end));
}

fn is_about(event: &Event, plan: &str) -> bool {
    subject(event).is_some_and(|subject| subject.name == plan)
}

/// Returns the plan that an event is about.
fn subject(event: &Event) -> Option<&ObjectRef> {
    match event {
        Event::Review(review) => review.plan.as_ref().and_then(|plan| plan.object.as_ref()),
        Event::Gone(gone) => gone.plan.as_ref(),
        Event::Synced(_) | Event::Reset(_) | Event::Heartbeat(_) => None,
    }
}

/// Returns the fields of the current response that events also contain.
async fn answered(serving: &Serving, namespace: &str) -> Vec<String> {
    let answer = serving.namespace(namespace).await;
    let answer = answer.expect("a namespace must be reviewed");
    let reviews = answer.reviews.into_iter().map(Event::Review);
    let mut answered: Vec<_> = reviews.map(|event| substance(&event)).collect();
    answered.sort();
    answered
}

/// Returns an event without the resource version of the plan, because it also changes without a
/// write of the test.
fn substance(event: &Event) -> String {
    let mut event = event.clone();
    if let Event::Review(review) = &mut event
        && let Some(plan) = &mut review.plan
    {
        plan.resource_version.clear();
    }
    format!("{event:#?}")
}
