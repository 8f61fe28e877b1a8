//! The part of an update graph that a visitor has selected.

use crate::markup::Href;

/// The part of an update graph that a visitor has selected. Empty fields select everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GraphFilter {
    /// The name of the only channel to draw. Empty for all channels.
    pub channel: String,
    /// The bundle at which the upgrade path begins. If this field is set, only the path is drawn.
    pub from: String,
    /// The bundle or version at which the upgrade path ends. Empty for the head of the channel.
    pub to: String,
    /// The part contains only bundles that are older than this bundle. Empty for the newest
    /// bundles.
    pub older: String,
}

// === impl GraphFilter ===

impl GraphFilter {
    /// Parses the parameters of the query.
    pub(super) fn parse(take: &mut dyn FnMut(&str) -> Option<String>) -> Self {
        let mut text = |name| take(name).unwrap_or_default().trim().to_owned();
        Self {
            channel: text("channel"),
            from: text("from"),
            to: text("to"),
            older: String::new(),
        }
    }

    /// Adds the parameters to a link.
    pub(super) fn add_to(&self, place: Href) -> Href {
        let Self {
            channel,
            from,
            to,
            older,
        } = self;
        place
            .with_some("channel", channel)
            .with_some("from", from)
            .with_some("to", to)
            .with_some("older", older)
    }

    /// Returns the same filter for the bundles that are older than `bundle`. If `bundle` is empty,
    /// the filter selects the newest bundles.
    #[must_use]
    pub(crate) fn older_than(&self, bundle: &str) -> Self {
        Self {
            older: bundle.to_owned(),
            ..self.clone()
        }
    }
}
