//! Tests requests that are denied.

use portolan_rig::Failure;

use super::stage::{Berth, berth};
use crate::operatorpolicy::fleet::kubeconfig_flag;
use crate::program::output;

const NOT_ALLOWED: &str = "the server does not allow this method on the requested resource";

const MINE: &str = "
apiVersion: packages.operators.coreos.com/v2alpha1
kind: Installed
metadata: {name: mine, namespace: harbor, labels: {a: b}}
status: {}
";

/// The permissions of two users. One may read the namespace harbor. The other may also read the
/// Subscriptions of the namespace fleet.
const RIGHTS: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: viewers, namespace: harbor}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: mate}
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: captain}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: subscriptions, namespace: fleet}
rules: [{apiGroups: [operators.coreos.com], resources: [subscriptions], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: subscriptions, namespace: fleet}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: subscriptions}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: captain}]
---
";

#[tokio::test]
async fn rejects_writes_and_shows_only_permitted_objects() -> Result<(), Failure> {
    let Some(berth) = berth().await? else {
        return Ok(());
    };
    rejects_writes(&berth).await?;
    rejects_kubectl_edit(&berth).await?;
    berth.applies(RIGHTS).await?;
    users_see_only_permitted_objects(&berth).await?;
    berth.assert_no_forbidden_requests()
}

async fn rejects_writes(berth: &Berth) -> Result<(), Failure> {
    let file = berth.written(MINE)?.display().to_string();
    let created = berth.try_run(&["create", "-f", &file]).await?;
    let expected = format!(
        "Error from server (MethodNotAllowed): error when creating \"{file}\": {NOT_ALLOWED}"
    );
    assert_eq!(created, Err(expected));
    for words in [
        &["label", "installed", "ferry.v1.0.0", "a=b"][..],
        &[
            "patch",
            "installed",
            "ferry.v1.0.0",
            "--type=merge",
            "-p={\"status\": {}}",
        ],
        &["delete", "installed", "ferry.v1.0.0"],
        &["delete", "installed", "--all"],
    ] {
        let message = berth.try_run(&[&["-n=harbor"], words].concat()).await?;
        let message = message.expect_err("a rejection");
        assert!(
            message.contains("(MethodNotAllowed)") && message.ends_with(NOT_ALLOWED),
            "{message}"
        );
    }
    Ok(())
}

async fn rejects_kubectl_edit(berth: &Berth) -> Result<(), Failure> {
    let mut edit = berth.cluster().binaries().command("kubectl");
    edit.arg(kubeconfig_flag(&berth.cluster().kubeconfig()))
        .args(["-n=harbor", "edit", "installed", "ferry.v1.0.0"])
        .env("KUBE_EDITOR", "sed -i s/Succeeded/Failed/");
    let edited = output(edit).await?;
    let message = String::from_utf8_lossy(&edited.stderr).into_owned();
    assert!(
        !edited.status.success() && message.contains(NOT_ALLOWED),
        "{message}"
    );
    Ok(())
}

async fn users_see_only_permitted_objects(berth: &Berth) -> Result<(), Failure> {
    // A controller of Kubernetes aggregates the rules of the ClusterRole `view`, so the test waits.
    let can = [
        "auth",
        "can-i",
        "list",
        "installed",
        "-n=harbor",
        "--as=mate",
    ];
    berth.until_line(&can, "yes").await?;
    let env = "-o=jsonpath={.items[*].status.subscription.spec.config.env}";
    let seen = async |user: &str| {
        let user = format!("--as={user}");
        berth
            .try_run(&["get", "installed", "-n=harbor", env, &user])
            .await
    };
    // The value is empty until OLM has assigned the operator to its Subscription.
    let name = "-o=jsonpath={.items[*].metadata.name}";
    for user in ["mate", "captain"] {
        let user = format!("--as={user}");
        let reported = berth
            .run(&["get", "installed", "-n=harbor", name, &user])
            .await?;
        assert_eq!(reported, "ferry.v1.0.0");
        let elsewhere = berth.try_run(&["get", "installed", "-A", &user]).await?;
        let message = elsewhere.expect_err("a rejection");
        assert!(message.contains("(Forbidden)"), "{message}");
    }
    let subscribed = r#"{"status": {"installedCSV": "ferry.v1.0.0", "currentCSV": "ferry.v1.0.0", "state": "AtLatestKnown", "lastUpdated": "2026-01-01T00:00:00Z"}}"#;
    let subscription = [
        "-n=fleet",
        "patch",
        "subscription",
        "ferry",
        "--subresource=status",
        "--type=merge",
        "-p",
        subscribed,
    ];
    berth.run(&subscription).await?;
    let channel = "-o=custom-columns=C:.status.subscription.spec.channel";
    berth
        .until_line(&["get", "installed", "-n=harbor", channel], "stable")
        .await?;
    let names = r#"[{"name":"TOKEN"}]"#;
    assert_eq!(seen("mate").await?, Ok(names.to_owned()));
    let values = r#"[{"name":"TOKEN","value":"secret"}]"#;
    assert_eq!(seen("captain").await?, Ok(values.to_owned()));
    let message = seen("stowaway").await?.expect_err("a rejection");
    assert!(message.contains("(Forbidden)"), "{message}");
    Ok(())
}
