//! The layout of a cause in all output formats.

use std::borrow::Cow;

use portolan_proto::diagnosis::v1::confidence::Certainty;
use portolan_proto::diagnosis::v1::{
    Cause, Confidence, Procedure, Quote, Remedy, Responsible, Step,
};

use super::parts;
use crate::print::Detail;

/// The beginning of the label of a message of another program.
pub(super) const QUOTE: &str = "Message from";

/// A labeled sentence, with lines to copy and notes about them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) label: Cow<'static, str>,
    pub(super) text: String,
    /// The lines that the user can copy into a shell.
    pub(super) script: Vec<String>,
    /// The notes below the commands. Each note has a label.
    pub(super) notes: Vec<(&'static str, String)>,
}

/// Returns the entries below the message of a cause: the object at fault, the responsible person,
/// and the commands to inspect, fix, decide and run later.
///
/// A cause can explain the cause above it, which then often has the same object at fault. In this
/// case, entries that the cause above also has are omitted.
pub(super) fn entries(cause: &Cause, above: Option<&Cause>, detail: Detail) -> Vec<Entry> {
    let explained = above.filter(|above| above.at_fault == cause.at_fault);
    let known = explained.map_or_else(Vec::new, |above| all_entries(above, detail));
    let mut entries = all_entries(cause, detail);
    entries.retain(|entry| !known.contains(entry));
    entries
}

fn all_entries(cause: &Cause, detail: Detail) -> Vec<Entry> {
    let mut entries: Vec<_> = cause.quotes.iter().map(quote).collect();
    entries.push(Entry::new("At fault", parts::at_fault(cause)));
    entries.extend(cause.responsible.iter().flat_map(responsible));
    entries.extend(cause.confidence.as_ref().and_then(confidence));
    entries.extend(cause.remedy.iter().flat_map(remedy));
    if detail == Detail::Whole {
        let evidence = cause.evidence.iter().map(parts::evidence);
        entries.extend(evidence.map(|read| Entry::new("Evidence", read)));
    }
    entries
}

fn quote(quote: &Quote) -> Entry {
    let Quote { source, text } = quote;
    Entry::new(format!("{QUOTE} {source}"), text.clone())
}

fn responsible(responsible: &Responsible) -> Vec<Entry> {
    let Responsible { who, action } = responsible;
    let action = (!action.is_empty()).then(|| Entry::new("Action", action.clone()));
    let who = Entry::new("Responsible", who.clone());
    std::iter::once(who).chain(action).collect()
}

fn confidence(confidence: &Confidence) -> Option<Entry> {
    let word = match confidence.certainty() {
        Certainty::Unspecified => return None,
        Certainty::Unknown => "unknown",
        Certainty::Likely => "likely",
        Certainty::Proved => "proved",
    };
    let text = format!("{word}. {}", confidence.reason);
    Some(Entry::new("Confidence", text.trim_end().to_owned()))
}

fn remedy(remedy: &Remedy) -> Vec<Entry> {
    let Remedy {
        look,
        fix,
        decide,
        later,
    } = remedy;
    let decide = decide.iter().enumerate().map(|(at, one)| {
        let label = if at == 0 { "Decide" } else { "Or" };
        procedure(label, one)
    });
    let look = look.iter().map(self::look);
    let fix = fix.iter().map(|fix| procedure("Fix", fix));
    let later = later.iter().map(|later| procedure("Later", later));
    look.chain(fix).chain(decide).chain(later).collect()
}

fn look(step: &Step) -> Entry {
    Entry {
        script: step.script(),
        ..Entry::new("Look", format!("{}.", step.comment))
    }
}

fn procedure(label: &'static str, procedure: &Procedure) -> Entry {
    let notes = notes(procedure).map(|(label, text)| (label, text.clone()));
    Entry {
        script: procedure.script(),
        notes: notes.collect(),
        ..Entry::new(label, procedure.title.clone())
    }
}

/// Returns the notes of a procedure with their labels: the deleted objects, the kept objects, and
/// the risks.
pub(super) fn notes(procedure: &Procedure) -> impl Iterator<Item = (&'static str, &String)> {
    let Procedure {
        title: _,
        steps: _,
        deletes,
        keeps,
        risk,
    } = procedure;
    let notes = [("Deletes", deletes), ("Keeps", keeps), ("Risk", risk)];
    notes.into_iter().filter(|(_, text)| !text.is_empty())
}

// === impl Entry ===

impl Entry {
    fn new(label: impl Into<Cow<'static, str>>, text: String) -> Self {
        Self {
            label: label.into(),
            text,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use portolan_proto::basis::v1::ObjectRef;

    use super::*;

    fn cause(action: &str) -> Cause {
        Cause {
            responsible: Some(Responsible {
                who: "the author".to_owned(),
                action: action.to_owned(),
            }),
            ..Cause::default()
        }
    }

    #[test]
    fn prints_all_entries_if_object_differs_from_row_above() {
        let above = cause("Repair it.");
        let other = Cause {
            at_fault: Some(ObjectRef::default()),
            ..above.clone()
        };
        let complete = entries(&other, None, Detail::Usual);
        assert_eq!(entries(&other, Some(&above), Detail::Usual), complete);
    }

    #[test]
    fn omits_entries_that_equal_row_above() {
        let above = cause("Repair it.");
        let same = entries(&above, Some(&above), Detail::Usual);
        assert_eq!(same, []);
        let other = entries(&cause("Wait."), Some(&above), Detail::Usual);
        assert_eq!(other, [Entry::new("Action", "Wait.".to_owned())]);
    }
}
