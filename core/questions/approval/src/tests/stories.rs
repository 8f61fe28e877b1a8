//! Test scenarios, grouped by subject.

use super::kit::World;

mod absurd;
mod course;
mod defects;
mod dependencies;
mod established;
mod identity;
mod needs;
mod policies;
mod seed;
mod trains;
mod wiles;

/// Returns the namespaces of all test scenarios, with the scenario names.
pub(super) fn all() -> Vec<(&'static str, World)> {
    let tables = [
        absurd::all(),
        course::all(),
        defects::all(),
        dependencies::all(),
        established::all(),
        identity::all(),
        needs::all(),
        policies::all(),
        seed::all(),
        trains::all(),
        wiles::all(),
    ];
    tables.into_iter().flatten().collect()
}
