//! Tests how `portolan diagnose` explains Operators, objects of OLM v1 and components of Portolan.

use std::process::Command;

use kube::api::{Patch, PatchParams};
use portolan_kit::TempFolder;
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{Harbor, harbor, spec_at, version};
use crate::objects::api_of;
use crate::operatorpolicy::fleet;
use crate::program::{output, portolan};

/// Runs `portolan diagnose`. Returns the exit code and all diagnoses.
async fn diagnosed(words: &[&str]) -> Result<(Option<i32>, Vec<Value>), Failure> {
    let mut diagnose = Command::new(portolan().await?);
    diagnose.arg("diagnose").args(words).args(["-o", "json"]);
    let printed = output(diagnose).await?;
    let answer: Result<Value, _> = serde_json::from_slice(&printed.stdout);
    let message = String::from_utf8_lossy(&printed.stderr);
    let answer = answer.unwrap_or_else(|error| panic!("{words:?}: {error}: {message}"));
    let all = answer["diagnoses"].as_array().cloned().unwrap_or_default();
    Ok((printed.status.code(), all))
}

/// Waits until the last diagnosis has a cause with this code. Returns the diagnosis.
async fn until_cause(words: &[&str], code: &str) -> Result<Value, Failure> {
    until(format!("{words:?} to be {code}"), PATIENCE, async || {
        let (exit, mut all) = diagnosed(words).await?;
        let first = all.pop().unwrap_or_default();
        Ok(if first["cause"]["code"] == code && exit == Some(1) {
            Seen::Yes(first)
        } else {
            Seen::NotYet(format!("{exit:?} {first}"))
        })
    })
    .await
}

fn message(diagnosis: &Value) -> &str {
    diagnosis["cause"]["message"].as_str().unwrap_or_default()
}

/// A Pod crashes long after the installation, while no controller is running that could report
/// this.
#[tokio::test]
async fn crashing_pod_and_stopped_parts_are_diagnosed() -> Result<(), Failure> {
    let Some(mut harbor) = harbor("operators-diagnosed", &[version("ferry", "1.0.0")]).await?
    else {
        return Ok(());
    };
    harbor.operator("ferry", spec_at("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    harbor.kill();
    let pods = harbor.world().cluster().pods("ferry")?;
    pods.crash_looping("app=ferry").await?;

    let kubeconfig = fleet::kubeconfig_flag(&harbor.world().cluster().kubeconfig());
    for name in ["operator/ferry", "plan/ferry-1"] {
        let crashes = until_cause(&[name, &kubeconfig], "CrashLooping").await?;
        let message = message(&crashes);
        assert!(
            message.starts_with(
                "The objects of the plan are applied, but a Pod does not run. Container "
            ),
            "{message}"
        );
        assert!(message.contains("with exit code 1"), "{message}");
        assert!(message.contains("5 restarts"), "{message}");
        let look = crashes["cause"]["remedy"]["look"].to_string();
        assert!(
            look.contains("kubectl logs pods/ferry-") && look.contains("--previous"),
            "{look}"
        );
    }
    old_crds_are_upgraded(&harbor, &kubeconfig).await?;
    parts_are_diagnosed(&harbor, &kubeconfig).await?;
    dump_gives_the_same_answers(&kubeconfig).await
}

/// Diagnoses CRDs of an older version than the controller. The printed command upgrades the CRDs.
async fn old_crds_are_upgraded(harbor: &Harbor, kubeconfig: &str) -> Result<(), Failure> {
    let (home, version) = (harbor.home(), env!("CARGO_PKG_VERSION"));
    let labels = json!({
        "app.kubernetes.io/name": "portolan", "app.kubernetes.io/component": "controller",
    });
    let pods = json!({
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "portolan", "image": format!("portolan:{version}")}]},
    });
    let controller = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "portolan-parts", "namespace": home, "labels": labels},
        "spec": {"selector": {"matchLabels": labels}, "template": pods},
    });
    // An older version of `portolan install crds` has written this object.
    let old = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {
            "name": "installplans.plans.portolan.dev",
            "labels": {"app.kubernetes.io/name": "portolan", "app.kubernetes.io/version": "0.0.1"},
        },
    });
    harbor.apply(&format!("{controller}\n")).await?;
    let crds = api_of(harbor.client(), &old);
    let params = PatchParams::apply("portolan-install").force();
    let name = "installplans.plans.portolan.dev";
    crds.patch(name, &params, &Patch::Apply(&old)).await?;
    let component = "component/portolan-parts";
    let outdated = until_cause(&[component, kubeconfig], "ComponentOutdated").await?;
    let step = &outdated["cause"]["remedy"]["fix"]["steps"][0];
    let command = step["command"].as_str().unwrap_or_default();
    let words: Vec<_> = command.split(' ').collect();
    let (program, arguments) = words.split_first().expect("a command");
    assert_eq!(*program, "portolan");
    let mut upgrade = Command::new(portolan().await?);
    upgrade.args(arguments).arg(kubeconfig);
    let upgraded = output(upgrade).await?;
    let message = String::from_utf8_lossy(&upgraded.stderr);
    assert_eq!(upgraded.status.code(), Some(0), "{message}");
    until("no CRD to be older", PATIENCE, async || {
        let (_, all) = diagnosed(&[component, kubeconfig]).await?;
        Ok(match all.as_slice() {
            [one] if one["state"] == "WELL" => Seen::Yes(()),
            other => Seen::NotYet(format!("{other:?}")),
        })
    })
    .await
}

/// Diagnoses an APIService without a Service, a webhook that API servers do not trust, and a
/// released Lease.
async fn parts_are_diagnosed(harbor: &Harbor, kubeconfig: &str) -> Result<(), Failure> {
    let home = harbor.home();
    let api = "v2alpha1.packages.operators.coreos.com";
    let service = json!({"namespace": home, "name": "portolan-apiserver"});
    let spec = json!({
        "group": "packages.operators.coreos.com", "version": "v2alpha1", "service": service,
        "groupPriorityMinimum": 2000, "versionPriority": 10, "insecureSkipTLSVerify": true,
    });
    let webhook = json!({
        "name": "objects.webhook.portolan.dev", "admissionReviewVersions": ["v1"],
        "sideEffects": "None", "failurePolicy": "Ignore",
        "clientConfig": {"service": {"namespace": home, "name": "portolan-webhook"}},
        "rules": [{
            "apiGroups": ["none.portolan.dev"], "apiVersions": ["v1"], "operations": ["CREATE"],
            "resources": ["nones"],
        }],
    });
    let objects = [
        json!({
            "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
            "metadata": {"name": api}, "spec": spec,
        }),
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "portolan-webhook"}, "webhooks": [webhook],
        }),
        json!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": {"name": "portolan-controller", "namespace": home},
            "spec": {"holderIdentity": "", "leaseDurationSeconds": 15},
        }),
    ];
    let manifests: String = objects.iter().map(|it| format!("---\n{it}\n")).collect();
    harbor.apply(&manifests).await?;
    let component = format!("component/{api}");
    let down = until_cause(&[&component, kubeconfig], "ApiMissing").await?;
    assert!(message(&down).contains("portolan-apiserver"), "{down}");
    let webhook = "component/portolan-webhook";
    let untrusted = until_cause(&[webhook, kubeconfig], "ComponentUnavailable").await?;
    assert!(
        message(&untrusted).contains("caBundle is empty"),
        "{untrusted}"
    );
    let lease = "component/portolan-controller";
    let stopped = until_cause(&[lease, kubeconfig], "ControllerNotRunning").await?;
    assert!(
        message(&stopped).starts_with("No controller runs: "),
        "{stopped}"
    );
    Ok(())
}

async fn dump_gives_the_same_answers(kubeconfig: &str) -> Result<(), Failure> {
    let top = TempFolder::empty();
    let mut number = 0;
    until("a dump to answer as its cluster", PATIENCE, async || {
        number += 1;
        let folder = top.join(number.to_string()).display().to_string();
        let before = diagnosed(&[kubeconfig]).await?;
        let mut dump = Command::new(portolan().await?);
        dump.args(["dump", &folder, kubeconfig]);
        let dumped = output(dump).await?;
        let message = String::from_utf8_lossy(&dumped.stderr);
        assert!(matches!(dumped.status.code(), Some(0 | 3)), "{message}");
        let after = diagnosed(&["--world", &folder]).await?;
        let codes = after.1.iter().map(|it| it["cause"]["code"].to_string());
        let codes: Vec<_> = codes.collect();
        Ok(if before == after && codes.len() == 4 {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{before:?}\n{after:?}"))
        })
    })
    .await
}
