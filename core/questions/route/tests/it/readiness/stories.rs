//! Test cases with answers that were written by hand, according to the rules of OLM.

use rstest::rstest;

use super::cluster::{UNREAD, agreement, answers, unread};

const NEXT: &str = "4.21 4.22";
const EUS: &str = "4.20 4.21 4.22";

/// A channel with three bundles. The new catalog does not contain the two oldest bundles.
const OLD: &str = "a: 1.0.0 -> 1.1.0 -> 1.2.0";
const TAIL_GONE: &str = "a: 1.2.0 -> 2.0.0";

#[rstest]
#[case::entry_of_its_channel(NEXT, &[OLD, OLD], "a.v1.2.0 stable", "ready")]
#[case::older_entry(NEXT, &[OLD, OLD], "a.v1.0.0 stable", "ready; after: a.v1.1.0 a.v1.2.0")]
#[case::only_a_successor(NEXT, &[OLD, TAIL_GONE], "a.v1.1.0 stable",
    "update-first; (stranded); at 0: a.v1.2.0; after: a.v2.0.0")]
#[case::several_hops(NEXT, &[OLD, TAIL_GONE], "a.v1.0.0 stable",
    "update-first; (stranded); at 0: a.v1.1.0 a.v1.2.0; after: a.v2.0.0")]
#[case::successor_of_a_bundle_outside(NEXT, &[OLD, "a: 2.0.0 covers >=1.0.0 <2.0.0"],
    "a.v1.2.0 stable; unlimited", "not-reinstallable; (bundle gone); after: a.v2.0.0")]
#[case::in_another_channel(NEXT, &[OLD, "a: 2.0.0 covers >=1.0.0 <2.0.0\na/fast: 1.2.0"],
    "a.v1.2.0 stable; unlimited", "ready; after: a.v2.0.0")]
#[case::not_in_any_channel(NEXT, &[OLD, "a: 3.0.0 replaces 2.0.0"], "a.v1.2.0 stable",
    "stranded; (stranded)")]
#[case::package_gone(NEXT, &[OLD, "b: 1.0.0"], "a.v1.2.0 stable", "package-gone; (package gone)")]
#[case::channel_gone(NEXT, &[OLD, "a/fast: 3.0.0"], "a.v1.2.0 stable",
    "stranded; (channel gone)")]
fn catalog_of_the_target_determines_readiness(
    #[case] releases: &str,
    #[case] catalogs: &[&str],
    #[case] operator: &str,
    #[case] expected: &str,
) {
    assert_eq!(answers(releases, catalogs, &[operator]), [expected]);
}

#[rstest]
#[case::in_the_old_catalog(
    &["a/stable: 1.0.0\na/fast: 1.0.0 -> 2.0.0", "a/fast: 2.0.0 -> 3.0.0"], "a.v1.0.0 stable",
    "switch-channel-first; (channel gone); at 0: a.v2.0.0; channel fast; after: a.v3.0.0")]
#[case::without_an_update_first(
    &["a/stable: 1.0.0\na/fast: 1.0.0", "a/fast: 1.0.0 -> 3.0.0"], "a.v1.0.0 stable",
    "switch-channel-first; (channel gone); channel fast; after: a.v3.0.0")]
#[case::only_in_the_new_catalog(
    &["a/v0.4: 0.4.0", "a/alpha: 0.4.0 -> 0.5.0"], "a.v0.4.0 v0.4",
    "switch-channel-after; (channel gone); channel alpha; after: a.v0.5.0")]
#[case::first_by_name(
    &["a/stable: 1.0.0\na/y: 1.0.0\na/x: 1.0.0", "a/y: 1.0.0\na/x: 1.0.0"], "a.v1.0.0 stable",
    "switch-channel-first; (channel gone); channel x")]
#[case::same_channel_wins(
    &["a/stable: 1.0.0 -> 1.1.0\na/fast: 1.0.0", "a/stable: 1.1.0\na/fast: 1.0.0"],
    "a.v1.0.0 stable", "update-first; (stranded); at 0: a.v1.1.0")]
fn suggests_another_channel_with_an_update(
    #[case] catalogs: &[&str],
    #[case] operator: &str,
    #[case] expected: &str,
) {
    assert_eq!(answers(NEXT, catalogs, &[operator]), [expected]);
}

#[rstest]
#[case::equal_to_the_target("a.v1.0.0 stable; last \"4.22\"", "ready; after: a.v1.1.0 a.v1.2.0")]
#[case::below_the_target(
    "a.v1.0.0 stable; last \"4.21\"",
    "update-first; (last 4.21); at 0: a.v1.1.0; after: a.v1.2.0; blocks 1"
)]
#[case::invalid(
    "a.v1.0.0 stable; last \"4.22.1\"",
    "update-first; (invalid limit); at 0: a.v1.1.0; after: a.v1.2.0; blocks 1"
)]
#[case::given_twice(
    "a.v1.0.0 stable; last \"4.22\" \"4.22\"",
    "update-first; (invalid limit); at 0: a.v1.1.0; after: a.v1.2.0; blocks 1"
)]
#[case::of_the_head("a.v1.2.0 stable; last \"4.21\"", "blocked; (last 4.21); blocks 1")]
#[case::without_a_subscription(
    "a.v1.2.0 stable; last \"4.21\"; unfollowed",
    "blocked; (last 4.21, not followed); blocks 1"
)]
fn compares_maximum_release_of_the_installed_bundle_with_target(
    #[case] operator: &str,
    #[case] expected: &str,
) {
    assert_eq!(answers(NEXT, &[OLD, OLD], &[operator]), [expected]);
}

/// The limit in the object of OLM v0 takes precedence over the limit in the catalog, because OLM v0
/// reads only the object.
#[rstest]
#[case::of_olm_v1("a.v1.0.0 stable; v1", "blocked; (last 4.21); blocks 1")]
#[case::of_olm_v0_without_limit("a.v1.0.0 stable; unlimited", "ready")]
fn uses_maximum_release_of_the_catalog_only_for_olm_v1(
    #[case] operator: &str,
    #[case] expected: &str,
) {
    let shop = "a: 1.0.0\nlimit a.v1.0.0 4.21";
    assert_eq!(answers(NEXT, &[shop, shop], &[operator]), [expected]);
}

#[test]
fn path_ends_at_a_bundle_that_supports_the_target() {
    let shop = "a: 1.0.0 -> 1.1.0 -> 1.2.0\nlimit a.v1.0.0 4.21\nlimit a.v1.1.0 4.21";
    let all = answers(NEXT, &[shop, shop], &["a.v1.0.0 stable"]);
    assert_eq!(
        all,
        ["update-first; (last 4.21); at 0: a.v1.1.0 a.v1.2.0; blocks 1"]
    );
}

#[test]
fn limit_is_unknown_without_the_bundle_in_a_catalog() {
    let new = "a: 2.0.0 covers >=1.0.0 <2.0.0";
    let all = answers(NEXT, &["a: 1.5.0", new], &["a.v1.0.0 stable; v1"]);
    assert_eq!(all, ["not-checked; (unknown limit)"]);
}

#[rstest]
#[case::needed_only_after(&["a: 1.0.0", "a: 1.0.0 -> 2.0.0\nkube a.v2.0.0 1.35.0"],
    "ready; after: a.v2.0.0")]
#[case::never_reached(&["a: 1.0.0", "a: 1.0.0 -> 2.0.0\nkube a.v2.0.0 1.36.0"], "ready")]
#[case::needed_too_early(
    &["a: 1.0.0 -> 2.0.0\nkube a.v2.0.0 1.35.0", "a: 2.0.0"],
    "stranded; (stranded, a.v2.0.0 needs 1.35.0)")]
fn bundles_on_a_path_support_the_kubernetes_of_their_stage(
    #[case] catalogs: &[&str],
    #[case] expected: &str,
) {
    assert_eq!(answers(NEXT, catalogs, &["a.v1.0.0 stable"]), [expected]);
}

/// The operator can be updated only while the cluster runs 4.21.
#[test]
fn finds_update_that_only_an_intermediate_release_has() {
    let catalogs = ["a: 1.0.0", "a: 1.0.0 -> 2.0.0", "a: 2.0.0 -> 3.0.0"];
    let expected = "update-between; (stranded); at 1: a.v2.0.0; after: a.v3.0.0";
    assert_eq!(answers(EUS, &catalogs, &["a.v1.0.0 stable"]), [expected]);
}

#[test]
fn updates_are_spread_over_the_stages() {
    let catalogs = [
        "a: 1.0.0 -> 1.1.0\nlimit a.v1.0.0 4.20\nlimit a.v1.1.0 4.21",
        "a: 1.1.0 -> 2.0.0\nlimit a.v1.1.0 4.21",
        "a: 2.0.0",
    ];
    let expected =
        "update-between; (last 4.20, stranded); at 0: a.v1.1.0; at 1: a.v2.0.0; blocks 1";
    assert_eq!(answers(EUS, &catalogs, &["a.v1.0.0 stable"]), [expected]);
}

#[rstest]
#[case::of_the_target(&[OLD, OLD, UNREAD], "a.v1.2.0 stable; unlimited", "not-checked; (unread at 2)")]
#[case::of_a_release_in_between(&[OLD, UNREAD, OLD], "a.v1.2.0 stable", "not-checked; (unread at 1)")]
#[case::of_the_current_release(&[UNREAD, OLD, OLD], "a.v1.2.0 stable", "ready")]
#[case::of_the_target_beside_a_limit(&[OLD, OLD, UNREAD], "a.v1.2.0 stable; last 4.21",
    "not-checked; (last 4.21, unread at 2); blocks 2")]
#[case::of_the_current_release_beside_a_dead_end(&[UNREAD, OLD, TAIL_GONE], "a.v1.0.0 stable",
    "update-between; (stranded); at 1: a.v1.1.0 a.v1.2.0; after: a.v2.0.0")]
#[case::where_an_update_could_be(&[UNREAD, "b: 1.0.0", "b: 1.0.0"], "a.v1.0.0 stable; unlimited",
    "package-gone; (package gone, unread at 0, gone at 1)")]
fn reports_not_checked_if_a_required_catalog_is_unread(
    #[case] catalogs: &[&str],
    #[case] operator: &str,
    #[case] expected: &str,
) {
    assert_eq!(answers(EUS, catalogs, &[operator]), [expected]);
}

#[rstest]
#[case::before_the_removal("1.24 1.25", "not-checked; (a.v1.0.0 objects for 1.25)")]
#[case::after_the_removal("1.25 1.26", "ready")]
#[case::openshift("4.11 4.12", "not-checked; (a.v1.0.0 objects for 1.25)")]
fn removed_apis_of_unread_objects_prevent_ready(#[case] releases: &str, #[case] expected: &str) {
    assert_eq!(
        answers(releases, &["a: 1.0.0", "a: 1.0.0"], &["a.v1.0.0 stable"]),
        [expected]
    );
}

const BUDGET: &str = "policy/v1beta1/PodDisruptionBudget";

#[rstest]
#[case::of_no_object("reads a.v1.0.0", "ready")]
#[case::of_an_object(
    "reads a.v1.0.0 policy/v1beta1/PodDisruptionBudget",
    "blocked; (a.v1.0.0 has policy/v1beta1 PodDisruptionBudget); blocks 1"
)]
#[case::of_a_permission(
    "rules a.v1.0.0 policy/podsecuritypolicies",
    "ready; (a.v1.0.0 may policy/v1beta1 PodSecurityPolicy)"
)]
#[case::removed_earlier(
    "reads a.v1.0.0 apiextensions.k8s.io/v1beta1/CustomResourceDefinition",
    "ready"
)]
#[case::removed_later("reads a.v1.0.0 autoscaling/v2beta2/HorizontalPodAutoscaler", "ready")]
#[case::of_an_unreadable_bundle(
    "fails a.v1.0.0",
    "not-checked; (a.v1.0.0 objects for 1.25 not found)"
)]
fn reports_removed_api_of_the_installed_bundle(#[case] content: &str, #[case] expected: &str) {
    let operator = format!("a.v1.0.0 stable; {content}");
    let shop = "a: 1.0.0";
    assert_eq!(
        answers("1.24 1.25", &[shop, shop], &[&operator]),
        [expected]
    );
}

#[rstest]
#[case::removed_on_the_way(
    "policy/v1beta1/PodSecurityPolicy",
    "ready; (7 requests of PodSecurityPolicy)"
)]
#[case::removed_later("autoscaling/v2beta2/HorizontalPodAutoscaler", "ready")]
fn requests_for_removed_apis_are_a_reason(#[case] api: &str, #[case] expected: &str) {
    let operator = format!("a.v1.0.0 stable; reads a.v1.0.0; requests {api}");
    let shop = "a: 1.0.0";
    assert_eq!(
        answers("1.24 1.25", &[shop, shop], &[&operator]),
        [expected]
    );
}

/// After the update, the operator no longer has the objects with the removed API.
#[rstest]
#[case::to_a_served_bundle(
    "reads a.v1.1.0",
    "update-first; (a.v1.0.0 has policy/v1beta1 PodDisruptionBudget); at 0: a.v1.1.0; blocks 1"
)]
#[case::to_a_bundle_that_was_not_read(
    "",
    "update-first; (a.v1.0.0 has policy/v1beta1 PodDisruptionBudget, a.v1.1.0 objects for 1.25); \
     at 0: a.v1.1.0; blocks 1"
)]
#[case::to_a_bundle_with_the_same_api(
    "reads a.v1.1.0 policy/v1beta1/PodDisruptionBudget",
    "blocked; (a.v1.0.0 has policy/v1beta1 PodDisruptionBudget); blocks 1"
)]
fn update_avoids_removed_apis(#[case] content: &str, #[case] expected: &str) {
    let operator = format!("a.v1.0.0 stable; reads a.v1.0.0 {BUDGET}; {content}");
    let shop = "a: 1.0.0 -> 1.1.0";
    let operator = operator.trim_end_matches("; ");
    assert_eq!(answers("1.24 1.25", &[shop, shop], &[operator]), [expected]);
}

#[test]
fn ignores_update_to_bundle_with_removed_api() {
    let operator = format!("a.v1.0.0 stable; reads a.v1.0.0; reads a.v1.1.0 {BUDGET}");
    let expected = "stranded; (stranded, a.v1.1.0 has policy/v1beta1 PodDisruptionBudget)";
    let catalogs = ["a: 1.0.0 -> 1.1.0", "a: 1.1.0"];
    assert_eq!(answers("1.24 1.25", &catalogs, &[&operator]), [expected]);
}

#[rstest]
#[case::of_the_installed_bundle("1.24 1.25", "a.v1.0.0 stable", &["a.v1.0.0"])]
#[case::of_read_bundles("1.24 1.25", "a.v1.0.0 stable; reads a.v1.0.0", &["a.v1.1.0"])]
#[case::of_no_removal("1.33 1.34", "a.v1.0.0 stable", &[])]
fn bundles_on_the_path_must_be_read(
    #[case] releases: &str,
    #[case] operator: &str,
    #[case] expected: &[&str],
) {
    let shop = "a: 1.0.0 -> 1.1.0";
    assert_eq!(unread(releases, &[shop, shop], operator), expected);
}

#[rstest]
#[case::excluded(
    "allows <1.1.0",
    "update-first; (stranded, allows <1.1.0); at 0: a.v1.1.0 a.v1.2.0"
)]
#[case::permitted("allows <2.0.0", "update-first; (stranded); at 0: a.v1.1.0 a.v1.2.0")]
fn pin_that_excludes_the_path_is_a_reason(#[case] pin: &str, #[case] expected: &str) {
    let operator = format!("a.v1.0.0 stable; {pin}");
    assert_eq!(answers(NEXT, &[OLD, TAIL_GONE], &[&operator]), [expected]);
}

#[rstest]
#[case::all_updates("updates", "no update to a.v1.1.0")]
#[case::updates_without_approval("unapproved", "approval of a.v1.1.0")]
#[case::other_versions("all but a@>=1.0.0 <1.2.0", "a.v1.2.0 is not allowed")]
#[case::one_update("to a.v1.2.0", "a.v1.2.0 is closed")]
fn object_that_forbids_a_needed_update_is_a_reason(#[case] rule: &str, #[case] reason: &str) {
    let operator = format!("a.v1.0.0 stable; forbids {rule}");
    let path = "at 0: a.v1.1.0 a.v1.2.0; after: a.v2.0.0";
    assert_eq!(
        answers(NEXT, &[OLD, TAIL_GONE], &[&operator]),
        [format!("update-first; (stranded, {reason}); {path}")]
    );
}

#[rstest]
#[case::no_update_is_needed("forbids updates", &[OLD, OLD])]
#[case::update_is_allowed("forbids all but *", &[OLD, TAIL_GONE])]
#[case::another_update_is_forbidden("forbids to a.v2.0.0", &[OLD, TAIL_GONE])]
fn ignores_object_that_forbids_no_needed_update(#[case] rule: &str, #[case] catalogs: &[&str]) {
    let plain = answers(NEXT, catalogs, &["a.v1.1.0 stable"]);
    let ruled = answers(NEXT, catalogs, &[&format!("a.v1.1.0 stable; {rule}")]);
    assert_eq!(ruled, plain);
}

#[test]
fn all_channels_are_followed_without_a_channel() {
    let catalogs = ["a/x: 1.0.0\na/y: 1.0.0 -> 1.1.0", "a/y: 1.1.0 -> 2.0.0"];
    let expected = "update-first; (stranded); at 0: a.v1.1.0; after: a.v2.0.0";
    assert_eq!(answers(NEXT, &catalogs, &["a.v1.0.0 *; v1"]), [expected]);
}

#[test]
fn unresolvable_subscription_blocks_its_namespace() {
    let old = "a: 1.0.0\nb: 1.0.0\nc/x: 1.0.0\nd/x: 1.0.0\nd/y: 1.0.0";
    let new = "b: 1.0.0 -> 2.0.0\nc/y: 1.0.0\nd/y: 1.0.0";
    let operators = [
        "a.v1.0.0 stable",
        "b.v1.0.0 stable",
        "c.v1.0.0 x",
        "d.v1.0.0 x",
        "b.v1.0.0 stable; in pier",
        "b.v1.0.0 stable; v1",
        "b.v1.0.0 stable; unfollowed",
    ];
    let expected = [
        "package-gone; (package gone); held up by [2]",
        "ready; after: b.v2.0.0; held up by [0, 2]",
        "switch-channel-after; (channel gone); channel y; held up by [0]",
        "switch-channel-first; (channel gone); channel y; held up by [0, 2]",
        "ready; after: b.v2.0.0",
        "ready; after: b.v2.0.0",
        "not-checked; (not followed)",
    ];
    assert_eq!(answers(NEXT, &[old, new], &operators), expected);
}

#[test]
fn subscription_without_a_bundle_blocks_its_namespace() {
    let operators = ["a.v1.0.0 stable; uninstalled", "b.v1.0.0 stable"];
    let expected = [
        "package-gone; (nothing installed, package gone)",
        "ready; held up by [0]",
    ];
    assert_eq!(
        answers(NEXT, &["a: 1.0.0\nb: 1.0.0", "b: 1.0.0"], &operators),
        expected
    );
}

const BLOCKING: &str = "harbor/a.v1.0.0";

#[rstest]
#[case::same(
    "False",
    "IncompatibleOperatorsInstalled",
    BLOCKING,
    "same [\"harbor/a.v1.0.0\"]"
)]
#[case::not_noticed("True", "", "", "only limits [\"harbor/a.v1.0.0\"]")]
#[case::another_operator(
    "False",
    "IncompatibleOperatorsInstalled",
    "harbor/a.v1.0.0 docks/b.v1",
    "only condition [\"docks/b.v1\"]"
)]
#[case::olm_cannot_tell("False", "ErrorCheckingOperatorCompatibility", "", "other reason")]
fn condition_of_openshift_is_compared_with_limits(
    #[case] status: &str,
    #[case] reason: &str,
    #[case] named: &str,
    #[case] expected: &str,
) {
    let shop = "a: 1.0.0\nb: 1.0.0";
    let operators = ["a.v1.0.0 stable; last 4.21", "b.v1.0.0 stable; unlimited"];
    let agreement = agreement([status, reason, named], &[shop, shop], &operators);
    assert_eq!(agreement, expected);
}
