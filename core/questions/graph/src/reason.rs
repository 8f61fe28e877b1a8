//! The reasons in the answers to queries.

use std::fmt::{self, Display};

use portolan_core_names::{BundleName, ChannelName, PackageName, trouble};

use crate::Destination;

/// A reason. Programs use [`code`](Reason::code), and users read `Display`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The installed bundle is the head of the channel.
    AtHead {
        installed: BundleName,
        /// The channel.
        channel: ChannelName,
    },
    /// No entry of these channels updates the installed bundle.
    NoSuccessor {
        installed: BundleName,
        /// The channels without an upgrade. Never empty.
        channels: Vec<ChannelName>,
    },
    /// The catalog does not contain the installed bundle, and the version of this bundle is
    /// unknown. Therefore skip ranges were not checked.
    UnknownVersion {
        installed: BundleName,
        package: PackageName,
        /// The bundle that the user probably meant. It has the same numbers in its name. None if
        /// the package has no such bundle.
        near: Option<BundleName>,
    },
    /// No reachable bundle can be upgraded to the next bundle towards the destination.
    NoEdge {
        /// The last reachable bundle towards the destination.
        from: BundleName,
        /// The next bundle towards the destination.
        to: BundleName,
    },
    /// The bundle is in the package, but not in the requested channel.
    NotInChannel {
        bundle: BundleName,
        /// The channels that contain the bundle. Empty if no channel contains it.
        channels: Vec<ChannelName>,
    },
    /// The package has no bundle that matches the destination.
    NotOffered {
        destination: Destination,
        package: PackageName,
    },
    /// Only prereleases match the destination. They are not allowed, because neither the
    /// destination nor the installed bundle is a prerelease.
    OnlyPrereleases {
        /// The newest matching prerelease.
        newest: BundleName,
    },
    /// The destination is older than the installed bundle.
    Below {
        destination: BundleName,
        installed: BundleName,
    },
    /// OLM upgrades directly to a later bundle, and thereby skips the destination.
    LeaptOver {
        destination: BundleName,
        /// The last bundle that OLM installs before it skips the destination.
        from: BundleName,
        /// The later bundle that OLM selects.
        to: BundleName,
    },
    /// OLM stops at a bundle, although the catalog has more edges.
    OlmStops {
        /// The last bundle that OLM reaches.
        at: BundleName,
        channel: ChannelName,
        /// The earlier bundle to which OLM would return, because its choices form a cycle. None if
        /// they form no cycle.
        back_to: Option<BundleName>,
    },
    /// The package has no channels, often because a document of the catalog is invalid. OLM cannot
    /// install or upgrade a package without channels.
    NoChannel { package: PackageName },
    /// The package has several channels and no default channel. Therefore it is unknown which head
    /// is requested.
    NoDefaultChannel { package: PackageName },
    /// The catalog does not contain the bundles of the channel's heads.
    NoHeadBundle { channel: ChannelName },
}

// === impl Reason ===

impl Reason {
    pub fn code(&self) -> &'static str {
        match self {
            Self::AtHead { .. } => "AtHead",
            Self::NoSuccessor { .. } => "NoSuccessor",
            Self::UnknownVersion { .. } => "UnknownVersion",
            Self::NoEdge { .. } => "NoEdge",
            Self::NotInChannel { .. } => "NotInChannel",
            Self::NotOffered { .. } => "NotOffered",
            Self::OnlyPrereleases { .. } => "OnlyPrereleases",
            Self::Below { .. } => "Below",
            Self::LeaptOver { .. } => "LeaptOver",
            Self::OlmStops { .. } => "OlmStops",
            Self::NoChannel { .. } => "NoChannel",
            Self::NoDefaultChannel { .. } => "NoDefaultChannel",
            Self::NoHeadBundle { .. } => "NoHeadBundle",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtHead { installed, channel } => {
                write!(f, "{installed} is the head of channel {channel}")
            }
            Self::NoSuccessor {
                installed,
                channels,
            } => {
                match channels.as_slice() {
                    [channel] => write!(f, "channel {channel} has no bundle")?,
                    several => write!(f, "none of the channels {} has a bundle", list(several))?,
                }
                write!(
                    f,
                    " that replaces {installed}, skips it, or covers its version with a skip range"
                )
            }
            Self::UnknownVersion {
                installed,
                package,
                near,
            } => {
                write!(f, "package {package} has no bundle {installed}")?;
                if let Some(near) = near {
                    write!(f, " (did you mean {near}?)")?;
                }
                f.write_str(
                    ", so its version is unknown and skip ranges were not applied; set \
                     installed_version to apply them",
                )
            }
            Self::NoEdge { from, to } => write!(
                f,
                "{to} does not replace {from}, skip it, or cover its version with a skip range"
            ),
            Self::NotInChannel { bundle, channels } if channels.is_empty() => {
                write!(f, "{bundle} is in no channel")
            }
            Self::NotInChannel { bundle, channels } => {
                write!(
                    f,
                    "{bundle} is not in this channel; it is in {}",
                    list(channels)
                )
            }
            Self::NotOffered {
                destination,
                package,
            } => {
                write!(f, "package {package} does not offer {destination}")
            }
            Self::OnlyPrereleases { newest } => write!(
                f,
                "only prereleases match, such as {newest}; to use a prerelease, request its exact \
                 version"
            ),
            Self::Below {
                destination,
                installed,
            } => {
                write!(f, "{destination} is older than the installed {installed}")
            }
            Self::LeaptOver {
                destination,
                from,
                to,
            } => {
                let (over, from, to) = (destination.as_str(), from.as_str(), to.as_str());
                f.write_str(&trouble::leapt_over(over, from, to))
            }
            Self::OlmStops {
                at,
                channel,
                back_to: None,
            } => write!(f, "OLM finds no update from {at} in channel {channel}"),
            Self::OlmStops {
                at,
                channel,
                back_to: Some(bundle),
            } => write!(
                f,
                "OLM goes from {at} back to {bundle} in channel {channel}, in an endless cycle"
            ),
            Self::NoChannel { package } => write!(
                f,
                "package {package} has no channels, so no operator can be installed or upgraded \
                 from this package"
            ),
            Self::NoDefaultChannel { package } => write!(
                f,
                "package {package} has several channels and no default channel; choose a channel"
            ),
            Self::NoHeadBundle { channel } => {
                write!(f, "channel {channel} has no head that can be installed")
            }
        }
    }
}

/// The maximum number of names in a list of names.
const MOST: usize = 8;

/// Formats names as `a, b, c`. A long list is truncated.
pub(crate) fn list<T: Display>(names: &[T]) -> impl Display + '_ {
    fmt::from_fn(move |f| {
        if names.is_empty() {
            return f.write_str("none");
        }
        for (at, name) in names.iter().take(MOST).enumerate() {
            write!(f, "{}{name}", if at == 0 { "" } else { ", " })?;
        }
        match names.len().saturating_sub(MOST) {
            0 => Ok(()),
            left_out => write!(f, " and {left_out} more"),
        }
    })
}
