//! Tests the values of the Helm chart: profiles, components, certificates and Pods.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use portolan_kit::TempFolder;
use portolan_rig::{Failure, HELM};
use serde_json::{Value, json};

use super::manifests::{by_name, of_kind, output_of};
use super::text;
use crate::begin;
use crate::kubectl::ROOT;
use crate::program::output;

const TEMPLATE: [&str; 6] = [
    "template",
    "portolan",
    "deploy/chart",
    "-n=portolan",
    "--kube-version=1.36.0",
    "--skip-tests",
];

async fn helm() -> Result<PathBuf, Failure> {
    let built = tokio::task::spawn_blocking(|| HELM.program());
    built.await.map_err(Failure::read("the end of a build"))?
}

/// Renders the chart with these values.
async fn rendered(values: &[&str]) -> Result<BTreeMap<String, Value>, Failure> {
    let sets: Vec<_> = values
        .iter()
        .map(|value| format!("--set={value}"))
        .collect();
    let words = TEMPLATE.into_iter().chain(sets.iter().map(String::as_str));
    let words: Vec<_> = words.collect();
    Ok(by_name(&output_of(&helm().await?, &words).await?))
}

/// Returns the error of Helm if the chart cannot be rendered with this value.
async fn refusal(value: &str) -> Result<String, Failure> {
    let mut command = Command::new(helm().await?);
    command
        .args(TEMPLATE)
        .arg(format!("--set={value}"))
        .current_dir(ROOT);
    let refused = output(command).await?;
    assert!(!refused.status.success(), "{value}");
    Ok(String::from_utf8_lossy(&refused.stderr).into_owned())
}

fn deployments(objects: &BTreeMap<String, Value>) -> BTreeSet<String> {
    let all = of_kind(objects, "Deployment").into_iter();
    all.map(|it| text(&it["metadata"]["name"]).replace("portolan-", ""))
        .collect()
}

#[tokio::test]
async fn default_profile_has_no_permission_to_write() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let look = rendered(&[]).await?;
    let expected = ["approval", "console", "diagnosis", "health", "resolver"];
    assert_eq!(deployments(&look), expected.map(str::to_owned).into());
    let roles = ["ClusterRole", "Role"].iter();
    for role in roles.flat_map(|kind| of_kind(&look, kind)) {
        for rule in role["rules"].as_array().into_iter().flatten() {
            let verbs = rule["verbs"].as_array().into_iter().flatten();
            let written: Vec<_> = verbs
                .filter(|verb| !["get", "list", "watch"].iter().any(|read| *verb == read))
                .collect();
            assert!(written.is_empty(), "{role}");
            assert!(
                !rule["resources"].to_string().contains("\"secrets\""),
                "{role}"
            );
        }
    }
    for binding in of_kind(&look, "ClusterRoleBinding") {
        let role = text(&binding["roleRef"]["name"]);
        let is_own = look.contains_key(&format!("ClusterRole {role}"));
        assert!(is_own || role == "system:auth-delegator", "{role}");
    }
    Ok(())
}

#[tokio::test]
async fn manage_profile_runs_controllers_of_operators() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let manage = rendered(&["profile=manage"]).await?;
    let runs = deployments(&manage);
    assert!(
        runs.contains("controller") && runs.contains("webhook"),
        "{runs:?}"
    );
    let container = &manage["Deployment portolan-controller"]["spec"]["template"]["spec"];
    let args = container["containers"][0]["args"].to_string();
    for flag in ["--enforce", "--plans", "--certificates", "--operators"] {
        assert!(args.contains(&format!("\"{flag}\"")), "{flag}: {args}");
    }
    let job = &manage["Job portolan-uninstall"]["metadata"]["annotations"];
    assert_eq!(job["helm.sh/hook"], "post-delete");
    Ok(())
}

#[tokio::test]
async fn component_enables_the_components_that_it_needs_or_reports_a_conflict()
-> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let updater = rendered(&["updater.enabled=true"]).await?;
    let args = updater["Deployment portolan-controller"].to_string();
    for flag in ["--plans", "--certificates", "--operators"] {
        assert!(args.contains(flag), "{flag}");
    }
    let expected = [
        (
            "updater.enabled=true,plans.enabled=false",
            "operators needs plans, and plans.enabled is false. operators runs because updater needs it.",
        ),
        (
            "profile=manage,controller.enabled=false",
            "webhook needs controller, and controller.enabled is false. webhook runs because it is part of the profile \
             manage.",
        ),
        ("profile=all", "value must be one of 'look', 'manage'"),
        (
            "resolver.tolerations=all",
            "at '/resolver/tolerations': got string, want array",
        ),
        (
            "console.replicas=2",
            "additional properties 'replicas' not allowed",
        ),
        (
            "console.ingress.enabled=true",
            "console.ingress needs console.ingress.host",
        ),
    ];
    for (value, message) in expected {
        let complaint = refusal(value).await?;
        assert!(complaint.contains(message), "{value}: {complaint}");
    }
    Ok(())
}

/// Each Secret that a Pod mounts exists, and all clients trust the same CA.
#[tokio::test]
async fn chart_creates_the_certificates_of_all_services() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let made = rendered(&["profile=manage"]).await?;
    let trusted = text(&made["ConfigMap portolan-ca"]["data"]["ca.crt"]);
    assert!(
        trusted.starts_with("-----BEGIN CERTIFICATE-----"),
        "{trusted}"
    );
    let authority = &made["Secret portolan-authority"]["data"]["tls.crt"];
    for service in ["approval", "console", "diagnosis", "health", "resolver"] {
        let secret = &made[&format!("Secret portolan-{service}-tls")];
        assert_eq!(&secret["data"]["ca.crt"], authority);
        assert_eq!(secret["type"], "kubernetes.io/tls");
        let names = text(&secret["metadata"]["annotations"]["portolan.dev/dns-names"]);
        let first = format!("portolan-{service}.portolan.svc,");
        assert!(names.starts_with(&first), "{names}");
    }
    let own = rendered(&["tls.source=cert-manager"]).await?;
    assert_eq!(of_kind(&own, "Certificate").len(), 6);
    assert!(of_kind(&own, "Secret").is_empty());
    let provided = rendered(&["tls.source=provided"]).await?;
    assert!(of_kind(&provided, "Secret").is_empty());
    Ok(())
}

#[tokio::test]
async fn values_of_pods_reach_each_deployment() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let folder = TempFolder::empty();
    let file = folder.join("values.yaml");
    let toleration = json!([{"key": "infra", "operator": "Exists"}]);
    let values = json!({
        "profile": "manage", "imagePullSecrets": ["pull"], "registries": ["quay.io"],
        "log": {"filter": "debug"}, "openshift": {"enabled": true},
        "pods": {
            "tolerations": toleration, "nodeSelector": {"disk": "ssd"}, "labels": {"team": "dock"},
            "annotations": {"note": "one"}, "extraEnv": [{"name": "HTTPS_PROXY", "value": "http://proxy"}],
        },
        "apiserver": {"enabled": true}, "updater": {"enabled": true}, "monitoring": {"enabled": true},
        "console": {"ingress": {"enabled": true, "host": "portolan.example"}},
        "health": {"resources": {"limits": {"memory": "3Gi"}}, "replicas": 0, "extraArgs": ["--no-probes"]},
    });
    fs::write(&file, values.to_string()).map_err(Failure::touch("write values"))?;
    let file = format!("--values={}", file.display());
    let words: Vec<_> = TEMPLATE.into_iter().chain([file.as_str()]).collect();
    let made = by_name(&output_of(&helm().await?, &words).await?);
    assert_eq!(deployments(&made).len(), 9);
    for deployment in of_kind(&made, "Deployment") {
        let template = &deployment["spec"]["template"];
        let (pod, container) = (&template["spec"], &template["spec"]["containers"][0]);
        assert_eq!(pod["tolerations"], toleration);
        assert_eq!(pod["nodeSelector"], json!({"disk": "ssd"}));
        assert_eq!(pod["imagePullSecrets"], json!([{"name": "pull"}]));
        assert_eq!(pod["securityContext"]["runAsUser"], Value::Null);
        assert_eq!(template["metadata"]["labels"]["team"], "dock");
        assert_eq!(template["metadata"]["annotations"]["note"], "one");
        let env = container["env"].to_string();
        assert!(
            env.contains("PORTOLAN_LOG") && env.contains("HTTPS_PROXY"),
            "{env}"
        );
        assert_eq!(
            deployment["metadata"]["labels"]["app.kubernetes.io/instance"],
            "portolan"
        );
    }
    let health = &made["Deployment portolan-health"]["spec"];
    let container = &health["template"]["spec"]["containers"][0];
    assert_eq!(health["replicas"], 0);
    assert_eq!(container["resources"], json!({"limits": {"memory": "3Gi"}}));
    assert!(container["args"].to_string().ends_with("\"--no-probes\"]"));
    let resolver = made["Deployment portolan-resolver"].to_string();
    assert!(resolver.contains("--registries=quay.io"));
    assert_eq!(
        made["ConfigMap portolan-console"]["data"]["host"],
        "portolan.example"
    );
    assert!(made.contains_key("Ingress portolan-console"));
    assert!(made.contains_key("PrometheusRule portolan"));
    Ok(())
}
