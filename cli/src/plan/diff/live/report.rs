//! Renders the changes that a plan would make in a cluster, as text and as a data structure for `-o
//! json`.

use portolan_core_install::{Live, LiveChange, ObjectRef};
use serde::Serialize;

use crate::exit::Exit;
use crate::plan::diff::page::{FieldDocument, unchanged};
use crate::print::{Detail, Page, Render, Span};

/// The changes that a plan would make on a cluster.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LiveDocument {
    plan: String,
    created: Vec<CreatedDocument>,
    changed: Vec<LiveChangeDocument>,
    deleted: Vec<String>,
    jobs: Vec<String>,
    conflicts: Vec<ObjectNote>,
    refused: Vec<ObjectNote>,
    /// The objects that differ from the plan, but that the plan will not change.
    left: Vec<ObjectNote>,
    not_compared: Vec<ObjectNote>,
    unchanged: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct CreatedDocument {
    object: String,
    /// Another object that does not exist yet. Without it, the creation of this object could not be
    /// tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    needs: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LiveChangeDocument {
    object: String,
    fields: Vec<FieldDocument>,
    /// The fields that the plan would take over from other field managers.
    taken: Vec<String>,
    is_taken_over: bool,
    is_made_again: bool,
}

#[derive(Debug, Serialize)]
struct ObjectNote {
    object: String,
    why: String,
}

// === impl LiveDocument ===

impl LiveDocument {
    pub(super) fn of(plan: String, live: Live) -> Self {
        let Live {
            created,
            changed,
            unchanged,
            deleted,
            jobs,
            conflicts,
            refused,
            left,
            not_compared,
        } = live;
        let created = created.into_iter();
        Self {
            plan,
            created: created.map(CreatedDocument::of).collect(),
            changed: changed.into_iter().map(LiveChangeDocument::of).collect(),
            deleted,
            jobs: jobs.iter().map(ObjectRef::to_string).collect(),
            conflicts: sentences(conflicts),
            refused: sentences(refused),
            left: sentences(left),
            not_compared: sentences(not_compared),
            unchanged,
        }
    }

    fn is_in_doubt(&self) -> bool {
        !self.not_compared.is_empty()
    }

    fn is_empty(&self) -> bool {
        let changes =
            self.created.len() + self.changed.len() + self.deleted.len() + self.jobs.len();
        changes + self.conflicts.len() + self.refused.len() == 0
    }
}

impl Render for LiveDocument {
    fn page(&self, _: Detail) -> Page {
        let mut page = Page::default();
        page.line([Span::heading(&self.plan), "on the cluster".into()]);
        page.list("Created:", self.created.iter().map(CreatedDocument::line));
        if !self.changed.is_empty() {
            page.section("Changed:");
            let changed = self.changed.iter();
            changed.for_each(|change| change.lines(&mut page));
        }
        page.list("Deleted:", self.deleted.iter().cloned());
        page.list("Jobs to run:", self.jobs.iter().cloned());
        let lists = [
            ("Conflicts with other field managers:", &self.conflicts),
            ("Rejected:", &self.refused),
            ("Different, but not changed:", &self.left),
            ("Not compared:", &self.not_compared),
        ];
        for (heading, sentences) in lists {
            page.list(heading, sentences.iter().map(ObjectNote::line));
        }
        unchanged(
            &mut page,
            self.unchanged,
            self.is_empty() && !self.is_in_doubt(),
        );
        page
    }

    fn exit(&self) -> Exit {
        Exit::no_if(!self.is_empty()).unless_in_doubt(self.is_in_doubt())
    }
}

// === impl CreatedDocument ===

impl CreatedDocument {
    fn of((object, needs): (ObjectRef, Option<ObjectRef>)) -> Self {
        Self {
            object: object.to_string(),
            needs: needs.as_ref().map(ObjectRef::to_string),
        }
    }

    fn line(&self) -> String {
        match &self.needs {
            Some(needs) => format!(
                "{} (not tried, because {needs} does not exist yet)",
                self.object
            ),
            None => self.object.clone(),
        }
    }
}

// === impl LiveChangeDocument ===

impl LiveChangeDocument {
    fn of(change: LiveChange) -> Self {
        let LiveChange {
            object,
            fields,
            taken,
            is_taken_over,
            is_made_again,
        } = change;
        Self {
            object: object.to_string(),
            fields: fields.into_iter().map(FieldDocument::of).collect(),
            taken: taken.iter().map(ToString::to_string).collect(),
            is_taken_over,
            is_made_again,
        }
    }

    fn lines(&self, page: &mut Page) {
        let note = match (self.is_made_again, self.is_taken_over) {
            (true, _) => Some("(deleted and created again)"),
            (false, true) => Some("(taken over)"),
            (false, false) => None,
        };
        page.below(
            [Span::plain(&self.object)]
                .into_iter()
                .chain(note.map(Span::from)),
        );
        self.fields.iter().for_each(|field| field.lines(page, 2));
        if !self.taken.is_empty() {
            let start = Span::warning("Taken over from other field managers:");
            page.indented(2, [start, self.taken.join(", ").into()]);
        }
    }
}

// === impl ObjectNote ===

impl ObjectNote {
    fn line(&self) -> String {
        format!("{}: {}", self.object, self.why)
    }
}

fn sentences(all: Vec<(impl ToString, String)>) -> Vec<ObjectNote> {
    let all = all.into_iter().map(|(object, why)| ObjectNote {
        object: object.to_string(),
        why,
    });
    all.collect()
}
