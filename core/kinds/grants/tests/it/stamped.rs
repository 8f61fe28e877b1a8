//! Tests of approvals through the webhook. Only a valid stamp leads to bindings.

use portolan_api::installs::{AccountRef, Permission};
use portolan_core_grants::{
    Approvals, Approver, STAMP, Stamp, StampKey, Step, bindings, content_digest,
};
use rstest::rstest;
use serde_json::json;
use similar_asserts::assert_eq;

use crate::escalation::{content, large_rule, operator};
use crate::stage::{Cluster, HOME, UID, permission, raw};

const SETTINGS: &str = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: harbor}}";
const USER: &str = "ada";

fn key(byte: u8) -> StampKey {
    StampKey::new(vec![byte; StampKey::BYTES]).expect("a key")
}

/// Returns a cluster in which the controller creates bindings, with an Install that waits for
/// permissions.
fn cluster() -> Cluster {
    let mut cluster = Cluster::with(json!({"content": raw(SETTINGS)}));
    cluster.approvals = Approvals::On;
    cluster.key = Some(key(1));
    cluster.run();
    assert_eq!(
        cluster.condition_words("PendingApproval"),
        "True UnsatisfiedPermissions"
    );
    cluster
}

fn pending(cluster: &Cluster) -> Vec<Permission> {
    cluster
        .status()
        .pending
        .expect("pending permissions")
        .permissions
}

/// Returns the stamp that the webhook would write.
fn stamp(cluster: &Cluster) -> Stamp {
    Stamp {
        approver: Approver {
            user: USER.to_owned(),
            groups: vec!["pilots".to_owned()],
            ..Approver::default()
        },
        install: UID.to_owned(),
        content: content_digest(&cluster.install["spec"]),
        account: AccountRef {
            name: Cluster::account(),
            namespace: HOME.to_owned(),
        },
        permissions: pending(cluster),
        at: cluster.now,
    }
}

fn write(cluster: &mut Cluster, stamp: &Stamp, sealed_with: u8) {
    let text = stamp.sealed(&key(sealed_with));
    cluster.install["metadata"]["annotations"] = json!({STAMP: text});
    cluster.approve();
}

fn allow(cluster: &mut Cluster) {
    let all = permission("", "configmaps", &["*"], &["harbor"]);
    cluster.held.push((USER.to_owned(), all));
}

#[test]
fn binds_permissions_approved_by_permitted_user() {
    let mut cluster = cluster();
    allow(&mut cluster);
    let stamp = stamp(&cluster);
    write(&mut cluster, &stamp, 1);
    let account = stamp.account.clone();
    let bound = bindings(("plumbus", UID), &account, &stamp.permissions);
    let decision = cluster.decide();
    assert_eq!(decision.steps, [Step::Create(bound.clone())]);

    // An earlier run was interrupted, so only some bindings exist. The others are created with the
    // same names.
    let name = format!("{}/{}", account.namespace, account.name);
    let some = permission("", "configmaps", &["get"], &["harbor"]);
    cluster.held.push((name, some));
    assert_eq!(cluster.decide().steps, [Step::Create(bound)]);

    cluster.give(bindings(("plumbus", UID), &account, &stamp.permissions));
    cluster.run();
    assert_eq!(cluster.plans.len(), 1);
}

/// The stamp contains the permissions that the status lists, and other users can write the status.
#[test]
fn binds_no_more_than_the_content_requires() {
    let mut cluster = cluster();
    let all = permission("*", "*", &["*"], &[]);
    cluster.held.push((USER.to_owned(), all.clone()));
    let mut stamp = stamp(&cluster);
    let lacking = stamp.permissions.clone();
    stamp.permissions.push(all);
    write(&mut cluster, &stamp, 1);
    let bound = bindings(("plumbus", UID), &stamp.account, &lacking);
    assert_eq!(cluster.decide().steps, [Step::Create(bound)]);
}

#[test]
fn user_with_escalate_and_bind_may_approve() {
    let mut cluster = cluster();
    let stamp = stamp(&cluster);
    write(&mut cluster, &stamp, 1);
    let rbac = "rbac.authorization.k8s.io";
    let roles = permission(rbac, "roles", &["create", "escalate", "bind"], &["harbor"]);
    cluster.held.push((USER.to_owned(), roles));
    assert!(!cluster.decide().steps.iter().any(is_bound), "no bindings");
    let bindings = permission(rbac, "rolebindings", &["create"], &["harbor"]);
    cluster.held.push((USER.to_owned(), bindings));
    assert!(cluster.decide().steps.iter().any(is_bound));
}

/// The user needs neither `escalate` nor `bind`, because the user has all the permissions.
#[test]
fn user_with_exactly_the_listed_permissions_may_approve_a_large_role() {
    let mut cluster =
        Cluster::with(json!({"content": content(&json!([large_rule()]), &operator())}));
    cluster.approvals = Approvals::On;
    cluster.key = Some(key(1));
    cluster.run();
    let stamp = stamp(&cluster);
    write(&mut cluster, &stamp, 1);
    let listed = stamp.permissions.iter();
    let mut listed: Vec<_> = listed.map(|it| (USER.to_owned(), it.clone())).collect();
    let last = listed.pop();
    cluster.held = listed;
    assert!(
        !cluster.decide().steps.iter().any(is_bound),
        "a permission is missing"
    );
    cluster.held.extend(last);
    let bound = bindings(("plumbus", UID), &stamp.account, &stamp.permissions);
    assert_eq!(cluster.decide().steps, [Step::Create(bound)]);
}

fn is_bound(step: &Step) -> bool {
    matches!(step, Step::Create(_))
}

type Change = fn(&mut Cluster, &mut Stamp);

#[rstest]
#[case::sealed_with_another_key(2, |_: &mut Cluster, _: &mut Stamp| {}, "did not write the approval stamp")]
#[case::for_another_install(1, |_: &mut Cluster, it: &mut Stamp| it.install = "other".to_owned(), "another Install")]
#[case::for_another_account(1, |_: &mut Cluster, it: &mut Stamp| it.account.name = "other".to_owned(), "another ServiceAccount")]
#[case::for_fewer_permissions(1, |_: &mut Cluster, it: &mut Stamp| drop(it.permissions.pop()), "missing permissions")]
#[case::too_old(1, |cluster: &mut Cluster, _: &mut Stamp| cluster.later(86400), "too old")]
#[case::from_the_future(1, |cluster: &mut Cluster, _: &mut Stamp| cluster.later(-86400), "too old")]
#[case::from_a_user_without_permission(1, |cluster: &mut Cluster, _: &mut Stamp| cluster.held.clear(), "cannot grant")]
#[case::key_is_missing(1, |cluster: &mut Cluster, _: &mut Stamp| cluster.key = None, "approval stamps is missing")]
fn invalid_stamp_grants_nothing(
    #[case] sealed_with: u8,
    #[case] change: Change,
    #[case] why: &str,
) {
    let mut cluster = cluster();
    allow(&mut cluster);
    let mut stamp = stamp(&cluster);
    change(&mut cluster, &mut stamp);
    write(&mut cluster, &stamp, sealed_with);
    assert_eq!(cluster.decide().steps, []);
    cluster.run();
    let message = cluster.message("PendingApproval");
    assert!(message.contains(why), "{message}");
    cluster.later(16);
    assert_eq!(cluster.decide().steps, [Step::Unapprove]);
}

#[test]
fn stamp_of_earlier_content_creates_no_bindings() {
    let mut cluster = cluster();
    allow(&mut cluster);
    let stamp = stamp(&cluster);
    let other = SETTINGS.replace("name: a", "name: b");
    cluster.set("content", raw(&other));
    write(&mut cluster, &stamp, 1);
    assert_eq!(cluster.decide().steps, []);
    cluster.run();
    let message = cluster.message("PendingApproval");
    assert!(
        message.contains("the content changed after its approval"),
        "{message}"
    );
}

#[test]
fn creates_no_bindings_if_approvals_are_off() {
    let mut cluster = cluster();
    allow(&mut cluster);
    let stamp = stamp(&cluster);
    cluster.approvals = Approvals::Off;
    write(&mut cluster, &stamp, 1);
    assert_eq!(cluster.decide().steps, []);
}
