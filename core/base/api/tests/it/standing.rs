//! Tests of overlaps between policies.

use std::collections::BTreeSet;

use portolan_api::{Claim, Says, Standing, Withheld, standings};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::policies::{design, established, policy, with};

/// Returns the claim of a policy with this name in the namespace `managed`.
fn named(name: &str, json: Value) -> Claim {
    let json = with(json, "/metadata/name", json!(name));
    Claim::of(&policy(json)).expect("a claim")
}

/// Returns the Standing of each claim as text. An overlap lists the other policies by
/// `namespace/name`.
fn standing_texts(claims: &[&Claim]) -> Vec<String> {
    let standings = standings(claims);
    standings.iter().map(standing_text).collect()
}

fn standing_text(standing: &Standing) -> String {
    match &standing.says {
        Says::Allows(_) => "allows".to_owned(),
        Says::Withholds(Withheld::Leaving) => "leaving".to_owned(),
        Says::Withholds(Withheld::Invalid(why)) => format!("invalid: {}", why.join(". ")),
        Says::Withholds(Withheld::Inform) => "inform".to_owned(),
        Says::Withholds(Withheld::MustNotHave) => "must not have".to_owned(),
        Says::Withholds(Withheld::Overlaps(overlap)) => {
            let others = overlap
                .others(&standing.id)
                .map(|id| format!("{}/{}", id.namespace, id.name));
            format!("overlaps {}", others.collect::<Vec<_>>().join(" "))
        }
    }
}

const NAME: &str = "policy.open-cluster-management.io/cluster-name";
const NAMESPACE: &str = "policy.open-cluster-management.io/cluster-namespace";

fn leaving(json: Value) -> Value {
    with(
        json,
        "/metadata/deletionTimestamp",
        json!("2024-05-01T10:00:00Z"),
    )
}

fn informing(json: Value) -> Value {
    with(json, "/spec/remediationAction", json!("inform"))
}

fn labelled(name: &str, namespace: &str) -> Value {
    let labels = json!({NAME: name, NAMESPACE: namespace});
    with(established(), "/metadata/labels", labels)
}

#[test]
fn single_policy_allows_its_listed_bundles() {
    let claim = named("a", design());
    let allows = claim.says.clone().expect("a valid policy").allows;
    let standing = &standings(&[&claim])[0];
    assert_eq!(standing.says, Says::Allows(allows));
    assert_eq!(standing.id, claim.id);
    assert_eq!(standing.package, claim.package);
    assert_eq!(standing.namespace, claim.namespace);
}

#[rstest]
#[case::informs(informing(established()), "inform")]
#[case::forbids(with(established(), "/spec/complianceType", json!("mustnothave")), "must not have")]
#[case::policy_being_deleted(leaving(established()), "leaving")]
#[case::invalid_field(
    with(established(), "/spec/upgradeApproval", Value::Null),
    "invalid: spec.upgradeApproval is missing; write Automatic or None, or list the allowed \
     versions in spec.allowedCSVs"
)]
fn policy_withholds_consent_for_the_most_important_reason(
    #[case] json: Value,
    #[case] expected: &str,
) {
    assert_eq!(standing_texts(&[&named("a", json)]), [expected]);
}

#[rstest]
#[case::both_forms(established(), design(), ["overlaps managed/b", "overlaps managed/a"])]
#[case::missing_labels_are_the_same(
    established(),
    established(),
    ["overlaps managed/b", "overlaps managed/a"]
)]
#[case::the_same_cluster(
    labelled("east", "clusters"),
    labelled("east", "clusters"),
    ["overlaps managed/b", "overlaps managed/a"]
)]
#[case::another_cluster(
    labelled("east", "clusters"),
    labelled("west", "clusters"),
    ["allows", "allows"]
)]
#[case::a_cluster_beside_no_cluster(labelled("east", "clusters"), established(), ["allows", "allows"])]
#[case::one_label_of_two(
    labelled("east", "clusters"),
    with(established(), "/metadata/labels", json!({NAME: "east"})),
    ["allows", "allows"]
)]
#[case::another_namespace(
    established(),
    with(established(), "/spec/subscription/namespace", json!("elsewhere")),
    ["allows", "allows"]
)]
#[case::another_package(
    established(),
    with(established(), "/spec/subscription/name", json!("quay")),
    ["allows", "allows"]
)]
#[case::a_namespace_that_is_not_known(
    established(),
    with(established(), "/spec/subscription/namespace", Value::Null),
    ["allows", "allows"]
)]
#[case::two_namespaces_that_are_not_known(
    with(established(), "/spec/subscription/namespace", Value::Null),
    with(established(), "/spec/subscription/namespace", Value::Null),
    ["allows", "allows"]
)]
#[case::second_policy_informs(established(), informing(established()), ["allows", "inform"])]
#[case::second_policy_is_being_deleted(established(), leaving(established()), ["allows", "leaving"])]
#[case::second_policy_is_invalid(
    established(),
    with(established(), "/spec/severity", json!(1)),
    ["allows", "invalid: spec.severity is a number, but must be a text; put it in quotes"]
)]
#[case::second_policy_is_mustnothave(
    established(),
    with(established(), "/spec/complianceType", json!("mustnothave")),
    ["overlaps managed/b", "must not have"]
)]
fn two_policies_have_the_expected_effects(
    #[case] one: Value,
    #[case] other: Value,
    #[case] expected: [&str; 2],
) {
    let (one, other) = (named("a", one), named("b", other));
    assert_eq!(standing_texts(&[&one, &other]), expected);
    assert_eq!(standing_texts(&[&other, &one]), [expected[1], expected[0]]);
}

#[rstest]
#[case::being_deleted_and_invalid(
    leaving(with(established(), "/spec/severity", json!("grave"))),
    "leaving"
)]
#[case::invalid_and_informing(
    informing(with(established(), "/spec/upgradeApproval", json!("Yes"))),
    "invalid: spec.upgradeApproval is \"Yes\"; write None or Automatic"
)]
#[case::informs_and_forbids(
    informing(with(established(), "/spec/complianceType", json!("mustnothave"))),
    "inform"
)]
#[case::forbids_and_overlaps(
    with(established(), "/spec/complianceType", json!("mustnothave")),
    "must not have"
)]
fn only_the_first_of_several_reasons_is_reported(#[case] json: Value, #[case] expected: &str) {
    let (one, other) = (named("a", json), named("b", established()));
    assert_eq!(standing_texts(&[&one, &other])[0], expected);
}

#[test]
fn names_with_dots_are_not_split() {
    let in_namespace = |namespace: &str, name: &str| {
        let json = with(established(), "/metadata/namespace", json!(namespace));
        named(name, json)
    };
    // If namespace and name were joined by a dot, both policies would be `a.b.c`.
    let (one, other) = (in_namespace("a", "b.c"), in_namespace("a.b", "c"));
    assert_eq!(
        standing_texts(&[&one, &other]),
        ["overlaps a.b/c", "overlaps a/b.c"]
    );
}

#[test]
fn long_names_with_the_same_prefix_do_not_overlap() {
    let in_namespace = |last: char| {
        let namespace = format!("{}{last}", "n".repeat(62));
        let json = with(
            established(),
            "/spec/subscription/namespace",
            json!(namespace),
        );
        named(&last.to_string(), json)
    };
    assert_eq!(
        standing_texts(&[&in_namespace('a'), &in_namespace('b')]),
        ["allows", "allows"]
    );
}

#[test]
fn package_and_namespace_are_compared_separately() {
    let of = |package: &str, namespace: &str| {
        let json = with(established(), "/spec/subscription/name", json!(package));
        named(
            package,
            with(json, "/spec/subscription/namespace", json!(namespace)),
        )
    };
    assert_eq!(
        standing_texts(&[&of("a", "b-c"), &of("a-b", "c")]),
        ["allows", "allows"]
    );
}

#[test]
fn duplicate_policy_does_not_overlap_with_itself() {
    let claim = named("a", established());
    assert_eq!(standing_texts(&[&claim, &claim]), ["allows", "allows"]);
}

#[test]
fn policy_of_same_name_in_another_namespace_is_different() {
    let elsewhere = with(established(), "/metadata/namespace", json!("other"));
    let (one, other) = (named("a", established()), named("a", elsewhere));
    assert_eq!(
        standing_texts(&[&one, &other]),
        ["overlaps other/a", "overlaps managed/a"]
    );
}

#[test]
fn three_policies_overlap_with_each_other() {
    let claims = ["c", "a", "b"].map(|name| named(name, established()));
    let expected = [
        "overlaps managed/a managed/b",
        "overlaps managed/b managed/c",
        "overlaps managed/a managed/c",
    ];
    assert_eq!(standing_texts(&claims.each_ref()), expected);
}

/// The Standings of all overlapping policies share one list in memory.
#[test]
fn overlapping_policies_share_one_list_of_policies() {
    let claims: Vec<_> = (0..900)
        .map(|number| named(&format!("p{number}"), established()))
        .collect();
    let standings = standings(&claims.iter().collect::<Vec<_>>());
    let lists: BTreeSet<_> = standings
        .iter()
        .map(|standing| match &standing.says {
            Says::Withholds(Withheld::Overlaps(overlap)) => overlap.all().as_ptr(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(lists.len(), 1);
}

#[test]
fn comma_separated_list_is_parsed_for_other_policies() {
    let commas = with(
        established(),
        "/spec/versions",
        json!(["etcdoperator.v1, etcdoperator.v2"]),
    );
    let claim = named("a", commas);
    let allows = claim.says.expect("a valid policy").allows;
    let consents: Vec<_> = allows.consents.iter().map(ToString::to_string).collect();
    assert_eq!(consents, ["etcdoperator.v1", "etcdoperator.v2"]);
}

/// Generates a claim. There are only a few names, so that overlaps are frequent.
fn any_claim() -> impl Strategy<Value = Claim> {
    let namespace = prop_oneof![Just(json!("x")), Just(json!("y")), Just(Value::Null)];
    let presence = prop_oneof![3 => Just("musthave"), 1 => Just("mustnothave")];
    let remediation = prop_oneof![3 => Just("enforce"), 1 => Just("inform")];
    let severity = prop_oneof![4 => Just("low"), 1 => Just("grave")];
    let labels = prop_oneof![Just(Value::Null), Just(json!({NAME: "east"}))];
    let which = (
        "[a-h]",
        prop_oneof![Just("etcd"), Just("quay")],
        namespace,
        labels,
    );
    let how = (presence, remediation, severity, prop::bool::weighted(0.2));
    (which, how).prop_map(|((name, package, namespace, labels), how)| {
        let (presence, remediation, severity, leaves) = how;
        let json = with(established(), "/spec/subscription/name", json!(package));
        let json = with(json, "/spec/subscription/namespace", namespace);
        let json = with(json, "/spec/complianceType", json!(presence));
        let json = with(json, "/spec/remediationAction", json!(remediation));
        let json = with(json, "/spec/severity", json!(severity));
        let json = with(json, "/metadata/labels", labels);
        named(&name, if leaves { leaving(json) } else { json })
    })
}

proptest! {
    #[test]
    fn result_does_not_depend_on_the_order_of_policies(
        claims in prop::collection::vec(any_claim(), 0..9).prop_flat_map(|claims| {
            (Just(claims.clone()), Just(claims).prop_shuffle())
        })
    ) {
        let sorted = |claims: &[Claim]| {
            let claims: Vec<_> = claims.iter().collect();
            let mut standing_texts: Vec<_> = standings(&claims).iter().map(|s| format!("{s:?}")).collect();
            standing_texts.sort();
            standing_texts
        };
        prop_assert_eq!(sorted(&claims.0), sorted(&claims.1));
    }

    #[test]
    fn additional_policy_affects_other_policies_only_by_overlap(
        claims in prop::collection::vec(any_claim(), 0..9),
        more in any_claim()
    ) {
        let before: Vec<_> = claims.iter().collect();
        let mut after = before.clone();
        after.push(&more);
        let (before, after) = (standings(&before), standings(&after));
        for (before, after) in before.iter().zip(&after) {
            if before == after {
                continue;
            }
            let Says::Withholds(Withheld::Overlaps(overlap)) = &after.says else {
                panic!("{before:?} became {after:?}");
            };
            prop_assert!(overlap.all().contains(&more.id));
            let same = (&more.package, &more.namespace) == (&before.package, &before.namespace);
            prop_assert!(same && more.namespace.is_some());
            prop_assert!(matches!(
                before.says,
                Says::Allows(_) | Says::Withholds(Withheld::Overlaps(_))
            ));
        }
    }

    #[test]
    fn reports_every_pair_of_overlapping_policies(claims in prop::collection::vec(any_claim(), 0..9)) {
        let claims: Vec<_> = claims.iter().collect();
        for (claim, standing) in claims.iter().zip(standings(&claims)) {
            let mut others: Vec<_> = claims
                .iter()
                .filter(|other| other.id.name != claim.id.name && overlap(claim, other))
                .map(|other| other.id.clone())
                .collect();
            others.sort();
            let told = match standing.says {
                Says::Withholds(Withheld::Overlaps(told)) => told.others(&claim.id).cloned().collect(),
                Says::Withholds(Withheld::MustNotHave) => continue,
                Says::Allows(_) | Says::Withholds(_) => Vec::new(),
            };
            prop_assert_eq!(told, others);
        }
    }
}

/// Returns true if two claims overlap. Implements the documented rule in a simple form.
fn overlap(one: &Claim, other: &Claim) -> bool {
    let enforces = |claim: &Claim| {
        !claim.is_leaving && claim.says.as_ref().is_ok_and(|valid| valid.is_enforced)
    };
    enforces(one)
        && enforces(other)
        && one.package == other.package
        && one.namespace.is_some()
        && one.namespace == other.namespace
        && one.cluster == other.cluster
}
