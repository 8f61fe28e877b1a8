//! The graph of a package, to be drawn.

use portolan_core_graph::UnknownChannel;
use portolan_core_names::{BundleName, CatalogName, ChannelName, PackageName};

use super::{Found, Refusal};
use crate::Snapshot;

/// What the graph of a package looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GetGraph {
    /// None for the best catalog that has the package.
    pub(crate) catalog: Option<CatalogName>,
    pub(crate) package: PackageName,
    /// None for all channels.
    pub(crate) channel: Option<ChannelName>,
}

/// The graph, and what it was made from.
#[derive(Debug)]
pub(crate) struct DrawnGraph<'a> {
    pub(crate) found: Found<'a>,
    /// The channel to draw; none for all.
    pub(crate) channel: Option<&'a ChannelName>,
}

// === impl GetGraph ===

impl GetGraph {
    /// Refused where there are more than `most` updates to draw.
    pub(crate) fn ask<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        most: u64,
    ) -> Result<DrawnGraph<'a>, Refusal> {
        let Self {
            catalog,
            package,
            channel,
        } = self;
        let found = snapshot.find(catalog.as_ref(), package)?;
        let channels = &found.chart.package().channels;
        if let Some(channel) = channel
            && !channels.contains_key(channel)
        {
            return Err(Refusal::UnknownChannel(UnknownChannel {
                package: package.clone(),
                channel: channel.clone(),
                known: channels.keys().cloned().collect(),
            }));
        }
        let updates = found.chart.graph().count_updates(channel.as_ref());
        if updates > most {
            return Err(Refusal::TooManyUpdates {
                package: package.clone(),
                updates,
                most,
                has_choice: channel.is_none() && channels.len() > 1,
            });
        }
        Ok(DrawnGraph {
            found,
            channel: channel.as_ref(),
        })
    }
}

// === impl DrawnGraph ===

impl DrawnGraph<'_> {
    /// The channels that have a bundle, of those that are shown.
    pub(crate) fn channels_of(&self, bundle: &BundleName) -> impl Iterator<Item = &ChannelName> {
        let channels = self.found.chart.package().channels_of(bundle);
        channels.filter(|channel| self.shows(channel))
    }

    pub(crate) fn shows(&self, channel: &ChannelName) -> bool {
        self.channel.is_none_or(|asked| asked == channel)
    }
}
