//! The queries about the graph of one package: updates, paths, and the graph itself.

use portolan_core_catalog::Requirements;
use portolan_core_graph::{
    Destination, Installed, PathAnswer, Query, Successor, UnknownChannel, Upgrades,
};
use portolan_core_names::{BundleName, CatalogName, ChannelName, PackageName};

use super::{FoundPackage, RequestError};
use crate::Snapshot;

/// Lists the upgrades of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListUpgrades {
    /// The catalog. None for the best catalog that contains the package.
    pub(crate) catalog: Option<CatalogName>,
    pub(crate) package: PackageName,
    /// The channel. None for all channels together.
    pub(crate) channel: Option<ChannelName>,
    pub(crate) installed: Installed,
}

#[derive(Debug)]
pub(crate) struct ListedUpgrades<'a> {
    pub(crate) found: FoundPackage<'a>,
    pub(crate) upgrades: Upgrades,
}

// === impl ListUpgrades ===

impl ListUpgrades {
    pub(crate) fn ask<'a>(
        &self,
        snapshot: &'a Snapshot,
    ) -> Result<ListedUpgrades<'a>, RequestError> {
        let Self {
            catalog,
            package,
            channel,
            installed,
        } = self;
        let found = snapshot.find(catalog.as_ref(), package)?;
        let upgrades = found
            .chart
            .graph()
            .list_upgrades(installed, channel.as_ref())
            .map_err(|unknown| found.unknown_channel(unknown))?;
        Ok(ListedUpgrades { found, upgrades })
    }
}

// === impl ListedUpgrades ===

impl ListedUpgrades<'_> {
    /// Returns the requirements of a successor that the installed bundle does not have.
    pub(crate) fn requires(&self, question: &ListUpgrades, successor: &Successor) -> Requirements {
        let bundles = &self.found.chart.package().bundles;
        let Some(bundle) = bundles.get(&successor.bundle.name) else {
            return Requirements::default();
        };
        match bundles.get(&question.installed.name) {
            Some(installed) => bundle.requires.beyond(&installed.requires),
            None => bundle.requires.clone(),
        }
    }
}

/// Finds the path to a destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FindPath {
    /// The catalog. None for the best catalog that contains the package.
    pub(crate) catalog: Option<CatalogName>,
    pub(crate) package: PackageName,
    pub(crate) query: Query,
}

#[derive(Debug)]
pub(crate) struct FoundPath<'a> {
    pub(crate) found: FoundPackage<'a>,
    pub(crate) answer: PathAnswer,
}

// === impl FindPath ===

impl FindPath {
    pub(crate) fn ask<'a>(&self, snapshot: &'a Snapshot) -> Result<FoundPath<'a>, RequestError> {
        let Self {
            catalog,
            package,
            query,
        } = self;
        let found = snapshot.find(catalog.as_ref(), package)?;
        if let Destination::Bundle(bundle) = &query.destination {
            let known = found.bundle(bundle);
            known.map_err(|refusal| RequestError::Field {
                field: "destination.bundle".into(),
                message: refusal.to_string(),
            })?;
        }
        let answer = found.chart.graph().find_path(query);
        let answer = answer.map_err(|unknown| found.unknown_channel(unknown))?;
        Ok(FoundPath { found, answer })
    }
}

/// Returns the graph of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GetGraph {
    /// The catalog. None for the best catalog that contains the package.
    pub(crate) catalog: Option<CatalogName>,
    pub(crate) package: PackageName,
    /// The channel. None for all channels.
    pub(crate) channel: Option<ChannelName>,
}

/// The graph of a package, with the catalog and the package from which it was built.
#[derive(Debug)]
pub(crate) struct DrawnGraph<'a> {
    pub(crate) found: FoundPackage<'a>,
    /// The channel to draw. None for all channels.
    pub(crate) channel: Option<&'a ChannelName>,
}

// === impl GetGraph ===

impl GetGraph {
    /// Returns the graph. Returns an error if the graph has more than `most` updates.
    pub(crate) fn ask<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        most: u64,
    ) -> Result<DrawnGraph<'a>, RequestError> {
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
            return Err(found.unknown_channel(UnknownChannel {
                package: package.clone(),
                channel: channel.clone(),
                known: channels.keys().cloned().collect(),
            }));
        }
        let updates = found.chart.graph().count_updates(channel.as_ref());
        if updates > most {
            return Err(RequestError::TooManyUpdates {
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
    /// Returns the drawn channels that contain a bundle.
    pub(crate) fn channels_of(&self, bundle: &BundleName) -> impl Iterator<Item = &ChannelName> {
        let channels = self.found.chart.package().channels_of(bundle);
        channels.filter(|channel| self.shows(channel))
    }

    pub(crate) fn shows(&self, channel: &ChannelName) -> bool {
        self.channel.is_none_or(|asked| asked == channel)
    }
}
