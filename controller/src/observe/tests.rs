use std::time::Duration;

use jiff::Timestamp;
use portolan_api::CREATED_BY;
use portolan_core_operatorpolicy::{READS, StaleKind};
use portolan_kit::{World as Kit, world};
use portolan_stage::Stage;
use portolan_world::Trouble;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;

mod shapes;

use self::shapes::{Shape, shape};

/// Informers that follow a stage, and what it named last.
struct Looking {
    stage: Stage,
    informers: Informers,
}

impl Looking {
    /// Creates informers that were refreshed once.
    async fn at(world: &Kit, rules: Rules) -> Self {
        let stage = Stage::of(world).reading(READS);
        let informers = Informers::of(&stage, rules);
        let mut looking = Self { stage, informers };
        looking.again().await;
        looking
    }

    /// Refreshes the informers and observes the returned policies. Returns their names.
    async fn again(&mut self) -> Vec<String> {
        // The ropes of the notifier are pulled by tasks.
        tokio::time::sleep(Duration::from_millis(1)).await;
        let touched = self.informers.look().await;
        for key in &touched {
            self.informers.observe(key);
        }
        touched.iter().map(ToString::to_string).collect()
    }

    async fn show(&mut self, world: &Kit) -> Vec<String> {
        self.stage.show(world);
        self.again().await
    }

    fn observe(&mut self, name: &str) -> Observed {
        let (namespace, name) = name.split_once('/').expect("a namespace");
        let seen = self.informers.observe(&Key::new(namespace, name));
        seen.expect("a policy").observed
    }
}

/// Returns the policies that a change affects.
async fn named(before: &Kit, after: &Kit) -> Vec<String> {
    let mut looking = Looking::at(before, Rules::default()).await;
    looking.show(after).await
}

/// Returns a policy in another namespace than its operator.
fn policy(world: Kit, name: &str, (package, namespace): (&str, &str)) -> Kit {
    world.object(json!({
        "apiVersion": "policy.open-cluster-management.io/v1beta1",
        "kind": "OperatorPolicy",
        "metadata": {"name": name, "namespace": "west", "generation": 1, "uid": name},
        "spec": {
            "remediationAction": "enforce",
            "subscription": {"name": package, "namespace": namespace},
            "allowedCSVs": ["*"],
        },
    }))
}

/// Adds a policy without a namespace, which may apply to any.
fn open(world: Kit, name: &str, package: &str) -> Kit {
    policy(world, name, (package, "")).edit(|policy| {
        policy["spec"]["subscription"] = json!({"name": package});
    })
}

/// Returns a harbor with a ferry, a pier with a crane, and a policy for each.
fn harbor() -> Kit {
    let world = world()
        .namespace("olm")
        .catalog_source("shop", "a:1")
        .namespace("harbor")
        .operator_group()
        .subscription("ferry", "stable")
        .csv("ferry.v1.0.0", "Succeeded")
        .owning(&["ferries.demo.example/v1/Ferry"])
        .namespace("pier")
        .operator_group()
        .csv("crane.v1.0.0", "Succeeded");
    let world = policy(world, "ferry", ("ferry", "harbor"));
    policy(world, "crane", ("crane", "pier"))
}

fn edited(world: Kit, kind: &str, name: &str, edit: impl FnOnce(&mut Value)) -> Kit {
    let mut objects = world.objects().to_vec();
    let mut found = objects.iter_mut();
    let found = found.find(|it| it["kind"] == kind && it["metadata"]["name"] == name);
    edit(found.expect("an object"));
    shapes::of(objects)
}

fn without(world: &Kit, kind: &str, name: &str) -> Kit {
    let mut objects = world.objects().to_vec();
    objects.retain(|it| it["kind"] != kind || it["metadata"]["name"] != name);
    shapes::of(objects)
}

fn crd(name: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name, "resourceVersion": "1"},
    })
}

const FERRY: &[&str] = &["west/ferry"];
const CRANE: &[&str] = &["west/crane"];
const NONE: &[&str] = &[];
const BOTH: &[&str] = &["west/crane", "west/ferry"];

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
async fn a_change_bears_on(#[case] after: Kit, #[case] expected: &[&str]) {
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
async fn an_overlap_bears_on_all_that_are_in_it(#[case] before: Kit, #[case] after: Kit) {
    assert_eq!(named(&before, &after).await, FERRIES);
}

/// Returns the policy after a status write by this manager.
fn told(manager: &str, status: &Value) -> Kit {
    edited(harbor(), "OperatorPolicy", "ferry", |it| {
        it["metadata"]["resourceVersion"] = json!("2");
        it["metadata"]["managedFields"] = json!([
            {"manager": "kubectl", "operation": "Apply"},
            {
                "manager": manager,
                "operation": "Apply",
                "subresource": "status",
                "time": "2026-01-01T12:00:59Z",
            },
        ]);
        it["status"] = status.clone();
    })
}

/// Returns the policy with our status, before and after a client removed parts of it. Such a client
/// owns no fields.
fn emptied(status: &Value) -> [Kit; 2] {
    let whole = json!({
        "compliant": "Compliant",
        "conditions": [condition("Compliant"), condition("ValidPolicySpec")],
    });
    [told("portolan", &whole), told("portolan", status)]
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
async fn a_status_bears_on_a_policy_if_it_is_emptied(#[case] status: Value) {
    let [before, after] = emptied(&status);
    assert_eq!(named(&before, &after).await, FERRY);
}

/// Behavior 3.
#[rstest]
#[case::by_us(told("portolan", &json!({"compliant": "NonCompliant"})), NONE)]
#[case::by_somebody_else(told("rival", &json!({"compliant": "NonCompliant"})), FERRY)]
#[case::by_another_controller(
    told("config-policy-controller", &json!({"compliant": "NonCompliant"})), BOTH
)]
#[tokio::test(start_paused = true)]
async fn a_status_bears_on_a_policy_if_it_is_written(#[case] after: Kit, #[case] names: &[&str]) {
    assert_eq!(named(&harbor(), &after).await, names);
}

/// Returns a policy that names no namespace, and after it is known where it works.
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
async fn a_policy_without_a_namespace_bears_on_its_package(
    #[case] before: Kit,
    #[case] after: Kit,
) {
    let named = named(&before, &after).await;
    assert_eq!(named, ["west/ferry", "west/open", "west/other"]);
}

/// Returns the operator of a policy, served from elsewhere.
fn served(group: bool) -> Kit {
    let world = harbor().namespace("center");
    let world = if group {
        world.global_operator_group()
    } else {
        world.operator_group()
    };
    world.csv("crane.v2.0.0", "Succeeded")
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
async fn an_operator_for_all_namespaces_bears_on_policies_elsewhere(
    #[case] before: Kit,
    #[case] after: Kit,
    #[case] expected: &[&str],
) {
    assert_eq!(named(&before, &after).await, expected);
}

#[tokio::test(start_paused = true)]
async fn what_is_seen_of_a_policy_is_what_its_namespace_holds() {
    let world = served(true)
        .object(crd("ferries.demo.example"))
        .object(crd("cranes.demo.example"))
        .edit(|it| it["metadata"]["labels"] = json!({"operators.coreos.com/crane.pier": ""}));
    let world = policy(world, "other", ("ferry", "harbor"));
    let world = open(world, "open", "ferry");
    let mut looking = Looking::at(&world, Rules::default()).await;
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
    assert_eq!(shape(&looking.observe("west/ferry")), ferry.told());
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
    assert_eq!(shape(&looking.observe("west/crane")), crane.told());
    let open = Shape {
        standing: Some("west/open allows"),
        ..Shape::default()
    };
    assert_eq!(shape(&looking.observe("west/open")), open.told());
}

/// Returns the operator of a policy, installed in other namespaces for these alone.
fn twice(world: Kit) -> Kit {
    let ferry = |world: Kit, namespace| {
        let world = world.namespace(namespace).operator_group();
        let world = world.csv("ferry.v0.9.0", "Succeeded");
        world.owning(&["ferries.demo.example/v1/Ferry"])
    };
    ["lake", "river"].into_iter().fold(world, ferry)
}

/// The owner of a CRD in another namespace is seen, regardless of labels. Its changes reconcile a
/// policy that would delete the CRD.
#[rstest]
#[case::by_who_keeps_it(json!({}), NONE)]
#[case::by_who_is_being_deleted(
    json!({"metadata": {"deletionTimestamp": "2026-01-01T12:00:00Z", "finalizers": ["a/b"]}}),
    FERRY
)]
#[tokio::test(start_paused = true)]
async fn another_install_is_seen(#[case] metadata: Value, #[case] touched: &[&str]) {
    let harbor = || {
        let world = harbor().object(crd("ferries.demo.example"));
        edited(world, "OperatorPolicy", "ferry", |it| {
            let fields = metadata["metadata"].as_object().into_iter().flatten();
            fields.for_each(|(name, value)| it["metadata"][name] = value.clone());
        })
    };
    let mut looking = Looking::at(&harbor(), Rules::default()).await;
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

/// A neighbor of a bound policy also waits for approval.
#[tokio::test(start_paused = true)]
async fn a_binding_of_a_policy_bears_on_its_namespace() {
    let free = policy(world(), "a", ("etcd", "home"));
    let free = policy(free, "b", ("vault", "home"));
    let free = policy(free, "c", ("etcd", "away"));
    let mut looking = Looking::at(&free, Rules::default()).await;
    let names = ["west/a", "west/b", "west/c"];
    let bound_ones = |looking: &mut Looking| names.map(|it| looking.observe(it).is_bound);
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

/// A Subscription records the policy that it was created for, even if that policy names another one
/// later.
#[tokio::test(start_paused = true)]
async fn a_subscription_that_was_made_for_a_policy_is_not_forgotten() {
    let made = |world: Kit, namespace: &str| {
        let world = world.namespace(namespace).subscription("ferry", "stable");
        world.edit(|it| it["metadata"]["annotations"] = json!({CREATED_BY: "ferry"}))
    };
    let mut looking = Looking::at(&harbor(), Rules::default()).await;
    assert_eq!(looking.show(&made(harbor(), "lake")).await, FERRY);
    let abandoned = looking.observe("west/ferry").abandoned.into_iter();
    let abandoned: Vec<_> = abandoned.map(|it| it.metadata.namespace.clone()).collect();
    assert_eq!(abandoned, [Some("lake".to_owned())]);
    assert_eq!(looking.observe("west/crane").abandoned, []);

    assert_eq!(looking.show(&harbor()).await, FERRY);
    assert_eq!(looking.observe("west/ferry").abandoned, []);
}

#[tokio::test(start_paused = true)]
async fn kinds_that_are_not_seen_are_named() {
    let mut looking = Looking::at(&harbor(), Rules::default()).await;
    let since = Timestamp::UNIX_EPOCH;
    let trouble = Trouble::Forbidden("no".to_owned());
    looking
        .stage
        .turn("InstallPlan", State::Stale { trouble, since });
    assert_eq!(looking.again().await, BOTH);
    let stale = StaleKind {
        kind: "InstallPlan",
        since: Some(since),
        why: "forbidden: no".to_owned(),
    };
    let observed = looking.observe("west/ferry");
    assert_eq!((observed.stale, observed.has_olm), (vec![stale], true));
}

/// The kinds of OLM.
const OLM: [&str; 5] = [
    "Subscription",
    "OperatorGroup",
    "InstallPlan",
    "ClusterServiceVersion",
    "CatalogSource",
];

/// Behaviors 122, 125.
#[tokio::test(start_paused = true)]
async fn a_cluster_without_olm_is_told_and_one_that_gets_it_is_seen_at_once() {
    let mut looking = Looking::at(&harbor(), Rules::default()).await;
    for kind in OLM {
        looking.stage.turn(kind, State::NotServed);
    }
    assert_eq!(looking.again().await, BOTH);
    let observed = looking.observe("west/ferry");
    assert_eq!((observed.stale, observed.has_olm), (Vec::new(), false));
    for kind in OLM {
        looking.stage.turn(kind, None);
    }
    assert_eq!(looking.again().await, BOTH);
    let observed = looking.observe("west/ferry");
    assert_eq!((observed.stale, observed.has_olm), (Vec::new(), true));
}

/// While a CRD of OLM is replaced, nothing is concluded from its invisible objects.
#[tokio::test(start_paused = true)]
async fn one_kind_of_olm_that_is_missing_is_not_seen() {
    let mut looking = Looking::at(&harbor(), Rules::default()).await;
    looking.stage.turn("CatalogSource", State::NotServed);
    assert_eq!(looking.again().await, BOTH);
    let stale = StaleKind {
        kind: "CatalogSource",
        since: None,
        why: "the cluster has no such kind now, though it has others of OLM".to_owned(),
    };
    let observed = looking.observe("west/ferry");
    assert_eq!((observed.stale, observed.has_olm), (vec![stale], true));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_named_before_there_is_an_answer_about_every_kind() {
    let stage = Stage::of(&harbor()).reading(READS);
    stage.turn("OperatorGroup", State::Pending);
    let informers = Informers::of(&stage, Rules::default());
    let mut looking = Looking { stage, informers };
    assert_eq!(looking.again().await, NONE);
    looking.stage.turn("OperatorGroup", None);
    assert_eq!(looking.again().await, BOTH);
}

#[tokio::test(start_paused = true)]
async fn policies_are_seen_once_their_kind_is_there() {
    let stage = Stage::of(&harbor()).reading(READS);
    stage.turn("OperatorPolicy", State::NotServed);
    let informers = Informers::of(&stage, Rules::default());
    let mut looking = Looking { stage, informers };
    assert_eq!(looking.again().await, NONE);
    looking.stage.turn("OperatorPolicy", None);
    assert_eq!(looking.again().await, BOTH);
}

#[rstest]
#[case::there(Some(crd(POLICY_CRD)), false)]
#[case::going(
    Some({
        let mut going = crd(POLICY_CRD);
        going["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        going
    }),
    true
)]
#[case::gone(None, true)]
#[tokio::test(start_paused = true)]
async fn the_kind_of_policies_leaves(#[case] after: Option<Value>, #[case] is_leaving: bool) {
    let before = harbor().object(crd(POLICY_CRD));
    let mut looking = Looking::at(&before, Rules::default()).await;
    let after = after.into_iter().fold(harbor(), Kit::object);
    looking.show(&after).await;
    let observed = looking.observe("west/ferry");
    assert_eq!(observed.is_crd_terminating, is_leaving);
}

#[tokio::test(start_paused = true)]
async fn another_controller_that_writes_statuses_ties_all_hands() {
    let rival = told("config-policy-controller", &json!({}));
    let mut looking = Looking::at(&rival, Rules::default()).await;
    let why = "config-policy-controller wrote the status of OperatorPolicy west/ferry, the last \
        time at 2026-01-01T12:00:00Z, so this controller only looks on; stop \
        config-policy-controller if it still runs, and from then on run this one with --take-over";
    let read_only = WriteMode::ReadOnly(why.to_owned());
    assert_eq!(looking.observe("west/crane").write_mode, read_only);
    assert_eq!(looking.show(&harbor()).await, BOTH);
    assert_eq!(
        looking.observe("west/crane").write_mode,
        WriteMode::ReadWrite
    );
}

#[tokio::test(start_paused = true)]
async fn where_nothing_is_written_a_policy_works_where_it_would() {
    let rules = Rules {
        read_only: Some("it runs with --read-only"),
        ..Rules::default()
    };
    let world = open(harbor(), "open", "ferry");
    let mut looking = Looking::at(&world, rules).await;
    let status = OperatorPolicyStatus {
        observed_generation: Some(1),
        resolved_subscription_label: Some("ferry.harbor".to_owned()),
        ..OperatorPolicyStatus::default()
    };
    let open = Key::new("west", "open");
    let touched = looking.informers.suppose(&open, status.clone());
    assert_eq!(touched, [Key::new("west", "ferry"), open.clone()].into());
    let observed = looking.observe("west/open");
    let name = observed.namespace.map(|state| state.name);
    assert_eq!(name.as_deref(), Some("harbor"));
    assert_eq!(observed.policy.status.as_ref(), Some(&status));
    let shown = looking.informers.observe(&open).map(|seen| seen.shown);
    let told = shown.and_then(|shown| shown.status.clone());
    assert_eq!(told, None, "nobody has told it");
    assert_eq!(looking.informers.suppose(&open, status), BTreeSet::new());
}

/// Returns two policies. This manager wrote the status of the second.
fn told_by(manager: &str) -> Kit {
    let world = policy(world(), "ferry", ("ferry", "ferries"));
    policy(world, "tug", ("tug", "tugs")).edit(|policy| {
        policy["metadata"]["managedFields"] = json!([{
            "manager": manager,
            "operation": "Update",
            "subresource": "status",
            "time": "2026-01-01T12:00:00Z",
        }]);
    })
}

/// An unknown writer of one status may be a controller of that policy. A person and a backup tool
/// are not.
#[rstest]
#[case::an_unknown_writer_ties_them_for_that_policy("fleet-agent", None, [false, true])]
#[case::kubectl_does_not("kubectl", None, [false, false])]
#[case::an_edit_does_not("kubectl-edit", None, [false, false])]
#[case::a_patch_does_not("kubectl-patch", None, [false, false])]
#[case::a_restored_backup_does_not("velero-server", None, [false, false])]
#[case::another_controller_for_all("config-policy-controller", None, [true, true])]
#[case::another_controller_in_a_namespace_of_no_interest_for_its_own(
    "config-policy-controller", Some("north"), [false, true]
)]
#[case::we_do_not("portolan", None, [false, false])]
#[tokio::test(start_paused = true)]
async fn hands_are_tied(
    #[case] manager: &str,
    #[case] only_namespace: Option<&str>,
    #[case] read_only: [bool; 2],
) {
    let rules = Rules {
        only_namespace: only_namespace.map(str::to_owned),
        ..Rules::default()
    };
    let mut looking = Looking::at(&told_by(manager), rules).await;
    let write_mode = ["west/ferry", "west/tug"]
        .map(|name| looking.observe(name).write_mode != WriteMode::ReadWrite);
    assert_eq!(write_mode, read_only);
}

/// The way out that the sentence names.
#[tokio::test(start_paused = true)]
async fn a_policy_whose_managed_fields_are_cleared_is_free_again() {
    let before = told_by("fleet-agent");
    let after = told_by("fleet-agent").edit(|policy| {
        policy["metadata"]["managedFields"] = json!([]);
    });
    let mut looking = Looking::at(&before, Rules::default()).await;
    assert_eq!(looking.show(&after).await, ["west/tug"]);
    assert_eq!(looking.observe("west/tug").write_mode, WriteMode::ReadWrite);
}

/// Returns the policy of the ferry in one version, as the API server returns it.
fn version(with: bool) -> Kit {
    policy(world(), "ferry", ("ferry", "ferries")).edit(|policy| {
        policy["metadata"]["resourceVersion"] = json!("7");
        if !with {
            let spec = policy["spec"].as_object_mut().expect("a spec");
            spec.remove("allowedCSVs");
        }
    })
}

fn is_written(looking: &mut Looking) -> (bool, bool) {
    let seen = looking.informers.observe(&Key::new("west", "ferry"));
    let seen = seen.expect("a policy");
    let is_writable = seen.observed.write_mode == WriteMode::ReadWrite;
    (is_writable, seen.loses_fields)
}

/// The CRD was replaced by one that lacks a field. The stored policy has the field until the next
/// write.
#[tokio::test(start_paused = true)]
async fn policy_that_the_api_server_returns_without_a_field_is_read_only() {
    for takes_over in [false, true] {
        let rules = Rules {
            takes_over,
            ..Rules::default()
        };
        let mut looking = Looking::at(&version(true), rules).await;
        assert_eq!(is_written(&mut looking), (true, false));
        looking.show(&version(false)).await;
        assert_eq!(is_written(&mut looking), (false, true));
        looking.show(&version(true)).await;
        assert_eq!(is_written(&mut looking), (true, false));
    }
}

/// With `--take-over` only policies in the established form are written.
#[tokio::test(start_paused = true)]
async fn policy_without_its_form_is_read_only_while_the_crd_lacks_fields() {
    let rules = Rules {
        takes_over: true,
        ..Rules::default()
    };
    let mut looking = Looking::at(&version(false), rules).await;
    looking.informers.learn(Schema::Lacking);
    assert_eq!(is_written(&mut looking), (false, true));
    let established = version(false).edit(|policy| {
        policy["metadata"]["resourceVersion"] = json!("8");
        policy["spec"]["complianceType"] = json!("musthave");
    });
    looking.show(&established).await;
    assert_eq!(is_written(&mut looking), (true, true));
}

/// With `--take-over`, a policy that the API server returns with its form can be written.
#[tokio::test(start_paused = true)]
async fn policy_without_its_form_is_read_only_while_the_crd_cannot_be_read() {
    let rules = Rules {
        takes_over: true,
        ..Rules::default()
    };
    let unreadable = || Schema::Unreadable("forbidden".to_owned());
    let mut pruned = Looking::at(&version(false), rules.clone()).await;
    pruned.informers.learn(unreadable());
    assert_eq!(is_written(&mut pruned), (false, true));
    let mut whole = Looking::at(&version(true), rules).await;
    whole.informers.learn(unreadable());
    assert_eq!(is_written(&mut whole), (true, true));
}
