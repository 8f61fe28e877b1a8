//! Tests the memory and the startup time of Portolan in Pods.

use std::time::Instant;

use portolan_rig::{Failure, Kind, World, until_object};
use serde_json::{Value, json};

use super::deployed::{Deployed, REPLICAS, container_id};
use super::releases::publish;
use super::stage::{node_world, portolan_image, probe, restricted};
use crate::objects::make;

/// The memory limit of this test. It is a quarter of the limit in the manifests, because the
/// catalog is small.
const LIMIT: u64 = 256 << 20;

#[tokio::test]
async fn resolver_pod_serves_a_catalog_within_its_memory_limit() -> Result<(), Failure> {
    let Some(world) = node_world("memory").await? else {
        return Ok(());
    };
    let catalog = publish(world.cluster()).await?;
    let registry = world.cluster().registry().unwrap_or_default();
    let image = portolan_image().await?;
    let image = world.cluster().push(image, "portolan:test").await?;
    let flags = vec![
        "serve".to_owned(),
        "resolver".to_owned(),
        "--listen=0.0.0.0:50051".to_owned(),
        "--probes-listen=0.0.0.0:8080".to_owned(),
        format!("--catalog=ferries=oci://{catalog}"),
        format!("--registries={registry}"),
        format!("--plain-http={registry}"),
    ];
    make(world.client(), &pod(&world, "resolver", &image, &flags)).await?;
    let created = Instant::now();
    let container = until_ready(&world, "resolver").await?;
    let ready = created.elapsed().as_secs_f32();
    let peak = world.cluster().peak_memory(&container).unwrap_or_default();
    println!(
        "resolver: ready {ready:.1} s after its creation, at most {} KiB",
        peak / 1024
    );
    assert!((1..LIMIT).contains(&peak), "{peak}");
    Ok(())
}

/// Waits until a Pod is ready. Returns the ID of its container.
async fn until_ready(world: &World, name: &str) -> Result<String, Failure> {
    let pods = Kind::Pod.within(world.client(), world.namespace());
    let status = "/status/containerStatuses/0";
    let is_ready = format!("{status}/ready");
    let pod = until_object(&pods, name, "ready", |pod| {
        pod.data.pointer(&is_ready) == Some(&json!(true))
    });
    let pod = pod.await?;
    let id = pod.data.pointer(&format!("{status}/containerID"));
    let id = id.and_then(Value::as_str).unwrap_or_default();
    Ok(id.trim_start_matches("containerd://").to_owned())
}

fn pod(world: &World, name: &str, image: &str, flags: &[String]) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": world.namespace()},
        "spec": {"containers": [{
            "name": "portolan",
            "image": image,
            "args": flags,
            "securityContext": restricted(),
            "readinessProbe": probe("/readyz", 8080),
            "resources": {"limits": {"memory": LIMIT.to_string()}},
            "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],
        }], "volumes": [{"name": "tmp", "emptyDir": {}}]},
    })
}

/// Checks that no container has used more than half of its memory limit, and prints the memory of
/// each container. Kubernetes kills a container that exceeds its limit.
pub(super) async fn all_are_below_half_their_limit(deployed: &Deployed) -> Result<(), Failure> {
    for (component, _) in REPLICAS {
        for pod in deployed.pods(component).await? {
            let peak = deployed.cluster.peak_memory(&container_id(&pod));
            let peak = peak.unwrap_or_default() >> 20;
            let limit = &pod.data["spec"]["containers"][0]["resources"]["limits"]["memory"];
            let limit = mebibytes(limit.as_str().unwrap_or_default());
            println!("{component}: at most {peak} MiB, limit {limit} MiB");
            assert!((1..limit / 2).contains(&peak), "{component}");
        }
    }
    Ok(())
}

fn mebibytes(limit: &str) -> u64 {
    let number = |digits: &str| digits.parse::<u64>().unwrap_or_default();
    match limit.strip_suffix("Gi") {
        Some(digits) => number(digits) << 10,
        None => number(limit.trim_end_matches("Mi")),
    }
}
