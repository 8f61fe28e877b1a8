//! The graph of a package, as far as it is drawn.

/// The bundles of a package, and the updates between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    /// The package.
    pub package: String,
    /// The channel for those who ask for none.
    pub default_channel: String,
    /// The newest first, then names that stand for no bundle.
    pub bundles: Vec<Bundle>,
    /// The updates that are permitted, by channel.
    pub updates: Vec<Update>,
    /// The heads of channels.
    pub heads: Vec<Head>,
    /// The way from what is installed to where it leads, by the names of bundles; the first is installed. Empty if
    /// the graph is of a catalog alone.
    pub path: Vec<String>,
}

/// A bundle, or a name that an entry has for a bundle that is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bundle {
    /// Its name.
    pub name: String,
    /// Empty if the catalog has no such bundle.
    pub version: String,
    /// The channels that have it as an entry.
    pub channels: Vec<String>,
    /// Whether its author advises against it.
    pub is_deprecated: bool,
}

/// The permission of one channel to go from one bundle to another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Update {
    /// The channel.
    pub channel: String,
    /// The older bundle.
    pub from: String,
    /// The newer bundle.
    pub to: String,
    /// The ways that permit it.
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

/// The part of an entry that permits an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// One that only newer programs know.
    Other,
    /// The entry names the older bundle in `replaces`.
    Replaces,
    /// The entry names it in `skips`.
    Skips,
    /// Its version lies in the `skipRange` of the entry.
    SkipRange,
}

// === impl Way ===

impl Way {
    /// The name for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Other => "another way",
            Self::Replaces => "replaces",
            Self::Skips => "skips",
            Self::SkipRange => "skip range",
        }
    }

    /// Whether the author of the catalog names the older bundle.
    pub fn is_named(self) -> bool {
        match self {
            Self::Replaces | Self::Skips => true,
            Self::Other | Self::SkipRange => false,
        }
    }
}
