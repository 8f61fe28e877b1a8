//! Tests a user who may only change Installs, and tries to become an administrator with a large
//! role.

use portolan_rig::Failure;
use serde_json::{Value, json};

use super::stage::{Yard, condition, is_observed};
use crate::permitted::until_may;

const RBAC: &str = "rbac.authorization.k8s.io";

/// Returns an Install whose content is one ClusterRole and a ClusterRoleBinding.
fn install(rules: &Value, subject: &Value) -> String {
    let metadata = json!({"name": "big-operator"});
    let version = format!("{RBAC}/v1");
    let content = json!({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": version, "kind": "ClusterRole", "metadata": metadata, "rules": rules},
        {
            "apiVersion": version, "kind": "ClusterRoleBinding", "metadata": metadata,
            "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "big-operator"},
            "subjects": [subject],
        },
    ]});
    json!({
        "apiVersion": "operators.coreos.com/v2alpha1", "kind": "Install", "metadata": {"name": "big"},
        "spec": {"content": [{"type": "Raw", "raw": content.to_string()}]},
    })
    .to_string()
}

/// Returns a rule with 420 permissions.
fn rule() -> Value {
    let words = |prefix: &str, count| {
        (0..count)
            .map(|at| format!("{prefix}{at}"))
            .collect::<Vec<_>>()
    };
    json!({"apiGroups": ["big.test"], "resources": words("r", 60), "verbs": words("v", 7)})
}

fn mallory() -> Value {
    json!({"apiGroup": RBAC, "kind": "User", "name": "none"})
}

pub(super) async fn no_user_gains_more_than_approved(yard: &Yard) -> Result<(), Failure> {
    let operator = json!({"kind": "ServiceAccount", "name": "op", "namespace": "harbor"});
    yard.applies(&install(&json!([rule()]), &operator)).await?;
    let pending = "True UnsatisfiedPermissions";
    let asked = yard
        .until_condition("big", "PendingApproval", pending)
        .await?;
    let permissions = &asked["status"]["pending"]["permissions"];
    assert!(
        !permissions.to_string().contains("escalate"),
        "{permissions}"
    );
    assert!(
        !permissions.to_string().contains("\"bind\""),
        "{permissions}"
    );

    grants_requested_permissions(yard, permissions).await?;
    let shown = yard.digest("big").await?;
    let (is_done, message) = yard.types_approve("holder", &["install/big"]).await?;
    assert!(!is_done && message.contains(&shown), "{message}");
    let (is_done, message) = yard.approves("holder", "big").await?;
    assert!(
        is_done && message.contains("ServiceAccount harbor/op"),
        "{message}"
    );
    yard.until_condition("big", "Ready", "True Installed")
        .await?;

    let everything = json!({"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]});
    for (rules, subject) in [
        (json!([rule(), everything]), mallory()),
        (json!([rule()]), mallory()),
        (json!([rule(), everything]), operator),
    ] {
        yard.applies(&install(&rules, &subject)).await?;
        // The approval is still in the field. Also the author of the content may write this field.
        yard.until_install("big", "waits", waits).await?;
        let (is_done, message) = swapped(yard, &shown).await?;
        assert!(!is_done && !message.contains(" given\n"), "{message}");
        for user in ["none", "system:serviceaccount:harbor:op"] {
            until_denied(yard, user, ["*", "*", "*"]).await?;
            until_denied(yard, user, ["get", "", "secrets"]).await?;
        }
        until_denied(yard, "none", ["v0", "big.test", "r0"]).await?;
        let subjects = [
            "get",
            "clusterrolebinding/big-operator",
            "-o=jsonpath={.subjects[*].name}",
        ];
        assert_eq!(yard.run(&subjects).await?, "op");
    }
    Ok(())
}

fn waits(install: &Value) -> bool {
    is_observed(install) && condition(install, "PendingApproval") == "True UnsatisfiedPermissions"
}

/// The administrator approves content that has changed since it was displayed.
async fn swapped(yard: &Yard, shown: &str) -> Result<(bool, String), Failure> {
    let digest = format!("--digest={shown}");
    yard.types_approve("holder", &["install/big", &digest])
        .await
}

/// Grants a user only the required permissions, and permission to create roles and bindings.
async fn grants_requested_permissions(yard: &Yard, permissions: &Value) -> Result<(), Failure> {
    let permissions = permissions.as_array().into_iter().flatten();
    let rules = permissions.map(|it| {
        let mut rule = it.clone();
        let fields = rule.as_object_mut().expect("a rule");
        assert!(!fields.contains_key("namespaces"), "{it}");
        fields.retain(|name, _| !["subjects", "role"].contains(&name.as_str()));
        rule
    });
    let installs = json!({"apiGroups": ["operators.coreos.com"], "resources": ["installs"], "verbs": ["get", "patch"]});
    let rules: Vec<_> = rules.chain([installs]).collect();
    let metadata = json!({"name": "holder"});
    let role = json!({
        "apiVersion": format!("{RBAC}/v1"), "kind": "ClusterRole", "metadata": metadata, "rules": rules,
    });
    let binding = json!({
        "apiVersion": format!("{RBAC}/v1"), "kind": "ClusterRoleBinding", "metadata": metadata,
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "holder"},
        "subjects": [{"apiGroup": RBAC, "kind": "User", "name": "holder"}],
    });
    yard.applies(&format!("{role}\n---\n{binding}")).await?;
    let asked = asked(["get", "operators.coreos.com", "installs"]);
    until_may(&yard.cluster().client()?, "holder", asked, true).await
}

/// Waits until the API server denies a user this access, according to a SubjectAccessReview.
async fn until_denied(yard: &Yard, user: &str, access: [&str; 3]) -> Result<(), Failure> {
    until_may(&yard.cluster().client()?, user, asked(access), false).await
}

fn asked([verb, group, resource]: [&str; 3]) -> Value {
    json!({"verb": verb, "group": group, "resource": resource})
}
