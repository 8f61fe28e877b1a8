//! Tests which permissions the ServiceAccount of a plan needs, and which users may use this
//! ServiceAccount.

use std::process::Command;
use std::time::Instant;

use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{Engine, INSTALLER, config_map, engine, manifest, stage};
use crate::program::{output, portolan};

/// A plan reports all missing permissions together, as rules. If the user grants these rules, the
/// plan continues.
#[tokio::test]
async fn missing_permissions_are_reported_as_rules() -> Result<(), Failure> {
    let Some(engine) = engine("pl-rules").await? else {
        return Ok(());
    };
    let namespace = engine.namespace();
    let secret = manifest("v1", "Secret", [namespace, "token"]);
    let service = {
        let mut service = manifest("v1", "Service", [namespace, "ferry"]);
        service["spec"] = json!({"ports": [{"port": 80}], "selector": {"app": "ferry"}});
        service
    };
    let all = [config_map([namespace, "a"], "1"), secret, service];
    engine.plan("poor", json!([stage("all", &all)])).await?;
    let message = engine
        .until("poor", ["Permitted", "False", "PermissionMissing"])
        .await?;
    let remedy = format!("`portolan plan permissions poor -n {namespace}` prints the roles");
    assert!(message.contains(&remedy), "{message}");
    let missing = json!([{
        "apiGroups": [""],
        "resources": ["configmaps", "secrets", "services"],
        "verbs": ["create", "get", "patch"],
    }]);
    assert_eq!(rules(&engine, "poor").await?, missing, "{message}");
    let writes = engine.asked()?.writes().within(namespace);
    let of_members = writes.only(|record| record.acting_as == engine.installer());
    assert!(of_members.is_empty(), "{:?}", of_members.records());

    let printed = apply_printed(&engine, "poor").await?;
    assert!(printed.contains("kind: RoleBinding"), "{printed}");
    engine.until_ready("poor").await
}

/// If a permission is removed, the plan reports this at the first denied request. The printed rules
/// fix the problem.
#[tokio::test]
async fn lost_permissions_are_noticed_at_once() -> Result<(), Failure> {
    let Some(engine) = engine("pl-lost-rights").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let namespace = engine.namespace();
    let all = ["a", "b"].map(|name| config_map([namespace, name], "1"));
    let spec = json!({
        "serviceAccountName": INSTALLER, "stages": [stage("all", &all)],
        "lifecycle": {"onDrift": "Revert", "onDeletion": "Recreate"},
    });
    engine.plan_of("robbed", spec).await?;
    engine.until_at_rest("robbed").await?;

    let bindings = manifest(
        "rbac.authorization.k8s.io/v1",
        "RoleBinding",
        [namespace, ""],
    );
    let every = engine.api(&bindings);
    let (background, any) = (DeleteParams::background(), ListParams::default());
    every.delete_collection(&background, &any).await?;
    let begun = Instant::now();
    // The API server uses the deleted binding for a short time. Until then, the controller creates
    // the object again.
    until("the loss to be noticed", PATIENCE, async || {
        if engine.object(&all[1]).await?.is_some() {
            engine.delete(&all[1]).await?;
        }
        let status = engine.status("robbed").await?;
        let conditions = status["conditions"].as_array().into_iter().flatten();
        let mut reasons = conditions.map(|it| &it["reason"]);
        Ok(if reasons.any(|it| it == "PermissionMissing") {
            Seen::Yes(())
        } else {
            Seen::NotYet(status.to_string())
        })
    })
    .await?;
    engine
        .until("robbed", ["Permitted", "False", "PermissionMissing"])
        .await?;
    engine
        .until("robbed", ["Drifted", "Unknown", "NotObserved"])
        .await?;
    println!(
        "engine: lost permissions are reported after {:?}",
        begun.elapsed()
    );
    let missing = rules(&engine, "robbed").await?;
    assert_eq!(missing[0]["resources"], json!(["configmaps"]), "{missing}");

    apply_printed(&engine, "robbed").await?;
    engine.until_ready("robbed").await?;
    let status = engine.status("robbed").await?;
    assert_eq!(status.get("missingRules"), None, "{status}");
    assert!(engine.object(&all[1]).await?.is_some());
    Ok(())
}

/// Returns the rules that a plan reports as missing.
async fn rules(engine: &Engine, plan: &str) -> Result<Value, Failure> {
    let mut rules = engine.status(plan).await?["missingRules"].clone();
    for rule in rules.as_array_mut().into_iter().flatten() {
        assert_eq!(rule["namespace"], engine.namespace());
        rule.as_object_mut().expect("a rule").remove("namespace");
    }
    Ok(rules)
}

/// Applies the roles that `plan permissions` prints for a plan, as a user does.
async fn apply_printed(engine: &Engine, plan: &str) -> Result<String, Failure> {
    let program = portolan().await?;
    let (kubeconfig, here) = (engine.cluster().kubeconfig(), engine.namespace());
    let binaries = engine.cluster().binaries().folder().to_owned();
    let path = std::env::var("PATH").unwrap_or_default();
    let script = format!(
        "{} plan permissions {plan} -n {here} --kubeconfig {} | tee /dev/stderr | kubectl apply -f -",
        program.display(),
        kubeconfig.display()
    );
    let mut command = Command::new("sh");
    command
        .args(["-euc", &script])
        .env("PATH", format!("{}:{path}", binaries.display()))
        .env("KUBECONFIG", kubeconfig);
    let done = output(command).await?;
    let printed = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{printed}");
    Ok(printed)
}

/// If a plan contains a role, the ServiceAccount must have all permissions that the role grants.
#[tokio::test]
async fn role_beyond_permissions_of_account_is_rejected() -> Result<(), Failure> {
    let Some(engine) = engine("pl-escalation").await? else {
        return Ok(());
    };
    let namespace = engine.namespace();
    let roles = json!([{
        "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles"],
        "verbs": ["get", "create", "patch"],
    }]);
    engine.allow("roles", roles).await?;
    let mut role = manifest(
        "rbac.authorization.k8s.io/v1",
        "Role",
        [namespace, "strong"],
    );
    role["rules"] = json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["list"]}]);
    engine
        .plan("strong", json!([stage("all", &[role])]))
        .await?;
    let message = engine
        .until("strong", ["Permitted", "False", "PermissionMissing"])
        .await?;
    let missing = json!({"apiGroups": [""], "resources": ["secrets"], "verbs": ["list"]});
    assert_eq!(
        rules(&engine, "strong").await?,
        json!([missing]),
        "{message}"
    );
    engine.allow("pasted", json!([missing])).await?;
    engine.until_ready("strong").await
}

/// A ServiceAccount that does not exist gets no permissions, even if a binding names it. The
/// namespace must be enabled for plans.
#[tokio::test]
async fn account_must_exist_and_namespace_must_be_enabled() -> Result<(), Failure> {
    let Some(engine) = engine("pl-account").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let namespace = engine.namespace();
    let stages = json!([stage("all", &[config_map([namespace, "a"], "1")])]);
    let spec = json!({"serviceAccountName": "nobody", "stages": stages});
    engine.plan_of("nobody", spec).await?;
    engine
        .until("nobody", ["Permitted", "False", "ServiceAccountMissing"])
        .await?;

    let enable = |word: &str| {
        let labels = json!({"plans.portolan.dev/enabled": word});
        Patch::Merge(json!({"metadata": {"labels": labels}}))
    };
    let namespaces = Kind::Namespace.everywhere(engine.client());
    let params = PatchParams::default();
    namespaces
        .patch(namespace, &params, &enable("false"))
        .await?;
    let spec = json!({"serviceAccountName": INSTALLER, "stages": stages});
    engine.plan_of("waits", spec).await?;
    let message = engine
        .until("waits", ["Permitted", "False", "NamespaceNotEnabled"])
        .await?;
    assert!(
        message.contains("set the label plans.portolan.dev/enabled=true on the namespace"),
        "{message}"
    );
    namespaces
        .patch(namespace, &params, &enable("true"))
        .await?;
    engine.until_ready("waits").await
}

/// A plan binds an existing role. Its ServiceAccount needs all permissions of the role, or the verb
/// `bind`.
#[tokio::test]
async fn account_binds_an_existing_role_if_it_has_all_rules_of_the_role() -> Result<(), Failure> {
    let Some(engine) = engine("pl-bound").await? else {
        return Ok(());
    };
    let namespace = engine.namespace();
    let rbac = "rbac.authorization.k8s.io/v1";
    let rights = json!({"apiGroups": [""], "resources": ["secrets"], "verbs": ["list"]});
    let mut role = manifest(rbac, "Role", [namespace, "reader"]);
    role["rules"] = json!([rights]);
    engine.make(&role).await?;
    let bindings = json!([{
        "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["rolebindings"],
        "verbs": ["get", "create", "patch"],
    }]);
    engine.allow("bindings", bindings).await?;
    let mut binding = manifest(rbac, "RoleBinding", [namespace, "reader"]);
    binding["roleRef"] =
        json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"});
    binding["subjects"] = json!([{"kind": "ServiceAccount", "name": "default"}]);
    engine
        .plan("bound", json!([stage("all", &[binding])]))
        .await?;
    let message = engine
        .until("bound", ["Permitted", "False", "PermissionMissing"])
        .await?;
    assert_eq!(rules(&engine, "bound").await?, json!([rights]), "{message}");
    engine.allow("pasted", json!([rights])).await?;
    engine.until_ready("bound").await
}

/// While a Secret of the plan is invalid, a user may delete it and create it again.
#[tokio::test]
async fn fixed_secret_is_read_again() -> Result<(), Failure> {
    let Some(engine) = engine("pl-secret").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let namespace = engine.namespace();
    let map = config_map([namespace, "from-secret"], "1");
    let secret = |is_immutable: bool| {
        let mut secret = manifest("v1", "Secret", [namespace, "kept"]);
        secret["immutable"] = is_immutable.into();
        secret["stringData"] = json!({"manifest": map.to_string()});
        secret
    };
    engine.make(&secret(false)).await?;
    let stages = json!([{"name": "all", "resources": [{"ref": {"secret": "kept"}}]}]);
    engine.plan("kept", stages).await?;
    let message = engine
        .until("kept", ["Valid", "False", "ManifestInvalid"])
        .await?;
    assert!(message.contains("immutable: true"), "{message}");
    engine.delete(&secret(false)).await?;
    engine.make(&secret(true)).await?;
    engine.until_ready("kept").await?;
    assert!(engine.object(&map).await?.is_some());
    Ok(())
}

/// If a namespace is no longer enabled for plans, the controller also stops plans at rest.
#[tokio::test]
async fn disabled_namespace_is_not_written() -> Result<(), Failure> {
    let Some(engine) = engine("pl-closed").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let namespace = engine.namespace();
    let member = config_map([namespace, "a"], "1");
    let spec = json!({
        "serviceAccountName": INSTALLER,
        "lifecycle": {"onDrift": "Revert", "onPlanDeletion": "Delete"},
        "stages": [stage("all", std::slice::from_ref(&member))],
    });
    engine.plan_of("rests", spec).await?;
    engine.until_ready("rests").await?;

    let closed = json!({"metadata": {"labels": {"plans.portolan.dev/enabled": "false"}}});
    let namespaces = Kind::Namespace.everywhere(engine.client());
    let params = PatchParams::default();
    namespaces
        .patch(namespace, &params, &Patch::Merge(closed))
        .await?;
    engine
        .patch(&member, json!({"data": {"value": "2"}}))
        .await?;
    engine
        .until("rests", ["Permitted", "False", "NamespaceNotEnabled"])
        .await?;
    engine.delete_plan("rests").await?;
    engine
        .until("rests", ["Ready", "False", "DeletionBlocked"])
        .await?;
    let now = engine.object(&member).await?.expect("the object");
    assert_eq!(now.data["data"]["value"], "2");
    Ok(())
}
