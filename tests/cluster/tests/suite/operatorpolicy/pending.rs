//! Operators that never start, and what OLM does with those that would follow them.

use portolan_kit::catalog;
use portolan_rig::{Failure, Kind};
use serde_json::json;

use super::stage::stage;
use crate::approval::policy::design;

/// OLM replaces no ClusterServiceVersion that is Pending. With the next one Pending as well it would
/// resolve nothing in the namespace any more. The printed cure is carried out.
#[tokio::test]
async fn an_upgrade_over_a_pending_csv_is_approved_once_that_is_deleted() -> Result<(), Failure> {
    let mut offered = catalog("trimaran: 1.0.0 -> 1.1.0; outrigger: 1.0.0").installable();
    let bundles = offered.packages.iter_mut().flat_map(|it| &mut it.bundles);
    for bundle in bundles.filter(|it| it.objects[0]["metadata"]["name"] == "trimaran.v1.0.0") {
        bundle.objects[0]["spec"]["minKubeVersion"] = "99.0.0".into();
    }
    let Some(stage) = stage("pending", &offered).await? else {
        return Ok(());
    };
    let pinned = design("trimaran", &["trimaran.v1.0.0"]);
    stage.write(&stage.at_home(pinned)).await?;
    let lacks = "ClusterServiceVersionCompliant False RequirementsNotMet";
    stage
        .says("trimaran", &[lacks, "next: trimaran.v1.1.0"])
        .await?;
    let both = json!({"allowedCSVs": ["trimaran.v1.0.0", "trimaran.v1.1.0"]});
    stage.rewrite("trimaran", both).await?;
    let here = stage.world.namespace();
    let cure = format!(
        "delete ClusterServiceVersion {here}/trimaran.v1.0.0, and OLM installs trimaran.v1.1.0"
    );
    let approved = "InstallPlanCompliant";
    stage.mentions("trimaran", approved, &cure).await?;

    stage
        .editor
        .delete(Kind::ClusterServiceVersion, "trimaran.v1.0.0")
        .await?;
    let well = ["compliant: Compliant", "installed: trimaran.v1.1.0"];
    stage.says("trimaran", &well).await?;
    stage
        .write(&stage.at_home(design("outrigger", &["*"])))
        .await?;
    let well = ["compliant: Compliant", "installed: outrigger.v1.0.0"];
    stage.says("outrigger", &well).await?;
    Ok(())
}
