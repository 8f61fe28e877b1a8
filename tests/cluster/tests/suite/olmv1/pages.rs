//! Tests the pages of the console about ClusterExtensions.

use portolan_kit::catalog;
use portolan_rig::{Browser, Failure};
use serde_json::json;

use super::stage::{INSTALLER, stage};
use crate::console::stage::Console;

#[tokio::test]
async fn console_lists_extensions_and_shows_their_causes() -> Result<(), Failure> {
    let Some(stage) = stage().await? else {
        return Ok(());
    };
    let Some(browser) = Browser::open().await? else {
        return Ok(());
    };
    stage.docks().await?;
    let offered = catalog("ferry: 1.0.0").installable();
    stage.serve("harbor", offered, &[]).await?;
    for name in ["ferry", "pilot"] {
        stage.extension(name, INSTALLER, name, json!({})).await?;
    }
    let authority = stage.cluster.folder().join("pki/ca.crt");
    let authority = format!("--catalogd-ca={}", authority.display());
    let console = Console::of(&stage.cluster.kubeconfig(), &[&authority]).await?;
    let tab = browser.tab().await?;
    let place = console.enter(&tab).await?;

    tab.visit(&format!("{place}/operators?state=stuck&manager=olm-v1"))
        .await?;
    tab.until_text("1 of 2 operators.").await?;
    tab.visit(&format!("{place}/extension?name=pilot")).await?;
    tab.until_text("PackageMissing").await?;
    tab.visit(&format!("{place}/extension?name=ferry")).await?;
    tab.until_text("OLM v1, for a ClusterExtension").await?;
    tab.until_text("ferry.v1.0.0").await
}
