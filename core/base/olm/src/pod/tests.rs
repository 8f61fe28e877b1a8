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
fn a_container_that_ends_again_and_again_says_how() {
    let pod = pod(&ferry().crash_looping(137, 5));
    assert_eq!(pod.owner_uid(), Some("replicaset-ferry-6f"));
    let expected = ContainerStatus {
        name: "operator".into(),
        image: "registry.example/operator:v1".into(),
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

#[test]
fn a_container_that_runs_is_told_from_one_of_which_nothing_is_known() {
    let pod = pod(&ferry());
    let state = &pod.status.container_statuses[0].state;
    assert_eq!(state.running, Some(ContainerRunning {}));
    assert_eq!(ContainerState::default().running, None);
}

#[test]
fn containers_that_run_along_do_not_only_prepare() {
    let named = |name: &str| json!({"name": name});
    let world = ferry().edit(|pod| {
        pod["spec"]["initContainers"] =
            json!([named("copy"), {"name": "proxy", "restartPolicy": "Always"}]);
        pod["status"]["initContainerStatuses"] = json!([named("copy"), named("proxy")]);
    });
    let pod = pod(&world);
    let containers = pod.containers();
    let told: Vec<_> = containers
        .map(|one| (&*one.status.name, one.is_init))
        .collect();
    assert_eq!(
        told,
        [("copy", true), ("proxy", false), ("operator", false)]
    );
}
