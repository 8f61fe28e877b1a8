//! Selects the Pods of a workload, and finds their most serious failure.

use std::sync::Arc;

use portolan_api::plan::{FailingPod, LONGEST_LAST_WORDS};
use portolan_core_health::{Item, PodCause};
use portolan_core_names::text::{cut, plain};
use portolan_core_olm::{Event, Pod, read_value};
use serde_json::Value;

use super::owner;

/// The result of checking the Pods of a workload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PodsSeen {
    /// The Pod with the most serious failure, and a sentence about this failure. None if all Pods
    /// are running or starting.
    Judged(Option<(FailingPod, String)>),
    /// The Pods cannot be listed, with the error message of the API server.
    Unlisted(String),
}

impl PodsSeen {
    /// Selects the Pods of a workload from the Pods that the API server returned, and checks them.
    /// `events` contains warnings about the Pods.
    ///
    /// Other Pods may have the labels that the workload selects. These Pods are ignored, because a
    /// status must never quote their messages.
    pub fn of(workload: &Value, pods: Vec<Value>, events: Vec<Value>) -> Self {
        let events = events.into_iter().filter_map(|event| {
            let (event, _) = read_value::<Event>(event).ok()?;
            Some(Item::from(Arc::new(event)))
        });
        let events: Vec<_> = events.collect();
        let pods = own_pods(workload, pods).filter_map(|pod| {
            let cause = pod.cause_with(&events)?;
            Some((cause.code, pod.name().to_owned(), cause))
        });
        let worst = pods.min_by(|(code, name, _), other| (code, name).cmp(&(&other.0, &other.1)));
        Self::Judged(worst.map(|(_, name, cause)| describe(name, cause)))
    }

    /// Returns the uid of the first Pod of a workload whose Events must be read to find the reason
    /// of its failure. Returns None if the Pods themselves contain the reasons.
    pub fn reported_in_events(workload: &Value, pods: &[Value]) -> Option<String> {
        let pods = own_pods(workload, pods.to_vec());
        let first = pods.filter(Item::has_reason_in_events).min()?;
        first.metadata.uid.clone()
    }
}

fn own_pods(workload: &Value, pods: Vec<Value>) -> impl Iterator<Item = Item<Pod>> {
    let own = pods.into_iter().filter(|pod| owner::owns(workload, pod));
    own.filter_map(|pod| {
        let (pod, _) = read_value::<Pod>(pod).ok()?;
        Some(Item::from(Arc::new(pod)))
    })
}

pub(super) fn describe(name: String, cause: PodCause) -> (FailingPod, String) {
    let sentence = cause.message.strip_suffix('.').unwrap_or(&cause.message);
    let sentence = plain(sentence);
    let pod = FailingPod {
        name,
        cause: cause.code.as_str().to_owned(),
        container: cause.container,
        reason: plain(&cause.reason),
        exit_code: cause.exit_code,
        message: cut(&plain(&cause.last_words), LONGEST_LAST_WORDS),
    };
    (pod, sentence)
}
