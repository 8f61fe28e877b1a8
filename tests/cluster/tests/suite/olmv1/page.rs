//! Runs the commands of the page `docs/olm-v1.md`.

use portolan_kit::catalog;
use portolan_rig::Failure;

use super::stage::stage;
use crate::journeys::page::follow;
use crate::journeys::reader::Reader;

#[tokio::test]
async fn commands_of_the_page_repair_an_extension() -> Result<(), Failure> {
    let Some(stage) = stage().await? else {
        return Ok(());
    };
    stage.docks().await?;
    let offered = catalog("ferry: 1.0.0 -> 1.1.0").installable();
    stage.serve("harbor", offered, &[]).await?;
    let authority = stage.cluster.folder().join("pki/ca.crt");
    let reader = Reader::of(&stage.cluster).await?;
    let reader = reader.exports("PORTOLAN_CATALOGD_CA", &authority.display().to_string());
    follow("../olm-v1.md", reader).await
}
