//! Tests that OLM still writes Operators in v1, also after the CRDs of OLM are applied again or
//! restored.

use std::fs;
use std::ops::Range;

use portolan_rig::{Component, Failure, PATIENCE, Seen, until};
use serde_json::Value;

use super::stage::{DEFINITION, Quay, V1, V2, components, quay};

const OPERATOR: &str = "
apiVersion: operators.coreos.com/v2alpha1
kind: Operator
metadata: {name: plumbus}
spec: {updates: {type: CatalogSource, catalogSource: {package: plumbus, channel: stable}}}
";
/// A Namespace with the label of the Operator. OLM watches Namespaces, but no ConfigMaps of other
/// owners.
const PART: &str = "
apiVersion: v1
kind: Namespace
metadata: {name: NAME, labels: {operators.coreos.com/plumbus: ''}}
";
const ROUNDS: usize = 12;

#[tokio::test]
async fn v1_data_is_kept_beside_olm_and_the_crd_is_restored() -> Result<(), Failure> {
    let Some(mut quay) = quay().await? else {
        return Ok(());
    };
    quay.applies(OPERATOR).await?;
    comes(&quay, 0..ROUNDS).await?;
    both_have_all(&quay).await?;
    applied_again(&mut quay).await?;
    removed(&mut quay).await?;
    quay.assert_no_forbidden_requests()
}

#[tokio::test]
#[ignore = "OLM takes a minute to find the API server again: just soak"]
async fn keeps_data_after_api_server_restart() -> Result<(), Failure> {
    let Some(quay) = quay().await? else {
        return Ok(());
    };
    quay.applies(OPERATOR).await?;
    comes(&quay, 0..ROUNDS / 2).await?;
    quay.cluster().restart(Component::ApiServer).await?;
    comes(&quay, ROUNDS / 2..ROUNDS).await?;
    both_have_all(&quay).await
}

/// Creates component objects of the Operator. For each object, OLM and our controller write the
/// status.
async fn comes(quay: &Quay, parts: Range<usize>) -> Result<(), Failure> {
    for part in parts {
        let part = PART.replace("NAME", &format!("part-{part}"));
        quay.applies(&part).await?;
    }
    Ok(())
}

async fn both_have_all(quay: &Quay) -> Result<(), Failure> {
    let all = |it: &Value| {
        let olm = it["status"]["v1"]["components"]["refs"].as_array();
        components(it).len() == ROUNDS && olm.is_some_and(|refs| refs.len() == ROUNDS)
    };
    let reported = quay
        .until_operator("plumbus", "all components, twice", all)
        .await?;
    assert_eq!(
        reported["spec"]["updates"]["catalogSource"]["package"],
        "plumbus"
    );
    let log = fs::read_to_string(quay.cluster().log(Component::Olm));
    let log = log.map_err(Failure::touch("read the log of OLM"))?;
    for word in ["conversion", "v2alpha1"] {
        assert!(!log.contains(word), "OLM says {word}");
    }
    Ok(())
}

/// Applies the CRDs of OLM again. This removes our version from the CRD. The data is kept, and an
/// event reports the removal.
async fn applied_again(quay: &mut Quay) -> Result<(), Failure> {
    quay.applies(&quay.chart()?).await?;
    let event = [
        "get",
        "events",
        "--field-selector=reason=VersionTakenOut",
        "-o=jsonpath={.items[*].message}",
    ];
    quay.until_output(&event, "--keep-version").await?;
    let gone = quay
        .try_run(&["get", V2])
        .await?
        .expect_err("a version that is gone");
    assert!(gone.contains("doesn't have a resource type"), "{gone}");
    let kept = quay.json(&["get", V1, "plumbus"]).await?;
    let kept = kept["metadata"]["annotations"]["operators.portolan.dev/v2alpha1"].as_str();
    assert!(
        kept.is_some_and(|it| it.contains("\"package\":\"plumbus\"")),
        "{kept:?}"
    );

    quay.starts_controller(&["--enable-v2alpha1", "--keep-version"])
        .await;
    quay.until_served().await?;
    let reported = quay.until_operator("plumbus", "unchanged", |it| components(it).len() == ROUNDS);
    assert_eq!(
        reported.await?["spec"]["updates"]["catalogSource"]["package"],
        "plumbus"
    );
    Ok(())
}

/// After the removal of v2alpha1, the CRD is as OLM installs it, and no Operator has a finalizer.
async fn removed(quay: &mut Quay) -> Result<(), Failure> {
    quay.starts_controller(&["--remove-v2alpha1"]).await;
    until("the restored CRD", PATIENCE, async || {
        let crd = quay.json(&["get", DEFINITION]).await?;
        let operators = quay.json(&["get", V1]).await?;
        let finalizers = operators["items"].as_array().into_iter().flatten();
        let is_held = finalizers
            .filter(|it| !it["metadata"]["finalizers"].is_null())
            .count();
        let is_back = crd["spec"] == quay.of_olm["spec"] && is_held == 0;
        Ok(if is_back {
            Seen::Yes(())
        } else {
            Seen::NotYet(crd["spec"].to_string())
        })
    })
    .await?;
    let crd = quay.json(&["get", DEFINITION]).await?;
    let mark = &crd["metadata"]["annotations"]["operators.portolan.dev/v2alpha1"];
    assert_eq!(*mark, "removed");
    assert_eq!(
        crd["status"]["storedVersions"],
        quay.of_olm["status"]["storedVersions"]
    );
    quay.kills_controller();
    quay.run(&["delete", V1, "plumbus", "--wait=false"]).await?;
    Ok(())
}
