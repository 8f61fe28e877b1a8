//! Why an answer is as it is.

use std::fmt;

use portolan_names::{BundleName, ChannelName, PackageName};

/// A cause, for programs as [`code`](Reason::code) and for people as its `Display`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The installed bundle is the head of the channel.
    AtHead {
        /// The installed bundle.
        installed: BundleName,
        /// The channel that it heads.
        channel: ChannelName,
    },
    /// No entry of the channel leads on from the installed bundle.
    NoSuccessor {
        /// The installed bundle.
        installed: BundleName,
        /// The channel.
        channel: ChannelName,
    },
    /// The catalog does not have the installed bundle, and nobody said its version, so that no
    /// skip range could be tried.
    UnknownVersion {
        /// The installed bundle.
        installed: BundleName,
        /// Its package.
        package: PackageName,
    },
    /// A channel has no head: every entry is replaced or skipped by another one.
    NoHead {
        /// The channel.
        channel: ChannelName,
    },
    /// A channel has more than one head; OLM would not serve its catalog.
    SeveralHeads {
        /// The channel.
        channel: ChannelName,
        /// The heads, by name.
        heads: Vec<BundleName>,
    },
    /// An entry stands for a bundle that the catalog does not have: it cannot be installed.
    NoBundle {
        /// The channel.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
    },
}

// === impl Reason ===

impl Reason {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::AtHead { .. } => "AtHead",
            Self::NoSuccessor { .. } => "NoSuccessor",
            Self::UnknownVersion { .. } => "UnknownVersion",
            Self::NoHead { .. } => "NoHead",
            Self::SeveralHeads { .. } => "SeveralHeads",
            Self::NoBundle { .. } => "NoBundle",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtHead { installed, channel } => {
                write!(f, "{installed} is the head of channel {channel}")
            }
            Self::NoSuccessor { installed, channel } => write!(
                f,
                "channel {channel} has no bundle that replaces {installed}, skips it, or covers \
                 its version with a skip range"
            ),
            Self::UnknownVersion { installed, package } => write!(
                f,
                "package {package} has no bundle {installed}, so its version is not known and no \
                 skip range was applied to it; say installed_version to have them applied"
            ),
            Self::NoHead { channel } => write!(
                f,
                "channel {channel} has no head: each of its entries is replaced or skipped by \
                 another one"
            ),
            Self::SeveralHeads { channel, heads } => {
                write!(f, "channel {channel} has several heads: ")?;
                for (at, head) in heads.iter().enumerate() {
                    write!(f, "{}{head}", if at == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
            Self::NoBundle { channel, entry } => write!(
                f,
                "channel {channel} leads to {entry}, but the catalog has no such bundle; it \
                 cannot be installed"
            ),
        }
    }
}
