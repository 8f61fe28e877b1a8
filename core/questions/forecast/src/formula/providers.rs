//! Finds the entries that satisfy a requirement, in the order in which OLM prefers them.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_catalog::Requirement;

use crate::Hindrance;
use crate::chain::chain;
use crate::entries::{Entry, EntryTable, INSTALLED};
use crate::words;

/// A cache of the entries that satisfy a requirement.
#[derive(Debug)]
pub(super) struct Providers<'w, 's> {
    table: &'w EntryTable<'s>,
    /// The entries that satisfy a requirement, by the key of the requirement.
    fitting: BTreeMap<String, BTreeSet<usize>>,
    /// The sorted entries that satisfy a requirement, by the key of the requirement and the catalog
    /// of the dependent bundle.
    known: BTreeMap<(String, usize), Result<Vec<usize>, Hindrance>>,
}

/// The key for grouping entries: default channel or not, package, and channel. Default channels
/// come first.
type RankKey<'s> = (bool, Option<&'s str>, Option<&'s str>);

// === impl Providers ===

impl<'w, 's> Providers<'w, 's> {
    pub(super) fn new(table: &'w EntryTable<'s>) -> Self {
        Self {
            table,
            fitting: BTreeMap::new(),
            known: BTreeMap::new(),
        }
    }

    /// Returns the entries that satisfy a requirement of a bundle from catalog `own`.
    pub(super) fn of(
        &mut self,
        requirement: Requirement<'_>,
        own: usize,
    ) -> Result<Vec<usize>, Hindrance> {
        let key = (words::key(requirement), own);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let fitting = self.fitting(requirement, &key.0);
        let answer = ordered(self.table, &fitting, own);
        self.known.insert(key, answer.clone());
        answer
    }

    fn fitting(&mut self, requirement: Requirement<'_>, key: &str) -> BTreeSet<usize> {
        if let Some(known) = self.fitting.get(key) {
            return known.clone();
        }
        let entries = self.table.entries.iter();
        let fitting = entries.filter(|entry| requirement.is_met_by(&entry.candidate));
        let fitting: BTreeSet<_> = fitting.map(|entry| entry.at).collect();
        self.fitting.insert(key.to_owned(), fitting.clone());
        fitting
    }
}

/// Sorts entries by catalog and channel, with the head of each channel first. Sorts all entries of
/// a channel, even if only one entry satisfies the requirement, so that a defect of the channel is
/// found. Of the installed operators, sorts only operators that satisfy the requirement.
fn ordered(
    table: &EntryTable<'_>,
    fitting: &BTreeSet<usize>,
    own: usize,
) -> Result<Vec<usize>, Hindrance> {
    let wanted: BTreeSet<_> = fitting
        .iter()
        .map(|at| &table.entries[*at])
        .map(|entry| (entry.catalog, place(entry)))
        .collect();
    let mut all = Vec::new();
    for catalog in table.order_for(own) {
        let mut channels: BTreeMap<RankKey<'_>, Vec<&Entry<'_>>> = BTreeMap::new();
        for entry in table.entries_of(catalog) {
            let is_wanted = match catalog {
                INSTALLED => fitting.contains(&entry.at),
                _ => wanted.contains(&(catalog, place(entry))),
            };
            if is_wanted {
                channels.entry(place(entry)).or_default().push(entry);
            }
        }
        for entries in channels.values() {
            all.extend(in_order(entries)?.iter().map(|entry| entry.at));
        }
    }
    all.retain(|at| fitting.contains(at));
    Ok(all)
}

fn place<'s>(entry: &Entry<'s>) -> RankKey<'s> {
    let package = entry.package().map(AsRef::as_ref);
    (!entry.is_default, package, entry.channel.map(AsRef::as_ref))
}

/// Returns the entries of one channel, from the head to the oldest entry.
pub(super) fn in_order<'e, 's>(entries: &[&'e Entry<'s>]) -> Result<Vec<&'e Entry<'s>>, Hindrance> {
    chain(entries).map_err(|shape| Hindrance::Channel {
        package: entries.first().and_then(|entry| entry.package()).cloned(),
        channel: entries.first().and_then(|entry| entry.channel).cloned(),
        shape,
    })
}
