//! Tests Operators while the content of catalogs and bundles changes.

use std::fs;

use portolan_rig::Failure;
use serde_json::json;

use super::stage::{harbor, harbor_beside_tenant, spec_at, version};

/// A version is installed automatically when a catalog contains it and a path to it. Only catalogs
/// of administrators are used: a CatalogSource of a tenant has no effect. While the resolver is
/// unavailable, no Operator is upgraded.
#[tokio::test]
async fn published_version_is_installed() -> Result<(), Failure> {
    let first = [version("ferry", "1.0.0")];
    let tenant = ["1.0.0", "1.1.0", "9.0.0"].map(|it| version("ferry", it));
    let test = "operators-published";
    let Some(mut harbor) = harbor_beside_tenant(test, &first, &tenant).await? else {
        return Ok(());
    };
    harbor.operator("ferry", spec_at("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    let status = harbor.status("ferry").await?;
    assert_eq!(status["bundle"]["catalog"], "demo");
    assert_eq!(status["versions"]["available"], json!(null), "{status}");

    harbor.kill_resolver();
    harbor.operator("ferry", spec_at(">=1.0.0 <2.0.0")).await?;
    let unknown = ["Installing", "False", "ResolverUnavailable"];
    let message = harbor.until("ferry", unknown).await?;
    assert!(message.contains("resolver"), "{message}");
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.0.0"));
    harbor.revive_resolver().await;
    harbor
        .until("ferry", ["Installing", "False", "UpToDate"])
        .await?;
    harbor.operator("ferry", spec_at(">=1.1.0 <2.0.0")).await?;
    let blocked = ["Installing", "False", "NoUpgradePath"];
    harbor.until("ferry", blocked).await?;

    let both = [version("ferry", "1.0.0"), version("ferry", "1.1.0")];
    harbor.publish(&both)?;
    harbor.until_installed("ferry", "1.1.0").await
}

/// An unreadable bundle in the middle of a route prevents the start of the whole route.
#[tokio::test]
async fn unreadable_bundle_blocks_the_whole_route() -> Result<(), Failure> {
    let all = ["1.0.0", "1.1.0", "1.2.0"].map(|it| version("ferry", it));
    let Some(harbor) = harbor("operators-missing", &all).await? else {
        return Ok(());
    };
    harbor.operator("ferry", spec_at("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    let missing = harbor.bundle("ferry", "1.2.0").join("manifests/csv.yaml");
    let text = fs::read_to_string(&missing).map_err(Failure::touch("read a bundle"))?;
    fs::write(&missing, "kind: [").map_err(Failure::touch("write a bundle"))?;
    harbor.operator("ferry", spec_at("1.x")).await?;
    let refused = ["Installing", "False", "BundleNotInstallable"];
    let message = harbor.until("ferry", refused).await?;
    assert!(message.starts_with("ferry.v1.2.0: "), "{message}");
    let plans = harbor.plan_names().await?;
    assert_eq!(plans, [("ferry-1".to_owned(), false)]);

    fs::write(&missing, text).map_err(Failure::touch("write a bundle"))?;
    // The resolver watches the files of catalogs, but not the files of bundles. So a change of the
    // catalog is needed.
    let more = [
        ("ferry", "1.0.0"),
        ("ferry", "1.1.0"),
        ("ferry", "1.2.0"),
        ("rope", "1.0.0"),
    ];
    harbor.publish(&more.map(|(package, it)| version(package, it)))?;
    harbor.until_installed("ferry", "1.2.0").await
}
