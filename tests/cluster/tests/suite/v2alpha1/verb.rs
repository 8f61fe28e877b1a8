//! Tests the verb `install`. It determines which users may write an Operator that refers to a
//! CatalogSource.

use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::json;

use super::stage::{Quay, V1, V2, quay};

/// Returns the roles of four users. All may write Operators. `all` may install from each
/// CatalogSource, `here` from each in one namespace, `one` from a single CatalogSource, and `none`
/// from no CatalogSource.
fn users(namespace: &str) -> String {
    format!(
        "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: operators}}
rules: [{{apiGroups: [operators.coreos.com], resources: [operators], verbs: ['*']}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: operators}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: operators}}
subjects:
- {{apiGroup: rbac.authorization.k8s.io, kind: User, name: all}}
- {{apiGroup: rbac.authorization.k8s.io, kind: User, name: here}}
- {{apiGroup: rbac.authorization.k8s.io, kind: User, name: one}}
- {{apiGroup: rbac.authorization.k8s.io, kind: User, name: none}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: all-catalogs-installer}}
rules: [{{apiGroups: [operators.coreos.com], resources: [catalogsources], verbs: [install]}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: all-catalogs-installer}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: all-catalogs-installer}}
subjects: [{{apiGroup: rbac.authorization.k8s.io, kind: User, name: all}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: my-catalogs-installer, namespace: {namespace}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: all-catalogs-installer}}
subjects: [{{apiGroup: rbac.authorization.k8s.io, kind: User, name: here}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {{name: one, namespace: {namespace}}}
rules:
- {{apiGroups: [operators.coreos.com], resources: [catalogsources], verbs: [install], resourceNames: [community]}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: one, namespace: {namespace}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: Role, name: one}}
subjects: [{{apiGroup: rbac.authorization.k8s.io, kind: User, name: one}}]
"
    )
}

#[tokio::test]
async fn operator_names_only_catalogs_with_the_install_verb() -> Result<(), Failure> {
    let Some(quay) = quay().await? else {
        return Ok(());
    };
    let own = quay.namespace();
    quay.applies(&users(own)).await?;
    // The API server caches policies and roles. So the first request may still be permitted.
    until("a rejection", PATIENCE, async || {
        Ok(match try_create(&quay, "none", own, "community").await? {
            Err(output) if output.contains("lacks the verb install") => Seen::Yes(()),
            output => Seen::NotYet(format!("{output:?}")),
        })
    })
    .await?;
    for (user, namespace, name, may) in [
        ("all", "elsewhere", "any", true),
        ("here", own, "any", true),
        ("here", "elsewhere", "any", false),
        ("one", own, "community", true),
        ("one", own, "any", false),
    ] {
        let output = try_create(&quay, user, namespace, name).await?;
        assert_eq!(output.is_ok(), may, "{user} {namespace}/{name}: {output:?}");
        if let Err(output) = output {
            let reported = format!(
                "names CatalogSource {namespace}/{name}, on which user {user} lacks the verb install"
            );
            assert!(output.contains(&reported), "{output}");
        }
    }
    existing_operator_accepts_unrelated_changes(&quay).await?;
    version_v1_does_not_bypass_the_verb(&quay).await?;
    quay.assert_no_forbidden_requests()
}

/// Creates an Operator with a CatalogSource as this user, in a dry run.
async fn try_create(
    quay: &Quay,
    user: &str,
    namespace: &str,
    name: &str,
) -> Result<Result<String, String>, Failure> {
    let request = request(namespace, name);
    quay.try_run_with_file(&request, &["create", "--dry-run=server", "--as", user])
        .await
}

fn request(namespace: &str, name: &str) -> String {
    format!(
        "
apiVersion: operators.coreos.com/v2alpha1
kind: Operator
metadata: {{name: wished}}
spec:
  updates:
    type: CatalogSource
    catalogSource: {{package: plumbus, channel: stable, ref: {{name: {name}, namespace: {namespace}}}}}
"
    )
}

/// Each user may change the labels of an existing Operator and remove its `updates`. Only a user
/// with the verb `install` may change them.
async fn existing_operator_accepts_unrelated_changes(quay: &Quay) -> Result<(), Failure> {
    quay.applies(&request(quay.namespace(), "community"))
        .await?;
    quay.run(&["label", V2, "wished", "a=b", "--as=none"])
        .await?;
    let other = json!({"spec": {"updates": {"catalogSource": {"channel": "beta"}}}}).to_string();
    let patch = ["patch", V2, "wished", "--type=merge", "-p", &other, "--as"];
    let output = quay.try_run(&[&patch[..], &["none"]].concat()).await?;
    assert!(output.is_err_and(|output| output.contains("lacks the verb install")));
    quay.run(&[&patch[..], &["one"]].concat()).await?;
    let none = json!({"spec": {"updates": null}}).to_string();
    quay.run(&[
        "patch",
        V2,
        "wished",
        "--type=merge",
        "-p",
        &none,
        "--as=none",
    ])
    .await?;
    Ok(())
}

/// In v1, an annotation contains the whole spec. Only a user with the verb for all CatalogSources
/// may change this annotation.
async fn version_v1_does_not_bypass_the_verb(quay: &Quay) -> Result<(), Failure> {
    let text = json!({"spec": {"updates": {"catalogSource": {"package": "plumbus"}}}}).to_string();
    let stored = format!("operators.portolan.dev/v2alpha1={text}");
    let annotate = ["annotate", V1, "wished", "--overwrite", &stored, "--as"];
    let output = quay.try_run(&[&annotate[..], &["one"]].concat()).await?;
    assert!(output.is_err_and(|output| output.contains("write the Operator in version v2alpha1")));
    quay.run(&[&annotate[..], &["all"]].concat()).await?;
    Ok(())
}
