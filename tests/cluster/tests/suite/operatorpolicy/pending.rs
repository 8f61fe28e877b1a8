//! Tests versions that never start, and how OLM handles their successors.

use portolan_kit::catalog;
use portolan_rig::{Failure, Kind};
use serde_json::json;

use super::stage::{Stage, stage};
use crate::approval::policy::design;

/// Creates a policy for a version that never starts. The policy also allows the next version.
/// Returns `None` if tests with a cluster are skipped.
async fn stuck(test_name: &str) -> Result<Option<Stage>, Failure> {
    let mut offered = catalog("trimaran: 1.0.0 -> 1.1.0; outrigger: 1.0.0").installable();
    let bundles = offered.packages.iter_mut().flat_map(|it| &mut it.bundles);
    for bundle in bundles.filter(|it| it.objects[0]["metadata"]["name"] == "trimaran.v1.0.0") {
        bundle.objects[0]["spec"]["minKubeVersion"] = "99.0.0".into();
    }
    let Some(stage) = stage(test_name, &offered).await? else {
        return Ok(None);
    };
    let pinned = design("trimaran", &["trimaran.v1.0.0"]);
    stage.write(&stage.at_home(pinned)).await?;
    let lacks = "ClusterServiceVersionCompliant False RequirementsNotMet";
    stage
        .until_status("trimaran", &[lacks, "next: trimaran.v1.1.0"])
        .await?;
    let both = json!({"allowedCSVs": ["trimaran.v1.0.0", "trimaran.v1.1.0"]});
    stage.rewrite("trimaran", both).await?;
    let here = stage.world.namespace();
    let cure = format!(
        "delete ClusterServiceVersion {here}/trimaran.v1.0.0; OLM then installs trimaran.v1.1.0"
    );
    stage
        .mentions("trimaran", "InstallPlanCompliant", &cure)
        .await?;
    Ok(Some(stage))
}

/// Runs the remedy. Then the next version is installed, and also another operator in the namespace.
async fn recovers(stage: &Stage) -> Result<(), Failure> {
    stage
        .editor
        .delete(Kind::ClusterServiceVersion, "trimaran.v1.0.0")
        .await?;
    let well = ["compliant: Compliant", "installed: trimaran.v1.1.0"];
    stage.until_status("trimaran", &well).await?;
    stage
        .write(&stage.at_home(design("outrigger", &["*"])))
        .await?;
    let well = ["compliant: Compliant", "installed: outrigger.v1.0.0"];
    stage.until_status("outrigger", &well).await?;
    Ok(())
}

/// OLM does not replace a ClusterServiceVersion that is Pending, so the upgrade is not approved.
#[tokio::test]
async fn upgrade_over_pending_csv_is_approved_after_its_deletion() -> Result<(), Failure> {
    match stuck("pending").await? {
        Some(stage) => recovers(&stage).await,
        None => Ok(()),
    }
}

/// A user has approved the upgrade. Both versions are in the phase Pending, and OLM resolves
/// nothing in the namespace.
#[tokio::test]
async fn namespace_with_two_pending_csvs_recovers_by_the_printed_remedy() -> Result<(), Failure> {
    let Some(stage) = stuck("two-pending").await? else {
        return Ok(());
    };
    let policies = stage.editor.objects(Kind::OperatorPolicy);
    let policy = policies.get("trimaran").await?;
    let plan = policy.data["status"]["upgrades"]["next"]["plan"].as_str();
    let plan = plan.expect("the plan that waits must be named");
    let approved = json!({"spec": {"approved": true}});
    stage
        .editor
        .patch(Kind::InstallPlan, plan, approved)
        .await?;
    let here = stage.world.namespace();
    let cure = format!(
        "Delete ClusterServiceVersion {here}/trimaran.v1.0.0; OLM then installs trimaran.v1.1.0"
    );
    stage
        .mentions("trimaran", "ClusterServiceVersionCompliant", &cure)
        .await?;
    recovers(&stage).await
}
