//! Tests a certificate from another source, such as cert-manager.

use kube::api::ListParams;
use portolan_kit::Authority;
use portolan_rig::{Failure, PATIENCE, Seen, until};

use super::stage::{USER, berth_with};

/// The server uses the certificate in the files. When the files change, it uses the new
/// certificate. It reads no Secret and writes nothing.
#[tokio::test]
async fn certificate_files_are_served_and_reloaded() -> Result<(), Failure> {
    let parts = ["apiserver", "apiserver-cert-manager"];
    let [first, next] = [(); 2].map(|()| Authority::default());
    let Some(berth) = berth_with(&parts, Some(&first)).await? else {
        return Ok(());
    };
    let here = ["get", "installed", "-n=harbor", "--no-headers"];
    berth
        .until_line(&here, "ferry.v1.0.0 fleet <none> 1.0.0 <none> Succeeded")
        .await?;

    let listed = berth.replica_by(&first)?.list(&ListParams::default()).await;
    listed.expect("the API server trusts this one as well");

    berth.vouched(&next).await?;
    until("the next certificate", PATIENCE, async || {
        // Creates a new client, because an open connection would still use the old certificate.
        let installed = berth.replica_by(&next)?;
        Ok(match installed.list(&ListParams::default()).await {
            Ok(_) => Seen::Yes(()),
            Err(error) => Seen::NotYet(format!("{error:?}")),
        })
    })
    .await?;
    let former = berth.replica_by(&first)?.list(&ListParams::default()).await;
    assert!(
        former.is_err(),
        "the former authority must no longer be trusted"
    );
    berth.until_called().await?;

    let asked = berth.cluster().audit()?.by(USER);
    let of_secrets = asked.clone().of("secrets");
    assert!(of_secrets.is_empty(), "{:#?}", of_secrets.records());
    let writes = asked.writes();
    let writes = writes.only(|record| record.resource != "subjectaccessreviews");
    assert!(writes.is_empty(), "{:#?}", writes.records());
    berth.assert_no_forbidden_requests()
}
