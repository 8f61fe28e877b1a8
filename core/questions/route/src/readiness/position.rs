//! Decides if OLM can update a bundle from the catalogs of one stage.

use std::collections::BTreeSet;

use portolan_core_graph::{Charted, Installed};
use portolan_core_names::ChannelName;

use super::Offer;

/// The position of a bundle in the catalogs of one stage, which shows if OLM can update it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Position {
    /// A followed channel contains the bundle, or an update from the bundle.
    Follows,
    /// The catalogs do not contain the package.
    PackageGone,
    /// The package has none of the followed channels.
    ChannelGone,
    /// The followed channels contain neither the bundle nor an update from the bundle.
    Stranded,
    /// The catalogs could not be read completely, and the part that was read does not contain the
    /// bundle or an update from it. Contains the reason.
    Unread(String),
}

/// Returns the position of a bundle in the catalogs of one stage. `channels` are the followed
/// channels. Without a bundle, only the package and the channels are checked.
pub(super) fn position(
    offer: &Offer,
    channels: &BTreeSet<ChannelName>,
    bundle: Option<&Installed>,
) -> Position {
    let position = match &offer.package {
        None => Position::PackageGone,
        Some(charted) => in_package(charted, channels, bundle),
    };
    match (&offer.gap, &position) {
        // If the part that was read contains the bundle or an update, the missing part of the
        // catalogs does not matter.
        (None, _) | (Some(_), Position::Follows) => position,
        (Some(gap), _) => Position::Unread(gap.clone()),
    }
}

fn in_package(
    charted: &Charted,
    channels: &BTreeSet<ChannelName>,
    bundle: Option<&Installed>,
) -> Position {
    let followed = followed(charted, channels);
    if followed.is_empty() {
        return Position::ChannelGone;
    }
    let Some(bundle) = bundle else {
        return Position::Follows;
    };
    let all = &charted.package().channels;
    let is_entry = followed
        .iter()
        .any(|name| all[name].entries.contains_key(&bundle.name));
    let bundles = &charted.package().bundles;
    let is_offered = |name| bundles.get(name).is_some_and(|it| !it.is_prohibited);
    let has_update = || {
        let updates = charted.graph().updates_from(bundle, &followed);
        updates.is_ok_and(|updates| updates.iter().any(|(to, _)| is_offered(&to.name)))
    };
    if is_entry || has_update() {
        Position::Follows
    } else {
        Position::Stranded
    }
}

/// Returns the followed channels that the package has. If `channels` is empty, all channels are
/// followed.
pub(super) fn followed(
    charted: &Charted,
    channels: &BTreeSet<ChannelName>,
) -> BTreeSet<ChannelName> {
    let all = charted.package().channels.keys();
    let followed = all.filter(|name| channels.is_empty() || channels.contains(*name));
    followed.cloned().collect()
}
