//! The data of an update graph, which a drawing shows.

/// The bundles of a package, and the updates between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    /// The name of the package.
    pub package: String,
    /// The name of the default channel.
    pub default_channel: String,
    /// The bundles, newest first. After them come names that entries mention, but for which the
    /// catalog has no bundle.
    pub bundles: Vec<Bundle>,
    /// The updates that channels permit. Each item belongs to one channel.
    pub updates: Vec<DrawnUpdate>,
    /// The heads of channels.
    pub heads: Vec<Head>,
    /// The names of the bundles on the upgrade path, starting with the installed bundle. Empty if
    /// no operator is installed, for example in the graph of a catalog.
    pub path: Vec<String>,
    /// True if this is only a part of the graph of the package. The head of a channel may then be
    /// in another part.
    pub is_part: bool,
}

/// A bundle. If the version is empty, only an entry mentions the name, and the catalog has no
/// bundle of this name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bundle {
    /// The name.
    pub name: String,
    /// The version. Empty if the catalog does not contain the bundle.
    pub version: String,
    /// The names of the channels with an entry for the bundle.
    pub channels: Vec<String>,
    /// True if the author of the bundle has deprecated it.
    pub is_deprecated: bool,
}

/// An update from one bundle to another that one channel permits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DrawnUpdate {
    /// The name of the channel.
    pub channel: String,
    /// The name of the older bundle.
    pub from: String,
    /// The name of the newer bundle.
    pub to: String,
    /// The entry fields through which the channel permits the update.
    pub ways: Vec<Way>,
}

/// The head of a channel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// The name of the channel.
    pub channel: String,
    /// The name of the bundle at the head.
    pub name: String,
}

/// The field of an entry that permits an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// A field that this version of the program does not support.
    Other,
    /// The entry names the older bundle in `replaces`.
    Replaces,
    /// The entry lists the bundle in `skips`.
    Skips,
    /// The version of the older bundle is in the `skipRange` of the entry.
    SkipRange,
}

// === impl Way ===

impl Way {
    /// Returns the label that drawings show.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Other => "another way",
            Self::Replaces => "replaces",
            Self::Skips => "skips",
            Self::SkipRange => "skip range",
        }
    }

    /// Returns true if the entry of the newer bundle names the older bundle, in `replaces` or
    /// `skips`.
    pub fn is_named(self) -> bool {
        match self {
            Self::Replaces | Self::Skips => true,
            Self::Other | Self::SkipRange => false,
        }
    }
}
