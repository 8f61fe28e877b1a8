//! Records which kinds each file contains. Therefore a later request for a kind reads only the
//! files that contain this kind.

use std::collections::{BTreeMap, BTreeSet};

use super::documents::Object;
use super::gather::Gatherer;
use crate::WorldFault;
use crate::settle::Stamps;

/// The kinds and faults in files. Valid until a file changes.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// The files that were read.
    stamps: Stamps,
    /// For each kind, the indexes of the files that contain its objects.
    files: BTreeMap<String, BTreeMap<String, BTreeSet<usize>>>,
    /// The faults of documents whose kind is unknown.
    pub(super) faults: Vec<WorldFault>,
}

// === impl Contents ===

impl Contents {
    /// Creates the contents of files in which no objects have been found yet.
    pub(super) fn of(stamps: Stamps) -> Self {
        Self {
            stamps,
            ..Self::default()
        }
    }

    /// Adds faults of documents whose kind is unknown.
    pub(super) fn with(self, faults: Vec<WorldFault>) -> Self {
        Self { faults, ..self }
    }

    /// Returns true if the files have not changed since they had these stamps.
    pub(super) fn are_of(&self, stamps: &Stamps) -> bool {
        self.stamps == *stamps
    }

    /// Records an object in a file.
    pub(super) fn add(&mut self, file: usize, object: &Object) {
        let Object { group, kind, .. } = object;
        let of_kind = self
            .files
            .get_mut(group)
            .and_then(|kinds| kinds.get_mut(kind));
        match of_kind {
            Some(files) => {
                files.insert(file);
            }
            None => {
                let kinds = self.files.entry(group.clone()).or_default();
                kinds.insert(kind.clone(), [file].into());
            }
        }
    }

    /// Returns the indexes of the files that contain objects for at least one of these gatherers.
    pub(super) fn files_for(&self, gatherers: &[Box<dyn Gatherer>]) -> BTreeSet<usize> {
        let all = self.files.iter().flat_map(|(group, kinds)| {
            let kinds = kinds.iter();
            kinds.map(move |(kind, files)| (group.as_str(), kind.as_str(), files))
        });
        let wanted = all.filter(|(group, kind, _)| {
            let mut gatherers = gatherers.iter();
            gatherers.any(|gatherer| gatherer.is_of_kind(group, kind))
        });
        wanted.flat_map(|(_, _, files)| files).copied().collect()
    }
}
