//! Tests reviews of whole namespaces, and properties that every review has.

pub(crate) mod kit;

mod absurd;
mod codes;
mod generate;
mod properties;
mod reference;
mod stories;
mod whole;
mod withhold;

use kit::World;

/// Returns the namespaces of all test scenarios, with the scenario names.
fn worlds() -> Vec<(&'static str, World)> {
    stories::all()
}
