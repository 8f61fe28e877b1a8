//! Generates Deployments, with their ReplicaSets, Pods and Events.

use portolan_core_olm::{
    ContainerRunning, ContainerState, ContainerStatus, ContainerTerminated, ContainerWaiting,
    Event, InitContainer, Pod, ReplicaSet,
};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{conditions, deletion, name, observed_objects, text, word};
use crate::tests::kit;
use crate::*;

pub(super) fn deployment() -> impl Strategy<Value = Workload> {
    let counts = (-1..3_i32, -1..3_i32, -1..3_i32, -1..3_i32, -1..3_i64);
    let flags = (any::<bool>(), any::<bool>());
    (name(), name(), counts, flags, conditions(), below()).prop_map(
        |(name, owner, counts, flags, conditions, below)| {
            let (replicas, current, updated, available, generation) = counts;
            let (is_paused, is_deleting) = flags;
            let mut one = kit::deployment(&name, &owner);
            kit::counts(&mut one, [replicas, current, updated, available]);
            one.metadata.generation = Some(generation);
            one.metadata.deletion_timestamp = deletion(is_deleting);
            one.spec.paused = is_paused;
            one.status.conditions = conditions;
            one.below = below;
            one
        },
    )
}

fn below() -> impl Strategy<Value = Below> {
    let looked = (
        observed_objects(replica_set()),
        observed_objects(pod()),
        observed_objects(event()),
    );
    prop_oneof![
        Just(Below::NotLooked),
        any::<usize>().prop_map(Below::TooMany),
        looked.prop_map(|(replica_sets, pods, events)| Below::Looked {
            replica_sets,
            pods,
            events,
        }),
    ]
}

fn replica_set() -> impl Strategy<Value = Item<ReplicaSet>> {
    (name(), any::<i64>(), conditions()).prop_map(|(name, revision, conditions)| {
        let mut one = kit::replica_set(&name, revision);
        one.status.conditions = conditions;
        one
    })
}

fn pod() -> impl Strategy<Value = Item<Pod>> {
    let words = (word(), word(), text());
    let containers = || vec(container(), 0..3);
    let containers = (containers(), containers(), any::<bool>());
    (
        name(),
        name(),
        words,
        conditions(),
        containers,
        any::<bool>(),
    )
        .prop_map(
            |(name, owner, words, conditions, containers, is_deleting)| {
                let (first, others, run_along) = containers;
                let mut one = kit::pod(&name);
                kit::owned_by(&mut one.metadata, &format!("uid-{owner}"));
                one.metadata.deletion_timestamp = deletion(is_deleting);
                (one.status.phase, one.status.reason, one.status.message) = words;
                one.status.conditions = conditions;
                if run_along {
                    let init = first.iter().map(|container| InitContainer {
                        name: container.name.clone(),
                        restart_policy: "Always".to_owned(),
                    });
                    one.spec.init_containers = init.collect();
                }
                one.status.init_container_statuses = first;
                one.status.container_statuses = others;
                one
            },
        )
}

fn container() -> impl Strategy<Value = ContainerStatus> {
    let ended = || {
        proptest::option::of((any::<i32>(), word(), text()).prop_map(
            |(exit_code, reason, message)| ContainerTerminated {
                exit_code,
                reason,
                message,
            },
        ))
    };
    let waits = proptest::option::of(
        (word(), text()).prop_map(|(reason, message)| ContainerWaiting { reason, message }),
    );
    let flags = (any::<bool>(), any::<bool>());
    let images = (text(), text());
    (name(), images, flags, any::<i32>(), waits, ended(), ended()).prop_map(
        |(
            name,
            (image, image_id),
            (ready, is_running),
            restart_count,
            waiting,
            terminated,
            last,
        )| {
            ContainerStatus {
                name,
                image,
                image_id,
                ready,
                restart_count,
                state: ContainerState {
                    waiting,
                    running: is_running.then_some(ContainerRunning {}),
                    terminated,
                },
                last_state: ContainerState {
                    terminated: last,
                    ..ContainerState::default()
                },
            }
        },
    )
}

fn event() -> impl Strategy<Value = Item<Event>> {
    (name(), name(), word(), text(), text()).prop_map(|(about, uid, reason, message, last_seen)| {
        let mut one = kit::event(&about);
        one.involved_object.uid = uid;
        one.reason = reason;
        one.message = message;
        one.last_timestamp = Some(last_seen);
        one
    })
}
