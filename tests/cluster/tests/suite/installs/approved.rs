//! Three users approve: one who may nothing, one who may some, and one who may all that it takes.

use portolan_rig::Failure;
use serde_json::Value;

use super::escalated::no_user_gets_more_than_was_approved;
use super::stage::{HOME, USERS, Yard, condition, is_looked_at, yard};

const SETTINGS: &str = "
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: settings}
      data: {a: ONE}
";
/// The role gives a right to Secrets, which only the third user has.
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

/// Whether the approval is set back, and what is asked for is told anew.
fn is_unapproved(install: &Value) -> bool {
    let is_pending = condition(install, "PendingApproval") == "True UnsatisfiedPermissions";
    install["spec"]["approval"] == "Unapproved" && is_looked_at(install) && is_pending
}

#[tokio::test]
async fn nothing_is_installed_before_one_who_may_all_of_it_says_so() -> Result<(), Failure> {
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

    is_refused_to_who_may_less(&yard).await?;
    is_set_back(&yard).await?;

    let (is_done, said) = yard.approves("all", "plumbus").await?;
    assert!(
        is_done && said.contains("install.operators.coreos.com/plumbus approved"),
        "{said}"
    );
    yard.until_condition("plumbus", "Ready", "True Installed")
        .await?;
    let a = yard
        .says(&[
            "-n=harbor",
            "get",
            "configmap/settings",
            "-o=jsonpath={.data.a}",
        ])
        .await?;
    assert_eq!(a, "ONE");

    takes_less(&yard).await?;
    takes_more(&yard).await?;
    goes(&yard, account).await?;
    no_user_gets_more_than_was_approved(&yard).await?;
    yard.nothing_is_forbidden()
}

async fn is_refused_to_who_may_less(yard: &Yard) -> Result<(), Failure> {
    for user in ["none", "some"] {
        let (is_done, said) = yard.approves(user, "plumbus").await?;
        assert!(
            !is_done && said.contains("the cluster refuses it"),
            "{user}: {said}"
        );
    }
    let roles = ["-n=harbor", "get", "roles", "-o=name"];
    let roles = yard.says(&roles).await?;
    assert_eq!(
        roles, "role.rbac.authorization.k8s.io/some",
        "nothing is bound"
    );
    Ok(())
}

/// Whoever may change an Install approves nothing by that.
async fn is_set_back(yard: &Yard) -> Result<(), Failure> {
    let approved = r#"{"spec": {"approval": "Approved"}}"#;
    let patch = [
        "patch",
        "install.operators.coreos.com/plumbus",
        "--type=merge",
        "-p",
        approved,
    ];
    yard.says(&[&patch[..], &["--as=none"]].concat()).await?;
    yard.until_install("plumbus", "set back", is_unapproved)
        .await?;
    yard.until_gone(&["-n=harbor", "configmap/settings"])
        .await?;
    let plans = yard
        .says(&[
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

/// What takes less than the account holds does not wait.
async fn takes_less(yard: &Yard) -> Result<(), Failure> {
    let less = install(&SETTINGS.replace("ONE", "TWO"));
    yard.applies(&less).await?;
    yard.until_gone(&["-n=harbor", "role/reader"]).await?;
    let is_ready = |it: &Value| is_looked_at(it) && condition(it, "Ready") == "True Installed";
    let install = yard
        .until_install("plumbus", "ready with less", is_ready)
        .await?;
    assert_eq!(install["spec"]["approval"], "Approved");
    let a = yard
        .says(&[
            "-n=harbor",
            "get",
            "configmap/settings",
            "-o=jsonpath={.data.a}",
        ])
        .await?;
    assert_eq!(a, "TWO");
    Ok(())
}

/// What takes more waits, and what is installed stays.
async fn takes_more(yard: &Yard) -> Result<(), Failure> {
    let more = SETTINGS.replace("ONE", "THREE");
    yard.applies(&install(&format!("{more}{ELSEWHERE}")))
        .await?;
    let waiting = yard
        .until_install("plumbus", "set back", is_unapproved)
        .await?;
    let permissions = &waiting["status"]["pending"]["permissions"];
    assert_eq!(
        permissions[0]["namespaces"][0], "quay",
        "only what is new: {permissions}"
    );
    let (is_done, said) = yard.approves("all", "plumbus").await?;
    assert!(
        !is_done && said.contains("the cluster refuses it"),
        "{said}"
    );
    let a = yard
        .says(&[
            "-n=harbor",
            "get",
            "configmap/settings",
            "-o=jsonpath={.data.a}",
        ])
        .await?;
    assert_eq!(a, "TWO");
    yard.until_gone(&["-n=quay", "configmap/settings"]).await
}

/// What was installed and what was bound go with it.
async fn goes(yard: &Yard, account: &str) -> Result<(), Failure> {
    yard.says(&[
        "delete",
        "install.operators.coreos.com/plumbus",
        "--timeout=180s",
    ])
    .await?;
    yard.until_gone(&["-n=harbor", "configmap/settings"])
        .await?;
    yard.until_gone(&["-n", HOME, &format!("serviceaccount/{account}")])
        .await?;
    let bound = yard.says(&["-n=harbor", "get", "roles", "-o=name"]).await?;
    let of_install: Vec<_> = bound.lines().filter(|it| it.contains(account)).collect();
    for role in of_install {
        yard.until_gone(&["-n=harbor", role]).await?;
    }
    Ok(())
}
