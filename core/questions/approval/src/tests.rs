//! Stories of whole namespaces, and properties of all of them.

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

/// Returns all stories, by name.
fn worlds() -> Vec<(&'static str, World)> {
    stories::all()
}
