//! A bundle that can be installed.

use std::sync::Arc;

use portolan_catalog::Bundle;
use portolan_names::ChannelName;

use super::{ApiId, PackageId, RequirementId, Universe};
use crate::requirement::Offer;

/// A bundle of a catalog that is in a channel.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) package: PackageId,
    pub(crate) catalog: usize,
    pub(crate) bundle: Arc<Bundle>,
    /// Its place in the channel that is preferred among those that have it.
    pub(crate) place: Place,
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
    pub(crate) fn offer<'a>(&'a self, universe: &'a Universe) -> Offer<'a> {
        Offer {
            package: Some(&universe.packages[self.package as usize].name),
            version: Some(&self.bundle.version),
            provides: &self.bundle.provides,
        }
    }
}
