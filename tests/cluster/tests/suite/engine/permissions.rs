//! What the ServiceAccount of a plan must be allowed to do, and who may have it used.

use kube::api::{Patch, PatchParams};
use portolan_rig::{Failure, Kind};
use serde_json::{Value, json};

use super::stage::{INSTALLER, config_map, engine, manifest, stage};

/// All that is missing is told at once, as rules; pasting them heals.
#[tokio::test]
async fn missing_permissions_are_rules_to_paste() -> Result<(), Failure> {
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
    let told = engine
        .until("poor", ["Permitted", "False", "PermissionMissing"])
        .await?;
    let rules = rules(&told);
    assert_eq!(
        rules,
        [json!({
            "apiGroups": [""],
            "resources": ["configmaps", "secrets", "services"],
            "verbs": ["create", "get", "patch"],
        })],
        "{told}"
    );
    let writes = engine.asked()?.writes().within(namespace);
    let of_members = writes.only(|record| record.acting_as == engine.installer());
    assert!(of_members.is_empty(), "{:?}", of_members.records());

    engine.allow("pasted", json!(rules)).await?;
    engine.until_ready("poor").await
}

/// The rules that a message lists.
fn rules(told: &str) -> Vec<Value> {
    let begin = told.find('{').expect("a rule");
    let rules = told[begin..].split("; ");
    rules
        .map(|rule| {
            let rule = &rule[rule.find('{').expect("a rule")..];
            serde_json::from_str(rule).expect("a rule is JSON")
        })
        .collect()
}

/// What a role gives must be held by who writes it.
#[tokio::test]
async fn a_role_that_gives_more_is_refused() -> Result<(), Failure> {
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
    let told = engine
        .until("strong", ["Permitted", "False", "PermissionMissing"])
        .await?;
    let missing = json!({"apiGroups": [""], "resources": ["secrets"], "verbs": ["list"]});
    assert_eq!(rules(&told), std::slice::from_ref(&missing), "{told}");
    engine.allow("pasted", json!([missing])).await?;
    engine.until_ready("strong").await
}

/// A ServiceAccount that is not there gets no rights by its name; a namespace has to allow it.
#[tokio::test]
async fn the_account_must_be_there_and_the_namespace_must_allow_it() -> Result<(), Failure> {
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
    let as_told = PatchParams::default();
    namespaces
        .patch(namespace, &as_told, &enable("false"))
        .await?;
    let spec = json!({"serviceAccountName": INSTALLER, "stages": stages});
    engine.plan_of("waits", spec).await?;
    let told = engine
        .until("waits", ["Permitted", "False", "NamespaceNotEnabled"])
        .await?;
    assert!(
        told.contains("label the namespace plans.portolan.dev/enabled=true"),
        "{told}"
    );
    namespaces
        .patch(namespace, &as_told, &enable("true"))
        .await?;
    engine.until_ready("waits").await
}

/// The same of a role that is there already and is only bound: its rights may be held, too.
#[tokio::test]
async fn a_role_that_is_there_may_be_bound_by_who_holds_its_rights() -> Result<(), Failure> {
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
    let told = engine
        .until("bound", ["Permitted", "False", "PermissionMissing"])
        .await?;
    assert_eq!(rules(&told), std::slice::from_ref(&rights), "{told}");
    engine.allow("pasted", json!([rights])).await?;
    engine.until_ready("bound").await
}

/// What a plan refers to may be made anew while it is not as it must be.
#[tokio::test]
async fn a_secret_that_is_healed_is_read_again() -> Result<(), Failure> {
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
    let told = engine
        .until("kept", ["Valid", "False", "ManifestInvalid"])
        .await?;
    assert!(told.contains("immutable: true"), "{told}");
    engine.delete(&secret(false)).await?;
    engine.make(&secret(true)).await?;
    engine.until_ready("kept").await?;
    assert!(engine.object(&map).await?.is_some());
    Ok(())
}

/// Who closes a namespace closes it to plans that are at rest, too.
#[tokio::test]
async fn what_is_closed_is_not_written_any_more() -> Result<(), Failure> {
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
    let as_told = PatchParams::default();
    namespaces
        .patch(namespace, &as_told, &Patch::Merge(closed))
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
    let now = engine.object(&member).await?.expect("it stays");
    assert_eq!(now.data["data"]["value"], "2");
    Ok(())
}
