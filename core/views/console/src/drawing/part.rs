//! Parts of a graph: an upgrade path, or as many bundles as fit on a page.

use std::collections::BTreeSet;

use super::{Bundle, Graph};

/// The bundles and the updates of a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hops<'a> {
    bundles: BTreeSet<&'a str>,
    updates: BTreeSet<(&'a str, &'a str)>,
}

/// A part of a graph, and the number of omitted bundles and updates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The graph of the part: its bundles, and the updates between them.
    pub graph: Graph,
    /// The number of omitted bundles that are newer than the part.
    pub newer: usize,
    /// The number of omitted bundles that are older than the part.
    pub older: usize,
    /// The number of omitted names for which the catalog has no bundle.
    pub missing: usize,
    /// The number of omitted updates in all channels. They begin or end outside of the part.
    pub updates: usize,
}

// === impl Hops ===

impl<'a> Hops<'a> {
    /// Creates the hops of a path, which is a list of bundles.
    pub fn of(path: &'a [String]) -> Self {
        let hops = path.windows(2);
        Self {
            bundles: path.iter().map(String::as_str).collect(),
            updates: hops.map(|hop| (hop[0].as_str(), hop[1].as_str())).collect(),
        }
    }

    /// Returns true if the path contains the bundle.
    pub fn has_bundle(&self, name: &str) -> bool {
        self.bundles.contains(name)
    }

    /// Returns true if the path contains the update.
    pub fn has_update(&self, from: &str, to: &str) -> bool {
        self.updates.contains(&(from, to))
    }
}

// === impl Graph ===

impl Graph {
    /// Returns the part of the graph that contains only the bundles and updates of a path.
    #[must_use]
    pub fn only(&self, path: &[String]) -> Self {
        let hops = Hops::of(path);
        self.restricted(
            |bundle| hops.has_bundle(bundle),
            |from, to| hops.has_update(from, to),
        )
    }

    /// Skips the `newer` newest bundles, and returns a part with the next bundles, at most `most`.
    /// The part also contains at most `most` names without a bundle in the catalog, if an update
    /// connects the name to a bundle of the part.
    pub fn part(&self, newer: usize, most: usize) -> Part {
        let is_there = |bundle: &&Bundle| !bundle.version.is_empty();
        let all = self.bundles.iter().filter(is_there).count();
        let there = self.bundles.iter().filter(is_there);
        let chosen = there.skip(newer).take(most);
        let mut names: BTreeSet<&str> = chosen.map(|it| it.name.as_str()).collect();
        let shown = names.len();
        let linked = self.updates.iter().filter_map(|update| {
            let ends = (update.from.as_str(), update.to.as_str());
            match (names.contains(ends.0), names.contains(ends.1)) {
                (true, false) => Some(ends.1),
                (false, true) => Some(ends.0),
                (true, true) | (false, false) => None,
            }
        });
        let linked: BTreeSet<_> = linked.collect();
        let absent = self.bundles.iter().filter(|it| it.version.is_empty());
        let absent: Vec<_> = absent.map(|it| it.name.as_str()).collect();
        let nearby = absent.iter().filter(|name| linked.contains(**name));
        let nearby: Vec<_> = nearby.take(most).copied().collect();
        names.extend(&nearby);
        let graph = self.restricted(
            |bundle| names.contains(bundle),
            |from, to| names.contains(from) && names.contains(to),
        );
        Part {
            newer: newer.min(all),
            older: all.saturating_sub(newer + shown),
            missing: absent.len() - nearby.len(),
            updates: self.updates.len() - graph.updates.len(),
            graph,
        }
    }

    /// Returns the bundles and updates for which the functions return true.
    fn restricted(
        &self,
        has_bundle: impl Fn(&str) -> bool,
        has_update: impl Fn(&str, &str) -> bool,
    ) -> Self {
        let bundles = self.bundles.iter().filter(|it| has_bundle(&it.name));
        let updates = self.updates.iter();
        let updates = updates.filter(|it| has_update(&it.from, &it.to));
        let heads = self.heads.iter().filter(|it| has_bundle(&it.name));
        // Keep the path only if it is complete. An incomplete path would look like a different
        // path.
        let has_path = self.path.iter().all(|it| has_bundle(it));
        Self {
            package: self.package.clone(),
            default_channel: self.default_channel.clone(),
            bundles: bundles.cloned().collect(),
            updates: updates.cloned().collect(),
            heads: heads.cloned().collect(),
            path: if has_path {
                self.path.clone()
            } else {
                Vec::new()
            },
            is_part: true,
        }
    }
}
