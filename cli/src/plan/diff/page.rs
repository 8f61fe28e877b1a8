//! Renders the differences between plans, as text and as a data structure for `-o json`.

use portolan_core_install::{
    Changed, Deletion, Difference, Fate, FieldChange, ObjectRef, PlanVersion,
};
use portolan_core_names::text::{counted, cut, listed};
use serde::Serialize;

use crate::exit::Exit;
use crate::print::{Detail, Page, Render, Span};

/// The maximum length of a value in the text output.
const LONGEST: usize = 160;

/// The differences between plans.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DifferenceDocument {
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    to: String,
    /// The changed settings of the plan. Manifests do not contain these settings.
    settings: Vec<FieldDocument>,
    added: Vec<String>,
    changed: Vec<ChangeDocument>,
    dropped: Vec<FateDocument>,
    unchanged: usize,
    not_compared: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ChangeDocument {
    object: String,
    fields: Vec<FieldDocument>,
    refused: Vec<String>,
    is_made_again: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct FieldDocument {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
}

/// An object, and the effect of the deletion on this object.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FateDocument {
    object: String,
    is_deleted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// The effects of deleting a plan.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DeletionDocument {
    plan: String,
    /// The plans that get back the objects of the deleted plan. None if there are no such plans.
    #[serde(skip_serializing_if = "Option::is_none")]
    heir: Option<String>,
    #[serde(skip)]
    verb: &'static str,
    deleted: Vec<String>,
    restored: Vec<String>,
    kept: Vec<FateDocument>,
    lost: Vec<LossDocument>,
    not_compared: Vec<String>,
}

#[derive(Debug, Serialize)]
struct LossDocument {
    object: String,
    why: String,
}

// === impl DifferenceDocument ===

impl DifferenceDocument {
    pub(super) fn of(new: &PlanVersion, old: &[PlanVersion], difference: Difference) -> Self {
        let Difference {
            settings,
            added,
            changed,
            dropped,
            unchanged,
            not_compared,
        } = difference;
        Self {
            from: together(old),
            to: new.name.clone(),
            settings: settings.into_iter().map(FieldDocument::of).collect(),
            added: names(added),
            changed: changed.into_iter().map(ChangeDocument::of).collect(),
            dropped: dropped.into_iter().map(FateDocument::of).collect(),
            unchanged,
            not_compared,
        }
    }

    fn is_empty(&self) -> bool {
        let objects = [self.added.len(), self.changed.len(), self.dropped.len()];
        self.settings.is_empty() && objects == [0; 3]
    }

    fn is_in_doubt(&self) -> bool {
        !self.not_compared.is_empty()
    }
}

impl Render for DifferenceDocument {
    fn page(&self, _: Detail) -> Page {
        let mut page = Page::default();
        match &self.from {
            Some(from) => page.line([Span::heading(from), "->".into(), Span::heading(&self.to)]),
            None => page.line([Span::heading(&self.to), "replaces no plan".into()]),
        }
        if !self.settings.is_empty() {
            page.section("Settings of the plan:");
            self.settings
                .iter()
                .for_each(|field| field.lines(&mut page, 1));
        }
        page.list("Added:", self.added.iter().cloned());
        if !self.changed.is_empty() {
            page.section("Changed:");
            self.changed
                .iter()
                .for_each(|change| change.lines(&mut page));
        }
        page.list("Removed:", self.dropped.iter().map(FateDocument::line));
        list_not_compared(&mut page, &self.not_compared);
        let is_empty = self.is_empty() && !self.is_in_doubt();
        unchanged(&mut page, self.unchanged, is_empty);
        page
    }

    fn exit(&self) -> Exit {
        Exit::no_if(!self.is_empty()).unless_in_doubt(self.is_in_doubt())
    }
}

/// Prints the number of objects that do not change, as the last line of a page.
pub(super) fn unchanged(page: &mut Page, unchanged: usize, is_empty: bool) {
    page.part();
    let unchanged = i64::try_from(unchanged).unwrap_or(i64::MAX);
    let unchanged = format!("{} unchanged.", counted(unchanged, "object"));
    if is_empty {
        page.line([Span::good("Nothing changes:"), unchanged.into()]);
    } else {
        page.text_line(unchanged);
    }
}

// === impl ChangeDocument ===

impl ChangeDocument {
    fn of(changed: Changed) -> Self {
        Self {
            object: changed.object.to_string(),
            fields: changed.fields.into_iter().map(FieldDocument::of).collect(),
            refused: changed.refused,
            is_made_again: changed.is_made_again,
        }
    }

    fn lines(&self, page: &mut Page) {
        page.below([Span::plain(&self.object)]);
        self.fields.iter().for_each(|field| field.lines(page, 2));
        for why in &self.refused {
            let start = Span::warning(if self.is_made_again {
                "Deleted and created again:"
            } else {
                "Rejected by the API server:"
            });
            page.indented(2, [start, Span::plain(why)]);
        }
    }
}

// === impl FieldDocument ===

impl FieldDocument {
    pub(super) fn of(change: FieldChange) -> Self {
        let FieldChange {
            path,
            before,
            after,
        } = change;
        Self {
            path,
            before,
            after,
        }
    }

    pub(super) fn lines(&self, page: &mut Page, depth: usize) {
        page.indented(depth, [Span::plain(&self.path)]);
        if let Some(before) = &self.before {
            page.indented(depth, [Span::error(format!("- {}", cut(before, LONGEST)))]);
        }
        if let Some(after) = &self.after {
            page.indented(depth, [Span::good(format!("+ {}", cut(after, LONGEST)))]);
        }
    }
}

// === impl FateDocument ===

impl FateDocument {
    fn of((object, fate): (ObjectRef, Fate)) -> Self {
        Self {
            object: object.to_string(),
            is_deleted: fate == Fate::Deleted,
            why: match fate {
                Fate::Deleted => None,
                Fate::Kept(kept) => Some(kept.to_string()),
            },
        }
    }

    fn line(&self) -> String {
        let object = &self.object;
        match &self.why {
            None => format!("{object} is deleted"),
            Some(why) => format!("{object} stays: {why}"),
        }
    }
}

// === impl DeletionDocument ===

impl DeletionDocument {
    pub(super) fn of(plan: &PlanVersion, heirs: &[PlanVersion], deletion: Deletion) -> Self {
        let Deletion {
            deleted,
            kept,
            restored,
            lost,
            not_compared,
        } = deletion;
        let kept = kept.into_iter();
        let lost = lost.into_iter();
        Self {
            plan: plan.name.clone(),
            heir: together(heirs),
            verb: if heirs.len() > 1 { "have it" } else { "has it" },
            deleted: names(deleted),
            restored: names(restored),
            kept: kept
                .map(|(object, kept)| FateDocument::of((object, Fate::Kept(kept))))
                .collect(),
            lost: lost
                .map(|(object, why)| LossDocument {
                    object: object.to_string(),
                    why,
                })
                .collect(),
            not_compared,
        }
    }

    fn is_empty(&self) -> bool {
        self.deleted.is_empty() && self.restored.is_empty() && self.lost.is_empty()
    }

    fn is_in_doubt(&self) -> bool {
        !self.not_compared.is_empty()
    }
}

impl Render for DeletionDocument {
    fn page(&self, _: Detail) -> Page {
        let mut page = Page::default();
        page.line([Span::heading(&self.plan), "is deleted".into()]);
        page.list("Deleted with the plan:", self.deleted.iter().cloned());
        if let Some(heir) = &self.heir {
            let heading = format!("Restored as {heir} {}:", self.verb);
            page.list(&heading, self.restored.iter().cloned());
        }
        page.list(
            "Kept:",
            self.kept.iter().map(|kept| {
                let why = kept.why.as_deref().unwrap_or_default();
                format!("{}: {why}", kept.object)
            }),
        );
        let lost = self
            .lost
            .iter()
            .map(|lost| format!("{}: {}", lost.object, lost.why));
        page.list("Not restored:", lost);
        list_not_compared(&mut page, &self.not_compared);
        if self.is_empty() && !self.is_in_doubt() {
            page.part();
            page.line([Span::good("Nothing is deleted.")]);
        }
        page
    }

    fn exit(&self) -> Exit {
        Exit::no_if(!self.is_empty()).unless_in_doubt(self.is_in_doubt())
    }
}

/// Returns the names of plans as a text. Returns None if the list is empty.
fn together(plans: &[PlanVersion]) -> Option<String> {
    let names = plans.iter().map(|plan| plan.name.as_str());
    (!plans.is_empty()).then(|| listed(names))
}

fn names(objects: Vec<ObjectRef>) -> Vec<String> {
    objects.iter().map(ObjectRef::to_string).collect()
}

fn list_not_compared(page: &mut Page, sentences: &[String]) {
    page.list("Not compared:", sentences.iter().cloned());
}
