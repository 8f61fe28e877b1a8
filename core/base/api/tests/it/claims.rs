//! Tests of the claims of single policies.

use portolan_api::{Allows, Claim, Cluster, PolicyId, Presence, Valid};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::policies::{consent, design, established, policy, with};

fn claim(json: Value) -> Claim {
    Claim::of(&policy(json)).expect("a claim")
}

/// Returns the claim of the smallest policy in the established form.
fn etcd() -> Claim {
    Claim {
        id: PolicyId {
            namespace: "managed".to_owned(),
            name: "etcd".to_owned(),
            uid: None,
            generation: 0,
        },
        package: "etcd".parse().expect("a package"),
        namespace: Some("databases".to_owned()),
        cluster: Cluster::default(),
        is_leaving: false,
        says: Ok(Valid {
            is_enforced: true,
            presence: Presence::MustHave,
            allows: Allows {
                consents: vec![consent("*")],
                field: "spec.versions",
                catalog: None,
                updates: true,
                dependencies: true,
            },
        }),
    }
}

#[test]
fn established_form_allows_bundles_in_versions() {
    assert_eq!(claim(established()), etcd());
}

#[test]
fn design_form_allows_bundles_in_allowed_csvs() {
    let says = Ok(Valid {
        is_enforced: true,
        presence: Presence::MustHave,
        allows: Allows {
            consents: vec![consent("etcdoperator.v0.9.4")],
            field: "spec.allowedCSVs",
            catalog: None,
            updates: true,
            dependencies: false,
        },
    });
    assert_eq!(claim(design()), Claim { says, ..etcd() });
}

#[test]
fn claim_contains_policy_id_and_cluster_from_metadata() {
    let metadata = json!({
        "name": "databases.etcd",
        "namespace": "managed",
        "uid": "0b7c",
        "generation": 7,
        "deletionTimestamp": "2024-05-01T10:00:00Z",
        "labels": {
            "policy.open-cluster-management.io/cluster-name": "east",
            "policy.open-cluster-management.io/cluster-namespace": "clusters",
        },
    });
    let expected = Claim {
        id: PolicyId {
            namespace: "managed".to_owned(),
            name: "databases.etcd".to_owned(),
            uid: Some("0b7c".to_owned()),
            generation: 7,
        },
        cluster: Cluster {
            name: Some("east".to_owned()),
            namespace: Some("clusters".to_owned()),
        },
        is_leaving: true,
        ..etcd()
    };
    assert_eq!(claim(with(established(), "/metadata", metadata)), expected);
}

#[rstest]
#[case::below_the_minimum(json!(-1), 0)]
#[case::above_the_maximum(json!(4_294_967_296_i64), u32::MAX)]
fn invalid_generation_is_replaced_by_the_nearest_valid_one(
    #[case] written: Value,
    #[case] read: u32,
) {
    let claim = claim(with(established(), "/metadata/generation", written));
    assert_eq!(claim.id.generation, read);
}

#[rstest]
#[case::no_name(Value::Null)]
#[case::no_package_is_called_so(json!("Etcd"))]
#[case::a_number(json!(7))]
#[case::a_template(json!("{{ package }}"))]
fn policy_without_a_package_name_has_no_claim(#[case] name: Value) {
    let json = with(established(), "/spec/subscription/name", name);
    assert_eq!(Claim::of(&policy(json)), None);
}

#[test]
fn package_that_olm_cannot_install_is_claimed_but_not_allowed() {
    let claim = claim(with(
        established(),
        "/spec/subscription/name",
        json!("etcd.io"),
    ));
    assert_eq!(claim.package.as_str(), "etcd.io");
    assert_eq!(claim.says.expect_err("a refused policy").len(), 1);
}

/// Returns a policy without a namespace. Its status is for its current generation.
fn without_namespace(status: Value) -> Value {
    let json = with(established(), "/spec/subscription/namespace", Value::Null);
    let json = with(json, "/metadata/generation", json!(3));
    let json = with(json, "/status", status);
    with(json, "/status/observedGeneration", json!(3))
}

fn related(api_version: &str, kind: &str, name: &str, namespace: Option<&str>) -> Value {
    let metadata = json!({"name": name, "namespace": namespace});
    json!({"object": {"apiVersion": api_version, "kind": kind, "metadata": metadata}})
}

const OLM: &str = "operators.coreos.com/v1alpha1";

#[rstest]
#[case::the_only_subscription(
    json!({"relatedObjects": [
        related(OLM, "InstallPlan", "etcd", Some("elsewhere")),
        related(OLM, "Subscription", "etcd", Some("databases")),
    ]}),
    Some("databases")
)]
#[case::subscription_of_another_package(
    json!({"relatedObjects": [related(OLM, "Subscription", "quay", Some("databases"))]}),
    None
)]
#[case::subscription_of_another_api_group(
    json!({"relatedObjects": [
        related("apps.open-cluster-management.io/v1", "Subscription", "etcd", Some("databases")),
    ]}),
    None
)]
#[case::two_subscriptions(
    json!({
        "relatedObjects": [
            related(OLM, "Subscription", "etcd", Some("databases")),
            related(OLM, "Subscription", "etcd", Some("elsewhere")),
        ],
        "resolvedSubscriptionLabel": "etcd.databases",
    }),
    None
)]
#[case::subscription_without_a_namespace(
    json!({"relatedObjects": [related(OLM, "Subscription", "etcd", None)]}),
    None
)]
#[case::the_label(json!({"resolvedSubscriptionLabel": "etcd.databases"}), Some("databases"))]
#[case::the_label_of_another_package(json!({"resolvedSubscriptionLabel": "quay.databases"}), None)]
#[case::the_label_of_a_longer_package(
    json!({"resolvedSubscriptionLabel": "etcd.operator.databases"}),
    None
)]
#[case::a_label_without_a_namespace(json!({"resolvedSubscriptionLabel": "etcd."}), None)]
#[case::nothing(json!({}), None)]
fn missing_namespace_is_taken_from_the_status(
    #[case] status: Value,
    #[case] namespace: Option<&str>,
) {
    let claim = claim(without_namespace(status));
    assert_eq!(claim.namespace.as_deref(), namespace);
}

#[rstest]
#[case::whole(62, true)]
#[case::perhaps_cut(63, false)]
fn ignores_namespace_label_that_may_be_truncated(#[case] length: usize, #[case] is_believed: bool) {
    let namespace = "n".repeat(length - "etcd.".len());
    let status = json!({"resolvedSubscriptionLabel": format!("etcd.{namespace}")});
    let expected = is_believed.then_some(namespace);
    assert_eq!(claim(without_namespace(status)).namespace, expected);
}

#[test]
fn namespace_in_spec_takes_precedence_over_status() {
    let status = json!({"resolvedSubscriptionLabel": "etcd.elsewhere"});
    let json = with(
        without_namespace(status),
        "/spec/subscription/namespace",
        json!("databases"),
    );
    assert_eq!(claim(json).namespace.as_deref(), Some("databases"));
}

#[rstest]
#[case::of_an_older_generation("/status/observedGeneration", json!(2))]
#[case::of_no_generation("/status/observedGeneration", Value::Null)]
#[case::policy_without_a_generation("/metadata/generation", Value::Null)]
fn ignores_status_of_another_generation(#[case] at: &str, #[case] value: Value) {
    let json = without_namespace(json!({"resolvedSubscriptionLabel": "etcd.databases"}));
    assert_eq!(claim(with(json, at, value)).namespace, None);
}

#[test]
fn ignores_status_if_both_generations_are_missing() {
    let json = without_namespace(json!({"resolvedSubscriptionLabel": "etcd.databases"}));
    let json = with(json, "/metadata/generation", Value::Null);
    let json = with(json, "/status/observedGeneration", Value::Null);
    assert_eq!(claim(json).namespace, None);
}

#[rstest]
#[case::a_template(json!("{{ namespace }}"), Some("databases"))]
#[case::an_empty_text(json!(""), Some("databases"))]
#[case::a_number(json!(7), Some("databases"))]
#[case::invalid(json!("No_Such"), Some("No_Such"))]
fn refused_policy_still_claims_its_namespace(
    #[case] written: Value,
    #[case] namespace: Option<&str>,
) {
    let json = without_namespace(json!({"resolvedSubscriptionLabel": "etcd.databases"}));
    let claim = claim(with(json, "/spec/subscription/namespace", written));
    assert_eq!(claim.namespace.as_deref(), namespace);
    assert_eq!(claim.says.expect_err("a refused policy").len(), 1);
}

#[test]
fn partly_read_policy_is_invalid() {
    let left_out = ["status.history[0].lastTimestamp: not a time".to_owned()];
    let claim = Claim::partly_read(&policy(established()), &left_out);
    let says = Err(left_out.to_vec());
    assert_eq!(claim, Some(Claim { says, ..etcd() }));
}

#[test]
fn unread_fields_are_reported_before_invalid_fields() {
    let left_out = ["metadata.labels: not a map".to_owned()];
    let json = with(established(), "/spec/severity", json!("grave"));
    let claim = Claim::partly_read(&policy(json), &left_out).expect("a claim");
    let sentences = [
        "metadata.labels: not a map",
        "spec.severity is \"grave\"; write low, Low, medium, Medium, high, High, critical or \
         Critical",
    ];
    assert_eq!(claim.says.expect_err("a refused policy"), sentences);
}

#[test]
fn ignores_partly_read_status() {
    let left_out = ["status.relatedObjects[1]: not an object".to_owned()];
    let status =
        json!({"relatedObjects": [related(OLM, "Subscription", "etcd", Some("databases"))]});
    let claim = Claim::partly_read(&policy(without_namespace(status)), &left_out);
    assert_eq!(claim.expect("a claim").namespace, None);
}
