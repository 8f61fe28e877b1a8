//! Tests the reference implementation itself, in worlds whose results are obvious.

use portolan_core_solver::{Cause, Mode, Required};
use portolan_kit::assert_same;
use rstest::rstest;

use crate::best::best;
use crate::board::{Board, Need, Operator};
use crate::dice::tape;
use crate::generate::{self, Supply};
use crate::possible::is_possible;
use crate::world::World;

/// Returns the best operators as `catalog/bundle`, and the requests that they grant. For installed
/// operators, the catalog is omitted.
fn best_of(world: &World) -> Option<(Vec<String>, Vec<usize>)> {
    let offers = world.offers();
    let board = Board::of(world, &offers);
    let best = best(&board)?;
    let names = best.operators.iter().map(|at| {
        let name = board.operators[at].name;
        match board.catalog(at) {
            Some(catalog) => format!("{catalog}/{name}"),
            None => name.to_string(),
        }
    });
    Some((names.collect(), best.granted.iter().collect()))
}

#[rstest]
#[case::the_head_is_preferred(
    World::of("a: 1.0.0 -> 2.0.0").request("a"),
    &["one/a.v2.0.0"]
)]
#[case::deprecated_head_is_preferred_to_older_bundles(
    World::of("a: 1.0.0 -> 2.0.0 deprecated \"old\"").request("a"),
    &["one/a.v2.0.0"]
)]
#[case::release_at_the_head_is_preferred_to_a_deprecated_newer_release(
    World::of("a: 1.0.0 -> 2.0.0 -> 3.0.0; 2.0.0 deprecated \"old\"").request("a@<3.0.0"),
    &["one/a.v1.0.0"]
)]
#[case::default_channel_comes_first(
    World::of("a/fast: 1.0.0 -> 2.0.0\na/stable: 1.0.0; default stable").request("a"),
    &["one/a.v1.0.0"]
)]
#[case::the_named_channel_ranks_its_own_heads(
    World::of("a/fast: 1.0.0 -> 2.0.0\na/stable: 1.0.0; default stable").request("a channel=fast"),
    &["one/a.v2.0.0"]
)]
#[case::catalog_with_a_higher_priority_comes_first(
    World::of("a: 2.0.0").shop("two", 5, "a: 1.0.0").request("a"),
    &["two/a.v1.0.0"]
)]
#[case::earlier_request_is_worth_more(
    World::of("a: 1.0.0 -> 2.0.0 requires b <2.0.0\nb: 1.0.0 -> 2.0.0").request("a").request("b"),
    &["one/a.v2.0.0", "one/b.v1.0.0"]
)]
#[case::requirements_stay_within_their_catalog(
    World::of("a: 1.0.0 requires g.test/v1/K\nc: 1.0.0 provides g.test/v1/K")
        .shop("two", 5, "b: 1.0.0 provides g.test/v1/K")
        .request("a"),
    &["one/a.v1.0.0", "one/c.v1.0.0"]
)]
#[case::extras_come_from_the_catalog_of_higher_priority(
    World::of("a: 1.0.0 requires g.test/v1/K")
        .shop("two", 5, "b: 1.0.0 provides g.test/v1/K")
        .shop("six", 1, "b: 1.0.0 provides g.test/v1/K")
        .request("a"),
    &["one/a.v1.0.0", "two/b.v1.0.0"]
)]
#[case::fewest_extras(
    World::of(
        "a: 1.0.0 requires g.test/v1/K\nb: 1.0.0 provides g.test/v1/K; 1.0.0 requires c >=1.0.0
         c: 1.0.0\nd: 1.0.0 provides g.test/v1/K",
    )
    .request("a"),
    &["one/a.v1.0.0", "one/d.v1.0.0"]
)]
#[case::extra_at_a_head_is_worth_another_extra(
    World::of(
        "a: 1.0.0 requires g.test/v1/K\nb: 1.0.0 provides g.test/v1/K; 1.0.0 requires c >=1.0.0
         c: 1.0.0\nd: 1.0.0 -> 2.0.0; 1.0.0 provides g.test/v1/K",
    )
    .request("a"),
    &["one/a.v1.0.0", "one/b.v1.0.0", "one/c.v1.0.0"]
)]
#[case::the_first_package_where_nothing_else_counts(
    World::of(
        "a: 1.0.0 requires g.test/v1/K\nc: 1.0.0 provides g.test/v1/K
         b: 1.0.0 provides g.test/v1/K",
    )
    .request("a"),
    &["one/a.v1.0.0", "one/b.v1.0.0"]
)]
#[case::installed_operator_satisfies_requirement(
    World::of("a: 1.0.0 requires b >=1.0.0\nb: 1.0.0 -> 2.0.0").installed("b.v1.0.0").request("a"),
    &["one/a.v1.0.0", "b.v1.0.0"]
)]
#[case::request_upgrades_installed_operator_along_a_path(
    World::of("a: 1.0.0 -> 1.1.0 -> 2.0.0; 3.0.0").installed("a.v1.0.0").request("a"),
    &["one/a.v2.0.0"]
)]
#[case::installed_operator_stays_without_a_better_bundle(
    World::of("a: 1.0.0 -> 2.0.0 requires b >=1.0.0").installed("a.v1.0.0").request("a"),
    &["a.v1.0.0"]
)]
#[case::already_unmet_requirement_is_not_demanded(
    World::of("a: 1.0.0 requires b >=1.0.0\nc: 1.0.0").installed("a.v1.0.0").request("c"),
    &["one/c.v1.0.0", "a.v1.0.0"]
)]
#[case::operator_satisfies_its_own_requirement(
    World::of("a: 1.0.0 provides g.test/v1/K; 1.0.0 requires g.test/v1/K").request("a"),
    &["one/a.v1.0.0"]
)]
#[case::circles_are_fine(
    World::of("a: 1.0.0 requires b >=1.0.0\nb: 1.0.0 requires a >=1.0.0").request("a"),
    &["one/a.v1.0.0", "one/b.v1.0.0"]
)]
#[case::prohibited_bundle_is_skipped(
    World::of("a: 1.0.0 -> 2.0.0")
        .property("a.v2.0.0", r#"{"type":"olm.deprecated","value":{}}"#)
        .request("a"),
    &["one/a.v1.0.0"]
)]
#[case::prerelease_is_selected_if_the_range_contains_a_prerelease(
    World::of("a: 1.0.0 -> 2.0.0-rc.1 -> 3.0.0").request("a@>=1.1.0-0 <3.0.0"),
    &["one/a.v2.0.0-rc.1"]
)]
#[case::constraint_is_satisfied_by_one_operator(
    World::of("a: 1.0.0\nb: 1.0.0\nc: 1.0.0 provides g.test/v1/K")
        .property("a.v1.0.0", concat!(
            r#"{"type":"olm.constraint","value":{"all":{"constraints":["#,
            r#"{"gvk":{"group":"g.test","version":"v1","kind":"K"}},"#,
            r#"{"package":{"packageName":"c","versionRange":"1.x"}}]}}}"#,
        ))
        .request("a"),
    &["one/a.v1.0.0", "one/c.v1.0.0"]
)]
fn finds_the_best_bundles_for_all_requests(#[case] world: World, #[case] expected: &[&str]) {
    let (names, granted) = best_of(&world).expect("there must be a Solution");
    assert_same!(names, expected);
    assert_same!(granted, (0..world.requests.len()).collect::<Vec<_>>());
}

#[rstest]
#[case::two_versions_of_a_package(
    World::of("a: 1.0.0 requires c <2.0.0\nb: 1.0.0 requires c >=2.0.0\nc: 1.0.0 -> 2.0.0")
        .request("a")
        .request("b")
)]
#[case::two_providers_of_an_api(
    World::of("a: 1.0.0 provides g.test/v1/K\nb: 1.0.0 provides g.test/v1/K").request("a").request("b")
)]
#[case::installed_operator_does_not_move_without_request(
    World::of("a: 1.0.0 requires b >=2.0.0\nb: 1.0.0 -> 2.0.0").installed("b.v1.0.0").request("a")
)]
#[case::installed_operator_keeps_its_dependency(
    World::of("a: 1.0.0 requires b <2.0.0\nb: 1.0.0 -> 2.0.0")
        .installed("a.v1.0.0")
        .installed("b.v1.0.0")
        .request("b@>=2.0.0")
)]
#[case::version_without_a_path(
    World::of("a: 1.0.0; 2.0.0").installed("a.v1.0.0").request("a@>=2.0.0")
)]
#[case::prerelease_outside_of_all_ranges(World::of("a: 1.0.0-rc.1 -> 2.0.0").request("a@<2.0.0"))]
#[case::bundle_in_no_channel(World::of("a: 1.0.0; 2.0.0 unlisted").request("a@2.0.0"))]
fn finds_no_solution_for_impossible_requests(#[case] world: World) {
    assert_same!(best_of(&world), None);
}

#[test]
fn each_request_keeps_the_earlier_requests_granted() {
    let world = World::of("a: 1.0.0 provides g.test/v1/K\nb: 1.0.0 provides g.test/v1/K\nc: 1.0.0");
    let world = world
        .request("gone")
        .request("b")
        .request("a")
        .request("c")
        .each();
    let expected = ["one/b.v1.0.0", "one/c.v1.0.0"].map(String::from).to_vec();
    assert_same!(best_of(&world), Some((expected, vec![1, 3])));
}

#[test]
fn unreadable_catalog_may_have_the_requirement() {
    let world = World::of("a: 1.0.0 requires b >=1.0.0")
        .unread("two")
        .request("a");
    let offers = world.offers();
    let board = Board::of(&world, &offers);
    let causes = every_cause(&board);
    let is_unread = |cause: &&Cause| matches!(cause, Cause::Unread { .. });
    let (unread, others): (Vec<_>, Vec<_>) = causes.iter().partition(is_unread);
    assert_eq!(unread.len(), 1);
    assert!(!is_possible(&board, &causes.iter().collect::<Vec<_>>()));
    assert!(is_possible(&board, &others));
}

/// Returns every rule of a world as a cause.
fn every_cause(board: &Board<'_>) -> Vec<Cause> {
    let world = board.world;
    let requests = world.requests.iter().cloned();
    let requested = requests
        .clone()
        .map(|request| request.package)
        .collect::<Vec<_>>();
    let causes = requests.enumerate().map(|(at, request)| Cause::Wish {
        at,
        wish: request,
        lack: None,
    });
    let mut causes: Vec<_> = causes.collect();
    for operator in &board.operators {
        let package = operator.package;
        causes.extend(operator.needs.iter().map(|need| requires(operator, need)));
        causes.extend(package.cloned().map(Cause::OnePackage));
        causes.extend(operator.provides.iter().cloned().map(Cause::OneProvider));
        if operator.is_prohibited {
            causes.push(Cause::Prohibited {
                package: package.expect("it is of a package").clone(),
                bundles: vec![operator.name.clone()],
            });
        }
        if !package.is_some_and(|package| requested.contains(package)) {
            causes.extend(operator.installed.cloned().map(Cause::Stays));
        }
    }
    causes.extend(board.veiled().map(|offer| Cause::Unread {
        catalog: offer.name.clone(),
        why: String::new(),
        is_stale: false,
    }));
    causes
}

fn requires(operator: &Operator<'_>, need: &Need) -> Cause {
    Cause::Requires {
        package: operator.package.cloned(),
        required: vec![Required {
            requirement: need.requirement.clone(),
            bundles: vec![operator.name.clone()],
        }],
        lack: None,
    }
}

#[test]
fn all_rules_are_compatible_if_a_valid_set_exists() {
    let mut possible = 0;
    for number in 0..3000 {
        let mut world = generate::world(&tape(number), Supply::Scarce);
        world.mode = Mode::Together;
        let offers = world.offers();
        let board = Board::of(&world, &offers);
        let causes = every_cause(&board);
        let is_solved = best(&board).is_some();
        let is_possible = is_possible(&board, &causes.iter().collect::<Vec<_>>());
        assert_eq!(is_possible, is_solved, "world {number}:\n{world}");
        possible += usize::from(is_solved);
    }
    assert!(
        (600..2400).contains(&possible),
        "{possible} of 3000 worlds have a Solution"
    );
}
