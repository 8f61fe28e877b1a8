//! A version that does not work, and the way back from it.

use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::json;

use super::stage::{harbor, version};

/// What never became ready is taken back, and tried again once it is another one and somebody says so.
#[tokio::test]
async fn a_version_that_never_works_is_taken_back() -> Result<(), Failure> {
    let ill = [version("ferry", "1.0.0"), version("ferry", "1.1.0").ill()];
    let Some(harbor) = harbor("operators-reverted", &ill).await? else {
        return Ok(());
    };
    let wish =
        |version: &str| json!({"version": version, "settleSeconds": 0, "onFailure": "Revert"});
    harbor.operator("ferry", wish("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    harbor.operator("ferry", wish("1.1.0")).await?;
    let said = harbor
        .until("ferry", ["Installing", "False", "Reverted"])
        .await?;
    assert!(
        said.starts_with("ferry.v1.1.0 did not come to its end, and was taken back: "),
        "{said}"
    );
    harbor.until_installed("ferry", "1.0.0").await?;
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.0.0"));
    let plans = harbor.plan_names().await?;
    assert_eq!(plans, [("ferry-1".to_owned(), false)]);

    // Nobody watches the files of bundles, but those of catalogs.
    harbor.publish(&["1.0.0", "1.1.0", "1.2.0"].map(|it| version("ferry", it)))?;
    until("the catalog to be read", PATIENCE, async || {
        let versions = harbor.status("ferry").await?["versions"].clone();
        Ok(if versions["available"][0] == "1.2.0" {
            Seen::Yes(())
        } else {
            Seen::NotYet(versions.to_string())
        })
    })
    .await?;
    harbor.operator("ferry", wish(">=1.1.0 <1.2.0")).await?;
    harbor.until_installed("ferry", "1.1.0").await
}
