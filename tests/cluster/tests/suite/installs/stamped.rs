//! Tests approvals by three users with `spec.approval`. The webhook stamps each approval. Other
//! users forge stamps.

use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{USERS, Yard, approval, condition, is_observed, yard_of_approvals};

const STAMP: &str = "operators.portolan.dev/approved-by";
const INSTALL: &str = "installs.operators.coreos.com/plumbus";

/// Returns an Install with a role that grants a permission for Secrets. Only the third user has
/// this permission.
fn install(settings: &str) -> String {
    format!(
        "
apiVersion: operators.coreos.com/v2alpha1
kind: Install
metadata: {{name: plumbus}}
spec:
  namespaces: [{{from: default, to: harbor}}]
  content:
  - type: Raw
    raw: |
      apiVersion: v1
      kind: ConfigMap
      metadata: {{name: {settings}}}
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: Role
      metadata: {{name: reader}}
      rules: [{{apiGroups: [''], resources: [secrets], verbs: [get]}}]
"
    )
}

#[tokio::test]
async fn only_approvals_stamped_by_the_webhook_are_bound() -> Result<(), Failure> {
    let Some(mut yard) = yard_of_approvals().await? else {
        return Ok(());
    };
    yard.applies(USERS).await?;
    yard.applies(&install("first")).await?;
    until_asked(&yard).await?;
    for user in ["none", "some"] {
        // The API server trusts the webhook after a short time. Until then it accepts no approval.
        let sentence = format!("user {user} cannot grant");
        until(format!("a rejection of {user}"), PATIENCE, async || {
            let message = approves(&yard, user).await?.expect_err(user);
            Ok(if message.contains(&sentence) {
                Seen::Yes(())
            } else {
                Seen::NotYet(message)
            })
        })
        .await?;
    }
    nothing_is_bound(&yard).await?;
    forged_stamps_are_rejected(&yard).await?;

    approves(&yard, "all")
        .await?
        .expect("the third user may approve");
    yard.until_condition("plumbus", "Ready", "True Installed")
        .await?;
    let stamp = stamp(&yard).await?;
    assert!(stamp.contains("\"user\":\"all\""), "{stamp}");

    // A stamp is valid for only one content, no matter which user writes it.
    yard.applies(&install("second").replace("secrets", "services"))
        .await?;
    until_asked(&yard).await?;
    yard.kills_webhook();
    let message = approves(&yard, "all")
        .await?
        .expect_err("an error without the webhook");
    assert!(message.contains("failed calling webhook"), "{message}");
    rejects_stamps_without_webhook(&yard, &stamp).await?;
    yard.until_gone(&["-n=harbor", "configmap/second"]).await?;
    bindings_are_deleted_with_it(&yard).await?;
    yard.assert_no_forbidden_requests()
}

/// Sets the approval as a user, with kubectl. Returns the output of kubectl, or its error.
async fn approves(yard: &Yard, user: &str) -> Result<Result<String, String>, Failure> {
    let approved = approval(&yard.digest("plumbus").await?);
    let patch = ["patch", INSTALL, "--type=merge", "-p", &approved, "--as"];
    yard.try_run(&[&patch[..], &[user]].concat()).await
}

async fn until_asked(yard: &Yard) -> Result<Value, Failure> {
    let is_so = |it: &Value| {
        let is_pending = condition(it, "PendingApproval") == "True UnsatisfiedPermissions";
        is_observed(it) && is_pending && it["spec"]["approval"] != "Approved"
    };
    yard.until_install("plumbus", "asks", is_so).await
}

async fn nothing_is_bound(yard: &Yard) -> Result<(), Failure> {
    let roles = ["-n=harbor", "get", "roles", "-o=name"];
    let roles = yard.run(&roles).await?;
    assert_eq!(roles, "role.rbac.authorization.k8s.io/some");
    Ok(())
}

/// A user who may change Installs forges a stamp of the administrator, in the form that the webhook
/// would return. The API server accepts a stamp only together with an approval, and the webhook
/// checks approvals.
async fn forged_stamps_are_rejected(yard: &Yard) -> Result<(), Failure> {
    let asked = until_asked(yard).await?;
    let stamp = json!({
        "approver": {"user": "admin", "groups": ["system:masters"]},
        "install": asked["metadata"]["uid"],
        "content": "sha256:0",
        "account": asked["status"]["serviceAccountRef"],
        "permissions": asked["status"]["pending"]["permissions"],
        "at": "2026-01-01T00:00:00Z",
    });
    let forged = |seal: usize| json!({"stamp": stamp, "seal": seal.to_string()}).to_string();
    let mut tries = 0;
    // The API server enforces the policy after a short time.
    until("a rejection of the stamp", PATIENCE, async || {
        tries += 1;
        let patch = json!({"metadata": {"annotations": {STAMP: forged(tries)}}});
        Ok(match patches(yard, &patch).await? {
            Err(message) if message.contains("only the webhook can set the annotation") => {
                Seen::Yes(())
            }
            other => Seen::NotYet(format!("{other:?}")),
        })
    })
    .await?;
    let mut both: Value =
        serde_json::from_str(&approval(&yard.digest("plumbus").await?)).expect("a patch");
    both["metadata"]["annotations"][STAMP] = json!(forged(0));
    let message = patches(yard, &both).await?.expect_err("a rejection");
    assert!(message.contains("user some cannot grant"), "{message}");
    nothing_is_bound(yard).await
}

/// Changes the Install as a user who may change it, but has only some of the required permissions.
async fn patches(yard: &Yard, patch: &Value) -> Result<Result<String, String>, Failure> {
    let patch = patch.to_string();
    let words = ["patch", INSTALL, "--type=merge", "-p", &patch, "--as=some"];
    yard.try_run(&words).await
}

async fn stamp(yard: &Yard) -> Result<String, Failure> {
    let path = format!(
        "-o=jsonpath={{.metadata.annotations.{}}}",
        STAMP.replace('.', "\\.")
    );
    yard.run(&["get", INSTALL, &path]).await
}

/// An administrator deletes the webhook configuration. From then on, no stamp is valid, not even a
/// stamp that a client requests from the webhook itself.
async fn rejects_stamps_without_webhook(yard: &Yard, stamp: &str) -> Result<(), Failure> {
    yard.run(&["delete", "mutatingwebhookconfiguration/portolan-approvals"])
        .await?;
    let roles = ["-n=harbor", "get", "roles", "-o=name"];
    let before = yard.run(&roles).await?;
    let again = json!({"metadata": {"annotations": {STAMP: stamp}}});
    patches(yard, &again).await?.expect("the existing stamp");
    // The API server may still call the webhook for a short time.
    yard.until_approved_by("some", "plumbus").await?;
    let is_reported = |it: &Value| {
        let message = it["status"]["conditions"].to_string();
        message.contains("the API server does not verify approvals")
    };
    yard.until_install("plumbus", "says why", is_reported)
        .await?;
    until_asked(yard).await?;
    assert_eq!(yard.run(&roles).await?, before);
    Ok(())
}

/// The deletion of the Install also deletes the bindings.
async fn bindings_are_deleted_with_it(yard: &Yard) -> Result<(), Failure> {
    yard.run(&["delete", INSTALL, "--timeout=180s"]).await?;
    yard.until_gone(&["-n=harbor", "configmap/first"]).await?;
    let roles = ["-n=harbor", "get", "roles,rolebindings", "-o=name"];
    yard.until_output(&roles, |message| !message.contains("plumbus"))
        .await
}
