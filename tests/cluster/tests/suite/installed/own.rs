//! Tests operators that are installed without OLM, together with operators of OLM.

use portolan_rig::{Failure, PATIENCE, Seen, World, until};
use serde_json::json;

use super::reference::difference;
use super::stage::berth;
use crate::operators::stage::{harbor_on, spec_at, version};
use crate::program::portolan;

#[tokio::test]
async fn lists_operators_installed_with_and_without_olm() -> Result<(), Failure> {
    let Some(mut berth) = berth().await? else {
        return Ok(());
    };
    // Builds the reference programs first, because this may take minutes.
    portolan().await?;
    let world = World::on(berth.cluster().clone(), "installed-own").await?;
    let both = ["1.0.0", "1.1.0"].map(|it| version("tug", it));
    let harbor = harbor_on(world, &both).await?;
    berth.has_own_kinds = true;

    harbor.operator("tug", spec_at("1.0.0")).await?;
    let here = ["get", "installed", "-n=harbor", "--no-headers"];
    let tug = "tug.v1.0.0 tug <none> 1.0.0 1.0.0 Succeeded";
    berth.until_line(&here, tug).await?;
    let by_label = "-l=operators.portolan.dev/operator=tug";
    let tugs = ["get", "installed", "-A", "--no-headers", by_label];
    let namespaces = berth
        .lines(&["get", "namespaces", "--no-headers"])
        .await?
        .len();
    assert_eq!(berth.lines(&tugs).await?.len(), namespaces);

    let mut narrow = spec_at("1.1.0");
    narrow["watchNamespaces"] = json!(["tug"]);
    harbor.operator("tug", narrow).await?;
    let tug = "tug tug.v1.1.0 tug <none> 1.1.0 1.1.0 Succeeded";
    berth.until_line(&tugs, tug).await?;
    assert_eq!(berth.lines(&tugs).await?, [tug]);
    until("the server to be as the reference", PATIENCE, async || {
        let (wanted, served) = (berth.reference().await?, berth.served().await?);
        Ok(difference(&served, &wanted).map_or(Seen::Yes(()), Seen::NotYet))
    })
    .await?;

    harbor.delete("tug").await?;
    let (tug, gone) = ("installed/tug.v1.1.0", "--for=delete");
    let wait = ["wait", tug, "-n=tug", gone, "--timeout=180s"];
    berth.run(&wait).await?;
    berth.assert_no_forbidden_requests()
}
