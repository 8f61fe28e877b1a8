//! Tests several updaters that run at the same time.

use std::net::SocketAddr;

use portolan_rig::Failure;
use serde_json::json;

use super::stage::{CONDITION, configure, flags, frozen, install, updater};
use crate::operators::stage::version;
use crate::process::metrics;

const WRITTEN: &str = "portolan_controller_writes_total{controller=\"updater\",kind=\"Operator\",verb=\"version\",result=\"done\"}";

/// Two updaters use the same Lease, and only one of them writes. After this updater exits, the
/// other one writes. Two updaters without a Lease still write each version only once.
#[tokio::test]
async fn two_updaters_write_each_version_once() -> Result<(), Failure> {
    let Some(harbor) = frozen("updater-two", &[version("ferry", "1.0.0")]).await? else {
        return Ok(());
    };
    let operators = install(&[("ferry", "latest")]);
    configure(&harbor, &json!({"operators": operators})).await?;
    let kubeconfig = harbor
        .world()
        .cluster()
        .admit("updater", Some("system:masters"))?;
    let reported = flags(&harbor, &kubeconfig);
    let (one, first) = updater(reported.clone()).await;
    harbor
        .until("ferry", [CONDITION, "True", "UpToDate"])
        .await?;
    let (other, second) = updater(reported.clone()).await;
    harbor.publish(&["1.0.0", "1.1.0"].map(|it| version("ferry", it)))?;
    harbor.until_installed("ferry", "1.1.0").await?;
    assert_eq!([written(one).await, written(other).await], [1, 0]);

    first.stop().await;
    harbor.publish(&["1.0.0", "1.1.0", "1.2.0"].map(|it| version("ferry", it)))?;
    harbor.until_installed("ferry", "1.2.0").await?;
    assert_eq!(written(other).await, 1);
    second.stop().await;

    let alone = [reported, vec!["--no-lease".to_owned()]].concat();
    let (one, _first) = updater(alone.clone()).await;
    let (other, _second) = updater(alone).await;
    let versions = ["1.0.0", "1.1.0", "1.2.0", "1.3.0"];
    harbor.publish(&versions.map(|it| version("ferry", it)))?;
    harbor.until_installed("ferry", "1.3.0").await?;
    harbor
        .until("ferry", [CONDITION, "True", "UpToDate"])
        .await?;
    assert_eq!(written(one).await + written(other).await, 1);
    Ok(())
}

/// Returns the number of versions that an updater has written.
async fn written(probes: SocketAddr) -> u64 {
    let metrics = metrics(probes).await.unwrap_or_default();
    let line = metrics.lines().find_map(|line| line.strip_prefix(WRITTEN));
    line.map_or(0, |count| count.trim().parse().expect("a number"))
}
