//! Reviews of whole namespaces, and properties that all of them have.

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

/// Returns all stories with their names.
fn worlds() -> Vec<(&'static str, World)> {
    stories::all()
}
