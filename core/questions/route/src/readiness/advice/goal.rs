//! The goal of a step: the state of the operator after the step.

/// The state that an operator must have after a step. An empty field requires nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Goal {
    /// The bundles that must no longer be installed.
    pub leaves: Vec<String>,
    /// The only channel that the operator must follow.
    pub channel: String,
    /// The catalog that the operator must no longer follow.
    pub catalog: String,
}

// === impl Goal ===

impl Goal {
    /// Returns the goal that none of these bundles is installed any more.
    pub(super) fn leaving(bundles: Vec<String>) -> Self {
        Self {
            leaves: bundles,
            ..Self::default()
        }
    }

    /// Returns true if an operator with this bundle, these channels and this catalog has reached
    /// the goal.
    pub fn is_reached<'c>(
        &self,
        bundle: &str,
        channels: impl IntoIterator<Item = &'c str>,
        catalog: &str,
    ) -> bool {
        let follows = |channel: &str| channels.into_iter().eq([channel]);
        self.leaves.iter().all(|it| it != bundle)
            && (self.channel.is_empty() || follows(&self.channel))
            && (self.catalog.is_empty() || self.catalog != catalog)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn goal(leaves: &[&str], channel: &str, catalog: &str) -> Goal {
        Goal {
            leaves: leaves.iter().map(|it| (*it).to_owned()).collect(),
            channel: channel.to_owned(),
            catalog: catalog.to_owned(),
        }
    }

    #[rstest]
    #[case::no_requirement(goal(&[], "", ""), true)]
    #[case::another_bundle(goal(&["ferry.v1.0.0"], "", ""), true)]
    #[case::bundle_to_leave(goal(&["ferry.v1.0.0", "ferry.v1.1.0"], "", ""), false)]
    #[case::its_channel(goal(&[], "stable", ""), true)]
    #[case::another_channel(goal(&[], "fast", ""), false)]
    #[case::another_catalog(goal(&[], "", "olm/eus"), true)]
    #[case::catalog_to_leave(goal(&[], "", "olm/shop"), false)]
    fn operator_reaches_goal_if_bundle_channel_and_catalog_match(
        #[case] goal: Goal,
        #[case] expected: bool,
    ) {
        assert_eq!(
            goal.is_reached("ferry.v1.1.0", ["stable"], "olm/shop"),
            expected
        );
    }
}
