//! The reasons why there is no path, and suggestions for changes.

use std::fmt::{self, Display};
use std::sync::Arc;

use portolan_core_names::{BundleName, ChannelName};

use crate::{ChannelFault, Destination, Installed, Reachable, Reason};

/// A path that does not exist, with the reasons. `Display` formats a short tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blockage {
    pub installed: Installed,
    pub destination: Destination,
    /// The requested channel. None for all channels.
    pub channel: Option<ChannelName>,
    /// The furthest reachable bundle on the path. None if only the installed bundle is reachable.
    pub furthest: Option<Reachable>,
    /// The missing edge, if a single additional edge would complete the path. None otherwise.
    pub missing: Option<Missing>,
    /// The reasons, nearest first.
    pub reasons: Vec<Reason>,
    /// The faults of the channels that the query uses, at most a hundred. All blockages of one
    /// query share them.
    pub faults: Arc<[ChannelFault]>,
    /// The suggestions, safest first.
    pub suggestions: Vec<Suggestion>,
}

/// A missing edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The furthest reachable bundle on the path, which may be the installed bundle.
    pub from: BundleName,
    /// The next bundle of the path, to which no reachable bundle can be upgraded. It is the
    /// destination or has a path to the destination.
    pub to: BundleName,
}

/// A change that would help. Each change except [`SayVersion`](Self::SayVersion) is known to create
/// a path to the missed bundle. For a bundle of another channel that is also
/// [below](crate::Reason::Below) the installed bundle, two changes are necessary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suggestion {
    InChannel(ChannelName),
    OverAllChannels,
    /// Specify the version of the installed bundle. A skip range may contain it.
    SayVersion(BundleName),
    /// Upgrade in single steps, with a tool that does not skip bundles as OLM does.
    HopByHop,
    /// For the author of the catalog: let the entry skip the bundle.
    Skip {
        entry: BundleName,
        bundle: BundleName,
    },
    /// Unsafe: allow an older destination.
    AllowDowngrade,
    /// Unsafe: allow a jump that no edge permits.
    AllowUnconnected,
    /// Unsafe: allow a jump that no edge permits, to an older destination.
    AllowUnconnectedDowngrade,
}

// === impl Blockage ===

impl Display for Blockage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headline())?;
        let lines = self.lines();
        for (at, line) in lines.iter().enumerate() {
            let branch = if at + 1 == lines.len() {
                "└──"
            } else {
                "├──"
            };
            write!(f, "\n{branch} {line}")?;
        }
        Ok(())
    }
}

impl Blockage {
    /// Returns the lines of the tree as sentences, for one-line messages.
    pub fn sentences(&self) -> Vec<String> {
        let lines = self.lines();
        let lines = lines.iter().map(ToString::to_string);
        std::iter::once(self.headline()).chain(lines).collect()
    }

    fn headline(&self) -> String {
        let over = match &self.channel {
            Some(channel) => format!("in channel {channel}"),
            None => "over all channels".to_owned(),
        };
        let (from, to) = (&self.installed.name, &self.destination);
        format!("no path from {from} to {to} {over}")
    }

    fn lines(&self) -> Vec<TreeLine<'_>> {
        let Self {
            installed: _,
            destination: _,
            channel: _,
            furthest,
            missing,
            reasons,
            faults,
            suggestions,
        } = self;
        let is_told = |reason: &&Reason| match (reason, missing) {
            (Reason::NoEdge { .. }, Some(_)) => false,
            (_, _) => true,
        };
        let furthest = furthest.iter().map(TreeLine::Furthest);
        let missing = missing.iter().map(TreeLine::Missing);
        let reasons = reasons.iter().filter(is_told);
        let reasons = reasons.map(|reason| TreeLine::Plain(reason));
        let faults = faults.iter().map(|fault| TreeLine::Plain(fault));
        let help = suggestions.iter().map(TreeLine::Help);
        let lines = furthest.chain(missing).chain(reasons).chain(faults);
        lines.chain(help).collect()
    }
}

enum TreeLine<'a> {
    Furthest(&'a Reachable),
    Missing(&'a Missing),
    Plain(&'a dyn Display),
    Help(&'a Suggestion),
}

impl Display for TreeLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Furthest(Reachable { bundle, hops: 1 }) => {
                write!(f, "{} can be reached in one hop", bundle.name)
            }
            Self::Furthest(Reachable { bundle, hops }) => {
                write!(f, "{} can be reached in {hops} hops", bundle.name)
            }
            Self::Missing(Missing { from, to }) => {
                write!(
                    f,
                    "{to} does not replace {from}, skip it, or cover its version"
                )
            }
            Self::Plain(line) => line.fmt(f),
            Self::Help(suggestion) => write!(f, "help: {suggestion}"),
        }
    }
}

// === impl Suggestion ===

impl Suggestion {
    pub fn code(&self) -> &'static str {
        match self {
            Self::InChannel(_) => "InChannel",
            Self::OverAllChannels => "OverAllChannels",
            Self::SayVersion(_) => "SayVersion",
            Self::HopByHop => "HopByHop",
            Self::Skip { .. } => "Skip",
            Self::AllowDowngrade => "AllowDowngrade",
            Self::AllowUnconnected => "AllowUnconnected",
            Self::AllowUnconnectedDowngrade => "AllowUnconnectedDowngrade",
        }
    }

    /// Returns the channel to use. Returns None for other suggestions.
    pub fn channel(&self) -> Option<&ChannelName> {
        if let Self::InChannel(channel) = self {
            Some(channel)
        } else {
            None
        }
    }

    /// Returns true if the suggestion bypasses the edges of the catalog.
    pub fn is_unsafe(&self) -> bool {
        match self {
            Self::AllowDowngrade | Self::AllowUnconnected | Self::AllowUnconnectedDowngrade => true,
            Self::InChannel(_)
            | Self::OverAllChannels
            | Self::SayVersion(_)
            | Self::HopByHop
            | Self::Skip { .. } => false,
        }
    }
}

impl Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InChannel(channel) => write!(f, "channel {channel} has a path"),
            Self::OverAllChannels => f.write_str("a path exists if all channels are used"),
            Self::SayVersion(bundle) => {
                write!(
                    f,
                    "specify the version of {bundle}; a skip range may contain this version"
                )
            }
            Self::HopByHop => f.write_str(
                "a path exists if OLM installs each version on the path and skips no \
                    version",
            ),
            Self::Skip { entry, bundle } => {
                write!(f, "the author of the catalog can let {entry} skip {bundle}")
            }
            Self::AllowDowngrade => f.write_str("allow a downgrade (unsafe)"),
            Self::AllowUnconnected => {
                f.write_str("allow an upgrade without an edge in the update graph (unsafe)")
            }
            Self::AllowUnconnectedDowngrade => {
                f.write_str("allow a downgrade without an edge in the update graph (unsafe)")
            }
        }
    }
}
