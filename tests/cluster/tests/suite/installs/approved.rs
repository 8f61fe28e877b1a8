//! Tests approvals by three users. The first has no permissions, the second has some, and the third
//! has all permissions that the content needs.

use portolan_rig::Failure;
use serde_json::Value;

use super::escalated::no_user_gains_more_than_approved;
use super::stage::{HOME, USERS, Yard, condition, is_observed, yard};

const SETTINGS: &str = "
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: settings}
      data: {a: ONE}
";
/// Content with a role that grants a permission for Secrets. Only the third user has this
/// permission.
const ROLE: &str = "
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: Role
      metadata: {name: reader}
      rules: [{apiGroups: [''], resources: [secrets], verbs: [get]}]
";
const ELSEWHERE: &str = "
      ---
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: settings, namespace: quay}
";

fn install(content: &str) -> String {
    format!(
        "
apiVersion: operators.coreos.com/v2alpha1
kind: Install
metadata: {{name: plumbus}}
spec:
  namespaces: [{{from: default, to: harbor}}]
  content:
  - type: Raw
    raw: |{content}"
    )
}

/// Returns true if the approval was removed, and the required permissions are reported again.
fn is_unapproved(install: &Value) -> bool {
    let is_pending = condition(install, "PendingApproval") == "True UnsatisfiedPermissions";
    install["spec"]["approval"] == "Unapproved" && is_observed(install) && is_pending
}

#[tokio::test]
async fn install_waits_for_approval_by_user_with_all_permissions() -> Result<(), Failure> {
    let Some(yard) = yard().await? else {
        return Ok(());
    };
    yard.applies(USERS).await?;
    yard.applies(&install(&format!("{SETTINGS}{ROLE}"))).await?;
    let pending = "True UnsatisfiedPermissions";
    let asked = yard
        .until_condition("plumbus", "PendingApproval", pending)
        .await?;
    let account = asked["status"]["serviceAccountRef"]["name"]
        .as_str()
        .expect("a name");
    let permissions = asked["status"]["pending"]["permissions"].to_string();
    assert!(permissions.contains("\"secrets\""), "{permissions}");

    is_denied_to_users_with_fewer_permissions(&yard).await?;
    is_set_back(&yard).await?;

    let (is_done, message) = yard.approves("all", "plumbus").await?;
    assert!(
        is_done && message.contains("install.operators.coreos.com/plumbus approved"),
        "{message}"
    );
    yard.until_condition("plumbus", "Ready", "True Installed")
        .await?;
    let a = yard
        .run(&[
            "-n=harbor",
            "get",
            "configmap/settings",
            "-o=jsonpath={.data.a}",
        ])
        .await?;
    assert_eq!(a, "ONE");

    update_with_fewer_permissions_does_not_wait(&yard).await?;
    update_with_more_permissions_waits(&yard).await?;
    is_deleted(&yard, account).await?;
    no_user_gains_more_than_approved(&yard).await?;
    yard.assert_no_forbidden_requests()
}

async fn is_denied_to_users_with_fewer_permissions(yard: &Yard) -> Result<(), Failure> {
    for user in ["none", "some"] {
        let (is_done, message) = yard.approves(user, "plumbus").await?;
        assert!(
            !is_done && message.contains("the API server rejects the request"),
            "{user}: {message}"
        );
    }
    let roles = ["-n=harbor", "get", "roles", "-o=name"];
    let roles = yard.run(&roles).await?;
    assert_eq!(
        roles, "role.rbac.authorization.k8s.io/some",
        "no binding is created"
    );
    Ok(())
}

/// A user who may only change an Install cannot approve it by setting the field.
async fn is_set_back(yard: &Yard) -> Result<(), Failure> {
    let approved = r#"{"spec": {"approval": "Approved"}}"#;
    let patch = [
        "patch",
        "install.operators.coreos.com/plumbus",
        "--type=merge",
        "-p",
        approved,
    ];
    yard.run(&[&patch[..], &["--as=none"]].concat()).await?;
    yard.until_install("plumbus", "set back", is_unapproved)
        .await?;
    yard.until_gone(&["-n=harbor", "configmap/settings"])
        .await?;
    let plans = yard
        .run(&[
            "-n",
            HOME,
            "get",
            "installplans.plans.portolan.dev",
            "-o=name",
        ])
        .await?;
    assert_eq!(plans, "");
    Ok(())
}

/// If an update needs fewer permissions than the ServiceAccount has, it does not wait for an
/// approval.
async fn update_with_fewer_permissions_does_not_wait(yard: &Yard) -> Result<(), Failure> {
    let less = install(&SETTINGS.replace("ONE", "TWO"));
    yard.applies(&less).await?;
    yard.until_gone(&["-n=harbor", "role/reader"]).await?;
    let is_ready = |it: &Value| is_observed(it) && condition(it, "Ready") == "True Installed";
    let install = yard
        .until_install("plumbus", "ready with less", is_ready)
        .await?;
    assert_eq!(install["spec"]["approval"], "Approved");
    let a = yard
        .run(&[
            "-n=harbor",
            "get",
            "configmap/settings",
            "-o=jsonpath={.data.a}",
        ])
        .await?;
    assert_eq!(a, "TWO");
    Ok(())
}

/// If an update needs more permissions, it waits for an approval, and the installed objects are
/// kept.
async fn update_with_more_permissions_waits(yard: &Yard) -> Result<(), Failure> {
    let more = SETTINGS.replace("ONE", "THREE");
    yard.applies(&install(&format!("{more}{ELSEWHERE}")))
        .await?;
    let waiting = yard
        .until_install("plumbus", "set back", is_unapproved)
        .await?;
    let permissions = &waiting["status"]["pending"]["permissions"];
    assert_eq!(
        permissions[0]["namespaces"][0], "quay",
        "only new permissions: {permissions}"
    );
    let (is_done, message) = yard.approves("all", "plumbus").await?;
    assert!(
        !is_done && message.contains("the API server rejects the request"),
        "{message}"
    );
    let a = yard
        .run(&[
            "-n=harbor",
            "get",
            "configmap/settings",
            "-o=jsonpath={.data.a}",
        ])
        .await?;
    assert_eq!(a, "TWO");
    yard.until_gone(&["-n=quay", "configmap/settings"]).await
}

/// The deletion of the Install also deletes the installed objects and the bindings.
async fn is_deleted(yard: &Yard, account: &str) -> Result<(), Failure> {
    yard.run(&[
        "delete",
        "install.operators.coreos.com/plumbus",
        "--timeout=180s",
    ])
    .await?;
    yard.until_gone(&["-n=harbor", "configmap/settings"])
        .await?;
    yard.until_gone(&["-n", HOME, &format!("serviceaccount/{account}")])
        .await?;
    let bound = yard.run(&["-n=harbor", "get", "roles", "-o=name"]).await?;
    let of_install: Vec<_> = bound.lines().filter(|it| it.contains(account)).collect();
    for role in of_install {
        yard.until_gone(&["-n=harbor", role]).await?;
    }
    Ok(())
}
