//! The rows of a watch. Finds the rows that are new or have changed.

use std::collections::BTreeMap;

use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::health::v1::verdict::State;
use portolan_proto::health::v1::watch_response::Event;
use portolan_proto::health::v1::{Catalog, Operator};

use crate::health::judged::{Judged, bundle};

/// The row of an operator or a catalog. Unknown fields are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WatchRow {
    pub(super) namespace: String,
    /// The name in the form KIND/NAME, which `portolan health` also accepts as an argument.
    pub(super) name: String,
    pub(super) package: String,
    /// The name of the ClusterServiceVersion, or of the bundle if the installer is not OLM v0.
    pub(super) csv: String,
    pub(super) phase: String,
    pub(super) catalog: String,
    /// The state of the object. None if the object was removed.
    pub(super) state: Option<State>,
    pub(super) code: String,
    pub(super) message: String,
}

/// The identity of a row: its namespace, kind and name.
pub(super) type Id = (String, String, String);

/// The rows that a watch has received so far.
#[derive(Debug, Default)]
pub(super) struct ShownRows {
    known: BTreeMap<Id, ShownRow>,
    /// True after the stream has sent all current objects. Later events are changes.
    is_synced: bool,
}

#[derive(Debug)]
struct ShownRow {
    row: WatchRow,
    /// True if the row was printed in its current form.
    is_shown: bool,
    /// True if the stream sent the row since it last restarted.
    is_fresh: bool,
}

/// The rows to print after an event.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RowChange {
    /// No row is printed.
    None,
    /// Many rows, sorted by name: all current rows, or the changed rows after a restart.
    All(Vec<WatchRow>),
    /// The only row that has changed.
    One(WatchRow),
}

/// Returns the object of an event. Returns None for an event without an object.
pub(super) fn subject(event: &Event) -> Option<&ObjectRef> {
    match event {
        Event::Operator(operator) => operator.subject.as_ref(),
        Event::Catalog(catalog) => catalog.subject.as_ref(),
        Event::Gone(gone) => gone.subject.as_ref(),
        Event::Synced(_) | Event::Reset(_) | Event::Heartbeat(_) => None,
    }
}

// === impl ShownRows ===

impl ShownRows {
    pub(super) fn take(&mut self, event: &Event) -> RowChange {
        let id = subject(event).map(id).unwrap_or_default();
        match event {
            Event::Operator(operator) => self.put(id, operator_row(operator)),
            Event::Catalog(catalog) => self.put(id, catalog_row(catalog)),
            Event::Gone(_) => self.remove(&id),
            Event::Synced(_) => self.sync(),
            Event::Reset(_) => {
                self.is_synced = false;
                for known in self.known.values_mut() {
                    known.is_fresh = false;
                }
                RowChange::None
            }
            Event::Heartbeat(_) => RowChange::None,
        }
    }

    /// Stores a row. Ignores a change that does not change the printed row.
    fn put(&mut self, id: Id, row: WatchRow) -> RowChange {
        let before = self.known.get(&id);
        let is_shown = before.is_some_and(|known| known.is_shown && known.row == row);
        let known = ShownRow {
            row: row.clone(),
            is_shown: is_shown || self.is_synced,
            is_fresh: true,
        };
        self.known.insert(id, known);
        if self.is_synced && !is_shown {
            RowChange::One(row)
        } else {
            RowChange::None
        }
    }

    /// Removes a row. If the row was never printed, its removal is not printed either.
    fn remove(&mut self, id: &Id) -> RowChange {
        match self.known.get_mut(id) {
            // The stream has restarted. At the end of the restart, all rows that the stream did not
            // send again are printed as removed.
            Some(known) if known.is_shown && !self.is_synced => {
                known.is_fresh = false;
                RowChange::None
            }
            Some(_) | None => match self.known.remove(id) {
                Some(known) if self.is_synced => RowChange::One(known.row.into_removed()),
                Some(_) | None => RowChange::None,
            },
        }
    }

    fn sync(&mut self) -> RowChange {
        self.is_synced = true;
        let mut rows = Vec::new();
        self.known.retain(|_, known| {
            match (known.is_fresh, known.is_shown) {
                (true, true) => {}
                (true, false) => rows.push(known.row.clone()),
                (false, _) => rows.push(known.row.clone().into_removed()),
            }
            known.is_shown = true;
            known.is_fresh
        });
        RowChange::All(rows)
    }
}

// === impl WatchRow ===

impl WatchRow {
    fn into_removed(self) -> Self {
        Self {
            state: None,
            code: String::new(),
            message: String::new(),
            ..self
        }
    }
}

pub(super) fn id(subject: &ObjectRef) -> Id {
    let ObjectRef {
        kind,
        namespace,
        name,
    } = subject;
    (namespace.clone(), kind.clone(), name.clone())
}

fn operator_row(operator: &Operator) -> WatchRow {
    WatchRow {
        package: operator.package.clone(),
        csv: bundle(operator).to_owned(),
        phase: operator.phase.clone(),
        catalog: operator.catalog.clone(),
        ..row(operator.subject.as_ref(), operator.into())
    }
}

fn catalog_row(catalog: &Catalog) -> WatchRow {
    row(catalog.subject.as_ref(), catalog.into())
}

fn row(subject: Option<&ObjectRef>, judged: Judged<'_>) -> WatchRow {
    WatchRow {
        namespace: judged.namespace.to_owned(),
        name: display_name(&subject.cloned().unwrap_or_default()),
        state: Some(judged.state),
        code: judged.code().to_owned(),
        message: judged.message().to_owned(),
        // Only operators have these fields.
        package: String::new(),
        csv: String::new(),
        phase: String::new(),
        catalog: String::new(),
    }
}

fn display_name(subject: &ObjectRef) -> String {
    let ObjectRef { kind, name, .. } = subject;
    let short = match kind.as_str() {
        "Subscription" => "sub",
        "ClusterServiceVersion" => "csv",
        "CatalogSource" => "catsrc",
        "ClusterExtension" => "extension",
        // Here InstallPlan is the kind of Portolan, because the health service has no InstallPlans
        // of OLM.
        "InstallPlan" => "plan",
        other => return format!("{}/{name}", other.to_lowercase()),
    };
    format!("{short}/{name}")
}

#[cfg(test)]
mod tests {
    use portolan_proto::basis::v1::Reason;
    use portolan_proto::health::v1::Verdict;
    use portolan_proto::health::v1::watch_response::{Gone, Heartbeat, Reset, Synced};

    use super::*;

    /// Applies events such as `a=No`, `a=gone` and `synced`. Returns the rows that are printed
    /// after each event.
    fn render(events: &str) -> Vec<String> {
        let mut seen = ShownRows::default();
        let events = events.split(' ').map(event);
        events.map(|event| text(seen.take(&event))).collect()
    }

    fn event(text: &str) -> Event {
        let (name, state) = match text.split_once('=') {
            Some(pair) => pair,
            None if text == "synced" => return Event::Synced(Synced {}),
            None if text == "reset" => return Event::Reset(Reset {}),
            None => return Event::Heartbeat(Heartbeat {}),
        };
        let subject = Some(ObjectRef {
            kind: "Subscription".to_owned(),
            namespace: "harbor".to_owned(),
            name: name.to_owned(),
        });
        let (state, code) = match state {
            "gone" => return Event::Gone(Gone { subject }),
            "Yes" => (State::Yes, None),
            code => (State::No, Some(code)),
        };
        let reason = |code: &str| Reason {
            code: code.to_owned(),
            ..Reason::default()
        };
        Event::Operator(Operator {
            subject,
            verdict: Some(Verdict {
                state: state.into(),
                reasons: code.map(reason).into_iter().collect(),
            }),
            ..Operator::default()
        })
    }

    fn text(change: RowChange) -> String {
        let row = |row: &WatchRow| match row.state {
            Some(State::Yes) => format!("{} is well", row.name),
            Some(_) => format!("{} is {}", row.name, row.code),
            None => format!("{} is gone", row.name),
        };
        match change {
            RowChange::None => String::new(),
            RowChange::One(one) => row(&one),
            RowChange::All(all) => {
                format!("[{}]", all.iter().map(row).collect::<Vec<_>>().join(", "))
            }
        }
    }

    #[test]
    fn lists_all_objects_first_and_then_changes() {
        assert_eq!(
            render("b=Yes a=Broken synced b=Broken beat a=gone c=Yes"),
            [
                "",
                "",
                "[sub/a is Broken, sub/b is well]",
                "sub/b is Broken",
                "",
                "sub/a is gone",
                "sub/c is well",
            ]
        );
    }

    #[test]
    fn ignores_changes_that_are_not_visible_in_rows() {
        assert_eq!(
            render("a=Broken synced a=Broken a=Yes"),
            ["", "[sub/a is Broken]", "", "sub/a is well"]
        );
    }

    #[test]
    fn shows_only_changes_after_reset() {
        assert_eq!(
            render("a=Yes b=Yes c=Yes synced reset a=Yes b=Broken d=Yes synced c=gone"),
            [
                "",
                "",
                "",
                "[sub/a is well, sub/b is well, sub/c is well]",
                "",
                "",
                "",
                "",
                "[sub/b is Broken, sub/c is gone, sub/d is well]",
                "",
            ]
        );
    }

    #[test]
    fn ignores_objects_removed_before_sync() {
        assert_eq!(render("a=Yes a=gone synced"), ["", "", "[]"]);
    }

    #[test]
    fn shows_objects_removed_during_resync() {
        assert_eq!(
            render("a=Yes synced reset a=gone synced"),
            ["", "[sub/a is well]", "", "", "[sub/a is gone]"]
        );
    }
}
