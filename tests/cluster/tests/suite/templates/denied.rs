//! Tests a controller without the permission to read an object that a template needs.

use portolan_kit::catalog;
use portolan_rig::{Failure, World};
use serde_json::json;

use super::{INVALID, VALID, config_map};
use crate::approval::policy::policy;
use crate::kubectl::Kubectl;
use crate::operatorpolicy::fleet::{Fleet, kubeconfig_flag};
use crate::operatorpolicy::stage::{message, stage_of};
use crate::permitted::may;
use crate::world;

const USER: &str = "templater";

/// The condition contains the commands that create the missing Role and its binding. After these
/// commands, the policy is valid. They grant no other permission.
#[tokio::test]
async fn reports_missing_role_whose_commands_fix_the_policy() -> Result<(), Failure> {
    let Some(world) = world("denied").await? else {
        return Ok(());
    };
    let kubeconfig = world.cluster().admit(USER, None)?;
    admit(&world).await?;
    let services = world
        .cluster()
        .admit(&Fleet::user(&world), Some("system:masters"))?;
    let flags = vec![
        "--no-lease".to_owned(),
        format!("--only-namespace={}", world.namespace()),
    ];
    let at = kubeconfig_flag(&services);
    let fleet = Fleet::over(services, kubeconfig, flags, at).await;
    let stage = stage_of(world, fleet, &catalog("yawl: 1.0.0").installable()).await?;
    let here = stage.world.namespace().to_owned();
    config_map(&stage, "allowed", json!({"yawl": "yawl.v1.0.0"})).await?;
    let versions = format!(r#"{{{{ fromConfigMap "{here}" "allowed" "yawl" }}}}"#);
    stage
        .write(&stage.about(policy("yawl").allows(&[&versions]).informs()))
        .await?;

    let status = stage.until_status("yawl", &[INVALID]).await?;
    let reported = message(&status, "ValidPolicySpec");
    let own = "portolan-configmaps-allowed";
    let role = format!(
        "kubectl create role {own} -n {here} --verb=list,watch --resource=configmaps --resource-name=allowed"
    );
    let binding =
        format!("kubectl create rolebinding {own} -n {here} --role={own} --user=\"{USER}\"");
    let expected = format!(
        "error calling fromConfigMap: {USER} cannot read ConfigMap {here}/allowed; to permit it, run: {role} && {binding}"
    );
    assert!(reported.contains(&expected), "{reported}");

    let kubectl = Kubectl::of(stage.world.cluster());
    for command in [role, binding] {
        let command = command.replace('"', "");
        let words: Vec<_> = command.split(' ').skip(1).collect();
        kubectl.run(&words).await?;
    }
    stage.until_status("yawl", &[VALID]).await?;
    Ok(())
}

/// Grants the controller all permissions that this test needs, except to read ConfigMaps.
async fn admit(world: &World) -> Result<(), Failure> {
    let rule = |group: &str| json!({"apiGroups": [group], "resources": ["*"], "verbs": ["*"]});
    let of_policies = "policy.open-cluster-management.io";
    let mut rules: Vec<_> = [
        "operators.coreos.com",
        of_policies,
        "apiextensions.k8s.io",
        "events.k8s.io",
    ]
    .map(rule)
    .into();
    rules.push(rule("coordination.k8s.io"));
    rules.push(rule("operators.operatorframework.io"));
    rules.push(json!({"apiGroups": [""], "resources": ["namespaces", "events"], "verbs": ["*"]}));
    may(world.client(), USER, json!(rules)).await
}
