//! Operators that go.

use portolan_rig::{Failure, Kind};

use super::stage::{harbor, version, wish};

#[tokio::test]
async fn what_it_installed_goes_with_it_and_its_namespace_stays() -> Result<(), Failure> {
    let versions = [version("ferry", "1.0.0"), version("ferry", "1.1.0")];
    let Some(harbor) = harbor("operators-gone", &versions).await? else {
        return Ok(());
    };
    harbor.operator("ferry", wish("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    harbor.operator("ferry", wish("1.1.0")).await?;
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
