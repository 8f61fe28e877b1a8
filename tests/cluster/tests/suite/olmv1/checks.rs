//! The checks of `portolan explain` that need the cluster: permissions, custom resources and
//! Policies.

use std::fs;

use portolan_kit::{Catalog, catalog};
use portolan_rig::{Component, Failure};
use serde_json::{Value, json};

use super::stage::{DOCKS, INSTALLER, Stage, named, stage};
use crate::approval::crds::create_crd;

/// A ServiceAccount without permissions.
const POWERLESS: &str = "powerless";
/// A ServiceAccount with the permissions of OLM v1, but not those of a cluster administrator.
const CAREFUL: &str = "careful-installer";

/// A ferry with the field that the next version removes, and a ferry without the field.
const FERRIES: &str = "
apiVersion: ferry.example.test/v1
kind: Ferry
metadata: {name: anna, namespace: docks}
spec: {berth: north}
---
apiVersion: ferry.example.test/v1
kind: Ferry
metadata: {name: berta, namespace: docks}
spec: {seats: '7'}
";

#[tokio::test]
async fn explain_knows_permissions_and_custom_resources() -> Result<(), Failure> {
    let Some(stage) = stage().await? else {
        return Ok(());
    };
    stage.docks().await?;
    stage.serve("harbor", offered(), &[]).await?;
    served(&stage).await?;
    accounts(&stage).await?;

    stage.cluster.freeze(Component::OperatorController)?;
    let first = json!({"version": "1.0.0"});
    for (name, account) in [
        ("weak", POWERLESS),
        ("careful", CAREFUL),
        ("ferry", INSTALLER),
    ] {
        stage.extension(name, account, name, first.clone()).await?;
    }
    let weak = explained(&stage, "weak").await?;
    assert_eq!(weak["state"], "Blocked", "{weak}");
    assert_eq!(weak["stop"]["code"], "PermissionMissing", "{weak}");
    let missing = weak["missingPermissions"].to_string();
    let create = "weak.v1.0.0: to install: in namespace docks: create";
    assert!(missing.contains(create), "{missing}");
    let careful = explained(&stage, "careful").await?;
    assert_eq!(careful["state"], "Install", "{careful}");
    assert_eq!(careful["missingPermissions"], Value::Null, "{careful}");
    stage.cluster.thaw(Component::OperatorController)?;

    installed(&stage, "careful", "careful.v1.0.0").await?;
    installed(&stage, "ferry", "ferry.v1.0.0").await?;
    let expected = [("ClusterExtension weak", "PermissionMissing")];
    stage.until_codes(&expected).await?;

    stage.cluster.freeze(Component::OperatorController)?;
    let ferries = stage.cluster.folder().join("ferries.yaml");
    fs::write(&ferries, FERRIES).map_err(Failure::touch("write the ferries"))?;
    let ferries = ferries.display().to_string();
    stage.kubectl(&["apply", "-f", &ferries]).await?;
    unlimited(&stage).await?;
    let ferry = explained(&stage, "ferry").await?;
    assert_eq!(ferry["stop"]["code"], "CrdUpgradeUnsafe", "{ferry}");
    let uses = ferry["crdUses"].as_array().expect("changes");
    let berth = uses.iter().find(|it| it["path"] == ".spec.berth");
    let berth = berth.expect("the removed field");
    assert_eq!(
        [&berth["resources"], &berth["affected"]],
        [&json!(2), &json!(1)],
        "{berth}"
    );
    assert_eq!(berth["examples"], json!(["docks/anna"]), "{berth}");
    let managers = json!(["kubectl-client-side-apply"]);
    assert_eq!(berth["managers"], managers, "{berth}");
    stage.cluster.thaw(Component::OperatorController)?;
    let expected = [("ClusterExtension ferry", "CrdUpgradeUnsafe")];
    stage.until_codes(&expected).await?;
    Ok(())
}

#[tokio::test]
async fn pin_holds_extension_that_policy_denies() -> Result<(), Failure> {
    let Some(stage) = stage().await? else {
        return Ok(());
    };
    stage.docks().await?;
    for plural in ["upgradepolicies", "upgradepolicybindings"] {
        let name = format!("{plural}.operators.operatorframework.io");
        create_crd(&stage.client, &name).await?;
    }
    let policies = stage.cluster.folder().join("policies.json");
    let list = json!({"apiVersion": "v1", "kind": "List", "items": closed()});
    fs::write(&policies, list.to_string()).map_err(Failure::touch("write the policies"))?;
    let policies = policies.display().to_string();
    stage.kubectl(&["apply", "-f", &policies]).await?;
    let offered = catalog("ferry: 1.0.0 -> 1.1.0").installable();
    stage.serve("harbor", offered, &[]).await?;
    let range = json!({"version": "1.0.x"});
    stage.extension("ferry", INSTALLER, "ferry", range).await?;
    installed(&stage, "ferry", "ferry.v1.0.0").await?;
    let well = [("ClusterExtension ferry", "WELL")];
    let all = stage.until_diagnosed(&well).await?;
    let ferry = named(&all, "ClusterExtension ferry").expect("a diagnosis");
    let headline = ferry["headline"].as_str().unwrap_or_default();
    let sentence = "Nothing enforces Policy closed for this ClusterExtension";
    assert!(headline.contains(sentence), "{headline}");

    stage.cluster.freeze(Component::OperatorController)?;
    unlimited(&stage).await?;
    let ferry = explained(&stage, "ferry").await?;
    assert_eq!(ferry["state"], "Upgrade", "{ferry}");
    assert_eq!(ferry["policies"]["isAllowed"], false, "{ferry}");
    let pin = json!({"steps": [{"command": ferry["pin"]["command"]}]});
    stage.follow(&pin).await?;
    let ferry = explained(&stage, "ferry").await?;
    assert_eq!(ferry["state"], "Held", "{ferry}");
    stage.cluster.thaw(Component::OperatorController)?;
    let seen =
        r#"--for=jsonpath={.status.conditions[?(@.type=="Progressing")].observedGeneration}=3"#;
    let wait = ["wait", "clusterextension", "ferry", seen, "--timeout=300s"];
    stage.kubectl(&wait).await?;
    installed(&stage, "ferry", "ferry.v1.0.0").await
}

/// The content of the catalog `harbor`. The second version of ferry removes a field.
fn offered() -> Catalog {
    let text = "
        weak: 1.0.0
        careful: 1.0.0
        ferry: 1.0.0 -> 2.0.0
    ";
    let mut all = catalog(text).installable();
    for bundle in all.packages.iter_mut().flat_map(|it| &mut it.bundles) {
        let fields: &[&str] = match bundle.name.as_str() {
            "ferry.v1.0.0" => &["berth", "seats"],
            "ferry.v2.0.0" => &["seats"],
            _ => continue,
        };
        for object in &mut bundle.objects {
            super::situations::schema(object, fields);
        }
    }
    all
}

/// Creates the ServiceAccounts.
async fn accounts(stage: &Stage) -> Result<(), Failure> {
    let rbac = "rbac.authorization.k8s.io";
    for name in [POWERLESS, CAREFUL] {
        let metadata = json!({"name": name, "namespace": DOCKS});
        let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata});
        stage.create(&account).await?;
    }
    let verbs = ["get", "list", "watch", "create", "patch"];
    let role = json!({
        "apiVersion": format!("{rbac}/v1"), "kind": "ClusterRole", "metadata": {"name": CAREFUL},
        "rules": [
            {"apiGroups": ["*"], "resources": ["*"], "verbs": verbs},
            {"apiGroups": [rbac], "resources": ["roles", "clusterroles"], "verbs": ["bind", "escalate"]},
        ],
    });
    let binding = json!({
        "apiVersion": format!("{rbac}/v1"), "kind": "ClusterRoleBinding",
        "metadata": {"name": CAREFUL},
        "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": CAREFUL},
        "subjects": [{"kind": "ServiceAccount", "name": CAREFUL, "namespace": DOCKS}],
    });
    stage.create(&role).await?;
    stage.create(&binding).await
}

/// Returns a Policy that allows no upgrade, and its binding to all Operators.
fn closed() -> [Value; 2] {
    let version = "operators.operatorframework.io/v1alpha1";
    let policy = json!({
        "apiVersion": version, "kind": "Policy", "metadata": {"name": "closed"},
        "spec": {"opaPolicy": "allow := false"},
    });
    let binding = json!({
        "apiVersion": version, "kind": "PolicyBinding", "metadata": {"name": "closed"},
        "spec": {
            "subjects": [{"kind": "operator", "name": "*"}],
            "policyRef": [{"kind": "policy", "name": "closed"}],
        },
    });
    [policy, binding]
}

/// Removes the version range of ClusterExtension ferry.
async fn unlimited(stage: &Stage) -> Result<(), Failure> {
    let patch = r#"{"spec": {"source": {"catalog": {"version": null}}}}"#;
    let patch = [
        "patch",
        "clusterextension",
        "ferry",
        "--type=merge",
        "-p",
        patch,
    ];
    stage.kubectl(&patch).await
}

async fn served(stage: &Stage) -> Result<(), Failure> {
    let serving = "--for=condition=Serving";
    let wait = [
        "wait",
        "clustercatalog",
        "harbor",
        serving,
        "--timeout=180s",
    ];
    stage.kubectl(&wait).await
}

async fn installed(stage: &Stage, name: &str, bundle: &str) -> Result<(), Failure> {
    let bundle = format!("--for=jsonpath={{.status.install.bundle.name}}={bundle}");
    let wait = ["wait", "clusterextension", name, &bundle, "--timeout=300s"];
    stage.kubectl(&wait).await
}

/// Returns the explanation of a ClusterExtension.
async fn explained(stage: &Stage, name: &str) -> Result<Value, Failure> {
    let text = stage.explain(name).await?;
    let answer: Value = serde_json::from_str(&text).map_err(Failure::read("a prediction"))?;
    Ok(answer["extensions"][0].clone())
}
