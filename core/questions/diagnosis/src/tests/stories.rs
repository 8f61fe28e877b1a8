//! Scenarios with the expected headlines. The snapshots contain the complete diagnoses.

pub(crate) mod catalogs;
pub(crate) mod groups;
pub(crate) mod neighbors;
pub(crate) mod next;
pub(crate) mod olm;
pub(crate) mod operators;
pub(crate) mod pairs;
pub(crate) mod plans;
pub(crate) mod requirements;
pub(crate) mod rollouts;
pub(crate) mod subscriptions;
pub(crate) mod unpacking;
pub(crate) mod well;

use super::kit::Story;

/// Defines a table of scenarios with the expected headlines of their operators. Creates a test for
/// each scenario, and a function that returns all scenarios.
macro_rules! stories {
    ($($(#[$doc:meta])* $name:ident: $story:expr => [$($headline:literal),+ $(,)?];)+) => {
        $($(#[$doc])* #[test]
        fn $name() {
            let story: $crate::tests::kit::Story = $story;
            similar_asserts::assert_eq!(story.headlines(), [$($headline),+].map(str::to_owned));
            insta::assert_snapshot!(stringify!($name), story.tale());
        })+

        /// Returns the scenarios of this table, each with its name.
        pub(crate) fn all() -> Vec<(&'static str, $crate::tests::kit::Story)> {
            vec![$((stringify!($name), $story),)+]
        }
    };
}
pub(crate) use stories;

/// Returns the scenarios of all tables.
pub(crate) fn all() -> Vec<(&'static str, Story)> {
    let tables = [
        catalogs::all(),
        groups::all(),
        neighbors::all(),
        next::all(),
        olm::all(),
        operators::all(),
        pairs::all(),
        plans::all(),
        requirements::all(),
        rollouts::all(),
        unpacking::all(),
        well::all(),
        subscriptions::all(),
    ];
    tables.into_iter().flatten().collect()
}
