//! Tests policies whose operators are in the same namespace, and so share one InstallPlan.

use portolan_kit::catalog;
use portolan_rig::{Failure, Kind};
use serde_json::{Value, json};

use super::stage::{Stage, stage};
use crate::approval::policy::design;

const GENOA: &str = "genoa.v1.0.0";
const SPRIT: &str = "bowsprit.v1.0.0";

/// OLM installs both operators with one InstallPlan. The controller approves the plan when both
/// policies allow their bundles. Until then, both policies name the bundle that is not allowed.
#[tokio::test]
async fn plan_with_two_operators_waits_for_both_policies() -> Result<(), Failure> {
    let offered = catalog("genoa: 1.0.0 -> 1.1.0; bowsprit: 1.0.0").installable();
    let Some(stage) = stage("meeting", &offered).await? else {
        return Ok(());
    };
    // A policy never sets a starting version that it does not allow. But a user can create such a
    // Subscription.
    let theirs = json!({"spec": {
        "name": "genoa",
        "channel": "stable",
        "source": "fleet",
        "sourceNamespace": stage.world.namespace(),
        "installPlanApproval": "Manual",
        "startingCSV": GENOA,
    }});
    let kind = Kind::Subscription;
    stage.editor.create(kind, "genoa", theirs).await?;
    let genoa = design("genoa", &["genoa.v1.1.0"]).asks("startingCSV", GENOA.into());
    stage.write(&stage.at_home(genoa)).await?;
    let waits = [
        "compliant: NonCompliant",
        "InstallPlanCompliant True InstallPlanRequiresApproval",
        "ClusterServiceVersionCompliant False ClusterServiceVersionMissing",
    ];
    stage.until_status("genoa", &waits).await?;
    stage
        .write(&stage.at_home(design("bowsprit", &[SPRIT])))
        .await?;
    let waits = [&waits[..], &["next: bowsprit.v1.0.0"]].concat();
    let status = stage.until_status("bowsprit", &waits).await?;
    let plan = status["upgrades"]["next"]["plan"].clone();
    let here = stage.world.namespace();
    let withheld = format!(
        "The InstallPlan is not approved: Policy {here}/genoa allows only genoa.v1.1.0, but \
         genoa.v1.0.0 is version 1.0.0. Add genoa.v1.0.0 to spec.allowedCSVs of policy {here}/genoa"
    );
    for (policy, one, other) in [("bowsprit", SPRIT, GENOA), ("genoa", GENOA, SPRIT)] {
        let reported = format!(
            "{one} of the stable channel waits to be installed, together with {other} of the stable \
             channel. {withheld}"
        );
        stage
            .explains(policy, "InstallPlanCompliant", &reported)
            .await?;
    }
    assert_eq!(bundles(&stage, &plan).await?, json!([SPRIT, GENOA]));
    assert_eq!(stage.wrote("installplans")?, [], "nothing is approved");

    stage
        .rewrite("genoa", json!({"allowedCSVs": [GENOA]}))
        .await?;
    for (policy, bundle) in [("genoa", GENOA), ("bowsprit", SPRIT)] {
        let installed = format!("installed: {bundle}");
        let well = [
            "ClusterServiceVersionCompliant True InstallSucceeded",
            "compliant: Compliant",
            &installed,
        ];
        stage.until_status(policy, &well).await?;
    }
    let approved = stage.wrote("installplans")?;
    let approved: Vec<_> = approved.iter().map(|record| record.name.clone()).collect();
    assert_eq!(json!(approved), json!([plan]), "it is approved, and once");
    Ok(())
}

/// One InstallPlan contains the upgrades of both operators. If one operator is then removed, this
/// plan would install it again. While the plan waits, OLM creates no other plan.
#[tokio::test]
async fn upgrade_continues_after_other_operator_of_plan_was_removed() -> Result<(), Failure> {
    let offered = catalog("spanker: 1.0.0; topsail: 1.0.0").installable();
    let Some(mut stage) = stage("parted", &offered).await? else {
        return Ok(());
    };
    for package in ["spanker", "topsail"] {
        let pinned = design(package, &[&format!("{package}.v1.0.0")]);
        stage.write(&stage.at_home(pinned)).await?;
    }
    for package in ["spanker", "topsail"] {
        let installed = format!("installed: {package}.v1.0.0");
        stage
            .until_status(package, &["compliant: Compliant", &installed])
            .await?;
    }
    let newer = catalog("spanker: 1.0.0 -> 1.1.0; topsail: 1.0.0 -> 1.1.0").installable();
    let newer = newer.temp();
    stage.catalog.serve(&newer).await?;
    let mut plans = Vec::new();
    for package in ["spanker", "topsail"] {
        let waits = format!("next: {package}.v1.1.0");
        let requires = "InstallPlanCompliant True InstallPlanRequiresApproval";
        let status = stage.until_status(package, &[requires, &waits]).await?;
        plans.push(status["upgrades"]["next"]["plan"].clone());
    }
    assert_eq!(plans[0], plans[1], "OLM plans both upgrades together");
    stage.editor.delete(Kind::OperatorPolicy, "topsail").await?;
    stage.is_gone(Kind::OperatorPolicy, "topsail").await?;
    let both = json!({"allowedCSVs": ["spanker.v1.0.0", "spanker.v1.1.0"]});
    stage.rewrite("spanker", both).await?;
    let well = ["compliant: Compliant", "installed: spanker.v1.1.0"];
    stage.until_status("spanker", &well).await?;
    let plan = plans[0].as_str().unwrap_or_default();
    assert!(stage.object(Kind::InstallPlan, plan).await?.is_none());
    for csv in ["topsail.v1.0.0", "topsail.v1.1.0"] {
        let left = stage.object(Kind::ClusterServiceVersion, csv).await?;
        assert!(left.is_none(), "{csv} stays removed");
    }
    Ok(())
}

/// Returns the bundles of an InstallPlan, in order.
async fn bundles(stage: &Stage, plan: &Value) -> Result<Value, Failure> {
    let plan = plan.as_str().unwrap_or_default();
    let plan = stage.object(Kind::InstallPlan, plan).await?;
    let plan = plan.expect("the named plan must exist");
    let names = plan.data["spec"]["clusterServiceVersionNames"].as_array();
    let mut names: Vec<_> = names.into_iter().flatten().cloned().collect();
    names.sort_by_key(Value::to_string);
    Ok(Value::Array(names))
}
