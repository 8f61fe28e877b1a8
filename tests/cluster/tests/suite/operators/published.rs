//! What becomes of an Operator when catalogs and bundles change.

use std::fs;

use portolan_rig::Failure;
use serde_json::json;

use super::stage::{harbor, harbor_beside_tenant, version, wish};

/// What cannot be reached now is gone to once a catalog brings it, without anybody's help: a catalog of the
/// administrators, as the CatalogSource of a tenant brings nothing. While the resolver is away nothing moves.
#[tokio::test]
async fn a_version_that_is_published_is_gone_to() -> Result<(), Failure> {
    let first = [version("ferry", "1.0.0")];
    let tenant = ["1.0.0", "1.1.0", "9.0.0"].map(|it| version("ferry", it));
    let story = "operators-published";
    let Some(mut harbor) = harbor_beside_tenant(story, &first, &tenant).await? else {
        return Ok(());
    };
    harbor.operator("ferry", wish("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    let status = harbor.status("ferry").await?;
    assert_eq!(status["bundle"]["catalog"], "demo");
    assert_eq!(status["versions"]["available"], json!(null), "{status}");

    harbor.kill_resolver();
    harbor.operator("ferry", wish(">=1.0.0 <2.0.0")).await?;
    let unknown = ["Installing", "False", "CatalogsUnknown"];
    let said = harbor.until("ferry", unknown).await?;
    assert!(said.contains("resolver"), "{said}");
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.0.0"));
    harbor.revive_resolver().await;
    harbor
        .until("ferry", ["Installing", "False", "UpToDate"])
        .await?;
    harbor.operator("ferry", wish(">=1.1.0 <2.0.0")).await?;
    let blocked = ["Installing", "False", "Unreachable"];
    harbor.until("ferry", blocked).await?;

    let both = [version("ferry", "1.0.0"), version("ferry", "1.1.0")];
    harbor.publish(&both)?;
    harbor.until_installed("ferry", "1.1.0").await
}

/// A bundle in the middle of the way that cannot be read keeps all of it from beginning.
#[tokio::test]
async fn nothing_begins_while_a_bundle_on_the_way_is_missing() -> Result<(), Failure> {
    let all = ["1.0.0", "1.1.0", "1.2.0"].map(|it| version("ferry", it));
    let Some(harbor) = harbor("operators-missing", &all).await? else {
        return Ok(());
    };
    harbor.operator("ferry", wish("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    let missing = harbor.bundle("ferry", "1.2.0").join("manifests/csv.yaml");
    let text = fs::read_to_string(&missing).map_err(Failure::touch("read a bundle"))?;
    fs::write(&missing, "kind: [").map_err(Failure::touch("write a bundle"))?;
    harbor.operator("ferry", wish("1.x")).await?;
    let refused = ["Installing", "False", "BundleRefused"];
    let said = harbor.until("ferry", refused).await?;
    assert!(said.starts_with("ferry.v1.2.0: "), "{said}");
    let plans = harbor.plan_names().await?;
    assert_eq!(plans, [("ferry-1".to_owned(), false)]);

    fs::write(&missing, text).map_err(Failure::touch("write a bundle"))?;
    // Nobody watches the files of bundles, but those of catalogs.
    let more = [
        ("ferry", "1.0.0"),
        ("ferry", "1.1.0"),
        ("ferry", "1.2.0"),
        ("rope", "1.0.0"),
    ];
    harbor.publish(&more.map(|(package, it)| version(package, it)))?;
    harbor.until_installed("ferry", "1.2.0").await
}
