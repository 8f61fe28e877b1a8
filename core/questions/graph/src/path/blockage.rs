//! The reasons why no path exists, and suggestions for the user.

use std::fmt::{self, Display};
use std::sync::Arc;

use portolan_core_names::{BundleName, ChannelName};

use crate::{ChannelFault, Destination, Installed, Reachable, Reason};

/// The reasons why a path does not exist. `Display` formats a short tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blockage {
    pub installed: Installed,
    pub destination: Destination,
    /// The requested channel. None if all channels were requested.
    pub channel: Option<ChannelName>,
    /// The last reachable bundle towards the destination. None if only the installed bundle is
    /// reachable.
    pub furthest: Option<Reachable>,
    /// The edge that would complete the path. None if no single edge would complete it.
    pub missing: Option<Missing>,
    /// The reasons why the path does not exist. The reason nearest to the installed bundle comes
    /// first.
    pub reasons: Vec<Reason>,
    /// The faults of the channels that the query uses, at most a hundred. The blockages of one
    /// query share this list.
    pub faults: Arc<[ChannelFault]>,
    /// The suggestions, safest suggestion first.
    pub suggestions: Vec<Suggestion>,
}

/// An edge that would complete a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The last reachable bundle towards the destination. This may be the installed bundle.
    pub from: BundleName,
    /// The next bundle towards the destination. No reachable bundle can be upgraded to this
    /// bundle. It is the destination itself, or a path leads from it to the destination.
    pub to: BundleName,
}

/// A suggestion to the user for reaching the bundle. Each suggestion except
/// [`SayVersion`](Self::SayVersion) is known to create a path to the bundle. If the bundle is only
/// in another channel and is also [below](crate::Reason::Below) the installed bundle, two
/// suggestions must be combined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suggestion {
    InChannel(ChannelName),
    OverAllChannels,
    /// Specify the version of the installed bundle, because a skip range may contain this version.
    SayVersion(BundleName),
    /// Upgrade in single steps, with a tool that does not skip bundles. OLM skips bundles.
    HopByHop,
    /// For the author of the catalog: add the bundle to the `skips` of the entry.
    Skip {
        entry: BundleName,
        bundle: BundleName,
    },
    /// Unsafe: permit a destination that is older than the installed bundle.
    AllowDowngrade,
    /// Unsafe: permit a jump for which the catalog has no edge.
    AllowUnconnected,
    /// Unsafe: permit a jump to an older destination for which the catalog has no edge.
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
    /// Returns the lines of the tree as sentences, for messages that have only one line.
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

    /// Returns the channel that the suggestion names. Returns None for other suggestions.
    pub fn channel(&self) -> Option<&ChannelName> {
        if let Self::InChannel(channel) = self {
            Some(channel)
        } else {
            None
        }
    }

    /// Returns true if following the suggestion ignores the edges of the catalog.
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
