//! Tests which objects are observed for a policy.

use super::*;

use super::shapes::{Shape, shape};

#[tokio::test(start_paused = true)]
async fn policy_observes_the_objects_of_its_namespace() {
    let world = served(true)
        .object(crd("ferries.demo.example"))
        .object(crd("cranes.demo.example"))
        .edit(|it| it["metadata"]["labels"] = json!({"operators.coreos.com/crane.pier": ""}));
    let world = policy(world, "other", ("ferry", "harbor"));
    let world = open(world, "open", "ferry");
    let mut looking = ObservedStage::at(&world, Rules::default()).await;
    let ferry = Shape {
        standing: Some("west/ferry overlaps west/other"),
        neighbors: &["west/open allows", "west/other overlaps west/ferry"],
        name: Some("harbor"),
        groups: &["harbor"],
        subscriptions: &["ferry"],
        csvs: &["ferry.v1.0.0"],
        elsewhere: &[],
        owners: &[],
        crds: &["ferries.demo.example"],
        catalogs: &["shop"],
    };
    assert_eq!(shape(&looking.observe("west/ferry")), ferry.summary());
    let crane = Shape {
        standing: Some("west/crane allows"),
        name: Some("pier"),
        groups: &["pier"],
        csvs: &["crane.v1.0.0"],
        elsewhere: &["crane.v2.0.0"],
        owners: &["crane.v2.0.0"],
        crds: &["cranes.demo.example"],
        ..Shape::default()
    };
    assert_eq!(shape(&looking.observe("west/crane")), crane.summary());
    let open = Shape {
        standing: Some("west/open allows"),
        ..Shape::default()
    };
    assert_eq!(shape(&looking.observe("west/open")), open.summary());
}

/// Returns a world in which the operator of a policy is also installed in other namespaces. Each
/// installation watches only its own namespace.
fn twice(world: Kit) -> Kit {
    let ferry = |world: Kit, namespace| {
        let world = world.namespace(namespace).operator_group();
        let world = world.csv("ferry.v0.9.0", "Succeeded");
        world.owning(&["ferries.demo.example/v1/Ferry"])
    };
    ["lake", "river"].into_iter().fold(world, ferry)
}

/// The owner of a CRD is in another namespace and is found without labels. If the owner changes, a
/// policy that would delete the CRD must be reconciled.
#[rstest]
#[case::policy_that_keeps_the_crd(json!({}), NONE)]
#[case::policy_in_deletion(
    json!({"metadata": {"deletionTimestamp": "2026-01-01T12:00:00Z", "finalizers": ["a/b"]}}),
    FERRY
)]
#[tokio::test(start_paused = true)]
async fn finds_other_owner_of_a_crd(#[case] metadata: Value, #[case] touched: &[&str]) {
    let harbor = || {
        let world = harbor().object(crd("ferries.demo.example"));
        edited(world, "OperatorPolicy", "ferry", |it| {
            let fields = metadata["metadata"].as_object().into_iter().flatten();
            fields.for_each(|(name, value)| it["metadata"][name] = value.clone());
        })
    };
    let mut looking = ObservedStage::at(&harbor(), Rules::default()).await;
    assert_eq!(looking.show(&twice(harbor())).await, touched);
    let state = looking
        .observe("west/ferry")
        .namespace
        .expect("a namespace");
    let owners = state.owners.iter().map(|csv| csv.identity());
    let owners: Vec<_> = owners.map(|it| (it.namespace, it.name)).collect();
    assert_eq!(
        owners,
        [(Some("lake".to_owned()), "ferry.v0.9.0".to_owned())]
    );
}
