//! Tests which candidate OLM chooses if there are several.

use rstest::rstest;

use super::{World, bundle, world};

/// Formats the first pass.
fn first(world: &World) -> String {
    world.story().swap_remove(0)
}

#[rstest]
#[case::the_default_channel_first(
    "a/fast: 1.0.0; a/slow: 2.0.0; a: default slow",
    "olm/one/slow/a.v2.0.0 for a"
)]
#[case::then_the_name_of_the_channel(
    "a/fast: 1.0.0; a/slow: 2.0.0; a/zero: 3.0.0; a: default none",
    "olm/one/fast/a.v1.0.0 for a"
)]
#[case::then_the_head("a: 1.0.0 -> 2.0.0", "olm/one/stable/a.v2.0.0 for a after a.v1.0.0")]
#[case::only_installable_candidate(
    "a: 1.0.0 -> 2.0.0; 2.0.0 requires b >=1.0.0",
    "olm/one/stable/a.v1.0.0 for a"
)]
#[case::last_of_its_channels_despite_the_default(
    "a[fast, slow]: 1.0.0; a: default fast",
    "olm/one/slow/a.v1.0.0 for a"
)]
fn subscription_selects_a_bundle(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(first(&world(text).subscribed("a")), expected);
}

#[test]
fn skipped_entry_is_chosen_only_as_starting_csv() {
    let text = "a: 1.0.0 -> 1.1.0 -> 1.2.0; 1.2.0 skips 1.1.0; 1.2.0 requires b >=1.0.0";
    assert_eq!(
        first(&world(text).subscribed("a")),
        "olm/one/stable/a.v1.0.0 for a"
    );
    let started = world(text).subscribed("a start=a.v1.1.0");
    assert_eq!(
        first(&started),
        "olm/one/stable/a.v1.1.0 for a after a.v1.0.0"
    );
}

const NEEDY: &str = "a: 1.0.0 requires g.test/v1/Kind";

/// Returns the bundle that OLM chooses to satisfy the requirement of `a`.
fn provider(world: World) -> String {
    let first = first(&world.subscribed("a"));
    let mut installs = first
        .split(" + ")
        .filter(|install| !install.contains("/a.v"));
    installs.next().unwrap_or("installed").to_owned()
}

#[rstest]
#[case::its_own_catalog_before_priority(
    &format!("{NEEDY}; b: 1.0.0 provides g.test/v1/Kind"),
    &[("olm/two", 9, "c: 1.0.0 provides g.test/v1/Kind")],
    "olm/one/stable/b.v1.0.0 as b-stable-one-olm"
)]
#[case::priority_before_the_own_namespace(
    NEEDY,
    &[
        ("ns/two", 0, "b: 1.0.0 provides g.test/v1/Kind"),
        ("olm/three", 1, "c: 1.0.0 provides g.test/v1/Kind"),
    ],
    "olm/three/stable/c.v1.0.0 as c-stable-three-olm"
)]
#[case::the_own_namespace_before_the_name(
    NEEDY,
    &[
        ("olm/three", 0, "c: 1.0.0 provides g.test/v1/Kind"),
        ("ns/two", 0, "b: 1.0.0 provides g.test/v1/Kind"),
    ],
    "ns/two/stable/b.v1.0.0 as b-stable-two-ns"
)]
#[case::the_name_at_last(
    NEEDY,
    &[
        ("olm/two", 0, "b: 1.0.0 provides g.test/v1/Kind"),
        ("olm/three", 0, "c: 1.0.0 provides g.test/v1/Kind"),
    ],
    "olm/three/stable/c.v1.0.0 as c-stable-three-olm"
)]
#[case::default_channels_before_packages(
    &format!("{NEEDY}; b: default none; b/x: 1.0.0 provides g.test/v1/Kind; \
         c: 1.0.0 provides g.test/v1/Kind"),
    &[],
    "olm/one/stable/c.v1.0.0 as c-stable-one-olm"
)]
#[case::packages_by_name(
    &format!("{NEEDY}; c: 1.0.0 provides g.test/v1/Kind; b: 1.0.0 provides g.test/v1/Kind"),
    &[],
    "olm/one/stable/b.v1.0.0 as b-stable-one-olm"
)]
fn chooses_provider_in_the_order_of_olm(
    #[case] text: &str,
    #[case] others: &[(&str, i64, &str)],
    #[case] expected: &str,
) {
    let others = others.iter();
    let world = others.fold(world(text), |world, (name, priority, text)| {
        world.and(name, *priority, text)
    });
    assert_eq!(provider(world), expected);
}

#[test]
fn installed_operator_is_the_preferred_provider() {
    let text =
        format!("{NEEDY}; b: 1.0.0 provides g.test/v1/Kind; c: 1.0.0 provides g.test/v1/Kind");
    assert_eq!(provider(world(&text).installed("c.v1.0.0")), "installed");
}

#[test]
fn excluded_global_catalogs_are_ignored() {
    let mut world = world("a: 1.0.0")
        .and("ns/own", 0, "a: 2.0.0")
        .subscribed("a from=ns/own");
    world.namespace.operator_groups[0].excludes_global_catalogs = true;
    assert_eq!(first(&world), "ns/own/stable/a.v2.0.0 for a");
    world.namespace.subscriptions[0].catalog = "olm/one".parse().expect("the name must parse");
    assert_eq!(
        world.complaint(),
        "constraints not satisfiable: no operators found from catalog one in namespace olm \
         referenced by subscription a, subscription a exists"
    );
}

#[test]
fn catalogs_of_other_namespaces_are_ignored() {
    let world = world(NEEDY).and("far/two", 9, "b: 1.0.0 provides g.test/v1/Kind");
    assert!(
        world
            .subscribed("a")
            .complaint()
            .contains("bundle a.v1.0.0 requires")
    );
}

/// A single bundle must satisfy the whole constraint. Two bundles together cannot satisfy it.
#[rstest]
#[case::both_apis_in_one_bundle("b: 1.0.0 provides g.test/v1/X, g.test/v1/Y", true)]
#[case::one_api_in_each_bundle(
    "b: 1.0.0 provides g.test/v1/X; c: 1.0.0 provides g.test/v1/Y",
    false
)]
fn constraint_is_satisfied_by_one_bundle(#[case] others: &str, #[case] is_met: bool) {
    let world = world(&format!("a: 1.0.0; {others}")).constraining(
        "a.v1.0.0",
        r#"{"all":{"constraints":[{"gvk":{"group":"g.test","kind":"X","version":"v1"}},
            {"gvk":{"group":"g.test","kind":"Y","version":"v1"}}]}}"#,
    );
    let story = world.subscribed("a").story();
    assert_eq!(
        story[0].contains("b.v1.0.0"),
        is_met && !story[0].contains("not satisfiable")
    );
}

#[test]
fn package_of_installed_operator_comes_from_its_subscription() {
    let text = "a: 1.0.0; b: 1.0.0 requires a >=1.0.0";
    let world = world(text)
        .installed("a.v1.0.0")
        .with_csv(|csv| {
            csv.traits.is_annotated = false;
            csv.traits.package = None;
        })
        .subscribed("b")
        .subscribed("a at=a.v1.0.0");
    assert_eq!(first(&world), "olm/one/stable/b.v1.0.0 for b");
    let mut free = world.clone();
    free.namespace.subscriptions.pop();
    assert_eq!(
        first(&free),
        "olm/one/stable/a.v1.0.0 as a-stable-one-olm + olm/one/stable/b.v1.0.0 for b"
    );
}

#[test]
fn installed_version_may_be_missing_in_all_catalogs() {
    let world = world("a: 1.0.0 -> 2.0.0; 2.0.0 covers >=0.1.0 <2.0.0")
        .installed("a.v1.0.0")
        .with_csv(|csv| {
            csv.name = bundle("a-custom");
            csv.version = Some("0.5.0".parse().expect("the version must parse"));
        })
        .subscribed("a at=a-custom");
    assert_eq!(
        first(&world),
        "olm/one/stable/a.v2.0.0 for a after a-custom"
    );
}
