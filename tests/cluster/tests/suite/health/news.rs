//! The events that a test expects from a watch.

use portolan_core_health::{HealthCode, Kind};
use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::health::v1::Verdict;
use portolan_proto::health::v1::verdict::State;
use portolan_proto::health::v1::watch_response::Event;

/// The operator or catalog that an event is about.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    kind: Kind,
    name: String,
}

/// The health that a test expects.
#[derive(Debug, Clone)]
pub(super) enum Wanted {
    /// The object is healthy.
    Well,
    /// The operator is healthy, and has this ClusterServiceVersion.
    Running(&'static str),
    /// The object is not healthy.
    NotWell,
    /// The state and the first reason. The state can also be Unknown or InProgress, if the reason
    /// is the same.
    First(State, HealthCode),
    /// The state, and one of the reasons.
    Among(State, HealthCode),
    /// The operator or catalog no longer exists.
    Gone,
}

/// Returns the operator of the Subscription with this name.
pub(super) fn operator(name: &str) -> Subject {
    let (kind, name) = (Kind::Subscription, name.to_owned());
    Subject { kind, name }
}

/// Returns an operator without a Subscription, identified by its ClusterServiceVersion.
pub(super) fn orphan(name: &str) -> Subject {
    let (kind, name) = (Kind::ClusterServiceVersion, name.to_owned());
    Subject { kind, name }
}

pub(super) fn catalog(name: &str) -> Subject {
    let (kind, name) = (Kind::CatalogSource, name.to_owned());
    Subject { kind, name }
}

/// Returns the subject of an event.
pub(super) fn subject(event: &Event) -> Option<&ObjectRef> {
    match event {
        Event::Operator(operator) => operator.subject.as_ref(),
        Event::Catalog(catalog) => catalog.subject.as_ref(),
        Event::Gone(gone) => gone.subject.as_ref(),
        Event::Synced(_) | Event::Reset(_) | Event::Heartbeat(_) => None,
    }
}

/// Returns the verdict in an event.
pub(super) fn verdict(event: &Event) -> Option<&Verdict> {
    match event {
        Event::Operator(operator) => operator.verdict.as_ref(),
        Event::Catalog(catalog) => catalog.verdict.as_ref(),
        Event::Gone(_) | Event::Synced(_) | Event::Reset(_) | Event::Heartbeat(_) => None,
    }
}

/// Returns an event as one line: its subject, the verdict, and the codes of the reasons.
pub(super) fn line(event: &Event) -> String {
    let subject = subject(event).map_or_else(String::new, |it| format!("{} {}", it.kind, it.name));
    let Some(verdict) = verdict(event) else {
        let what = match event {
            Event::Gone(_) => "gone",
            Event::Synced(_) => "synced",
            Event::Reset(_) => "reset",
            Event::Heartbeat(_) | Event::Operator(_) | Event::Catalog(_) => "no verdict",
        };
        return format!("{subject} {what}");
    };
    let codes = verdict.reasons.iter().map(|reason| reason.code.as_str());
    let codes = codes.collect::<Vec<_>>().join(", ");
    let csv = match event {
        Event::Operator(operator) => format!(" ({} {})", operator.csv, operator.phase),
        _ => String::new(),
    };
    format!("{subject}{csv} {}: {codes}", verdict.state().as_str_name())
}

// === impl Subject ===

impl Subject {
    pub(super) fn is(&self, reference: &ObjectRef) -> bool {
        reference.kind == self.kind.as_str() && reference.name == self.name
    }

    /// Returns true if an event reports the expected health of this subject.
    pub(super) fn is_reported(&self, wanted: &Wanted, event: &Event) -> bool {
        if !subject(event).is_some_and(|of| self.is(of)) {
            return false;
        }
        let Some(verdict) = verdict(event) else {
            return matches!((wanted, event), (Wanted::Gone, Event::Gone(_)));
        };
        let is_reason = |at: usize, code: HealthCode| {
            let reason = verdict.reasons.get(at);
            reason.is_some_and(|reason| reason.code == code.as_str())
        };
        match *wanted {
            Wanted::Well => verdict.state() == State::Yes,
            Wanted::Running(csv) => {
                let is_it = matches!(event, Event::Operator(it) if it.csv == csv);
                verdict.state() == State::Yes && is_it
            }
            Wanted::NotWell => verdict.state() != State::Yes,
            Wanted::First(state, code) => verdict.state() == state && is_reason(0, code),
            Wanted::Among(state, code) => {
                let mut all = 0..verdict.reasons.len();
                verdict.state() == state && all.any(|at| is_reason(at, code))
            }
            Wanted::Gone => false,
        }
    }
}

// === impl Wanted ===

impl Wanted {
    /// Expects the state No with this first reason.
    pub(super) fn no(code: HealthCode) -> Self {
        Self::First(State::No, code)
    }

    /// Expects the state NotYet or Unknown with this first reason.
    pub(super) fn not_yet(code: HealthCode) -> Self {
        Self::First(State::NotYet, code)
    }
}
