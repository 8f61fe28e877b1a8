//! Where an installed bundle can go next.

use std::cmp::Reverse;

use portolan_catalog::{Channel, Package};
use portolan_names::{BundleName, ChannelName, PackageName, Version};
use thiserror::Error;

use crate::Reason;
use crate::channel::{Edge, edges, heads, hops_to_head};

/// The bundle that a cluster has. The catalog need not have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Its name.
    pub name: BundleName,
    /// Its version, where it is known without the catalog.
    pub version: Option<Version>,
}

/// The single updates that a package permits from an installed bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upgrades {
    /// The version of the installed bundle, if the catalog or the question has it.
    pub installed_version: Option<Version>,
    /// The updates: the highest version first, then by channel and name.
    pub updates: Vec<Update>,
    /// The heads of the channels looked at, by channel and name.
    pub heads: Vec<Head>,
    /// Why there is no update, and what is wrong where it matters.
    pub reasons: Vec<Reason>,
}

/// One permitted update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// The bundle to go to.
    pub bundle: BundleName,
    /// Its version, if the catalog has the bundle.
    pub version: Option<Version>,
    /// The channel that permits it.
    pub channel: ChannelName,
    /// What permits it; never empty, in the order of [`Edge`].
    pub edges: Vec<Edge>,
    /// Whether this is the one to take.
    pub is_recommended: bool,
    /// Whether it leads to a lower version.
    pub is_downgrade: bool,
}

/// The end of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The channel.
    pub channel: ChannelName,
    /// The bundle.
    pub bundle: BundleName,
    /// Its version, if the catalog has the bundle.
    pub version: Option<Version>,
}

/// The asked channel is not there.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("package {package} has no channel {channel}; it has {}", list(known))]
pub struct UnknownChannel {
    /// The package.
    pub package: PackageName,
    /// The channel as asked.
    pub channel: ChannelName,
    /// The channels that there are.
    pub known: Vec<ChannelName>,
}

/// Lists the updates from `installed`, in one channel or over all of them.
///
/// # Errors
///
/// A channel that the package does not have.
pub fn list_upgrades(
    package: &Package,
    installed: &Installed,
    channel: Option<&ChannelName>,
) -> Result<Upgrades, UnknownChannel> {
    let asked = channel.map(|name| find(package, name)).transpose()?;
    let channels: Vec<_> = match asked {
        Some(channel) => vec![channel],
        None => package.channels.values().map(AsRef::as_ref).collect(),
    };
    let catalogued = package
        .bundles
        .get(&installed.name)
        .map(|bundle| &bundle.version);
    let version = catalogued.or(installed.version.as_ref());

    let mut updates: Vec<_> = channels
        .iter()
        .flat_map(|channel| updates_in(package, channel, &installed.name, version))
        .collect();
    updates.sort_by_key(|update| {
        (
            Reverse(update.version.clone()),
            update.channel.clone(),
            update.bundle.clone(),
        )
    });
    let default = || {
        Some(
            package
                .channels
                .get(package.default_channel.as_ref()?)?
                .as_ref(),
        )
    };
    if let Some(channel) = asked.or_else(default) {
        recommend(package, channel, &mut updates);
    }
    Ok(Upgrades {
        installed_version: version.cloned(),
        heads: channels
            .iter()
            .flat_map(|channel| heads_of(package, channel))
            .collect(),
        reasons: reasons(package, &channels, installed, version, &updates),
        updates,
    })
}

fn find<'a>(package: &'a Package, name: &ChannelName) -> Result<&'a Channel, UnknownChannel> {
    let channel = package.channels.get(name).map(AsRef::as_ref);
    channel.ok_or_else(|| UnknownChannel {
        package: package.name.clone(),
        channel: name.clone(),
        known: package.channels.keys().cloned().collect(),
    })
}

fn updates_in(
    package: &Package,
    channel: &Channel,
    from: &BundleName,
    version: Option<&Version>,
) -> Vec<Update> {
    let mut updates = Vec::new();
    for entry in channel.entries.values() {
        let edges = edges(package, from, version, entry);
        if edges.is_empty() {
            continue;
        }
        let to = package
            .bundles
            .get(&entry.name)
            .map(|bundle| &bundle.version);
        updates.push(Update {
            bundle: entry.name.clone(),
            version: to.cloned(),
            channel: channel.name.clone(),
            edges,
            is_recommended: false,
            is_downgrade: matches!((version, to), (Some(from), Some(to)) if to < from),
        });
    }
    updates
}

/// Marks the update that is nearest to the head of `channel`; among equals the highest version,
/// which stands first. An update that cannot be installed is never marked.
fn recommend(package: &Package, channel: &Channel, updates: &mut [Update]) {
    let hops = hops_to_head(package, channel);
    let nearest = updates
        .iter_mut()
        .filter(|update| update.channel == channel.name && update.version.is_some())
        .filter_map(|update| Some((*hops.get(&update.bundle)?, update)))
        .min_by_key(|(hops, _)| *hops);
    if let Some((_, update)) = nearest {
        update.is_recommended = true;
    }
}

fn heads_of<'a>(package: &'a Package, channel: &'a Channel) -> impl Iterator<Item = Head> + 'a {
    heads(channel).into_iter().map(|bundle| Head {
        channel: channel.name.clone(),
        bundle: bundle.clone(),
        version: package
            .bundles
            .get(bundle)
            .map(|bundle| bundle.version.clone()),
    })
}

fn reasons(
    package: &Package,
    channels: &[&Channel],
    installed: &Installed,
    version: Option<&Version>,
    updates: &[Update],
) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if version.is_none() {
        reasons.push(Reason::UnknownVersion {
            installed: installed.name.clone(),
            package: package.name.clone(),
        });
    }
    for channel in channels {
        reasons.extend(end_of(channel, &installed.name, updates));
        reasons.extend(faults_of(channel));
    }
    reasons.extend(updates.iter().filter_map(missing_bundle));
    reasons
}

/// Why a channel leads no further. Where another channel does, only a head is worth a word.
fn end_of(channel: &Channel, installed: &BundleName, updates: &[Update]) -> Option<Reason> {
    let (installed, name) = (installed.clone(), channel.name.clone());
    if updates.iter().any(|update| update.channel == name) {
        return None;
    }
    if heads(channel).contains(&&installed) {
        return Some(Reason::AtHead {
            installed,
            channel: name,
        });
    }
    updates.is_empty().then_some(Reason::NoSuccessor {
        installed,
        channel: name,
    })
}

fn faults_of(channel: &Channel) -> Option<Reason> {
    let channel_name = channel.name.clone();
    match heads(channel).as_slice() {
        [] => Some(Reason::NoHead {
            channel: channel_name,
        }),
        [_] => None,
        several => {
            let heads = several.iter().map(|head| (*head).clone()).collect();
            Some(Reason::SeveralHeads {
                channel: channel_name,
                heads,
            })
        }
    }
}

fn missing_bundle(update: &Update) -> Option<Reason> {
    update.version.is_none().then(|| Reason::NoBundle {
        channel: update.channel.clone(),
        entry: update.bundle.clone(),
    })
}

fn list(names: &[ChannelName]) -> String {
    match names.is_empty() {
        true => "none".to_owned(),
        false => names
            .iter()
            .map(ChannelName::as_str)
            .collect::<Vec<_>>()
            .join(", "),
    }
}

#[cfg(test)]
mod tests;
