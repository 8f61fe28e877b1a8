//! Tests policies in the established form that omit optional fields, with OLM and with catalogs
//! that `opm` serves.
//!
//! A row contains the expected result of the established controller, with its exact texts. It also
//! contains the differences of our controller, with the exact texts of docs/migration.md. If a
//! result changes, the row and the page must change.

mod played;
mod refused;
mod row;
mod unwanted;
mod wanted;

use std::collections::BTreeSet;

use portolan_rig::Failure;

use self::played::play;

/// Installations in an empty namespace, and reasons why an installation is impossible.
#[tokio::test]
async fn musthave_policies_match_the_established_controller() -> Result<(), Failure> {
    play("wanted", &wanted::offered(), &wanted::rows()).await
}

/// Operators that already exist, mustnothave policies, upgrades that are not approved, and invalid
/// policies.
#[tokio::test]
async fn adopting_and_mustnothave_policies_match_the_established_controller() -> Result<(), Failure>
{
    let rows = [unwanted::rows(), refused::rows(), wanted::held_back()];
    let rows: Vec<_> = rows.into_iter().flatten().collect();
    play("unwanted", &unwanted::offered(), &rows).await
}

/// docs/migration.md lists each difference.
#[test]
fn migration_page_lists_every_difference() {
    let page = include_str!("../../../../../docs/migration.md");
    let rows = [
        wanted::rows(),
        wanted::held_back(),
        unwanted::rows(),
        refused::rows(),
    ];
    let rows: Vec<_> = rows.into_iter().flatten().collect();
    assert!(rows.len() >= 30, "{} policies", rows.len());
    let documented: BTreeSet<_> = rows.iter().flat_map(|row| row.documented()).collect();
    for words in documented {
        let cell = format!("| {words} |");
        assert!(page.contains(&cell), "docs/migration.md must have {cell}");
    }
}
