//! The policies that a change affects.

use super::*;

/// Behaviors 3, 4.
#[rstest]
#[case::nothing(harbor(), NONE)]
#[case::a_subscription(
    edited(harbor(), "Subscription", "ferry", |it| it["spec"]["channel"] = json!("beta")), FERRY
)]
#[case::a_subscription_that_is_gone(without(&harbor(), "Subscription", "ferry"), FERRY)]
#[case::a_csv(
    edited(harbor(), "ClusterServiceVersion", "crane.v1.0.0", |it| {
        it["status"]["phase"] = json!("Failed");
    }),
    CRANE
)]
#[case::a_group(without(&harbor(), "OperatorGroup", "pier"), CRANE)]
#[case::a_plan(harbor().plan("p", &["crane.v1.1.0"]), CRANE)]
#[case::a_namespace_that_is_gone(without(&harbor(), "Namespace", "harbor"), FERRY)]
#[case::another_namespace(harbor().namespace("far").operator_group(), NONE)]
#[case::a_catalog_that_a_subscription_names_or_nobody(
    edited(harbor(), "CatalogSource", "shop", |it| it["spec"]["priority"] = json!(1)), BOTH
)]
#[case::a_catalog_that_nobody_names_matters_to_who_names_none(
    harbor().catalog_source("other", "b:1"), CRANE
)]
#[case::a_definition_that_an_operator_owns(
    harbor().object(crd("ferries.demo.example")), FERRY
)]
#[case::a_definition_with_the_label_of_an_operator(
    harbor().object(crd("cranes.demo.example")).edit(|it| {
        it["metadata"]["labels"] = json!({"operators.coreos.com/crane.pier": ""});
    }),
    CRANE
)]
#[case::a_definition_of_somebody_else(harbor().object(crd("a.demo.example")), NONE)]
#[case::a_policy(
    edited(harbor(), "OperatorPolicy", "ferry", |it| {
        it["metadata"]["generation"] = json!(2);
        it["spec"]["remediationAction"] = json!("inform");
    }),
    FERRY
)]
#[case::a_policy_that_is_gone(without(&harbor(), "OperatorPolicy", "crane"), CRANE)]
#[tokio::test(start_paused = true)]
async fn change_affects_policies(#[case] after: Kit, #[case] expected: &[&str]) {
    assert_eq!(named(&harbor(), &after).await, expected);
}

/// Returns two policies for one Subscription.
fn overlapping() -> Kit {
    policy(harbor(), "other", ("ferry", "harbor"))
}

const FERRIES: &[&str] = &["west/ferry", "west/other"];

/// Behaviors 113, 114, 115, 116.
#[rstest]
#[case::begins(harbor(), overlapping())]
#[case::ends_with_a_policy(overlapping(), harbor())]
#[case::ends_as_one_informs(
    overlapping(),
    edited(overlapping(), "OperatorPolicy", "other", |it| {
        it["spec"]["remediationAction"] = json!("inform");
    })
)]
#[case::ends_as_one_moves(
    overlapping(),
    edited(overlapping(), "OperatorPolicy", "other", |it| {
        it["spec"]["subscription"]["namespace"] = json!("far");
    })
)]
#[case::ends_as_one_leaves(
    overlapping(),
    edited(overlapping(), "OperatorPolicy", "other", |it| {
        it["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        it["metadata"]["finalizers"] = json!(["portolan.dev/removal"]);
    })
)]
#[tokio::test(start_paused = true)]
async fn overlap_affects_all_its_policies(#[case] before: Kit, #[case] after: Kit) {
    assert_eq!(named(&before, &after).await, FERRIES);
}

/// Returns the policy with our status, before and after a client removed parts of it. Such a client
/// owns no fields.
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

/// Behaviors 3, 7.
#[rstest]
#[case::of_all(json!(null))]
#[case::of_whether_it_is_compliant(
    json!({"conditions": [condition("Compliant"), condition("ValidPolicySpec")]})
)]
#[case::of_a_condition(
    json!({"compliant": "Compliant", "conditions": [condition("Compliant")]})
)]
#[tokio::test(start_paused = true)]
async fn status_affects_a_policy_if_it_is_emptied(#[case] status: Value) {
    let [before, after] = emptied(&status);
    assert_eq!(named(&before, &after).await, FERRY);
}

/// Behavior 3.
#[rstest]
#[case::by_us(with_status("portolan", &json!({"compliant": "NonCompliant"})), NONE)]
#[case::by_somebody_else(with_status("rival", &json!({"compliant": "NonCompliant"})), FERRY)]
#[case::by_another_controller(
    with_status("config-policy-controller", &json!({"compliant": "NonCompliant"})), BOTH
)]
#[tokio::test(start_paused = true)]
async fn status_affects_a_policy_if_another_client_writes_it(
    #[case] after: Kit,
    #[case] names: &[&str],
) {
    assert_eq!(named(&harbor(), &after).await, names);
}

/// Returns a policy without a namespace, in the state after its namespace is known.
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
#[case::comes(overlapping(), homeless(false))]
#[case::finds_its_place(homeless(false), homeless(true))]
#[case::loses_it(homeless(true), homeless(false))]
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

/// A neighbor of a bound policy also waits for approval.
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

/// A Subscription records the policy for which it was created, even if that policy refers to
/// another Subscription later.
#[tokio::test(start_paused = true)]
async fn subscription_created_for_a_policy_is_remembered() {
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
