//! Tests for a policy in the design form that is being deleted.

use insta::assert_snapshot;
use jiff::SignedDuration;
use portolan_api::{CLUSTER_NAME, ConditionType, FINALIZER, Intent, Reason};
use rstest::rstest;
use serde_json::{Value, json};

use super::print::printed;
use super::walk::{Walk, crd, etcd, held, installed, leaving, made, plan, unwanted, vault};
use crate::desired::{Action, Condition, Desired, Report, Status, Step};
use crate::kinds::{CRD, CSV, INSTALL_PLAN, OPERATOR_GROUP, SUBSCRIPTION};
use crate::removal::preview;
use crate::tests::kit::{
    Stage, at, design, established, group, merged, now, policy, stage, subscription,
    subscription_spec,
};
use crate::{Answers, Observed, StaleKind, WriteMode, decide};

fn everything() -> Value {
    json!({"removalBehavior": {
        "operatorGroups": "DeleteIfUnused",
        "subscriptions": "Delete",
        "clusterServiceVersions": "Delete",
        "installPlans": "Delete",
        "customResourceDefinitions": "Delete",
    }})
}

/// Prints the decision of each round until the removal ends.
fn rounds(mut walk: Walk) -> String {
    let mut text = String::new();
    for round in 1.. {
        text.push_str(&format!("--- {round}\n{}", printed(&walk.desired())));
        let took = walk.take(usize::MAX);
        if !walk.settle() && !took {
            break;
        }
    }
    text + &format!("--- left\n{:?}\n", walk.left())
}

/// Defect D16.
#[test]
fn defaults_delete_operator_and_keep_crds_and_install_plans() {
    assert_snapshot!(rounds(installed(leaving(json!({})), &made())));
}

/// Defect D16.
#[test]
fn deletes_every_kind_in_stages() {
    assert_snapshot!(rounds(installed(leaving(everything()), &made())));
}

/// OLM may execute an InstallPlan again. In this case, OLM would recreate deleted objects, and
/// remove the finalizer that keeps a CRD until its custom resources are deleted.
#[rstest]
#[case::completed_just_now(1, true)]
#[case::completed_some_time_ago(11, false)]
#[case::completed_in_the_far_future(-60, false)]
fn removal_waits_after_recent_install_plan(
    #[case] ago: i64,
    #[case] holds: bool,
    #[values(json!({}), everything())] behavior: Value,
) {
    let since = now() - SignedDuration::from_secs(ago);
    let has_crds = behavior != json!({});
    let mut walk = installed(leaving(behavior), &made()).with(|walk| {
        let installed = json!({"type": "Installed", "status": "True", "lastTransitionTime": since});
        walk.merge(
            INSTALL_PLAN,
            &json!({"status": {"conditions": [installed]}}),
        );
    });
    walk.take(usize::MAX);
    walk.settle();
    let desired = walk.desired();
    assert_eq!(desired.steps.is_empty(), holds, "{desired:?}");
    let settled = since + SignedDuration::from_secs(10);
    // No watch reports changes of custom resources, so the controller checks them after ten
    // seconds.
    let poll = has_crds.then(|| now() + SignedDuration::from_secs(10));
    let again = if holds { Some(settled) } else { poll };
    assert_eq!(desired.requeue_at, again);
}

#[test]
fn removal_waits_for_objects_held_by_finalizers() {
    let walk = installed(leaving(everything()), &made()).with(|walk| {
        walk.merge(
            CSV,
            &json!({"metadata": {"finalizers": ["operators.coreos.com/csv-cleanup"]}}),
        );
        walk.merge(
            CRD,
            &json!({"metadata": {
                "finalizers": ["customresourcecleanup.apiextensions.k8s.io"],
            }}),
        );
        walk.instances[0].found = Ok(["a", "b", "c", "d", "e", "f"].map(held).to_vec());
    });
    assert_snapshot!(rounds(walk));
}

#[test]
fn keeps_crd_while_its_custom_resources_cannot_be_listed() {
    let mut walk = installed(leaving(everything()), &made());
    walk.instances[0].found =
        Err("the role of the controller must allow list of clusters.etcd.example".to_owned());
    walk.take(usize::MAX);
    assert_snapshot!(printed(&walk.desired()));
    walk.instances.clear();
    assert_eq!(
        walk.desired().steps,
        [],
        "custom resources have not been listed yet"
    );
}

/// Returns a removal in a namespace with two operators. A waiting InstallPlan installs bundles of
/// both.
fn sharing(behavior: Value, approved: bool) -> Walk {
    let sub = |uid: &str| json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "name": uid, "uid": uid});
    let waits = json!({
        "metadata": {"ownerReferences": [sub("etcd-uid"), sub("vault-uid")]},
        "spec": {"approved": approved},
        "status": {"phase": "RequiresApproval"},
    });
    let pair = merged(
        plan("install-pair", &["etcd.v2.0.0", "vault.v2.0.0"]),
        waits,
    );
    installed(leaving(behavior), &made())
        .object(vault())
        .object(pair)
        .with(|walk| {
            let next = json!({"status": {"currentCSV": "etcd.v2.0.0"}});
            let mut objects = walk.stage.objects.iter_mut();
            let etcd =
                objects.find(|it| it["kind"] == "Subscription" && it["metadata"]["name"] == "etcd");
            let etcd = etcd.expect("a Subscription");
            *etcd = merged(etcd.clone(), next);
        })
}

/// While this InstallPlan waits, OLM creates no InstallPlan that installs only the other operator.
#[rstest]
#[case::by_default(json!({}), false, true)]
#[case::unless_the_policy_keeps_install_plans(json!({"removalBehavior": {"installPlans": "Keep"}}), false, false)]
#[case::unless_it_is_approved(json!({}), true, false)]
#[case::unless_the_subscription_stays(json!({"removalBehavior": {"subscriptions": "Keep"}}), false, false)]
fn deletes_a_waiting_install_plan_that_blocks_another_operator(
    #[case] behavior: Value,
    #[case] approved: bool,
    #[case] goes: bool,
) {
    let mut walk = sharing(behavior, approved);
    while walk.take(usize::MAX) | walk.settle() {}
    let deleted = walk
        .deleted
        .iter()
        .any(|it| it == "InstallPlan install-pair");
    assert_eq!(deleted, goes, "{:?}", walk.deleted);
}

/// OLM stops an operator without an OperatorGroup.
#[rstest]
#[case::of_another_subscription(vec![vault()], None, false)]
#[case::of_no_other_operator(vec![], None, true)]
#[case::wanted_by_another_policy(vec![], Some("vault"), false)]
fn deletes_an_operator_group_only_if_no_other_operator_uses_it(
    #[case] others: Vec<Value>,
    #[case] policy: Option<&str>,
    #[case] goes: bool,
) {
    let behavior = json!({"removalBehavior": {"operatorGroups": "Delete"}});
    let walk = installed(leaving(behavior), &made());
    let mut walk = others.into_iter().fold(walk, Walk::object);
    if let Some(package) = policy {
        let subscription = merged(subscription_spec(), json!({"name": package}));
        let spec = json!({
            "remediationAction": "enforce",
            "subscription": subscription,
            "allowedCSVs": ["*"],
        });
        walk.stage = walk
            .stage
            .neighbor(self::policy("other", "other-uid", spec));
    }
    let observed = walk.observed();
    let intent = Intent::parse(&observed.policy).expect("a valid policy");
    let mut foreseen = preview(&intent, &observed).objects.into_iter();
    let group = foreseen.find(|it| it.object.kind == "OperatorGroup");
    let group = group.expect("the OperatorGroup in the preview");
    assert_eq!(group.stays.is_none(), goes, "{group:?}");
    while walk.take(usize::MAX) | walk.settle() {}
    let deleted = walk
        .deleted
        .iter()
        .any(|it| it == "OperatorGroup etcd-group");
    assert_eq!(deleted, goes, "{:?}", walk.deleted);
}

#[test]
fn keeps_existing_operator_unless_its_kinds_are_named() {
    assert_snapshot!(rounds(installed(leaving(json!({})), &json!({}))));
}

#[test]
fn operator_in_another_namespace_is_kept() {
    let walk = installed(leaving(json!({})), &made()).with(|walk| {
        walk.stage = walk.stage.clone().without(CSV);
        walk.stage.elsewhere = vec![merged(
            etcd(),
            json!({"metadata": {"namespace": "operators"}}),
        )];
    });
    assert_snapshot!(rounds(walk));
}

#[test]
fn keeps_object_with_recorded_name_and_other_uid() {
    let mut walk = installed(leaving(json!({})), &made());
    walk.take(1);
    walk.merge(SUBSCRIPTION, &json!({"metadata": {"uid": "another-uid"}}));
    walk.stage.objects.push(merged(
        etcd(),
        json!({"metadata": {"name": "etcd.v2.0.0", "uid": "newer-uid"}}),
    ));
    assert_snapshot!(rounds(walk));
}

#[test]
fn removal_waits_for_running_install_plan() {
    let installing = json!({"status": {"phase": "Installing"}});
    let plan = merged(plan("install-xyz", &["etcd.v2.0.0"]), installing);
    let owner = json!({"metadata": {"ownerReferences": [
        {"apiVersion": "v1alpha1", "kind": "Subscription", "name": "etcd", "uid": "etcd-uid"},
    ]}});
    let mut walk = installed(leaving(json!({})), &made()).object(merged(plan, owner));
    walk.take(usize::MAX);
    // The Subscription is deleted and the InstallPlan has no owner. Only the record shows that the
    // InstallPlan belongs to this operator.
    walk.merge(
        INSTALL_PLAN,
        &json!({"metadata": {"ownerReferences": null}}),
    );
    walk.take(usize::MAX);
    let waiting = walk.desired();
    assert_eq!(waiting.steps, []);
    let brought = json!({"metadata": {"name": "etcd.v2.0.0", "uid": "newer-uid"}});
    let walk = walk.object(merged(etcd(), brought)).end(&[]);
    let left: Vec<_> = walk.left().into_iter().collect();
    let wanted = [
        "CustomResourceDefinition backups.other.example",
        "CustomResourceDefinition clusters.etcd.example",
        "InstallPlan install-abc",
        "InstallPlan install-xyz",
        "Namespace databases",
    ];
    assert_eq!(left, wanted);
    assert_snapshot!(printed(&waiting));
}

#[test]
fn removal_without_olm_treats_its_objects_as_deleted() {
    let walk = installed(leaving(everything()), &made()).with(|walk| {
        walk.take(usize::MAX);
        walk.stage.has_olm = false;
    });
    assert_snapshot!(rounds(walk));
}

/// No object is deleted, even if all kinds except one are observed.
#[rstest]
#[case::never_observed(None)]
#[case::observed_before(Some(at("2026-01-01T11:59:00Z")))]
fn removal_deletes_nothing_while_a_kind_is_stale(#[case] since: Option<jiff::Timestamp>) {
    let mut walk = installed(leaving(json!({})), &made());
    walk.stage.stale.push(StaleKind {
        kind: "InstallPlan",
        since,
        why: "connection refused".to_owned(),
    });
    let desired = walk.desired();
    assert_eq!(desired.steps, []);
    let condition: Vec<_> = desired
        .report
        .conditions
        .iter()
        .map(|condition| condition.status)
        .collect();
    assert_eq!(condition, [Status::Unknown; 8]);
}

fn condition(why: &str) -> Condition {
    Condition {
        violates: true,
        ..Condition::new(
            ConditionType::SubscriptionCompliant,
            Status::False,
            Reason::Withheld,
            format!("the operator is not removed with its policy because {why}"),
        )
    }
}

fn withheld(why: &str, actions: &[Action]) -> Desired {
    let condition = condition(why);
    let step = |action: &Action| Step {
        action: action.clone(),
        type_: condition.type_,
        done: condition.clone(),
        related: Vec::new(),
    };
    Desired {
        steps: actions.iter().map(step).collect(),
        report: Report {
            conditions: vec![condition.clone()],
            ..Report::default()
        },
        requeue_at: None,
    }
}

fn held_back(policy: Value) -> Value {
    let gone = json!({"metadata": {
        "deletionTimestamp": "2026-01-01T11:00:00Z",
        "finalizers": [FINALIZER],
    }});
    merged(policy, gone)
}

/// Behaviors 111, 114.
#[rstest]
#[case::inform_policy(
    held_back(design(json!({"remediationAction": "inform"}))),
    "the policy is not enforced (spec.remediationAction is inform)"
)]
#[case::invalid_policy(
    held_back(design(json!({"severity": "grave"}))),
    "the policy is not valid"
)]
#[case::policy_in_the_established_form(
    held_back(established(json!({}))),
    "a policy with complianceType keeps its operator when the policy is deleted"
)]
fn releases_without_deleting_anything(#[case] policy: Value, #[case] why: &str) {
    let walk = installed(policy, &made());
    assert_eq!(
        walk.desired(),
        withheld(why, &[Action::WriteStatus, Action::RemoveFinalizer])
    );
}

/// The policy keeps its finalizer, because the objects that its templates read may be restored
/// soon. They may also be deleted together with the policy.
#[test]
fn policy_with_unresolved_templates_is_not_released() {
    let template = "{{ fromConfigMap \"fleet\" \"etcd\" \"version\" }}";
    let policy = held_back(design(json!({"allowedCSVs": [template]})));
    let walk = installed(policy, &made());
    let why = "its templates cannot be resolved: spec.allowedCSVs[0] contains a template that was \
               not rendered; write the value, or set the annotation \
               policy.open-cluster-management.io/disable-templates to \"true\" if the text is not \
               a template; restore the objects that the templates read, or correct the templates, \
               or remove the finalizer portolan.dev/removal to keep the operator";
    assert_eq!(walk.desired(), withheld(why, &[]));
    // If the deletion of a policy removes nothing, the policy never keeps its finalizer.
    let informs = json!({"allowedCSVs": [template], "remediationAction": "Inform"});
    let walk = installed(held_back(design(informs)), &made());
    let why = "the policy is not valid";
    let let_go = [Action::WriteStatus, Action::RemoveFinalizer];
    assert_eq!(walk.desired(), withheld(why, &let_go));
}

/// Behaviors 113, 115.
#[rstest]
#[case::is_enforced(json!({}), true)]
#[case::only_informs(json!({"remediationAction": "inform"}), false)]
#[case::is_invalid(json!({"severity": "grave"}), false)]
#[case::applies_to_no_cluster(json!({"subscription": {"namespace": null}}), false)]
fn deletes_nothing_while_another_policy_enforces_the_subscription(
    #[case] other: Value,
    #[case] stays: bool,
) {
    let spec = merged(
        json!({
            "remediationAction": "enforce",
            "subscription": subscription_spec(),
            "allowedCSVs": ["*"],
        }),
        other,
    );
    let mut walk = installed(leaving(json!({})), &made());
    walk.stage
        .neighbors
        .push(policy("dotted.name", "other-uid", spec));
    let why = "policy local-cluster/dotted.name manages the same Subscription";
    let wanted = if stays {
        withheld(why, &[Action::WriteStatus, Action::RemoveFinalizer])
    } else {
        installed(leaving(json!({})), &made()).desired()
    };
    assert_eq!(walk.desired(), wanted);
}

#[test]
fn deletes_nothing_while_mustnothave_policy_manages_subscription() {
    let mut walk = installed(leaving(json!({})), &made());
    let name = json!({"metadata": {"name": "other", "uid": "other-uid"}});
    walk.stage.neighbors.push(merged(unwanted(json!({})), name));
    let why = "policy local-cluster/other manages the same Subscription";
    assert_eq!(
        walk.desired(),
        withheld(why, &[Action::WriteStatus, Action::RemoveFinalizer])
    );
}

const ABANDONED: &str = "this policy created Subscription queues/etcd, but spec.subscription no \
                         longer names this Subscription. To remove the operator, name this \
                         Subscription again, and then delete the policy. To keep the operator, \
                         release this Subscription with: kubectl \
                         annotate subscriptions.operators.coreos.com etcd -n queues \
                         portolan.dev/created-by-";

/// Returns a stage with a Subscription that the policy created. Later, its spec was changed to name
/// another Subscription.
fn moved(policy: Value) -> Stage {
    let queues = json!({"metadata": {"namespace": "queues", "uid": "old-uid"}});
    stage(policy).with(|stage| {
        let old = merged(subscription(made()), queues);
        stage.abandoned.push(old);
    })
}

fn leave(observed: &Observed) -> Desired {
    let parsed = Intent::parse(&observed.policy);
    decide(&parsed, observed, &Answers::default(), now())
}

/// If the policy lost Portolan's finalizer, nothing would remove the objects that it created.
#[test]
fn policy_with_abandoned_subscription_is_not_released() {
    let observed = moved(leaving(json!({}))).observed();
    assert_eq!(leave(&observed), withheld(ABANDONED, &[]));
}

/// The established form ignores objects that it created earlier.
#[rstest]
#[case::design_form(design(json!({})), Some(ABANDONED))]
#[case::design_form_in_inform_mode(design(json!({"remediationAction": "inform"})), None)]
#[case::established_form(established(json!({})), None)]
fn policy_with_abandoned_subscription_is_invalid(#[case] policy: Value, #[case] why: Option<&str>) {
    let desired = moved(policy).decide();
    let invalid = desired.report.conditions.into_iter();
    let mut invalid = invalid.filter(|condition| {
        condition.type_ == ConditionType::ValidPolicySpec
            && condition.reason == Reason::InvalidPolicySpec.into()
    });
    let condition = invalid.next().map(|condition| condition.message);
    assert_eq!(condition.as_deref(), why);
    assert!(why.is_none() || desired.steps.is_empty());
}

/// A hub can store policies of several clusters in the same namespace.
#[rstest]
#[case::of_the_same_cluster("east", true)]
#[case::of_no_cluster("", true)]
#[case::of_another_cluster("west", false)]
fn deletes_nothing_while_another_policy_of_the_cluster_exists(
    #[case] cluster: &str,
    #[case] stays: bool,
) {
    let label = |cluster| json!({"metadata": {"labels": {CLUSTER_NAME.name(): cluster}}});
    let own = || merged(leaving(json!({})), label("east"));
    let spec = json!({
        "remediationAction": "enforce",
        "subscription": subscription_spec(),
        "allowedCSVs": ["*"],
    });
    let mut walk = installed(own(), &made());
    walk.stage
        .neighbors
        .push(merged(policy("other", "other-uid", spec), label(cluster)));
    let why = "policy local-cluster/other manages the same Subscription";
    let wanted = if stays {
        withheld(why, &[Action::WriteStatus, Action::RemoveFinalizer])
    } else {
        installed(own(), &made()).desired()
    };
    assert_eq!(walk.desired(), wanted);
}

/// The controller does not know the namespace of a new policy yet.
#[rstest]
#[case::that_is_enforced(json!({}), true)]
#[case::that_only_informs(json!({"remediationAction": "inform"}), false)]
#[case::that_is_not_valid(json!({"severity": "grave"}), false)]
fn deleted_policy_waits_for_policy_of_unknown_namespace(#[case] other: Value, #[case] waits: bool) {
    let spec = json!({
        "remediationAction": "enforce",
        "subscription": merged(subscription_spec(), json!({"namespace": null})),
        "allowedCSVs": ["*"],
    });
    let just = json!({"metadata": {"deletionTimestamp": "2026-01-01T11:59:50Z"}});
    let own = || merged(leaving(json!({})), just.clone());
    let mut walk = installed(own(), &made());
    walk.stage
        .neighbors
        .push(policy("other", "other-uid", merged(spec, other)));
    let wanted = if waits {
        Desired {
            requeue_at: Some(at("2026-01-01T12:04:50Z")),
            ..withheld(
                "it is not known yet if policy local-cluster/other manages the same Subscription",
                &[],
            )
        }
    } else {
        installed(own(), &made()).desired()
    };
    assert_eq!(walk.desired(), wanted);
}

#[test]
fn policy_in_deletion_does_not_protect_the_operator() {
    let mut walk = installed(leaving(json!({})), &made());
    let other = leaving(json!({}));
    let name = json!({"metadata": {"name": "other", "uid": "other-uid"}});
    walk.stage.neighbors.push(merged(other, name));
    let alone = installed(leaving(json!({})), &made());
    assert_eq!(walk.desired(), alone.desired());
}

#[test]
fn cancelled_removal_names_deleted_objects() {
    let mut walk = installed(
        held_back(design(json!({"remediationAction": "inform"}))),
        &made(),
    );
    let object = |kind: &str, state: &str| json!({"apiVersion": "v1", "kind": kind, "name": "etcd", "state": state});
    walk.stage.policy["status"] = json!({"removal": {"objects": [
        object("Subscription", "Gone"),
        object("ClusterServiceVersion", "Deleting"),
        object("OperatorGroup", "Pending"),
    ]}});
    let message = walk.desired().report.conditions.remove(0).message;
    let end =
        "; already deleted or being deleted: Subscription etcd and ClusterServiceVersion etcd";
    assert!(message.ends_with(end), "{message}");
}

#[test]
fn deletes_nothing_while_crd_of_policies_is_deleted() {
    let walk = installed(leaving(everything()), &made());
    let observed = crate::Observed {
        is_crd_terminating: true,
        ..walk.observed()
    };
    let why = "the CRD of OperatorPolicies itself is being deleted, so the operators are kept";
    let desired = leave(&observed);
    assert_eq!(desired, withheld(why, &[Action::RemoveFinalizer]));
}

#[test]
fn read_only_mode_does_not_release_the_policy() {
    let mut walk = installed(leaving(everything()), &made());
    walk.stage.write_mode = WriteMode::ReadOnly("another controller is in charge".to_owned());
    assert_eq!(
        walk.desired(),
        withheld("another controller is in charge", &[])
    );
}

/// Behavior 111.
#[test]
fn policy_without_our_finalizer_is_ignored() {
    let mut walk = installed(leaving(everything()), &made());
    walk.stage.policy["metadata"]["finalizers"] = json!(["other/finalizer"]);
    assert_eq!(walk.desired(), Desired::default());
}

#[rstest]
#[case::its_status_never_reports_one(json!({}), &[Action::WriteStatus, Action::RemoveFinalizer])]
#[case::the_status_of_this_generation_lacks_it(
    json!({"observedGeneration": 1, "resolvedSubscriptionLabel": "etcd.databases"}),
    &[Action::WriteStatus, Action::RemoveFinalizer]
)]
#[case::the_status_will_contain_it(
    json!({"observedGeneration": 0, "resolvedSubscriptionLabel": "etcd.databases"}),
    &[]
)]
fn waits_for_unknown_namespace_only_if_the_status_will_contain_it(
    #[case] status: Value,
    #[case] actions: &[Action],
) {
    let mut observed = stage(leaving(json!({}))).status(status).observed();
    observed.namespace = None;
    let desired = leave(&observed);
    let taken: Vec<_> = desired.steps.into_iter().map(|step| step.action).collect();
    assert_eq!(taken, actions);
}

/// Behavior 102. Defect D23.
#[rstest]
#[case::another_subscription_uses_it(json!({}), json!({}), Some(vault()), true)]
#[case::another_subscription_uses_it_despite_delete(
    json!({"operatorGroups": "Delete"}),
    json!({}),
    Some(vault()),
    true
)]
#[case::no_subscription_uses_it(json!({}), json!({}), None, false)]
#[case::it_has_an_owner(
    json!({}),
    json!({"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "own", "uid": "1"}]}),
    None,
    true
)]
#[case::an_existing_policy_created_it(
    json!({"operatorGroups": "DeleteIfUnused"}),
    json!({"annotations": {"portolan.dev/created-by": "other-uid"}}),
    None,
    true
)]
#[case::a_deleted_policy_created_it(
    json!({}),
    json!({"annotations": {"portolan.dev/created-by": "gone-uid"}}),
    None,
    false
)]
#[case::another_client_created_it(
    json!({}),
    json!({"annotations": {"portolan.dev/created-by": null}}),
    None,
    true
)]
fn keeps_operator_group_that_is_needed_or_not_created_by_the_policy(
    #[case] removal: Value,
    #[case] metadata: Value,
    #[case] other: Option<Value>,
    #[case] stays: bool,
) {
    let mut walk = installed(leaving(json!({"removalBehavior": removal})), &made());
    walk.merge(OPERATOR_GROUP, &json!({"metadata": metadata}));
    walk.stage.objects.extend(other);
    let spec = json!({
        "remediationAction": "inform",
        "subscription": merged(subscription_spec(), json!({"name": "vault"})),
        "allowedCSVs": ["*"],
    });
    walk.stage
        .neighbors
        .push(policy("vault", "other-uid", spec));
    let walk = walk.end(&[]);
    assert_eq!(walk.left().contains("OperatorGroup etcd-group"), stays);
}

/// Behavior 104.
#[test]
fn several_operator_groups_are_all_kept() {
    let walk = installed(leaving(everything()), &made()).object(group("another", made()));
    let walk = walk.end(&[]);
    let left: Vec<_> = walk.left().into_iter().collect();
    let wanted = [
        "CustomResourceDefinition backups.other.example",
        "Namespace databases",
        "OperatorGroup another",
        "OperatorGroup etcd-group",
    ];
    assert_eq!(left, wanted);
}

/// Behavior 107.
#[test]
fn keeps_crd_owned_by_another_operator() {
    let other = json!({
        "metadata": {"name": "other.v1", "uid": "other-uid", "labels": null},
        "spec": {"apiservicedefinitions": null},
    });
    let walk = installed(leaving(everything()), &made()).object(merged(etcd(), other));
    let walk = walk.end(&[]);
    assert!(
        walk.left()
            .contains("CustomResourceDefinition clusters.etcd.example")
    );
    assert!(!walk.is_held());
}

/// OLM truncates the labels of a CRD, so two installations may have the same label.
#[test]
fn keeps_crd_owned_by_installation_in_another_namespace() {
    let mut walk = installed(leaving(everything()), &made());
    let other = json!({"metadata": {"namespace": "queues", "uid": "other-uid"}});
    walk.stage.owners.push(merged(etcd(), other));
    let observed = walk.observed();
    let intent = Intent::parse(&observed.policy).expect("a valid policy");
    let objects = preview(&intent, &observed).objects.into_iter();
    let stays: Vec<_> = objects
        .filter(|entry| entry.object.name == "clusters.etcd.example")
        .filter_map(|entry| entry.stays)
        .collect();
    let why = "ClusterServiceVersion queues/etcd.v1.0.0 also owns the object";
    assert_eq!(stays, [why]);
    let walk = walk.end(&[]);
    assert!(
        walk.left()
            .contains("CustomResourceDefinition clusters.etcd.example")
    );
    assert!(!walk.is_held());
}

#[rstest]
#[case::it_installs_another_operator(&["etcd.v1.0.0", "vault.v1"], json!(null), true)]
#[case::another_subscription_owns_it(&["etcd.v1.0.0"], json!(["etcd-uid", "vault-uid"]), true)]
#[case::a_deleted_subscription_owned_it(&["etcd.v0.9.0"], json!(["etcd-uid", "gone"]), false)]
#[case::only_its_own_subscription_owns_it(&["etcd.v0.9.0"], json!(["etcd-uid"]), false)]
fn keeps_install_plan_that_other_operators_use(
    #[case] csvs: &[&str],
    #[case] owners: Value,
    #[case] stays: bool,
) {
    let owner = |uid: &Value| json!({"apiVersion": "v1alpha1", "kind": "Subscription", "name": "s", "uid": uid});
    let owners: Vec<_> = owners.as_array().into_iter().flatten().map(owner).collect();
    let plan = merged(
        plan("install-xyz", csvs),
        json!({"metadata": {"ownerReferences": owners}}),
    );
    let walk = installed(leaving(everything()), &made())
        .object(vault())
        .object(plan)
        .end(&[]);
    assert_eq!(walk.left().contains("InstallPlan install-xyz"), stays);
}

#[rstest]
#[case::of_this_operator(&["etcd.databases"], false)]
#[case::of_another_as_well(&["etcd.databases", "vault.databases"], true)]
#[case::of_this_package_elsewhere(&["etcd.harbor"], true)]
#[case::of_no_operator(&[], true)]
fn install_plan_without_owners_belongs_to_operator_in_its_labels(
    #[case] operators: &[&str],
    #[case] stays: bool,
) {
    let key = |operator: &&str| (format!("operators.coreos.com/{operator}"), json!(""));
    let labels: serde_json::Map<_, _> = operators.iter().map(key).collect();
    let plan = merged(
        plan("install-xyz", &["etcd.v0.9.0"]),
        json!({"metadata": {"ownerReferences": null, "labels": labels}}),
    );
    let walk = installed(leaving(everything()), &made()).object(plan);
    assert_eq!(
        walk.end(&[]).left().contains("InstallPlan install-xyz"),
        stays
    );
}

/// Returns an InstallPlan as OLM writes it, owned by the Subscriptions with these uids.
fn owned_plan(csvs: &[&str], owners: &[&str]) -> Value {
    let owner = |uid: &&str| json!({"apiVersion": "v1alpha1", "kind": "Subscription", "name": "s", "uid": uid});
    let owners: Vec<_> = owners.iter().map(owner).collect();
    let owners = json!({"metadata": {"ownerReferences": owners}});
    merged(plan("install-xyz", csvs), owners)
}

/// The namespace also contains a Subscription of another operator.
#[rstest]
#[case::older_plan_of_the_operator_is_deleted(&["etcd.v0.9.0"], &["etcd-uid"], Some(None))]
#[case::plan_that_another_subscription_owns_too_is_kept(
    &["etcd.v1.0.0"],
    &["etcd-uid", "vault-uid"],
    Some(Some("Subscription vault also owns the object"))
)]
#[case::plan_that_installs_both_operators_is_kept(
    &["vault.v1", "etcd.v1.0.0"],
    &["etcd-uid", "vault-uid"],
    Some(Some("Subscription vault also owns the object"))
)]
#[case::plan_of_another_operator_is_omitted(
    &["vault.v1"],
    &["etcd-uid", "vault-uid"],
    None
)]
fn preview_shows_deleted_and_kept_install_plans(
    #[case] csvs: &[&str],
    #[case] owners: &[&str],
    #[case] wanted: Option<Option<&str>>,
) {
    let walk = installed(design(everything()), &made())
        .object(vault())
        .object(owned_plan(csvs, owners));
    let observed = walk.observed();
    let intent = Intent::parse(&observed.policy).expect("a valid policy");
    let entry = preview(&intent, &observed).objects.into_iter();
    let mut entry = entry.filter(|entry| entry.object.name == "install-xyz");
    let entry = entry.next().map(|entry| entry.stays);
    assert_eq!(entry, wanted.map(|stays| stays.map(str::to_owned)));
}

#[test]
fn removal_waits_for_running_install_plan_of_several_operators() {
    let installing = json!({"status": {"phase": "Installing"}});
    let plan = owned_plan(&["etcd.v2.0.0", "vault.v2"], &["etcd-uid", "vault-uid"]);
    let mut walk = installed(leaving(json!({})), &made())
        .object(vault())
        .object(merged(plan, installing));
    for object in &mut walk.stage.objects {
        if object["metadata"]["name"] == "etcd" {
            object["status"]["currentCSV"] = json!("etcd.v2.0.0");
        }
    }
    walk.take(usize::MAX);
    walk.take(usize::MAX);
    assert_eq!(walk.desired().steps, []);
    let brought = json!({"metadata": {"name": "etcd.v2.0.0", "uid": "newer-uid"}});
    let vault = json!({"metadata": {"name": "vault.v2", "uid": "vault-csv", "labels": null}});
    let walk = walk
        .object(merged(etcd(), brought))
        .object(merged(etcd(), vault));
    assert!(!walk.end(&[]).is_held());
}

#[test]
fn preview_lists_objects_that_a_policy_would_delete() {
    let walk = installed(design(everything()), &made()).object(crd("unrelated.example"));
    let observed = walk.observed();
    let intent = Intent::parse(&observed.policy).expect("a valid policy");
    let preview_of = |intent, observed| {
        let objects = preview(intent, observed).objects.into_iter();
        objects.map(|entry| entry.object).collect::<Vec<_>>()
    };
    let states: Vec<_> = preview_of(&intent, &observed)
        .iter()
        .map(|each| {
            format!(
                "{} {} {}",
                each.state.as_deref().unwrap_or("-"),
                each.kind,
                each.name
            )
        })
        .collect();
    let wanted = [
        "Pending Subscription etcd",
        "Pending CustomResourceDefinition clusters.etcd.example",
        "Pending ClusterServiceVersion etcd.v1.0.0",
        "Pending OperatorGroup etcd-group",
        "Pending InstallPlan install-abc",
        "ByOlm APIService v1.tides.example",
    ];
    assert_eq!(states, wanted);
    let informs = installed(design(json!({"remediationAction": "inform"})), &made()).observed();
    let intent = Intent::parse(&informs.policy).expect("a valid policy");
    let states = preview_of(&intent, &informs).into_iter();
    assert!(
        states
            .map(|each| each.state)
            .all(|state| state.as_deref() == Some("Keep"))
    );
}
