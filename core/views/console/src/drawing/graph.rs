//! The data of an update graph that is drawn.

/// The bundles of a package, and the updates between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    /// The package.
    pub package: String,
    /// The default channel.
    pub default_channel: String,
    /// The bundles, newest first, followed by names without a bundle.
    pub bundles: Vec<Bundle>,
    /// The permitted updates, by channel.
    pub updates: Vec<DrawnUpdate>,
    /// The heads of channels.
    pub heads: Vec<Head>,
    /// The upgrade path, starting with the installed bundle, as names of bundles. Empty if only a
    /// catalog is drawn.
    pub path: Vec<String>,
    /// True if the graph is a part of the graph of the package. Heads of channels may then be in
    /// another part.
    pub is_part: bool,
}

/// A bundle, or a name in an entry without a bundle in the catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bundle {
    /// The name.
    pub name: String,
    /// The version. Empty if the catalog has no such bundle.
    pub version: String,
    /// The channels that contain the bundle as an entry.
    pub channels: Vec<String>,
    /// True if the author of the bundle has deprecated it.
    pub is_deprecated: bool,
}

/// An update from one bundle to another that one channel permits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DrawnUpdate {
    /// The channel.
    pub channel: String,
    /// The older bundle.
    pub from: String,
    /// The newer bundle.
    pub to: String,
    /// The ways in which the channel permits the update.
    pub ways: Vec<Way>,
}

/// The head of a channel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// The channel.
    pub channel: String,
    /// The bundle.
    pub name: String,
}

/// The field of an entry that permits an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// A way that this version of the program does not know.
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
    /// Returns the name for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Other => "another way",
            Self::Replaces => "replaces",
            Self::Skips => "skips",
            Self::SkipRange => "skip range",
        }
    }

    /// Returns true if the author of the catalog names the older bundle.
    pub fn is_named(self) -> bool {
        match self {
            Self::Replaces | Self::Skips => true,
            Self::Other | Self::SkipRange => false,
        }
    }
}
