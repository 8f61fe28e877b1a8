//! Tests that Pods run, and that logs, exec and port-forward work.

use std::net::SocketAddr;

use kube::api::{Api, DynamicObject, Patch, PatchParams};
use portolan_rig::{Failure, Kind, PATIENCE, Seen, World, until, until_object};
use serde_json::{Value, json};

use super::releases::{crd, rules};
use super::stage::{node_world, operator_image, probe, restricted};
use crate::kubectl::Kubectl;
use crate::objects::make;
use crate::process::ready;

#[tokio::test]
async fn pod_runs_and_answers_logs_exec_and_port_forward() -> Result<(), Failure> {
    let Some(world) = node_world("pods").await? else {
        return Ok(());
    };
    let image = operator_image(&[("FERRY_VERSION", "1.0.0")]).await?;
    let image = world.cluster().push(image, "ferry/operator:v1.0.0").await?;
    enforce_restricted(&world).await?;
    install(&world, &image).await?;
    let kubectl = Kubectl::of(world.cluster());
    let namespace = world.namespace();

    // The Pod of the operator connects to the API server through the Service `kubernetes`.
    make(world.client(), &ferry(&world, 12)).await?;
    let timetables = Kind::ConfigMap.within(world.client(), namespace);
    let seats = |map: &DynamicObject| map.data["data"]["seats"] == "12";
    until_object(&timetables, "dover-timetable", "the seats", seats).await?;

    let log = kubectl
        .run(&["logs", "-n", namespace, "deployment/ferry"])
        .await?;
    assert!(log.starts_with("ferry-operator 1.0.0 starts"), "{log}");
    let exec = [
        "exec",
        "-n",
        namespace,
        "deployment/ferry",
        "--",
        "ferry-operator",
    ];
    let name = "kubernetes.default.svc.cluster.local";
    let resolved = kubectl
        .run(&[&exec[..], &["--resolve", name]].concat())
        .await?;
    assert_eq!(resolved, "10.0.0.1");
    let forwarded = forward(&world).await?;
    assert!(forwarded, "the Pod must be ready behind port-forward");
    Ok(())
}

async fn enforce_restricted(world: &World) -> Result<(), Failure> {
    let label = json!({"metadata": {"labels": {
        "pod-security.kubernetes.io/enforce": "restricted",
    }}});
    let namespaces = Kind::Namespace.everywhere(world.client());
    let params = PatchParams::default();
    namespaces
        .patch(world.namespace(), &params, &Patch::Merge(label))
        .await?;
    Ok(())
}

/// Installs the operator without Portolan, and waits until it is available.
async fn install(world: &World, image: &str) -> Result<(), Failure> {
    let namespace = world.namespace();
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": {"name": "ferry"}, "rules": rules(),
    });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
        "metadata": {"name": "ferry"},
        "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": namespace}],
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "ferry",
        },
    });
    for object in [
        crd(&["v1alpha1"]),
        role,
        binding,
        deployment(namespace, image),
    ] {
        make(world.client(), &object).await?;
    }
    let crds = Kind::CustomResourceDefinition.everywhere(world.client());
    until_condition(&crds, "ferries.ferries.portolan.dev", "Established").await?;
    let deployments = Kind::Deployment.within(world.client(), namespace);
    until_condition(&deployments, "ferry", "Available").await
}

async fn until_condition(
    objects: &Api<DynamicObject>,
    name: &str,
    condition: &str,
) -> Result<(), Failure> {
    let is_true = |object: &DynamicObject| {
        let conditions = object.data["status"]["conditions"].as_array();
        let mut conditions = conditions.into_iter().flatten();
        conditions.any(|each| each["type"] == condition && each["status"] == "True")
    };
    until_object(objects, name, condition, is_true)
        .await
        .map(drop)
}

fn deployment(namespace: &str, image: &str) -> Value {
    let labels = json!({"app": "ferry"});
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "ferry", "namespace": namespace},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{
                    "name": "manager",
                    "image": image,
                    "securityContext": restricted(),
                    "readinessProbe": probe("/readyz", 8081),
                    "resources": {"limits": {"memory": "64Mi"}},
                }]},
            },
        },
    })
}

fn ferry(world: &World, seats: u32) -> Value {
    json!({
        "apiVersion": "ferries.portolan.dev/v1alpha1", "kind": "Ferry",
        "metadata": {"name": "dover", "namespace": world.namespace()},
        "spec": {"seats": seats},
    })
}

/// Returns true if the probe responds through `kubectl port-forward`, which runs in the network of
/// the node.
async fn forward(world: &World) -> Result<bool, Failure> {
    let cluster = world.cluster();
    let (host, port) = (cluster.host(), cluster.free_port());
    let kubeconfig = cluster.kubeconfig().display().to_string();
    let words = [
        "--kubeconfig",
        &kubeconfig,
        "port-forward",
        "-n",
        world.namespace(),
        "deployment/ferry",
        &format!("{port}:8081"),
        "--address",
        &host.to_string(),
    ];
    let kubectl = cluster.binaries().program("kubectl");
    let words = words.map(str::to_owned).to_vec();
    let _forwarding = cluster.guest("port-forward", &kubectl, words)?;
    let address = SocketAddr::from((host, port));
    until("an answer behind port-forward", PATIENCE, async || {
        Ok(match ready(address).await {
            Ok(is_ready) => Seen::Yes(is_ready),
            Err(error) => Seen::NotYet(error.to_string()),
        })
    })
    .await
}

/// A cgroup of the rig enforces the memory limit.
#[tokio::test]
async fn leaking_container_is_killed_at_its_memory_limit() -> Result<(), Failure> {
    let Some(world) = node_world("leak").await? else {
        return Ok(());
    };
    let image = operator_image(&[("FERRY_TROUBLE", "leak")]).await?;
    let image = world.cluster().push(image, "ferry/operator:leak").await?;
    let namespace = world.namespace();
    let mut pod = deployment(namespace, &image)["spec"]["template"].take();
    pod["apiVersion"] = json!("v1");
    pod["kind"] = json!("Pod");
    pod["metadata"] = json!({"name": "leak", "namespace": namespace});
    make(world.client(), &pod).await?;

    let pods = Kind::Pod.within(world.client(), namespace);
    let is_killed = |pod: &DynamicObject| {
        let status = &pod.data["status"]["containerStatuses"][0];
        let ended = ["state", "lastState"].map(|state| status[state]["terminated"].clone());
        ended
            .iter()
            .any(|end| end["reason"] == "OOMKilled" && end["exitCode"] == 137)
    };
    until_object(&pods, "leak", "killed", is_killed).await?;
    Ok(())
}
