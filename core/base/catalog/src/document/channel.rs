//! Reads `olm.channel` documents.

use std::collections::btree_map::Entry as Slot;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_names::{BundleName, ChannelName, PackageName, VersionRange};

use super::fields::{Fields, mistyped};
use super::{Content, LineDefect, ReadContext};
use crate::fault::Defect;
use crate::model::CatalogPlace;
use crate::model::{Channel, Entry};
use crate::node::{Node, Value};

const KEYS: [&str; 1] = ["entries"];

const ENTRY_KEYS: [&str; 4] = ["name", "replaces", "skips", "skipRange"];

pub(super) fn read(
    node: &Node<'_>,
    place: &CatalogPlace,
    context: &mut ReadContext<'_>,
) -> Result<(PackageName, Content), LineDefect> {
    let fields = Fields::of("olm.channel", node, &KEYS, context)?;
    let package = fields.required("package")?;
    let name: ChannelName = fields.required("name")?;
    let mut entries = BTreeMap::new();
    let subject = context.subject.clone();
    let listed = fields.list("entries")?;
    // The whole channel is rejected. A channel with only a part of the entries would have different
    // heads.
    if listed.len() > context.most_entries {
        let defect = Defect::TooMuch {
            what: "a channel of more entries",
            limit: context.most_entries as u64,
        };
        return Err(fields.error("entries", defect));
    }
    for node in listed {
        // Only the invalid entry is dropped, because the other entries still form a graph.
        if let Err(error) = take_entry(node, &mut entries, context) {
            context.note(error);
        }
        context.subject.clone_from(&subject);
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
    context: &mut ReadContext<'_>,
) -> Result<(), LineDefect> {
    let fields = Fields::of("an entry", node, &ENTRY_KEYS, context)?;
    let name = bundle("name", fields.required_text("name")?, &fields, context)?;
    context.subject += ", entry ";
    context.subject += name.as_str();
    let entry = Entry {
        name: name.clone(),
        // Only the invalid edge is dropped, because the entry may have other edges.
        replaces: {
            let read = replaces(&fields, context);
            context.settle(read)
        },
        skips: skips(&fields, context),
        skip_range: skip_range(&fields, context),
    };
    match entries.entry(name) {
        Slot::Vacant(slot) => {
            slot.insert(entry);
            Ok(())
        }
        Slot::Occupied(slot) => Err(fields.error("name", Defect::EntryTwice(slot.key().clone()))),
    }
}

fn replaces(
    fields: &Fields<'_, '_>,
    context: &mut ReadContext<'_>,
) -> Result<Option<BundleName>, LineDefect> {
    match fields.text("replaces")? {
        None | Some("") => Ok(None),
        Some(text) => bundle("replaces", text, fields, context).map(Some),
    }
}

fn skips(fields: &Fields<'_, '_>, context: &mut ReadContext<'_>) -> BTreeSet<BundleName> {
    let items = fields.list("skips").unwrap_or_else(|error| {
        context.note(error);
        &[]
    });
    let mut skips = BTreeSet::new();
    for item in items {
        let read = match &item.value {
            Value::Text(text) if text.is_empty() => {
                let (what, key) = ("an element of `skips`", "name");
                Err(Defect::Missing { what, key })
            }
            Value::Text(text) => context
                .interner
                .bundle(text)
                .map_err(|refusal| Defect::Refused {
                    key: "skips",
                    refusal,
                }),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::List(_)
            | Value::Map(_)
            | Value::Skipped => Err(mistyped(item, "skips", "a text").defect),
        };
        match read {
            Ok(name) => {
                skips.insert(name);
            }
            Err(defect) => context.note(LineDefect {
                line: item.line,
                defect,
            }),
        }
    }
    skips
}

fn skip_range(fields: &Fields<'_, '_>, context: &mut ReadContext<'_>) -> Option<VersionRange> {
    let range: VersionRange = context.settle(fields.parsed("skipRange"))?;
    // OLM rejects the range, so it derives no edge from this value.
    if let Some(warning) = range.refused_by_olm() {
        let refusal = format!("{:?}: {warning}", range.as_str());
        context.note(fields.refused("skipRange", &refusal));
        return None;
    }
    fields.warn_of("skipRange", &range, context);
    Some(range)
}

fn bundle(
    key: &'static str,
    text: &str,
    fields: &Fields<'_, '_>,
    context: &mut ReadContext<'_>,
) -> Result<BundleName, LineDefect> {
    context
        .interner
        .bundle(text)
        .map_err(|refusal| fields.refused(key, &refusal))
}
