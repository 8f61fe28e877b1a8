//! Tests problems of Operators, Policies and PolicyBindings.

use portolan_core_diagnosis::Code;
use portolan_rig::Failure;
use serde_json::json;

use super::ward::{Cure, Ward};
use crate::operators::stage::{harbor, harbor_with_policies, spec_at, version};

/// Some of these Operators wait for the decision of a user. Others cannot be deleted, because other
/// operators require them.
#[tokio::test]
async fn printed_commands_unblock_operators() -> Result<(), Failure> {
    let all = [
        version("ferry", "1.0.0").with_fields(&["a", "b"]),
        version("ferry", "1.1.0").with_fields(&["a"]),
        version("rope", "1.0.0"),
        version("tug", "1.0.0").requiring("rope", ">=1.0.0"),
    ];
    let Some(harbor) = harbor("dx-own-operators", &all).await? else {
        return Ok(());
    };
    let ward = Ward::of(&harbor).await?;
    let manual = json!({"version": "1.0.0", "approval": "Manual", "settleSeconds": 0});
    harbor.operator("ferry", manual).await?;
    harbor.operator("rope", spec_at("1.0.0")).await?;
    harbor.until_installed("rope", "1.0.0").await?;
    harbor.operator("tug", spec_at("1.0.0")).await?;
    harbor.until_installed("tug", "1.0.0").await?;

    let ferry = "Operator.operators.operatorframework.io ferry";
    let approve = Cure::Decide("Approve the next version");
    ward.cures(("operator/ferry", Code::ApprovalRequired, ferry), approve)
        .await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    harbor.operator("ferry", spec_at("1.1.0")).await?;
    let accept = Cure::Decide("Accept that custom resources may lose data");
    ward.cures(("operator/ferry", Code::CrdUpgradeUnsafe, ferry), accept)
        .await?;
    harbor.until_installed("ferry", "1.1.0").await?;

    let again = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
        "metadata": {"name": "second"}, "spec": {"packageName": "ferry"},
    });
    harbor.make(&again).await?;
    let second = "Operator.operators.operatorframework.io second";
    ward.cures(("operator/second", Code::PackageTaken, second), Cure::Fix)
        .await?;

    harbor.delete("rope").await?;
    let rope = "Operator.operators.operatorframework.io rope";
    let keep = Cure::Decide("If the deletion was a mistake, first restore Operator rope in Git");
    ward.cures(("operator/rope", Code::DeletionBlocked, rope), keep)
        .await?;
    harbor.until_installed("rope", "1.0.0").await
}

/// Runs the commands in `docs/operator.md` about stored versions.
#[tokio::test]
async fn documented_commands_migrate_a_dropped_stored_version() -> Result<(), Failure> {
    let all = [
        version("ferry", "1.0.0").defining(&["v1alpha1"]),
        version("ferry", "1.1.0").defining(&["v1", "v1alpha1"]),
        version("ferry", "1.2.0").defining(&["v1"]),
    ];
    let Some(harbor) = harbor("dx-own-stored", &all).await? else {
        return Ok(());
    };
    harbor.operator("ferry", spec_at("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    harbor
        .make(&json!({
            "apiVersion": "ferry.example/v1alpha1", "kind": "Ship",
            "metadata": {"name": "ann", "namespace": harbor.home()}, "spec": {"sails": 3},
        }))
        .await?;
    let both = json!({"version": "1.1.0", "settleSeconds": 0, "crdUpgradeSafety": {
        "acceptBundles": ["ferry.v1.1.0"],
    }});
    harbor.operator("ferry", both).await?;
    harbor.until_installed("ferry", "1.1.0").await?;
    harbor.operator("ferry", spec_at("1.2.0")).await?;
    let ward = Ward::of(&harbor).await?;
    let ships = "CustomResourceDefinition ships.ferry.example";
    ward.cures(
        ("operator/ferry", Code::CrdUpgradeUnsafe, ships),
        Cure::None,
    )
    .await?;
    let page = include_str!("../../../../../../docs/operator.md");
    let documented = page
        .lines()
        .filter_map(|line| line.strip_prefix("    kubectl "));
    let commands: Vec<_> = documented.filter(|it| it.contains("ships")).collect();
    assert_eq!(commands.len(), 3, "{commands:?}");
    for command in commands {
        ward.shell(&format!("kubectl {command}")).await?;
    }
    harbor.until_installed("ferry", "1.2.0").await
}

/// No command can fix these problems, so the program prints no command.
#[tokio::test]
async fn no_command_is_printed_if_no_command_fixes_the_problem() -> Result<(), Failure> {
    let all = [
        version("ferry", "1.0.0").defining(&["v1alpha1"]),
        version("ferry", "1.1.0").defining(&["v1"]),
        version("tug", "1.0.0"),
        version("tug", "1.1.0"),
    ];
    let Some(harbor) = harbor_with_policies("dx-own-uncured", &all).await? else {
        return Ok(());
    };
    let ward = Ward::of(&harbor).await?;
    for name in ["ferry", "tug"] {
        harbor.operator(name, spec_at("1.0.0")).await?;
        harbor.until_installed(name, "1.0.0").await?;
    }
    let ferry = "Operator.operators.operatorframework.io ferry";
    let ships = "CustomResourceDefinition ships.ferry.example";
    harbor.operator("ferry", spec_at("1.1.0")).await?;
    ward.cures(
        ("operator/ferry", Code::CrdUpgradeUnsafe, ships),
        Cure::None,
    )
    .await?;
    harbor.operator("ferry", spec_at("9.x")).await?;
    ward.cures(("operator/ferry", Code::NoUpgradePath, ferry), Cure::None)
        .await?;

    let group = "operators.operatorframework.io/v1alpha1";
    // 30 February does not exist, so this window never opens.
    let never = "schedule: [{start: '0 0 30 2 *', end: '0 1 30 2 *'}]";
    let rule = "opaPolicy: 'allow if input.move.to.versoin == \"1.1.0\"'";
    harbor
        .apply(&format!(
            "apiVersion: {group}\nkind: Policy\nmetadata: {{name: never}}\nspec: {{{never}}}\n---\n\
             apiVersion: {group}\nkind: Policy\nmetadata: {{name: typo}}\nspec: {{{rule}}}\n---\n\
             apiVersion: {group}\nkind: PolicyBinding\nmetadata: {{name: tugs}}\nspec:\n  \
             subjects: [{{kind: operator, name: tug}}]\n  policyRef: [{{kind: policy, name: never}}]\n---\n\
             apiVersion: {group}\nkind: PolicyBinding\nmetadata: {{name: gone}}\nspec:\n  \
             subjects: [{{kind: operator, name: tug}}]\n  policyRef: [{{kind: policy, name: gone}}]\n"
        ))
        .await?;
    harbor.operator("tug", spec_at("1.1.0")).await?;
    let tug = "Operator.operators.operatorframework.io tug";
    ward.cures(("operator/tug", Code::BlockedByPolicy, tug), Cure::None)
        .await?;
    let typo = "Policy.operators.operatorframework.io typo";
    ward.cures(
        ("upgradepolicy/typo", Code::PolicyInvalid, typo),
        Cure::None,
    )
    .await?;
    let gone = "PolicyBinding.operators.operatorframework.io gone";
    ward.cures(
        ("policybinding/gone", Code::ReferenceMissing, gone),
        Cure::None,
    )
    .await
}
