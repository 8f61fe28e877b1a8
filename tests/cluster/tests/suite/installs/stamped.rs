//! The same three users approve by `spec.approval`, which the webhook stamps; and somebody writes stamps of their own.

use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{USERS, Yard, approval, condition, is_looked_at, yard_of_approvals};

const STAMP: &str = "operators.portolan.dev/approved-by";
const INSTALL: &str = "installs.operators.coreos.com/plumbus";

/// The role gives a right to Secrets, which only the third user has.
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
async fn only_what_the_webhook_has_stamped_is_bound() -> Result<(), Failure> {
    let Some(mut yard) = yard_of_approvals().await? else {
        return Ok(());
    };
    yard.applies(USERS).await?;
    yard.applies(&install("first")).await?;
    until_asked(&yard).await?;
    for user in ["none", "some"] {
        // An API server may need a moment until it trusts the webhook; until then nobody approves.
        let sentence = format!("user {user} may not give");
        until(format!("a refusal of {user}"), PATIENCE, async || {
            let said = approves(&yard, user).await?.expect_err(user);
            Ok(if said.contains(&sentence) {
                Seen::Yes(())
            } else {
                Seen::NotYet(said)
            })
        })
        .await?;
    }
    nothing_is_bound(&yard).await?;
    a_stamp_of_nobody_counts(&yard).await?;

    approves(&yard, "all").await?.expect("who may all of it");
    yard.until_condition("plumbus", "Ready", "True Installed")
        .await?;
    let stamp = stamp(&yard).await?;
    assert!(stamp.contains("\"user\":\"all\""), "{stamp}");

    // The stamp of one content does not count for another, whoever writes it again.
    yard.applies(&install("second").replace("secrets", "services"))
        .await?;
    until_asked(&yard).await?;
    yard.kills_webhook();
    let said = approves(&yard, "all").await?.expect_err("nobody stamps it");
    assert!(said.contains("failed calling webhook"), "{said}");
    bypassed(&yard, &stamp).await?;
    yard.until_gone(&["-n=harbor", "configmap/second"]).await?;
    is_undone_with_it(&yard).await?;
    yard.nothing_is_forbidden()
}

/// Sets the approval as a user does, who has no rights but their own.
async fn approves(yard: &Yard, user: &str) -> Result<Result<String, String>, Failure> {
    let approved = approval(&yard.digest("plumbus").await?);
    let patch = ["patch", INSTALL, "--type=merge", "-p", &approved, "--as"];
    yard.answers(&[&patch[..], &[user]].concat()).await
}

async fn until_asked(yard: &Yard) -> Result<Value, Failure> {
    let is_so = |it: &Value| {
        let is_pending = condition(it, "PendingApproval") == "True UnsatisfiedPermissions";
        is_looked_at(it) && is_pending && it["spec"]["approval"] != "Approved"
    };
    yard.until_install("plumbus", "asks", is_so).await
}

async fn nothing_is_bound(yard: &Yard) -> Result<(), Failure> {
    let roles = ["-n=harbor", "get", "roles", "-o=name"];
    let roles = yard.says(&roles).await?;
    assert_eq!(roles, "role.rbac.authorization.k8s.io/some");
    Ok(())
}

/// Whoever may change Installs writes that the administrator has approved it, as the webhook would say to whoever makes
/// up a request. The API server takes no stamp but with an approval, and the webhook looks at that.
async fn a_stamp_of_nobody_counts(yard: &Yard) -> Result<(), Failure> {
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
    // An API server may need a moment until it goes by the policy.
    until("a refusal of the stamp", PATIENCE, async || {
        tries += 1;
        let patch = json!({"metadata": {"annotations": {STAMP: forged(tries)}}});
        Ok(match patches(yard, &patch).await? {
            Err(said) if said.contains("only the webhook can set the annotation") => Seen::Yes(()),
            other => Seen::NotYet(format!("{other:?}")),
        })
    })
    .await?;
    let mut both: Value =
        serde_json::from_str(&approval(&yard.digest("plumbus").await?)).expect("a patch");
    both["metadata"]["annotations"][STAMP] = json!(forged(0));
    let said = patches(yard, &both).await?.expect_err("a refusal");
    assert!(said.contains("user some may not give"), "{said}");
    nothing_is_bound(yard).await
}

/// Changes the Install as one who may change it, and give only some of it.
async fn patches(yard: &Yard, patch: &Value) -> Result<Result<String, String>, Failure> {
    let patch = patch.to_string();
    let words = ["patch", INSTALL, "--type=merge", "-p", &patch, "--as=some"];
    yard.answers(&words).await
}

async fn stamp(yard: &Yard) -> Result<String, Failure> {
    let path = format!(
        "-o=jsonpath={{.metadata.annotations.{}}}",
        STAMP.replace('.', "\\.")
    );
    yard.says(&["get", INSTALL, &path]).await
}

/// An administrator takes the configuration of the webhook away: no stamp counts from then on, also none that the webhook
/// seals for whoever asks.
async fn bypassed(yard: &Yard, stamp: &str) -> Result<(), Failure> {
    yard.says(&["delete", "mutatingwebhookconfiguration/portolan-approvals"])
        .await?;
    let roles = ["-n=harbor", "get", "roles", "-o=name"];
    let before = yard.says(&roles).await?;
    let again = json!({"metadata": {"annotations": {STAMP: stamp}}});
    patches(yard, &again)
        .await?
        .expect("the stamp that is there");
    // An API server may go on asking for a moment.
    yard.until_approved_by("some", "plumbus").await?;
    let is_told = |it: &Value| {
        let told = it["status"]["conditions"].to_string();
        told.contains("no API server is told to have approvals looked at")
    };
    yard.until_install("plumbus", "says why", is_told).await?;
    until_asked(yard).await?;
    assert_eq!(yard.says(&roles).await?, before);
    Ok(())
}

/// What was bound goes with the Install.
async fn is_undone_with_it(yard: &Yard) -> Result<(), Failure> {
    yard.says(&["delete", INSTALL, "--timeout=180s"]).await?;
    yard.until_gone(&["-n=harbor", "configmap/first"]).await?;
    let roles = ["-n=harbor", "get", "roles,rolebindings", "-o=name"];
    yard.until_said(&roles, |said| !said.contains("plumbus"))
        .await
}
