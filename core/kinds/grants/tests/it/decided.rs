//! Tests of the decisions about an Install, from its creation to its deletion.

use portolan_core_grants::{Group, Step};
use portolan_core_install::digest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::stage::{Cluster, HOME, UID, permission, raw};

const SETTINGS: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n";
const MORE: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n---\napiVersion: apps/v1\n\
                    kind: Deployment\nmetadata: {name: ferry, namespace: quay}\nspec: {}\n";

fn mapped() -> Value {
    json!([{"from": "default", "to": "harbor"}])
}

/// Returns an approved and ready Install that contains one ConfigMap.
fn installed(text: &str) -> Cluster {
    let mut cluster = Cluster::with(json!({"content": raw(text), "namespaces": mapped()}));
    cluster.run();
    cluster.bind();
    cluster.approve();
    cluster.run();
    cluster.ready(0);
    cluster.run();
    assert_eq!(cluster.condition_words("Ready"), "True Installed");
    cluster
}

#[test]
fn missing_permissions_are_reported_and_nothing_is_installed() {
    let mut cluster = Cluster::with(json!({"content": raw(SETTINGS), "namespaces": mapped()}));
    let steps = cluster.run();
    let account = Cluster::account();
    assert_eq!(steps.len(), 1, "the account alone: {steps:?}");
    assert_eq!(cluster.accounts[0]["metadata"]["name"], account);
    assert_eq!(cluster.plan_names(), [""; 0]);
    let status = cluster.status();
    let expected = permission(
        "",
        "configmaps",
        &["create", "delete", "get", "patch"],
        &["harbor"],
    );
    assert_eq!(status.pending.expect("pending").permissions, [expected]);
    let reference = status.service_account_ref.expect("an account");
    assert_eq!(
        (reference.name, reference.namespace),
        (account, HOME.to_owned())
    );
    assert_eq!(
        cluster.condition_words("PendingApproval"),
        "True UnsatisfiedPermissions"
    );
    assert_eq!(cluster.condition_words("Ready"), "False ApprovalRequired");
    assert_eq!(
        cluster.condition_words("ContentImportError"),
        "False ContentImported"
    );
}

#[test]
fn approved_content_is_installed_as_its_service_account() {
    let cluster = installed(SETTINGS);
    let plan = &cluster.plans[0];
    assert_eq!(plan["metadata"]["namespace"], HOME);
    assert_eq!(plan["spec"]["serviceAccountName"], Cluster::account());
    assert_eq!(plan["metadata"]["ownerReferences"][0]["uid"], UID);
    let manifest = &plan["spec"]["stages"][0]["resources"][0]["manifest"];
    assert_eq!(manifest["metadata"]["namespace"], "harbor");
    assert_eq!(
        cluster.condition_words("PendingApproval"),
        "False ApprovalGiven"
    );
    assert_eq!(cluster.status().pending, None);
    assert_eq!(cluster.decide().steps, []);
}

#[test]
fn approval_without_permissions_is_reset_after_a_delay() {
    let mut cluster = Cluster::with(
        json!({"content": raw(SETTINGS), "namespaces": mapped(), "approval": "Approved"}),
    );
    cluster.run();
    // The approval is not reset, because the API server may not have applied the new bindings yet.
    assert_eq!(cluster.install["spec"]["approval"], "Approved");
    assert!(cluster.decide().until.is_some());
    cluster.later(14);
    assert_eq!(cluster.run(), []);
    cluster.later(2);
    assert_eq!(cluster.run(), [Step::Unapprove]);
    assert_eq!(cluster.install["spec"]["approval"], "Unapproved");
    assert_eq!(cluster.plan_names(), [""; 0]);
    assert_eq!(cluster.status().approved, None);
}

#[test]
fn installs_nothing_without_approval_even_if_the_account_has_permissions() {
    let mut cluster = Cluster::with(json!({"content": raw(SETTINGS), "namespaces": mapped()}));
    let account = format!("{HOME}/{}", Cluster::account());
    cluster
        .held
        .push((account, permission("*", "*", &["*"], &[])));
    cluster.run();
    assert_eq!(cluster.plan_names(), [""; 0]);
    assert_eq!(
        cluster.condition_words("PendingApproval"),
        "True NotApproved"
    );
    cluster.approve();
    cluster.run();
    assert_eq!(cluster.plan_names().len(), 1);
}

#[test]
fn keeps_earlier_content_while_new_permissions_wait_for_approval() {
    let mut cluster = installed(SETTINGS);
    let before = cluster.plan_names();
    cluster.set("content", raw(MORE));
    cluster.later(100);
    cluster.run();
    cluster.later(100);
    assert_eq!(cluster.run(), [Step::Unapprove]);
    assert_eq!(cluster.plan_names(), before);
    let pending = cluster.status().pending.expect("pending").permissions;
    let expected = permission(
        "apps",
        "deployments",
        &["create", "delete", "get", "patch"],
        &["quay"],
    );
    assert_eq!(pending, [expected], "only the new permissions");
    cluster.bind();
    cluster.approve();
    cluster.run();
    assert_eq!(cluster.plan_names().len(), 2);
    let label = &cluster.plans[1]["spec"]["replaces"][1]["labelSelector"]["matchLabels"];
    assert_eq!(label["plans.portolan.dev/name"], Cluster::account());
}

#[test]
fn content_with_fewer_permissions_does_not_wait() {
    let mut cluster = installed(MORE);
    cluster.set("content", raw(SETTINGS));
    cluster.run();
    assert_eq!(cluster.plan_names().len(), 2);
    assert_eq!(cluster.install["spec"]["approval"], "Approved");
    let second = cluster.plan_names()[1].clone();
    cluster.ready(1);
    cluster.run();
    assert_eq!(
        cluster.plan_names(),
        [second],
        "the first plan is deleted once the second one replaces it"
    );
}

/// Both InstallPlans may be created in the same second. Then only the status of the previous plan
/// shows which plan is newer.
#[test]
fn new_plan_waits_until_previous_plan_is_reconciled() {
    let mut cluster = installed(MORE);
    let first = cluster.plan_names();
    let known = cluster.plans[0]["status"].take();
    cluster.set("content", raw(SETTINGS));
    assert_eq!(cluster.run(), []);
    assert_eq!(cluster.condition_words("Ready"), "False Installing");
    let sentence = format!(
        "the new InstallPlan is created once InstallPlan {HOME}/{} of the previous content has \
         been checked",
        first[0]
    );
    assert_eq!(cluster.message("Ready"), sentence);
    cluster.plans[0]["status"] = known;
    cluster.run();
    assert_eq!(cluster.plan_names().len(), 2);
}

#[test]
fn reverted_content_deletes_the_plan_of_the_change() {
    let mut cluster = installed(MORE);
    let first = cluster.plan_names();
    cluster.set("content", raw(SETTINGS));
    cluster.run();
    assert_eq!(cluster.plan_names().len(), 2);
    cluster.set("content", raw(MORE));
    cluster.run();
    assert_eq!(cluster.plan_names(), first);
}

#[test]
fn role_in_content_requires_the_rights_that_it_grants() {
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r, namespace: harbor}\n\
                rules: [{apiGroups: [''], resources: [secrets], verbs: [get]}]\n";
    let mut cluster = Cluster::with(json!({"content": raw(role)}));
    cluster.run();
    let pending = cluster.status().pending.expect("pending").permissions;
    assert!(
        pending.contains(&permission("", "secrets", &["get"], &["harbor"])),
        "{pending:?}"
    );
}

#[test]
fn reports_invalid_content_and_keeps_installed_content() {
    let mut cluster = installed(SETTINGS);
    let before = cluster.plan_names();
    cluster.set("content", raw("kind: Nothing"));
    assert_eq!(cluster.run(), []);
    assert_eq!(cluster.plan_names(), before);
    assert_eq!(
        cluster.condition_words("ContentImportError"),
        "True RawInvalid"
    );
    assert_eq!(
        cluster.condition_words("PendingApproval"),
        "Unknown NotObserved"
    );
    assert_eq!(cluster.condition_words("Ready"), "False ContentInvalid");
    assert_eq!(
        cluster.message("ContentImportError"),
        "spec.content[0].raw, manifest 1: apiVersion is missing"
    );
    let plan = cluster.status().plan.expect("a plan");
    assert_eq!(plan.name, before[0]);
}

#[test]
fn rejects_duplicate_object() {
    let twice = format!("{SETTINGS}---\n{SETTINGS}");
    let mut cluster = Cluster::with(json!({"content": raw(&twice)}));
    assert_eq!(cluster.run(), []);
    assert_eq!(
        cluster.condition_words("ContentImportError"),
        "True ContentNotInstallable"
    );
}

#[test]
fn waits_until_kind_is_served() {
    let ship = "apiVersion: ferry.test/v1\nkind: Ship\nmetadata: {name: a}\n";
    let mut cluster = Cluster::with(json!({"content": raw(ship), "approval": "Approved"}));
    assert_eq!(cluster.run(), []);
    assert_eq!(cluster.condition_words("Ready"), "False KindNotServed");
    assert!(cluster.decide().until.is_some());
}

#[test]
fn never_uses_existing_account_of_another_owner() {
    let mut cluster = Cluster::with(json!({"content": raw(SETTINGS), "approval": "Approved"}));
    let account = json!({"metadata": {"name": Cluster::account(), "namespace": HOME}});
    cluster.accounts.push(account);
    let name = format!("{HOME}/{}", Cluster::account());
    cluster.held.push((name, permission("*", "*", &["*"], &[])));
    assert_eq!(cluster.run(), []);
    assert_eq!(
        cluster.condition_words("Ready"),
        "False ServiceAccountNotOwned"
    );
    assert_eq!(cluster.plan_names(), [""; 0]);
}

#[test]
fn account_of_group_is_inherited_only_if_enabled() {
    let group = |is_inherited| Group {
        namespace: "harbor".to_owned(),
        service_account: "strong".to_owned(),
        is_inherited,
    };
    let account = |groups: Vec<Group>| {
        let mut cluster = Cluster::with(json!({"content": raw(SETTINGS), "namespaces": mapped()}));
        cluster.groups = groups;
        cluster.run();
        let account = cluster.status().service_account_ref.expect("an account");
        format!("{}/{}", account.namespace, account.name)
    };
    let own = format!("{HOME}/{}", Cluster::account());
    assert_eq!(account(vec![]), own);
    assert_eq!(account(vec![group(false)]), own);
    assert_eq!(account(vec![group(true)]), "harbor/strong");
    assert_eq!(account(vec![group(true), group(true)]), own);
    let nameless = Group {
        service_account: String::new(),
        ..group(true)
    };
    assert_eq!(account(vec![nameless]), own);
}

#[test]
fn deletes_plan_before_releasing_the_install() {
    let mut cluster = installed(SETTINGS);
    cluster.install["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    let steps = cluster.run();
    assert!(
        matches!(&steps[..], [Step::Delete { .. }, Step::RemoveFinalizer]),
        "{steps:?}"
    );
}

#[test]
fn waits_for_plan_in_deletion() {
    let mut cluster = installed(SETTINGS);
    cluster.install["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    cluster.plans[0]["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    assert_eq!(cluster.run(), []);
    assert_eq!(cluster.condition_words("Ready"), "False Deleting");
}

#[test]
fn adds_finalizer_before_any_other_step() {
    let mut cluster = Cluster::with(json!({"content": raw(SETTINGS)}));
    cluster.install["metadata"]["finalizers"] = json!([]);
    assert_eq!(cluster.decide().steps, [Step::AddFinalizer]);
}

#[test]
fn revoked_permissions_are_requested_again() {
    let mut cluster = installed(SETTINGS);
    cluster.rbac.clear();
    cluster.plans[0]["status"] = json!({"conditions": [{
        "type": "Permitted", "status": "False", "reason": "PermissionMissing", "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }]});
    cluster.run();
    cluster.later(60);
    assert_eq!(cluster.run(), [Step::Unapprove]);
    assert_eq!(
        cluster.condition_words("PendingApproval"),
        "True UnsatisfiedPermissions"
    );
    assert_eq!(cluster.plan_names().len(), 1);
}

#[test]
fn reports_invalid_field_of_the_spec() {
    let mut cluster = Cluster::with(json!({"content": [{"type": "Raw"}]}));
    assert_eq!(cluster.run(), []);
    assert_eq!(
        cluster.condition_words("ContentImportError"),
        "True SpecInvalid"
    );
    assert_eq!(
        cluster.message("Ready"),
        "spec.content[0].raw is missing; write several manifests as a string, or one manifest as \
         an object"
    );
}

/// A user who may write InstallPlans in a namespace can add the label of any Install to a plan.
#[test]
fn ignores_forged_plan_of_another_namespace() {
    let mut cluster = installed(SETTINGS);
    let mut forged = cluster.plans[0].clone();
    forged["metadata"]["namespace"] = json!("a-tenant");
    forged["metadata"]["name"] = json!("forged");
    forged["metadata"]["uid"] = json!("forged");
    forged["spec"]["serviceAccountName"] = json!("tenant");
    let content = digest(&cluster.install["spec"]["content"]);
    forged["metadata"]["annotations"] = json!({
        "operators.portolan.dev/content": json!({"digest": content}).to_string(),
    });
    cluster.plans.insert(0, forged);
    // The user also creates an OperatorGroup. Only Installs into the user's namespace would use its
    // ServiceAccount.
    cluster.groups.push(Group {
        namespace: "a-tenant".to_owned(),
        service_account: "tenant".to_owned(),
        is_inherited: true,
    });
    assert_eq!(cluster.decide().steps, []);
    assert_eq!(cluster.decide().status, cluster.status());

    // The deletion of the Install does not wait for the forged plan either.
    cluster.install["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    let steps = cluster.run();
    let names = steps.iter().map(|step| match step {
        Step::Delete { plan, .. } => plan.as_str(),
        _ => "",
    });
    assert!(!names.collect::<Vec<_>>().contains(&"forged"));
    assert_eq!(cluster.install["metadata"]["finalizers"], json!([]));
}

/// The OperatorGroup that set the plan's ServiceAccount was deleted. The status of the Install
/// still names this account.
#[test]
fn waits_for_plan_of_account_whose_group_was_deleted() {
    let mut cluster = Cluster::with(json!({"content": raw(SETTINGS), "namespaces": mapped()}));
    cluster.groups = vec![Group {
        namespace: "harbor".to_owned(),
        service_account: "strong".to_owned(),
        is_inherited: true,
    }];
    cluster.run();
    cluster.bind();
    cluster.approve();
    cluster.run();
    assert_eq!(cluster.plans[0]["metadata"]["namespace"], "harbor");
    cluster.groups.clear();
    cluster.install["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    cluster.plans[0]["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    for _ in 0..2 {
        assert_eq!(cluster.run(), []);
    }
    assert_ne!(cluster.install["metadata"]["finalizers"], json!([]));
    cluster.plans.clear();
    assert_eq!(cluster.run(), [Step::RemoveFinalizer]);
}
