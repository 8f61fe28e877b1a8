//! What is decided of an Install, from its creation to its end.

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

/// An Install of a ConfigMap that is approved, permitted and ready.
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
fn what_is_lacking_is_told_and_nothing_is_installed() {
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
fn what_is_bound_and_approved_is_installed_as_the_account() {
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
fn an_approval_without_the_permissions_is_set_back_and_not_at_once() {
    let mut cluster = Cluster::with(
        json!({"content": raw(SETTINGS), "namespaces": mapped(), "approval": "Approved"}),
    );
    cluster.run();
    // An API server may not know yet what was bound before.
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
fn permissions_that_are_held_without_an_approval_install_nothing() {
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
fn a_later_content_that_takes_more_waits_and_the_earlier_stays() {
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
    assert_eq!(pending, [expected], "only what is new");
    cluster.bind();
    cluster.approve();
    cluster.run();
    assert_eq!(cluster.plan_names().len(), 2);
    let label = &cluster.plans[1]["spec"]["replaces"][1]["labelSelector"]["matchLabels"];
    assert_eq!(label["plans.portolan.dev/name"], Cluster::account());
}

#[test]
fn a_later_content_that_takes_less_does_not_wait() {
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
        "the first goes once the second has its place"
    );
}

/// Both might be of one second.
#[test]
fn no_plan_is_made_before_the_one_before_it_was_looked_at() {
    let mut cluster = installed(MORE);
    let first = cluster.plan_names();
    let known = cluster.plans[0]["status"].take();
    cluster.set("content", raw(SETTINGS));
    assert_eq!(cluster.run(), []);
    assert_eq!(cluster.condition_words("Ready"), "False Installing");
    let sentence = format!(
        "its InstallPlan is made once InstallPlan {HOME}/{} of an earlier content was looked at",
        first[0]
    );
    assert_eq!(cluster.message("Ready"), sentence);
    cluster.plans[0]["status"] = known;
    cluster.run();
    assert_eq!(cluster.plan_names().len(), 2);
}

#[test]
fn a_content_that_is_taken_back_takes_its_plan_with_it() {
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
fn a_role_takes_the_rights_that_it_gives() {
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
fn nonsense_is_told_and_what_is_installed_stays() {
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
        "Unknown NotLookedAt"
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
fn the_same_object_twice_is_refused() {
    let twice = format!("{SETTINGS}---\n{SETTINGS}");
    let mut cluster = Cluster::with(json!({"content": raw(&twice)}));
    assert_eq!(cluster.run(), []);
    assert_eq!(
        cluster.condition_words("ContentImportError"),
        "True ContentRefused"
    );
}

#[test]
fn a_kind_that_nobody_serves_is_waited_for() {
    let ship = "apiVersion: ferry.test/v1\nkind: Ship\nmetadata: {name: a}\n";
    let mut cluster = Cluster::with(json!({"content": raw(ship), "approval": "Approved"}));
    assert_eq!(cluster.run(), []);
    assert_eq!(cluster.condition_words("Ready"), "False KindNotServed");
    assert!(cluster.decide().until.is_some());
}

#[test]
fn an_account_of_the_name_that_is_no_own_one_is_never_used() {
    let mut cluster = Cluster::with(json!({"content": raw(SETTINGS), "approval": "Approved"}));
    let account = json!({"metadata": {"name": Cluster::account(), "namespace": HOME}});
    cluster.accounts.push(account);
    let name = format!("{HOME}/{}", Cluster::account());
    cluster.held.push((name, permission("*", "*", &["*"], &[])));
    assert_eq!(cluster.run(), []);
    assert_eq!(
        cluster.condition_words("Ready"),
        "False ServiceAccountTaken"
    );
    assert_eq!(cluster.plan_names(), [""; 0]);
}

#[test]
fn the_account_of_a_group_is_inherited_where_its_owner_says_so() {
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
fn what_is_installed_goes_before_the_install() {
    let mut cluster = installed(SETTINGS);
    cluster.install["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    let steps = cluster.run();
    assert!(
        matches!(&steps[..], [Step::Delete { .. }, Step::RemoveFinalizer]),
        "{steps:?}"
    );
}

#[test]
fn a_plan_that_goes_is_waited_for() {
    let mut cluster = installed(SETTINGS);
    cluster.install["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    cluster.plans[0]["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    assert_eq!(cluster.run(), []);
    assert_eq!(cluster.condition_words("Ready"), "False Deleting");
}

#[test]
fn a_finalizer_comes_before_anything_else() {
    let mut cluster = Cluster::with(json!({"content": raw(SETTINGS)}));
    cluster.install["metadata"]["finalizers"] = json!([]);
    assert_eq!(cluster.decide().steps, [Step::AddFinalizer]);
}

#[test]
fn permissions_that_are_taken_away_later_are_asked_for_again() {
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
fn a_field_that_cannot_be_is_told() {
    let mut cluster = Cluster::with(json!({"content": [{"type": "Raw"}]}));
    assert_eq!(cluster.run(), []);
    assert_eq!(
        cluster.condition_words("ContentImportError"),
        "True SpecInvalid"
    );
    assert_eq!(
        cluster.message("Ready"),
        "spec.content[0].raw is missing; write manifests as a text, or one as an object"
    );
}

/// Whoever may write plans in a namespace of theirs may call one that of any Install.
#[test]
fn a_plan_of_others_is_none_of_it() {
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
    // A group of theirs, by which Installs into their own namespace would act as that account.
    cluster.groups.push(Group {
        namespace: "a-tenant".to_owned(),
        service_account: "tenant".to_owned(),
        is_inherited: true,
    });
    assert_eq!(cluster.decide().steps, []);
    assert_eq!(cluster.decide().status, cluster.status());

    // One that is to go does not wait for it either.
    cluster.install["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    let steps = cluster.run();
    let names = steps.iter().map(|step| match step {
        Step::Delete { plan, .. } => plan.as_str(),
        _ => "",
    });
    assert!(!names.collect::<Vec<_>>().contains(&"forged"));
    assert_eq!(cluster.install["metadata"]["finalizers"], json!([]));
}

/// Its account tells a plan that was made where nothing is open any more.
#[test]
fn a_plan_of_an_account_that_was_open_is_waited_for() {
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
