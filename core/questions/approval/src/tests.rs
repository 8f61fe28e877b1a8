//! Stories of whole namespaces, and what holds of all of them.

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

/// All stories, by name.
fn worlds() -> Vec<(&'static str, World)> {
    stories::all()
}
