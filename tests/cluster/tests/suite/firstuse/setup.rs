//! Tests the commands that install, check and uninstall Portolan.

use std::path::Path;
use std::process::Command;

use kube::api::ListParams;
use portolan_rig::Failure;
use serde_json::Value;

use crate::objects::api;
use crate::operatorpolicy::fleet::kubeconfig_flag;
use crate::own_cluster;
use crate::program::{output, portolan};

/// Runs a command of the program. Returns its exit code and its output.
async fn run(kubeconfig: &Path, line: &str) -> Result<(Option<i32>, String), Failure> {
    let mut command = Command::new(portolan().await?);
    command
        .args(line.split(' '))
        .arg(kubeconfig_flag(kubeconfig));
    let done = output(command).await?;
    let text = [done.stdout, done.stderr].concat();
    Ok((
        done.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    ))
}

/// Returns the checks that did not pass, by name.
fn troubles(json: &str) -> Vec<(String, String)> {
    let answer: Value = serde_json::from_str(json).expect("JSON");
    let checks = answer["checks"].as_array().expect("checks").iter();
    let checks = checks.filter(|check| check["state"] == "failed");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    checks
        .map(|check| (text(&check["name"]), text(&check["remedy"])))
        .collect()
}

#[tokio::test]
async fn profiles_are_installed_checked_and_removed() -> Result<(), Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(());
    };
    let (kubeconfig, client) = (cluster.kubeconfig(), cluster.client()?);
    let run = async |line: &str| run(&kubeconfig, line).await;
    let (code, text) = run("check --pre").await?;
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("no installation exists"), "{text}");
    let (code, text) = run("check -o json").await?;
    let remedy = "portolan install --profile look".to_owned();
    assert_eq!(
        (code, troubles(&text)),
        (Some(1), vec![("installation".to_owned(), remedy)])
    );

    let (code, text) = run("install --profile manage --dry-run").await?;
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = run("install --profile look").await?;
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("deployment/portolan-health created"),
        "{text}"
    );
    // kwok reports all Pods as ready.
    let (code, text) = run("check --wait 3m").await?;
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("the certificate in Secret portolan-health-tls expires on"),
        "{text}"
    );
    let (_, text) = run("install --profile look").await?;
    assert!(!text.contains("secret/"), "certificates are kept: {text}");
    assert!(
        text.contains("deployment/portolan-health unchanged"),
        "{text}"
    );

    let (code, text) = run("install --profile manage").await?;
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("installplans.plans.portolan.dev applied"),
        "{text}"
    );
    // kwok runs no containers, so no controller holds the Lease.
    let (code, text) = run("check -o json").await?;
    assert_eq!(code, Some(1), "{text}");
    let remedy = "portolan diagnose component/portolan-controller".to_owned();
    assert!(
        troubles(&text).contains(&("lease".to_owned(), remedy)),
        "{text}"
    );

    let (code, text) = run("install --profile look").await?;
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("deployment/portolan-controller deleted"),
        "{text}"
    );
    let (code, text) = run("uninstall").await?;
    assert_eq!(code, Some(0), "{text}");
    let left = ListParams::default().labels("app.kubernetes.io/managed-by=portolan");
    for kind in [
        ["apps/v1", "Deployment", ""],
        ["v1", "Secret", ""],
        ["v1", "Service", ""],
        ["rbac.authorization.k8s.io/v1", "ClusterRole", ""],
        ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding", ""],
        [
            "admissionregistration.k8s.io/v1",
            "ValidatingAdmissionPolicy",
            "",
        ],
        [
            "admissionregistration.k8s.io/v1",
            "ValidatingWebhookConfiguration",
            "",
        ],
    ] {
        let found = api(&client, kind).list(&left).await?;
        assert_eq!(found.items.len(), 0, "{kind:?}");
    }
    let (code, text) = run("uninstall").await?;
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("no object of `portolan install` exists"),
        "{text}"
    );
    Ok(())
}
