use portolan_kit::{World, world};
use serde_json::json;

use super::*;
use crate::read_value;

fn ferry() -> World {
    world()
        .deployment("ferry", 0, 1)
        .replica_set("ferry-6f", 1, 1)
        .pod("ferry-6f-x")
}

fn pod(world: &World) -> Pod {
    let object = world.objects().last().expect("a Pod").clone();
    let (pod, faults) = read_value::<Pod>(object).expect("a Pod");
    assert_eq!(faults, []);
    pod
}

#[test]
fn last_state_of_a_crash_looping_container_is_read() {
    let pod = pod(&ferry().crash_looping(137, 5));
    assert_eq!(pod.owner_uid(), Some("replicaset-ferry-6f"));
    let expected = ContainerStatus {
        name: "operator".into(),
        image: "registry.example/operator:v1".into(),
        image_id: String::new(),
        ready: false,
        restart_count: 5,
        state: ContainerState {
            waiting: Some(ContainerWaiting {
                reason: "CrashLoopBackOff".into(),
                message: "back-off restarting the container".into(),
            }),
            ..ContainerState::default()
        },
        last_state: ContainerState {
            terminated: Some(ContainerTerminated {
                exit_code: 137,
                reason: "Error".into(),
                message: String::new(),
            }),
            ..ContainerState::default()
        },
    };
    assert_eq!(pod.status.container_statuses, [expected]);
}

/// For an image that is pulled by digest, containerd reports the digest of the image configuration.
#[test]
fn container_image_is_the_name_under_which_it_was_pulled() {
    let image = |image: &str, id: &str| {
        let status = ContainerStatus {
            image: image.into(),
            image_id: id.into(),
            ..ContainerStatus::default()
        };
        let container = Container {
            status: &status,
            is_init: false,
        };
        container.image().to_owned()
    };
    let pulled = "quay.io/ferry@sha256:8b58";
    assert_eq!(image("sha256:d703", pulled), pulled);
    assert_eq!(image("quay.io/ferry:1", pulled), "quay.io/ferry:1");
    assert_eq!(image("sha256:d703", ""), "sha256:d703");
}

#[test]
fn running_state_differs_from_an_unknown_state() {
    let pod = pod(&ferry());
    let state = &pod.status.container_statuses[0].state;
    assert_eq!(state.running, Some(ContainerRunning {}));
    assert_eq!(ContainerState::default().running, None);
}

#[test]
fn sidecar_containers_are_not_init_containers() {
    let named = |name: &str| json!({"name": name});
    let world = ferry().edit(|pod| {
        pod["spec"]["initContainers"] =
            json!([named("copy"), {"name": "proxy", "restartPolicy": "Always"}]);
        pod["status"]["initContainerStatuses"] = json!([named("copy"), named("proxy")]);
    });
    let pod = pod(&world);
    let containers = pod.containers();
    let names: Vec<_> = containers
        .map(|one| (&*one.status.name, one.is_init))
        .collect();
    assert_eq!(
        names,
        [("copy", true), ("proxy", false), ("operator", false)]
    );
}
