//! Tests Pods of OLM that fail. `portolan diagnose` reports the cause from the kubelet.

use portolan_rig::Failure;

use super::catalog::{Channel, publish};
use super::stage::{OLM, olm_world, serve, subscribe};
use crate::kubectl::Kubectl;
use crate::node::releases::{RELEASES, Release, release};
use crate::node::stage::until_printed;

/// A version whose bundle is missing in the registry.
const LOST: [Release; 1] = [release("1.6.0", &["v1alpha1"], "none")];

#[tokio::test]
async fn failing_pods_of_olm_are_named_with_container_and_reason() -> Result<(), Failure> {
    let Some(world) = olm_world("failures").await? else {
        return Ok(());
    };
    let cluster = world.cluster();
    let (catalog, bundle) = (
        cluster.namespace("catalog").await?,
        cluster.namespace("bundle").await?,
    );
    let [_, _, _, hanging, _] = RELEASES;
    let image = publish(cluster, "v1", &channels(&[hanging])).await?;
    let lost = image.replace("ferry/catalog", "ferry/lost");
    serve(&world, [&catalog, "lost"], &lost).await?;
    serve(&world, [OLM, "ferries"], &image).await?;
    subscribe(&world, &catalog, [&catalog, "lost"], "hang").await?;
    subscribe(&world, &bundle, [OLM, "ferries"], "lost").await?;
    let hang = world.namespace();
    subscribe(&world, hang, [OLM, "ferries"], "hang").await?;

    let diagnosed = [
        (&*catalog, "initContainerStatuses[extract-content]: image "),
        (
            &*catalog,
            "Message from the kubelet: rpc error: code = NotFound",
        ),
        (
            &*bundle,
            "for container pull cannot be pulled: rpc error: code = NotFound",
        ),
        (hang, "crash-loops, because its liveness probe fails"),
        (hang, "Message from the kubelet: Get "),
    ];
    for (namespace, text) in diagnosed {
        until_printed(
            &world,
            &["diagnose", "-n", namespace, "-o", "wide"],
            &[text],
        )
        .await?;
    }

    let little = ["--requests=memory=12Mi", "--limits=memory=12Mi"];
    let deployment = ["set", "resources", "-n", OLM, "deployment/catalog-operator"];
    let kubectl = Kubectl::of(cluster);
    kubectl.run(&[&deployment[..], &little].concat()).await?;
    let words = ["diagnose", "-n", &bundle, "-o", "wide"];
    let killed = [
        "OlmNotRunning: Deployment olm/catalog-operator of OLM does not run",
        "the last time with exit code 137 (OOMKilled).",
        "Raise the memory limit of container catalog-operator",
    ];
    until_printed(&world, &words, &killed).await?;
    Ok(())
}

fn channels(hanging: &[Release]) -> [Channel<'_>; 2] {
    [("hang", hanging, true), ("lost", &LOST, false)].map(|(name, releases, has_bundles)| Channel {
        name,
        releases,
        has_bundles,
        change: |_| (),
    })
}
