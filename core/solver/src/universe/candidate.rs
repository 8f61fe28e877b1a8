//! A bundle that can be installed.

use std::sync::Arc;

use portolan_core_catalog::{self as catalog, Bundle};
use portolan_core_names::{ChannelName, PackageName};

use super::{ApiId, PackageId, RequirementId, Universe};

/// A bundle of a catalog that is in a channel.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) package: PackageId,
    pub(crate) catalog: usize,
    pub(crate) bundle: Arc<Bundle>,
    /// Its places in the channels that have it, the preferred one first; never empty.
    pub(crate) places: Box<[Place]>,
    /// Why its author advises against it, if so.
    pub(crate) deprecation: Option<Arc<str>>,
    pub(crate) is_outranked: bool,
    pub(crate) provides: Box<[ApiId]>,
    pub(crate) requires: Box<[RequirementId]>,
}

/// Where a bundle stands in a channel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// Ranks lower if it is the default channel.
    pub(crate) is_elsewhere: bool,
    pub(crate) channel: ChannelName,
    /// Ranks lower if it is a head.
    pub(crate) is_behind: bool,
}

// === impl Candidate ===

impl Candidate {
    pub(crate) fn package<'a>(&self, universe: &'a Universe) -> &'a PackageName {
        &universe.packages[self.package as usize].name
    }

    /// Its place in the channel that is preferred among those that have it.
    pub(crate) fn place(&self) -> &Place {
        &self.places[0]
    }

    /// Its place in a channel, if that has it.
    pub(crate) fn placed_in(&self, channel: &ChannelName) -> Option<&Place> {
        self.places.iter().find(|place| place.channel == *channel)
    }

    /// What requirements are held against.
    pub(crate) fn offer<'a>(&'a self, universe: &'a Universe) -> catalog::Candidate<'a> {
        catalog::Candidate::of(self.package(universe), &self.bundle)
    }
}
