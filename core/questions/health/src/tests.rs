//! Tests verdicts about whole namespaces, and properties that every verdict has.

pub(crate) mod kit;

mod absurd;
mod breaks;
mod claims;
mod codes;
mod neighbor;
mod properties;

use kit::World;

use crate::Registry;

/// Returns the namespaces of all test scenarios, with the scenario names.
fn worlds() -> Vec<(&'static str, World)> {
    let tables = [
        crate::condition::tests::all(),
        crate::csv::tests::all(),
        crate::crd::tests::all(),
        crate::deployment::tests::all(),
        crate::group::tests::all(),
        crate::operator::tests::all(),
        crate::plan::tests::all(),
        crate::pod::tests::all(),
        crate::requirement::tests::all(),
        crate::unseen::tests::all(),
        crate::subscription::tests::all(),
    ];
    tables.into_iter().flatten().collect()
}

/// Returns the registries of all test scenarios about catalogs, with the scenario names.
fn catalogs() -> Vec<(&'static str, Registry)> {
    crate::catalog::tests::all()
}
