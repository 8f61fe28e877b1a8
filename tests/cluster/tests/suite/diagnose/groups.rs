//! Tests with OperatorGroups that are missing, redundant, or in the wrong mode.

use portolan_core_diagnosis::Code;
use portolan_kit::catalog;
use portolan_rig::Failure;

use super::diagnoses::root;
use super::stage::stage;

#[tokio::test]
#[ignore = "OLM takes its time for more than a minute: just soak"]
async fn fixes_missing_and_surplus_operator_groups() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-groups").await? else {
        return Ok(());
    };
    let offered = catalog("tern: 1.0.0").installable();
    let offered = offered.with_install_modes(&["OwnNamespace"]);
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.subscribe("tern").await?;
    let missing = root("tern", Code::OperatorGroupMissing, "OperatorGroup");
    stage.heals(missing).await?;

    // OLM does not react to the deletion of the OperatorGroup.
    stage
        .types("kubectl -n $NS delete operatorgroups.operators.coreos.com --all")
        .await?;
    stage.heals(missing).await?;

    stage.editor.group("second").await?;
    let several = root("tern", Code::OperatorGroupsConflict, "OperatorGroup second");
    stage
        .diagnoses
        .until_reason("tern", "TooManyOperatorGroups")
        .await;
    stage.heals(several).await?;
    Ok(())
}

#[tokio::test]
async fn fixes_operator_group_with_unsupported_mode() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-modes").await? else {
        return Ok(());
    };
    let offered = catalog("gull: 1.0.0").installable();
    let offered = offered.with_install_modes(&["OwnNamespace"]);
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("gull").await?;
    stage.well("gull").await?;

    let group = "OperatorGroup group";
    let other = r#"{"spec": {"targetNamespaces": ["default"]}}"#;
    stage
        .types(&format!("kubectl -n $NS patch operatorgroups.operators.coreos.com group --type merge -p '{other}'"))
        .await?;
    stage
        .diagnoses
        .until_reason("gull", "UnsupportedOperatorGroup")
        .await;
    stage
        .heals(root("gull", Code::InstallModeUnsupported, group))
        .await?;

    // The role binding still exists after the ServiceAccount is deleted.
    stage
        .types("kubectl create clusterrolebinding $NS-nobody --clusterrole=cluster-admin --serviceaccount=$NS:nobody")
        .await?;
    let account = r#"{"spec": {"serviceAccountName": "nobody"}}"#;
    stage
        .types(&format!("kubectl -n $NS patch operatorgroups.operators.coreos.com group --type merge -p '{account}'"))
        .await?;
    stage
        .heals(root("gull", Code::GroupServiceAccountMissing, group))
        .await?;
    Ok(())
}
