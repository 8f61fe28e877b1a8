//! `olm.channel`

use std::collections::btree_map::Entry as Slot;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_names::{BundleName, ChannelName, PackageName, VersionRange};

use super::fields::{Fields, mistyped};
use super::{Complaint, Content, Desk};
use crate::fault::{Severity, Trouble};
use crate::model::{Channel, Entry};
use crate::node::{Node, Value};
use crate::place::Place;

const KEYS: [&str; 1] = ["entries"];

const ENTRY_KEYS: [&str; 4] = ["name", "replaces", "skips", "skipRange"];

pub(super) fn read(
    node: &Node<'_>,
    place: &Place,
    desk: &mut Desk<'_>,
) -> Result<(PackageName, Content), Complaint> {
    let fields = Fields::of("olm.channel", node, &KEYS, desk)?;
    let package = fields.required("package")?;
    let name: ChannelName = fields.required("name")?;
    let mut entries = BTreeMap::new();
    let subject = desk.subject.clone();
    let listed = fields.list("entries")?;
    // A part of the entries would be another channel, with other heads.
    if listed.len() > desk.most_entries {
        let trouble = Trouble::TooMuch {
            what: "a channel of more entries",
            limit: desk.most_entries as u64,
        };
        return Err(fields.complaint("entries", trouble));
    }
    for node in listed {
        // An entry that cannot be read costs itself: the others are still a graph.
        if let Err(complaint) = take_entry(node, &mut entries, desk) {
            desk.note(complaint);
        }
        desk.subject.clone_from(&subject);
    }
    let channel = Channel {
        name,
        entries,
        place: place.clone(),
    };
    Ok((package, Content::Channel(Arc::new(channel))))
}

fn take_entry(
    node: &Node<'_>,
    entries: &mut BTreeMap<BundleName, Entry>,
    desk: &mut Desk<'_>,
) -> Result<(), Complaint> {
    let fields = Fields::of("an entry", node, &ENTRY_KEYS, desk)?;
    let name = bundle("name", fields.required_text("name")?, &fields, desk)?;
    desk.subject += ", entry ";
    desk.subject += name.as_str();
    let entry = Entry {
        name: name.clone(),
        // An edge that cannot be read costs itself: the entry has other edges.
        replaces: {
            let read = replaces(&fields, desk);
            desk.settle(read)
        },
        skips: skips(&fields, desk),
        skip_range: skip_range(&fields, desk),
    };
    match entries.entry(name) {
        Slot::Vacant(slot) => {
            slot.insert(entry);
            Ok(())
        }
        Slot::Occupied(slot) => {
            Err(fields.complaint("name", Trouble::EntryTwice(slot.key().clone())))
        }
    }
}

fn replaces(fields: &Fields<'_, '_>, desk: &mut Desk<'_>) -> Result<Option<BundleName>, Complaint> {
    match fields.text("replaces")? {
        None | Some("") => Ok(None),
        Some(text) => bundle("replaces", text, fields, desk).map(Some),
    }
}

fn skips(fields: &Fields<'_, '_>, desk: &mut Desk<'_>) -> BTreeSet<BundleName> {
    let items = fields.list("skips").unwrap_or_else(|complaint| {
        desk.note(complaint);
        &[]
    });
    let mut skips = BTreeSet::new();
    for item in items {
        let read = match &item.value {
            Value::Text(text) if text.is_empty() => {
                let (what, key) = ("an element of `skips`", "name");
                Err(Trouble::Missing { what, key })
            }
            Value::Text(text) => desk.words.bundle(text).map_err(|refusal| Trouble::Refused {
                key: "skips",
                refusal,
            }),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::List(_)
            | Value::Map(_)
            | Value::Skipped => Err(mistyped(item, "skips", "a text").trouble),
        };
        match read {
            Ok(name) => {
                skips.insert(name);
            }
            Err(trouble) => desk.note(Complaint {
                line: item.line,
                trouble,
            }),
        }
    }
    skips
}

fn skip_range(fields: &Fields<'_, '_>, desk: &mut Desk<'_>) -> Option<VersionRange> {
    let range: VersionRange = desk.settle(fields.parsed("skipRange"))?;
    for warning in range.warnings() {
        let trouble = Trouble::Doubtful {
            key: "skipRange",
            sentence: format!("{:?}: {warning}", range.as_str()),
            severity: Severity::Warning,
        };
        desk.note(fields.complaint("skipRange", trouble));
    }
    Some(range)
}

fn bundle(
    key: &'static str,
    text: &str,
    fields: &Fields<'_, '_>,
    desk: &mut Desk<'_>,
) -> Result<BundleName, Complaint> {
    desk.words
        .bundle(text)
        .map_err(|refusal| fields.refused(key, &refusal))
}
