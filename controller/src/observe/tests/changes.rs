//! Tests which policies a change affects.

use super::*;

#[rstest]
#[case::nothing(harbor(), NONE)]
#[case::a_subscription(
    edited(harbor(), "Subscription", "ferry", |it| it["spec"]["channel"] = json!("beta")), FERRY
)]
#[case::deleted_subscription(without(&harbor(), "Subscription", "ferry"), FERRY)]
#[case::a_csv(
    edited(harbor(), "ClusterServiceVersion", "crane.v1.0.0", |it| {
        it["status"]["phase"] = json!("Failed");
    }),
    CRANE
)]
#[case::a_group(without(&harbor(), "OperatorGroup", "pier"), CRANE)]
#[case::a_plan(harbor().plan("p", &["crane.v1.1.0"]), CRANE)]
#[case::deleted_namespace(without(&harbor(), "Namespace", "harbor"), FERRY)]
#[case::another_namespace(harbor().namespace("far").operator_group(), NONE)]
#[case::catalog_of_a_subscription_or_of_no_policy(
    edited(harbor(), "CatalogSource", "shop", |it| it["spec"]["priority"] = json!(1)), BOTH
)]
#[case::unused_catalog_affects_policies_without_a_catalog(
    harbor().catalog_source("other", "b:1"), CRANE
)]
#[case::crd_that_an_operator_owns(
    harbor().object(crd("ferries.demo.example")), FERRY
)]
#[case::crd_with_the_label_of_an_operator(
    harbor().object(crd("cranes.demo.example")).edit(|it| {
        it["metadata"]["labels"] = json!({"operators.coreos.com/crane.pier": ""});
    }),
    CRANE
)]
#[case::crd_of_another_owner(harbor().object(crd("a.demo.example")), NONE)]
#[case::a_policy(
    edited(harbor(), "OperatorPolicy", "ferry", |it| {
        it["metadata"]["generation"] = json!(2);
        it["spec"]["remediationAction"] = json!("inform");
    }),
    FERRY
)]
#[case::deleted_policy(without(&harbor(), "OperatorPolicy", "crane"), CRANE)]
#[tokio::test(start_paused = true)]
async fn change_of_object_affects_only_related_policies(
    #[case] after: Kit,
    #[case] expected: &[&str],
) {
    assert_eq!(named(&harbor(), &after).await, expected);
}

/// Returns a world with two policies for one Subscription.
fn overlapping() -> Kit {
    policy(harbor(), "other", ("ferry", "harbor"))
}

const FERRIES: &[&str] = &["west/ferry", "west/other"];

#[rstest]
#[case::begins(harbor(), overlapping())]
#[case::policy_is_deleted(overlapping(), harbor())]
#[case::policy_changes_to_inform_mode(
    overlapping(),
    edited(overlapping(), "OperatorPolicy", "other", |it| {
        it["spec"]["remediationAction"] = json!("inform");
    })
)]
#[case::policy_changes_its_namespace(
    overlapping(),
    edited(overlapping(), "OperatorPolicy", "other", |it| {
        it["spec"]["subscription"]["namespace"] = json!("far");
    })
)]
#[case::policy_releases_its_finalizer(
    overlapping(),
    edited(overlapping(), "OperatorPolicy", "other", |it| {
        it["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        it["metadata"]["finalizers"] = json!(["portolan.dev/removal"]);
    })
)]
#[tokio::test(start_paused = true)]
async fn overlap_affects_all_overlapping_policies(#[case] before: Kit, #[case] after: Kit) {
    assert_eq!(named(&before, &after).await, FERRIES);
}

/// Returns a world with a status that this controller has written, and the world after a client has
/// removed fields of this status. This client owns no fields.
fn emptied(status: &Value) -> [Kit; 2] {
    let whole = json!({
        "compliant": "Compliant",
        "conditions": [condition("Compliant"), condition("ValidPolicySpec")],
    });
    [
        with_status("portolan", &whole),
        with_status("portolan", status),
    ]
}

fn condition(of: &str) -> Value {
    json!({
        "type": of,
        "status": "True",
        "reason": "So",
        "message": "it is so",
        "lastTransitionTime": "2026-01-01T12:00:00Z",
    })
}

#[rstest]
#[case::of_all(json!(null))]
#[case::compliance_was_removed(
    json!({"conditions": [condition("Compliant"), condition("ValidPolicySpec")]})
)]
#[case::condition_was_removed(
    json!({"compliant": "Compliant", "conditions": [condition("Compliant")]})
)]
#[tokio::test(start_paused = true)]
async fn emptied_status_affects_its_policy(#[case] status: Value) {
    let [before, after] = emptied(&status);
    assert_eq!(named(&before, &after).await, FERRY);
}

#[rstest]
#[case::by_us(with_status("portolan", &json!({"compliant": "NonCompliant"})), NONE)]
#[case::written_by_another_client(with_status("rival", &json!({"compliant": "NonCompliant"})), FERRY)]
#[case::by_another_controller(
    with_status("config-policy-controller", &json!({"compliant": "NonCompliant"})), BOTH
)]
#[tokio::test(start_paused = true)]
async fn status_written_by_another_client_affects_its_policy(
    #[case] after: Kit,
    #[case] names: &[&str],
) {
    assert_eq!(named(&harbor(), &after).await, names);
}

/// Returns a world with a policy without a namespace, before or after its namespace is found.
fn homeless(is_found: bool) -> Kit {
    let world = open(overlapping(), "open", "ferry");
    if is_found {
        world.edit(|it| {
            it["metadata"]["managedFields"] =
                json!([{"manager": "portolan", "operation": "Apply", "subresource": "status"}]);
            it["status"] = json!({
                "observedGeneration": 1,
                "resolvedSubscriptionLabel": "ferry.harbor",
            });
        })
    } else {
        world
    }
}

#[rstest]
#[case::operator_appears(overlapping(), homeless(false))]
#[case::finds_its_place(homeless(false), homeless(true))]
#[case::operator_disappears(homeless(true), homeless(false))]
#[tokio::test(start_paused = true)]
async fn policy_without_a_namespace_affects_its_package(#[case] before: Kit, #[case] after: Kit) {
    let named = named(&before, &after).await;
    assert_eq!(named, ["west/ferry", "west/open", "west/other"]);
}

#[rstest]
#[case::comes(harbor(), served(true), CRANE)]
#[case::turns_to_all(served(false), served(true), CRANE)]
#[case::turns_from_all(served(true), served(false), CRANE)]
#[case::is_not_for_all(harbor(), served(false), NONE)]
#[case::changes(
    served(true),
    edited(served(true), "ClusterServiceVersion", "crane.v2.0.0", |it| {
        it["status"]["phase"] = json!("Failed");
    }),
    CRANE
)]
#[tokio::test(start_paused = true)]
async fn operator_for_all_namespaces_affects_policies_elsewhere(
    #[case] before: Kit,
    #[case] after: Kit,
    #[case] expected: &[&str],
) {
    assert_eq!(named(&before, &after).await, expected);
}

/// Other policies for the same namespace also wait for the approval service.
#[tokio::test(start_paused = true)]
async fn binding_of_a_policy_affects_its_namespace() {
    let free = policy(world(), "a", ("etcd", "home"));
    let free = policy(free, "b", ("vault", "home"));
    let free = policy(free, "c", ("etcd", "away"));
    let mut looking = ObservedStage::at(&free, Rules::default()).await;
    let names = ["west/a", "west/b", "west/c"];
    let bound_ones = |looking: &mut ObservedStage| names.map(|it| looking.observe(it).is_bound);
    assert_eq!(bound_ones(&mut looking), [false; 3]);
    let subject = json!({"kind": "OperatorPolicy", "namespace": "west", "name": "a"});
    let bound = free.clone().object(json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1",
        "kind": "PolicyBinding",
        "metadata": {"name": "own", "uid": "own"},
        "spec": {"subjects": [subject], "policyRef": [{"name": "gone"}]},
    }));
    assert_eq!(looking.show(&bound).await, names);
    assert_eq!(bound_ones(&mut looking), [true, true, false]);
    assert_eq!(looking.show(&free).await, names);
    assert_eq!(bound_ones(&mut looking), [false; 3]);
}

/// The Subscription names the policy for which it was created. The policy may refer to another
/// Subscription later.
#[tokio::test(start_paused = true)]
async fn policy_of_a_created_subscription_is_remembered() {
    let made = |world: Kit, namespace: &str| {
        let world = world.namespace(namespace).subscription("ferry", "stable");
        world.edit(|it| it["metadata"]["annotations"] = json!({CREATED_BY: "ferry"}))
    };
    let mut looking = ObservedStage::at(&harbor(), Rules::default()).await;
    assert_eq!(looking.show(&made(harbor(), "lake")).await, FERRY);
    let abandoned = looking.observe("west/ferry").abandoned.into_iter();
    let abandoned: Vec<_> = abandoned.map(|it| it.metadata.namespace.clone()).collect();
    assert_eq!(abandoned, [Some("lake".to_owned())]);
    assert_eq!(looking.observe("west/crane").abandoned, []);

    assert_eq!(looking.show(&harbor()).await, FERRY);
    assert_eq!(looking.observe("west/ferry").abandoned, []);
}
