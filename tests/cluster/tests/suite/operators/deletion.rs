//! Tests the deletion of Operators.

use portolan_rig::{Failure, Kind};

use super::stage::{harbor, spec_at, version};

#[tokio::test]
async fn deleted_operator_removes_workload_and_keeps_namespace() -> Result<(), Failure> {
    let versions = [version("ferry", "1.0.0"), version("ferry", "1.1.0")];
    let Some(harbor) = harbor("operators-gone", &versions).await? else {
        return Ok(());
    };
    harbor.operator("ferry", spec_at("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    harbor.operator("ferry", spec_at("1.1.0")).await?;
    harbor.until_installed("ferry", "1.1.0").await?;
    harbor.delete("ferry").await?;
    harbor.until_gone("ferry").await?;
    assert_eq!(harbor.plan_names().await?, []);
    assert_eq!(harbor.deployment("ferry").await?, None);
    let namespaces = Kind::Namespace.everywhere(harbor.world().client());
    let namespace = namespaces.get("ferry").await?;
    assert_eq!(namespace.metadata.deletion_timestamp, None);
    Ok(())
}
