//! Policies in the established form, which leave to the defaults what they can, on OLM with
//! catalogs that `opm` serves.
//!
//! A row has what the established controller leaves of a policy, in its own words, and then in
//! what ours differs, with the words by which docs/migration.md tells it. So whoever changes what
//! is left has to change a row, and the page with it.

mod played;
mod refused;
mod row;
mod unwanted;
mod wanted;

use std::collections::BTreeSet;

use portolan_rig::Failure;

use self::played::play;

/// From nothing to an operator, or to why there is none.
#[tokio::test]
async fn policies_that_want_an_operator_leave_what_their_authors_know() -> Result<(), Failure> {
    play("wanted", &wanted::offered(), &wanted::rows()).await
}

/// What is there already, what must not be there, what is held back, and policies that mean nothing.
#[tokio::test]
async fn policies_that_find_or_forbid_something_leave_what_their_authors_know()
-> Result<(), Failure> {
    let rows = [unwanted::rows(), refused::rows(), wanted::held_back()];
    let rows: Vec<_> = rows.into_iter().flatten().collect();
    play("unwanted", &unwanted::offered(), &rows).await
}

/// Each difference stands on the page for those who migrate.
#[test]
fn what_differs_is_told() {
    let page = include_str!("../../../../../docs/migration.md");
    let rows = [
        wanted::rows(),
        wanted::held_back(),
        unwanted::rows(),
        refused::rows(),
    ];
    let rows: Vec<_> = rows.into_iter().flatten().collect();
    assert!(rows.len() >= 30, "{} policies", rows.len());
    let told: BTreeSet<_> = rows.iter().flat_map(|row| row.told()).collect();
    for words in told {
        let cell = format!("| {words} |");
        assert!(page.contains(&cell), "docs/migration.md must have {cell}");
    }
}
