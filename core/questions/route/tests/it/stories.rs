//! Tests small worlds. The complete plan of each world is compared as text.

use portolan_core_route::{Budget, plan};
use rstest::rstest;

use crate::kit::Shop;

/// Two operators that must always have the same version.
const TWINS: &str = "
    a: 1.2.2 requires b =1.2.2
    a: 1.2.2 -> 1.2.3 requires b =1.2.3
    a: 1.2.3 -> 1.2.4 requires b =1.2.4
    b: 1.2.2 requires a =1.2.2
    b: 1.2.2 -> 1.2.3 requires a =1.2.3
    b: 1.2.3 -> 1.2.4 requires a =1.2.4";

/// A database and an application. Each major version of the application requires another version of
/// the database.
const TIERS: &str = "
    db: 1.0.0 -> 1.1.0 -> 2.0.0 -> 3.0.0
    app: 1.0.0 requires db >=1.0.0 <2.0.0
    app: 1.0.0 -> 1.1.0 requires db >=1.1.0 <3.0.0
    app: 1.1.0 -> 2.0.0 requires db >=3.0.0";

#[rstest]
#[case::operator_upgrades_hop_by_hop(
    "a: 1.0.0 -> 1.1.0 -> 1.2.0",
    &["a 1.0.0 -> any"],
    "1. a.v1.0.0 -> a.v1.1.0
     2. a.v1.1.0 -> a.v1.2.0",
)]
#[case::missing_operator_is_installed_at_its_goal(
    "a: 1.0.0 -> 1.1.0 -> 1.2.0",
    &["a none -> 1.1.0"],
    "1. install a.v1.1.0",
)]
#[case::dependent_moves_after_its_dependency(
    "a: 1.0.0 requires b >=1.0.0; b: 1.0.0",
    &["a none -> any", "b none -> any"],
    "1. install b.v1.0.0
     2. install a.v1.0.0",
)]
#[case::frozen_operator_stays(
    "a: 1.0.0 -> 1.1.0",
    &["a 1.0.0 stays"],
    "nothing moves",
)]
#[case::no_move_exceeds_the_pin(
    "a: 1.0.0 -> 1.1.0 -> 1.2.0; 1.1.0 covers >=1.0.0 <1.1.0; 1.2.0 covers >=1.0.0 <1.2.0",
    &["a 1.0.0 -> 1.1.0"],
    "1. a.v1.0.0 -> a.v1.1.0",
)]
#[case::tiers_take_turns(
    TIERS,
    &["app 1.0.0 -> any", "db 1.0.0 -> any"],
    "1. db.v1.0.0 -> db.v1.1.0
     2. app.v1.0.0 -> app.v1.1.0
     3. db.v1.1.0 -> db.v2.0.0
     4. together: app.v1.1.0 -> app.v2.0.0, db.v2.0.0 -> db.v3.0.0",
)]
#[case::twins_move_together(
    TWINS,
    &["a 1.2.2 -> 1.2.4", "b 1.2.2 -> 1.2.4"],
    "1. together: a.v1.2.2 -> a.v1.2.3, b.v1.2.2 -> b.v1.2.3
     2. together: a.v1.2.3 -> a.v1.2.4, b.v1.2.3 -> b.v1.2.4",
)]
#[case::twins_are_installed_together(
    TWINS,
    &["a none -> 1.2.3", "b none -> 1.2.3"],
    "1. together: install a.v1.2.3, install b.v1.2.3",
)]
#[case::independent_operators_have_separate_routes(
    "a: 1.0.0 -> 1.1.0; b: 1.0.0 -> 1.1.0",
    &["a 1.0.0 -> any", "b 1.0.0 -> any"],
    "1. a.v1.0.0 -> a.v1.1.0

     1. b.v1.0.0 -> b.v1.1.0",
)]
#[case::unmanaged_operators_count(
    "a: 1.0.0 requires b >=1.0.0; a: 1.1.0 replaces 1.0.0; b: 1.0.0",
    &["a none -> 1.0.0", "other b 1.0.0"],
    "1. install a.v1.0.0",
)]
#[case::deprecated_bundle_is_avoided(
    "a: 1.0.0 -> 1.1.0 -> 2.0.0; 1.1.1 replaces 1.0.0; 2.0.0 skips 1.1.1; 1.1.1 deprecated \"bad\"",
    &["a 1.0.0 -> 2.0.0"],
    "1. a.v1.0.0 -> a.v1.1.0
     2. a.v1.1.0 -> a.v2.0.0",
)]
#[case::route_prefers_the_higher_version(
    "a: 1.0.0 -> 1.1.0; 1.2.0 replaces 1.0.0; 2.0.0 replaces 1.1.0; 2.0.0 skips 1.2.0",
    &["a 1.0.0 -> 2.0.0"],
    "1. a.v1.0.0 -> a.v1.2.0
     2. a.v1.2.0 -> a.v2.0.0",
)]
#[case::already_unmet_requirement_blocks_no_move(
    "a: 1.0.0 requires gone >=1.0.0; a: 1.0.0 -> 1.1.0",
    &["a 1.0.0 -> any"],
    "1. a.v1.0.0 -> a.v1.1.0",
)]
#[case::route_avoids_a_conflict(
    "a: 1.0.0 provides g.test/v1/Kind; a: 1.0.0 -> 2.0.0
     b: 1.0.0 -> 2.0.0 provides g.test/v1/Kind",
    &["b 1.0.0 -> any", "a 1.0.0 -> any"],
    "1. a.v1.0.0 -> a.v2.0.0
     2. b.v1.0.0 -> b.v2.0.0",
)]
#[case::dependencies_can_be_ignored(
    "a: 1.0.0 requires b >=1.0.0",
    &["a none -> any; ignores dependencies"],
    "1. install a.v1.0.0",
)]
#[case::conflicts_can_be_ignored(
    "a: 1.0.0 provides g.test/v1/Kind; b: 1.0.0 provides g.test/v1/Kind",
    &["a none -> any; ignores conflicts", "other b 1.0.0"],
    "1. install a.v1.0.0",
)]
#[case::unsafe_jump_is_the_last_resort(
    "a: 1.0.0 -> 1.1.0; 2.0.0",
    &["a 1.0.0 -> 2.0.0; direct upgrades"],
    "1. a.v1.0.0 -> a.v2.0.0 (unsafe: an upgrade without an edge)",
)]
#[case::edges_come_before_unsafe_jumps(
    "a: 1.0.0 -> 1.1.0 -> 1.2.0",
    &["a 1.0.0 -> 1.2.0; direct upgrades"],
    "1. a.v1.0.0 -> a.v1.1.0
     2. a.v1.1.0 -> a.v1.2.0",
)]
#[case::override_allows_downgrade(
    "a: 1.0.0 -> 1.1.0",
    &["a 1.1.0 -> 1.0.0; downgrades"],
    "1. a.v1.1.0 -> a.v1.0.0 (unsafe: a downgrade without an edge)",
)]
fn finds_route_for_the_requested_versions(
    #[case] catalog: &str,
    #[case] question: &[&str],
    #[case] expected: &str,
) {
    let plan = Shop::of(catalog).plan(question);
    assert_eq!(plan.to_string(), expected.replace("\n     ", "\n"));
    assert!(plan.is_reached());
}

#[test]
fn different_pins_keep_twins_at_the_last_common_version() {
    let plan = Shop::of(TWINS).plan(&["a 1.2.2 -> 1.2.3", "b 1.2.2 -> 1.2.4"]);
    insta::assert_snapshot!(plan, @r#"
    1. together: a.v1.2.2 -> a.v1.2.3, b.v1.2.2 -> b.v1.2.3
    b can only reach b.v1.2.3, but version 1.2.4 is required
    ├── b.v1.2.4 requires package a "=1.2.4", but a.v1.2.3 is required at version 1.2.3
    ├── help: let a go to 1.2.4
    └── help: require 1.2.3 of b instead
    "#);
}

#[test]
fn equal_pins_unblock_twins() {
    let plan = Shop::of(TWINS).plan(&["a 1.2.3 -> 1.2.4", "b 1.2.3 -> 1.2.4"]);
    insta::assert_snapshot!(plan, @"1. together: a.v1.2.3 -> a.v1.2.4, b.v1.2.3 -> b.v1.2.4");
}

#[test]
fn reports_missing_dependency_of_an_intermediate_hop() {
    let shop = Shop::of("a: 1.0.0 -> 1.1.0 requires b >=1.0.0; a: 1.1.0 -> 1.2.0");
    insta::assert_snapshot!(shop.plan(&["a 1.0.0 -> 1.2.0"]), @r#"
    a can only reach a.v1.0.0, but version 1.2.0 is required
    ├── a.v1.1.0 requires package b ">=1.0.0", which no available operator meets
    ├── help: install package b ">=1.0.0"
    ├── help: let a move without an edge (unsafe, spec.unsafeAllowDirectUpgrades)
    └── help: let a ignore its dependencies (unsafe, spec.dependencies: ignore)
    "#);
}

#[test]
fn reports_missing_intermediate_bundle() {
    let shop = Shop::of("a: 1.0.0 -> 1.1.0 -> 1.2.0; 1.1.0 missing");
    insta::assert_snapshot!(shop.plan(&["a 1.0.0 -> 1.2.0"]), @r#"
    a can only reach a.v1.0.0, but version 1.2.0 is required
    ├── no path from a.v1.0.0 to version in 1.2.0 over all channels
    │   ├── a.v1.2.0 does not replace a.v1.0.0, skip it, or cover its version
    │   ├── channel stable has the entry a.v1.1.0, but the catalog has no such bundle, so the entry cannot be installed
    │   └── help: the author of the catalog can let a.v1.2.0 skip a.v1.0.0
    └── help: let a move without an edge (unsafe, spec.unsafeAllowDirectUpgrades)
    "#);
}

#[test]
fn downgrade_is_refused_by_default() {
    let shop = Shop::of("a: 1.0.0 -> 1.1.0");
    insta::assert_snapshot!(shop.plan(&["a 1.1.0 -> 1.0.0"]), @r#"
    a can only reach a.v1.1.0, but version 1.0.0 is required
    ├── all such bundles are older than the installed a.v1.1.0
    └── help: let a move to older versions (unsafe, spec.unsafeAllowDowngrades)
    "#);
}

#[test]
fn unknown_version_is_refused() {
    let shop = Shop::of("a: 1.0.0 -> 1.1.0");
    insta::assert_snapshot!(shop.plan(&["a 1.0.0 -> 3.0.0"]), @r#"
    a can only reach a.v1.0.0, but version 3.0.0 is required
    └── no bundle of its channels has such a version
    "#);
}

#[test]
fn requirement_of_another_operator_blocks_upgrade() {
    let shop = Shop::of(
        "a: 1.0.0 -> 2.0.0
         b: 1.0.0 requires a <2.0.0",
    );
    insta::assert_snapshot!(shop.plan(&["a 1.0.0 -> 2.0.0", "b 1.0.0 stays"]), @r#"
    a can only reach a.v1.0.0, but version 2.0.0 is required
    ├── b.v1.0.0 requires package a "<2.0.0", which a.v2.0.0 does not meet
    └── help: let b ignore its dependencies (unsafe, spec.dependencies: ignore)
    "#);
    insta::assert_snapshot!(shop.plan(&["a 1.0.0 -> 2.0.0", "other b 1.0.0"]), @r#"
    a can only reach a.v1.0.0, but version 2.0.0 is required
    └── b.v1.0.0 requires package a "<2.0.0", which a.v2.0.0 does not meet
    "#);
}

#[test]
fn api_with_an_existing_provider_is_refused() {
    let shop = Shop::of(
        "a: 1.0.0 provides g.test/v1/Kind
         b: 1.0.0 provides g.test/v1/Kind",
    );
    insta::assert_snapshot!(shop.plan(&["a none -> any", "other b 1.0.0"]), @r#"
    a cannot be installed, but the newest version is required
    ├── a.v1.0.0 provides API g.test/v1/Kind, and so does b.v1.0.0
    └── help: let a ignore conflicts with other operators (unsafe, spec.unsafeIgnoreConflicts)
    "#);
}

#[test]
fn first_of_two_exclusive_operators_is_installed() {
    let shop = Shop::of(
        "a: 1.0.0 provides g.test/v1/Kind
         b: 1.0.0 provides g.test/v1/Kind",
    );
    insta::assert_snapshot!(shop.plan(&["b none -> any", "a none -> any"]), @r#"
    1. install b.v1.0.0
    a cannot be installed, but the newest version is required
    ├── a.v1.0.0 provides API g.test/v1/Kind, and so does b.v1.0.0
    ├── help: let a ignore conflicts with other operators (unsafe, spec.unsafeIgnoreConflicts)
    └── help: let b ignore conflicts with other operators (unsafe, spec.unsafeIgnoreConflicts)
    "#);
}

#[test]
fn reports_valid_goal_without_a_valid_order() {
    let shop = Shop::of(
        "a: 1.0.0 requires b =1.0.0; a: 1.0.0 -> 2.0.0 requires b =2.0.0
         b: 1.0.0 -> 1.5.0 -> 2.0.0",
    );
    insta::assert_snapshot!(shop.plan(&["a 1.0.0 -> 2.0.0", "b 1.0.0 -> 2.0.0"]), @r#"
    a can only reach a.v1.0.0, but version 2.0.0 is required
    ├── a.v2.0.0 requires package b "=2.0.0", but b.v1.0.0 gets no further
    ├── help: let a ignore its dependencies (unsafe, spec.dependencies: ignore)
    └── help: let b move without an edge (unsafe, spec.unsafeAllowDirectUpgrades)
    b can only reach b.v1.0.0, but version 2.0.0 is required
    ├── a.v1.0.0 requires package b "=1.0.0", which b.v1.5.0 does not meet
    ├── help: let b move without an edge (unsafe, spec.unsafeAllowDirectUpgrades)
    └── help: let a ignore its dependencies (unsafe, spec.dependencies: ignore)
    "#);
}

#[test]
fn reports_unknown_version_required_by_an_intermediate_hop() {
    let shop = Shop::of(
        "a: 1.0.0 -> 2.0.0 requires b =3.0.0
         b: 1.0.0 -> 2.0.0 requires a =3.0.0
         b: 2.0.0 -> 3.0.0",
    );
    insta::assert_snapshot!(shop.plan(&["a 1.0.0 -> 2.0.0", "b 1.0.0 -> 3.0.0"]), @r#"
    a can only reach a.v1.0.0, but version 2.0.0 is required
    ├── a.v2.0.0 requires package b "=3.0.0", but b.v1.0.0 gets no further
    ├── help: let a ignore its dependencies (unsafe, spec.dependencies: ignore)
    ├── help: let b move without an edge (unsafe, spec.unsafeAllowDirectUpgrades)
    └── help: let b ignore its dependencies (unsafe, spec.dependencies: ignore)

    b can only reach b.v1.0.0, but version 3.0.0 is required
    ├── b.v2.0.0 requires package a "=3.0.0", which no available operator meets
    ├── help: let b move without an edge (unsafe, spec.unsafeAllowDirectUpgrades)
    └── help: let b ignore its dependencies (unsafe, spec.dependencies: ignore)
    "#);
}

#[test]
fn reports_search_that_exceeds_its_budget() {
    let mut question = Shop::of(TIERS).question(&["app 1.0.0 -> any", "db 1.0.0 -> any"]);
    question.budget = Budget { states: 2 };
    let plan = plan(&question).expect("the question must be one");
    insta::assert_snapshot!(plan, @r#"
    1. db.v1.0.0 -> db.v1.1.0
    2. app.v1.0.0 -> app.v1.1.0
    the search stopped at its limit of 2 states; a better route may exist
    "#);
}

#[test]
fn upgrades_more_than_eight_operators_one_by_one() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    let mut text = String::new();
    for (at, name) in names.iter().enumerate() {
        let next = names[(at + 1) % names.len()];
        text += &format!("{name}: 1.0.0 requires {next} =1.0.0\n");
        text += &format!("{name}: 1.0.0 -> 2.0.0 requires {next} =2.0.0\n");
    }
    let lines = names.map(|name| format!("{name} 1.0.0 -> any"));
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    let plan = Shop::of(&text).plan(&lines);
    assert_eq!(plan.routes[0].only_single.len(), 9);
    let eight = Shop::of(&text.replace("i =", "a =")).plan(&lines[..8]);
    assert_eq!(eight.routes[0].steps.len(), 1);
}

#[test]
fn duplicate_package_and_unknown_channel_are_refused() {
    let shop = Shop::of("a: 1.0.0");
    let twice = shop.question(&["a none -> any", "a 1.0.0 stays"]);
    insta::assert_snapshot!(plan(&twice).expect_err("it is there twice"), @"package a is \
     requested twice; request each operator once");
    let mut unknown = shop.question(&["a none -> any"]);
    unknown.operators[0].channels = ["fast".parse().expect("a name")].into();
    insta::assert_snapshot!(plan(&unknown).expect_err("there is no such channel"), @"package a has no channel fast; it has stable");
}
