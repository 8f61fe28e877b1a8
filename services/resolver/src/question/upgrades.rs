//! What can an installed bundle be updated to?

use portolan_core_catalog::Requirements;
use portolan_core_graph::{Installed, Successor, Upgrades};
use portolan_core_names::{CatalogName, ChannelName, PackageName};

use super::{Found, Refusal};
use crate::Snapshot;

/// What a bundle can be updated to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListUpgrades {
    /// None for the best catalog that has the package.
    pub(crate) catalog: Option<CatalogName>,
    pub(crate) package: PackageName,
    /// None for all channels at once.
    pub(crate) channel: Option<ChannelName>,
    pub(crate) installed: Installed,
}

/// The answer, and what it was made from.
#[derive(Debug)]
pub(crate) struct ListedUpgrades<'a> {
    pub(crate) found: Found<'a>,
    pub(crate) upgrades: Upgrades,
}

// === impl ListUpgrades ===

impl ListUpgrades {
    pub(crate) fn ask<'a>(&self, snapshot: &'a Snapshot) -> Result<ListedUpgrades<'a>, Refusal> {
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
            .list_upgrades(installed, channel.as_ref())?;
        Ok(ListedUpgrades { found, upgrades })
    }
}

// === impl ListedUpgrades ===

impl ListedUpgrades<'_> {
    /// What a successor requires and the installed bundle does not.
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
