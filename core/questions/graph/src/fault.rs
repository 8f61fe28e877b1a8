//! The faults of channels in a catalog.

use std::fmt;

use portolan_core_catalog::Severity;
use portolan_core_names::{BundleName, ChannelName, VersionRange, codes_of};

use crate::reason::list;

/// A fault of a channel. Programs use [`code`](Self::code), and users read `Display`.
///
/// A graph with faults can still be queried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChannelFault {
    /// A channel has no head: another entry replaces or skips every entry.
    NoHead { channel: ChannelName },
    /// A channel has more than one head.
    SeveralHeads {
        channel: ChannelName,
        heads: Vec<BundleName>,
        /// Each head whose `replaces` names a bundle that the package does not contain, with the
        /// missing bundle.
        astray: Vec<(BundleName, BundleName)>,
    },
    /// Entries of a channel replace or skip each other in a cycle.
    Cycle {
        channel: ChannelName,
        /// The entries of the cycle, sorted by name.
        bundles: Vec<BundleName>,
    },
    /// Some entries of a channel are stranded: no entry skips them, and `replaces` does not lead to
    /// them from the head.
    Stranded {
        channel: ChannelName,
        bundles: Vec<BundleName>,
    },
    /// The catalog does not contain the bundle of an entry, so the entry cannot be installed.
    NoBundle {
        channel: ChannelName,
        entry: BundleName,
    },
    /// Several entries replace the same bundle.
    Fork {
        channel: ChannelName,
        /// The bundle that is replaced.
        from: BundleName,
        /// The entries that replace the bundle, sorted by name.
        into: Vec<BundleName>,
    },
    /// An entry replaces or skips a bundle with a higher version.
    LeadsDown {
        channel: ChannelName,
        /// The bundle with the higher version.
        from: BundleName,
        /// The entry that replaces or skips it.
        to: BundleName,
    },
    /// The only head of a channel does not have the highest version of the channel.
    LowHead {
        channel: ChannelName,
        head: BundleName,
        /// The entry with the highest version.
        highest: BundleName,
    },
    /// The skip range of an entry covers no older entry of the channel.
    IdleRange {
        channel: ChannelName,
        entry: BundleName,
        range: VersionRange,
    },
    /// The skip range of an entry contains the versions of newer entries of the channel. OLM
    /// follows such a range to an older version.
    WideRange {
        channel: ChannelName,
        entry: BundleName,
        range: VersionRange,
        /// The newest entry whose version the range contains.
        highest: BundleName,
    },
}

codes_of! { ChannelFault;
    Self::NoHead { .. } => NoHead: "The channel has no head: each entry is replaced or skipped by another one.",
    Self::SeveralHeads { .. } => SeveralHeads: "The channel has several heads. A frequent cause is \
                                                a misspelled name in `replaces`.",
    Self::Cycle { .. } => Cycle: "Entries of the channel replace each other in a cycle.",
    Self::Stranded { .. } => Stranded: "Entries of the channel are not skipped, and are not on the \
                                        chain of `replaces` below the head.",
    Self::NoBundle { .. } => NoBundle: "An entry names a bundle that the catalog does not have.",
    Self::LeadsDown { .. } => LeadsDown: "An entry replaces or skips a bundle of a higher version.",
    Self::LowHead { .. } => LowHead: "The head is not the highest version of the channel.",
    Self::IdleRange { .. } => IdleRange: "A skip range covers no older entry of its channel.",
    Self::WideRange { .. } => WideRange: "A skip range covers newer entries, from which OLM may downgrade.",
    Self::Fork { .. } => Fork: "Several entries replace the same bundle, which is often intended.",
}

// === impl ChannelFault ===

impl ChannelFault {
    /// Returns the channel that has the fault.
    pub fn channel(&self) -> &ChannelName {
        match self {
            Self::NoHead { channel }
            | Self::SeveralHeads { channel, .. }
            | Self::Cycle { channel, .. }
            | Self::Stranded { channel, .. }
            | Self::NoBundle { channel, .. }
            | Self::Fork { channel, .. }
            | Self::LeadsDown { channel, .. }
            | Self::LowHead { channel, .. }
            | Self::IdleRange { channel, .. }
            | Self::WideRange { channel, .. } => channel,
        }
    }

    /// Returns the entry whose bundle is missing. Returns None for other faults.
    pub fn missing_bundle(&self) -> Option<&BundleName> {
        if let Self::NoBundle { entry, .. } = self {
            Some(entry)
        } else {
            None
        }
    }

    /// Returns the severity. A cycle is always an error, even if opm does not find it, because no
    /// author creates a cycle on purpose.
    pub fn severity(&self) -> Severity {
        match self {
            Self::NoHead { .. }
            | Self::SeveralHeads { .. }
            | Self::Cycle { .. }
            | Self::Stranded { .. }
            | Self::NoBundle { .. } => Severity::Error,
            Self::LeadsDown { .. }
            | Self::LowHead { .. }
            | Self::IdleRange { .. }
            | Self::WideRange { .. } => Severity::Warning,
            Self::Fork { .. } => Severity::Note,
        }
    }

    /// Returns true if the fault is an error. opm refuses catalogs with errors.
    pub fn is_error(&self) -> bool {
        self.severity() == Severity::Error
    }
}

impl fmt::Display for ChannelFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "channel {} ", self.channel())?;
        match self {
            Self::NoHead { .. } => f.write_str(
                "has no head: each of its entries is replaced or skipped by another one",
            ),
            Self::SeveralHeads { heads, astray, .. } => {
                write!(f, "has several heads: {}", list(heads))?;
                astray.iter().try_for_each(|(head, replaced)| {
                    write!(
                        f,
                        "; {head} replaces {replaced}, which the package does not have"
                    )
                })
            }
            Self::Cycle { bundles, .. } => {
                write!(
                    f,
                    "has entries that replace each other in a cycle: {}",
                    list(bundles)
                )
            }
            Self::Stranded { bundles, .. } => write!(
                f,
                "has entries that are not skipped and not on the chain of replaces below its head: \
                 {}",
                list(bundles)
            ),
            Self::NoBundle { entry, .. } => write!(
                f,
                "has the entry {entry}, but the catalog has no such bundle, so the entry cannot be \
                 installed"
            ),
            Self::Fork { from, into, .. } => {
                write!(f, "has several entries that replace {from}: {}", list(into))
            }
            Self::LeadsDown { from, to, .. } => {
                write!(
                    f,
                    "has an upgrade from {from} to {to}, which is a lower version"
                )
            }
            Self::LowHead { head, highest, .. } => {
                write!(
                    f,
                    "has the head {head}, although {highest} is a higher version"
                )
            }
            Self::IdleRange { entry, range, .. } => write!(
                f,
                "has an entry {entry} whose skip range covers no older entry: {range}"
            ),
            Self::WideRange {
                entry,
                range,
                highest,
                ..
            } => write!(
                f,
                "has an entry {entry} whose skip range {range} includes versions higher than the \
                 entry itself, up to {highest}; OLM may downgrade these versions to {entry}"
            ),
        }
    }
}
