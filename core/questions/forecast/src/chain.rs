//! Sorts the entries of a channel as OLM does.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::BundleName;

use crate::Shape;
use crate::entries::Entry;

/// Returns the entries along `replaces`, starting at the head of the channel. Omits entries that
/// other entries skip, and entries that this chain does not reach. Fails unless exactly one head
/// exists and the chain has no cycle.
pub(crate) fn chain<'e, 's>(entries: &[&'e Entry<'s>]) -> Result<Vec<&'e Entry<'s>>, Shape> {
    let by_name: BTreeMap<&BundleName, &Entry<'_>> =
        entries.iter().map(|entry| (entry.name, *entry)).collect();
    let older = |entry: &Entry<'s>| by_name.get(entry.replaces?).copied();
    let skipped: BTreeSet<&BundleName> = entries.iter().flat_map(|entry| entry.skips()).collect();
    let replaced: BTreeSet<_> = entries.iter().filter_map(|entry| entry.replaces).collect();
    let is_head =
        |entry: &&&Entry<'_>| !replaced.contains(entry.name) && !skipped.contains(entry.name);
    let mut chains = Vec::new();
    for head in entries.iter().filter(is_head) {
        let mut seen = BTreeSet::from([head.name]);
        let mut all = vec![*head];
        while let Some(next) = older(all[all.len() - 1]) {
            if !seen.insert(next.name) {
                let head = head.name.clone();
                return Err(Shape::Cycle { head });
            }
            all.push(next);
        }
        all.retain(|entry| !skipped.contains(entry.name));
        chains.push(all);
    }
    match chains.len() {
        0 if entries.is_empty() => Ok(Vec::new()),
        0 => Err(Shape::NoHead),
        1 => Ok(chains.remove(0)),
        _ => Err(Shape::Chains(chains.iter().map(|all| ends(all)).collect())),
    }
}

fn ends(chain: &[&Entry<'_>]) -> Option<(BundleName, BundleName)> {
    let (first, last) = (chain.first()?, chain.last()?);
    Some((first.name.clone(), last.name.clone()))
}
