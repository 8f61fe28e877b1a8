//! The bundle that was probably meant.

use portolan_core_names::BundleName;

use crate::graph::Graph;

/// As many numbers as a version has at least.
const VERSION: usize = 3;

// === impl Graph ===

impl Graph {
    /// The bundle that a name without a bundle probably means: one with the same numbers in its
    /// name, or whose name ends in what looks like its version. None for a name that the package
    /// knows.
    ///
    /// Other numbers are another version, and no slip: an installed bundle that has left the
    /// catalog is not mistaken for its neighbor.
    pub fn nearest(&self, asked: &BundleName) -> Option<&BundleName> {
        if self.find(asked).is_some() {
            return None;
        }
        let numbers: Vec<_> = numbers(asked.as_str()).collect();
        let names = self.nodes[..self.ages.len()].iter().map(|node| &node.name);
        let meant = names.filter(|name| is_meant(&numbers, name.as_str()));
        meant.min_by_key(|name| {
            (
                strsim::damerau_levenshtein(asked.as_str(), name.as_str()),
                *name,
            )
        })
    }
}

fn is_meant(asked: &[&str], name: &str) -> bool {
    let known: Vec<_> = numbers(name).collect();
    match asked.len() {
        0 => false,
        VERSION.. => known.ends_with(asked),
        _ => known == asked,
    }
}

fn numbers(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !c.is_ascii_digit());
    parts.filter(|part| !part.is_empty())
}
