//! Deployments, and what is below them.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{conditions, name, seen, text, word};
use crate::tests::kit::{self, HOME};
use crate::*;

pub(super) fn deployment() -> impl Strategy<Value = Deployment> {
    let counts = (-1..3_i32, -1..3_i32, -1..3_i32, -1..3_i32, -1..3_i64);
    let flags = (any::<bool>(), any::<bool>());
    (name(), name(), counts, flags, conditions(), below()).prop_map(
        |(name, owner, counts, flags, conditions, below)| {
            let (replicas, current, updated, available, generation) = counts;
            let (is_paused, is_deleting) = flags;
            Deployment {
                generation,
                replicas,
                current,
                updated,
                available,
                is_paused,
                is_deleting,
                conditions,
                below,
                ..kit::deployment(&name, &owner)
            }
        },
    )
}

fn below() -> impl Strategy<Value = Below> {
    let looked = (seen(replica_set()), seen(pod()), seen(event()));
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

fn replica_set() -> impl Strategy<Value = ReplicaSet> {
    (name(), any::<i64>(), conditions()).prop_map(|(name, revision, conditions)| ReplicaSet {
        conditions,
        ..kit::replica_set(&name, revision)
    })
}

fn pod() -> impl Strategy<Value = Pod> {
    let words = (word(), word(), text());
    (
        name(),
        name(),
        words,
        conditions(),
        vec(container(), 0..3),
        any::<bool>(),
    )
        .prop_map(
            |(name, owner, words, conditions, containers, is_deleting)| {
                let (phase, reason, message) = words;
                Pod {
                    owner_uid: format!("uid-{owner}"),
                    phase,
                    reason,
                    message,
                    conditions,
                    containers,
                    is_deleting,
                    ..kit::pod(&name)
                }
            },
        )
}

fn container() -> impl Strategy<Value = Container> {
    let ended = || {
        proptest::option::of((any::<i32>(), word(), text()).prop_map(
            |(exit_code, reason, message)| Terminated {
                exit_code,
                reason,
                message,
            },
        ))
    };
    let waits = proptest::option::of(
        (word(), text()).prop_map(|(reason, message)| Waiting { reason, message }),
    );
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (name(), text(), flags, any::<i32>(), waits, ended(), ended()).prop_map(
        |(name, image, (is_init, is_ready, is_running), restarts, waiting, terminated, last)| {
            Container {
                name,
                image,
                is_init,
                is_ready,
                is_running,
                restarts,
                waiting,
                terminated,
                last,
            }
        },
    )
}

fn event() -> impl Strategy<Value = Event> {
    (name(), name(), word(), text(), text()).prop_map(|(about, uid, reason, message, last_seen)| {
        Event {
            about: Object::new(Kind::Pod, HOME, about),
            about_uid: uid,
            reason,
            message,
            last_seen,
        }
    })
}
