//! Finds the reasons why a Deployment is unhealthy in its ReplicaSets, Pods and Events.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use portolan_core_names::text::counted;
use portolan_core_olm::{Event, Pod, ReplicaSet};

use crate::container::Trouble;
use crate::event::Events;
use crate::replica_set::{PodRefuser, refusal};
use crate::unseen::{unseen, unseen_as};
use crate::{
    Below, Fact, HealthCode, Item, Kind, Object, ObjectVersion, ObservedObjects, Sight, State,
    Workload,
};

/// The objects of an unhealthy workload.
struct Causes<'a> {
    workload: &'a ObjectVersion,
    /// The state of the workload.
    severity: State,
    /// The ReplicaSets, newest first.
    sets: Vec<&'a Item<ReplicaSet>>,
    pods: &'a ObservedObjects<Item<Pod>>,
    events: &'a ObservedObjects<Item<Event>>,
    is_dim: bool,
}

/// Returns the reasons for the state of a Deployment. `sentence` is the message of the fact about
/// the Deployment.
pub(super) fn judge(deployment: &Workload, severity: State, sentence: &str) -> Vec<Fact> {
    let remark = |message: &str| {
        vec![Fact::remark(
            &deployment.observed,
            HealthCode::CauseNotExamined,
            message,
        )]
    };
    let object = &deployment.observed.object;
    let mut facts = match &deployment.below {
        Below::NotLooked => remark(&format!(
            "The ReplicaSets and Pods of {object} have not been checked yet."
        )),
        Below::TooMany(most) => remark(&format!(
            "The ReplicaSets and Pods of {object} are not checked, because more than {} fail or \
             failed recently.",
            counted(i64::try_from(*most).unwrap_or(i64::MAX), "Deployment")
        )),
        Below::Looked {
            replica_sets,
            pods,
            events,
        } => judge_below(&deployment.observed, severity, replica_sets, pods, events),
    };
    facts.extend(refused(deployment, sentence, &facts));
    facts
}

/// Returns the fact that a quota or policy rejects the Pods. Returns None if the facts about the
/// ReplicaSets and Pods already report this.
fn refused(deployment: &Workload, sentence: &str, told: &[Fact]) -> Option<Fact> {
    let object = &deployment.observed.object;
    let is_failing = deployment.cannot_make_pods();
    let refuser = refusal(sentence).filter(|_| is_failing)?;
    let code = refuser.code();
    let message = match refuser {
        PodRefuser::Quota => {
            format!(
                "A quota of {object} is exhausted. Raise the quota, or delete objects that use the \
                 quota."
            )
        }
        PodRefuser::Policy => format!("A webhook or a policy rejects the Pods of {object}."),
    };
    let is_told = told.iter().any(|fact| fact.code == code);
    (!is_told).then(|| Fact::new(&deployment.observed, State::No, code, &message))
}

/// Judges the ReplicaSets, Pods and warning Events of an unhealthy workload of any kind. `severity`
/// is the state of the workload. Problems that may resolve with time get this state.
pub fn judge_below(
    workload: &ObjectVersion,
    severity: State,
    replica_sets: &ObservedObjects<Item<ReplicaSet>>,
    pods: &ObservedObjects<Item<Pod>>,
    events: &ObservedObjects<Item<Event>>,
) -> Vec<Fact> {
    Causes::new(workload, severity, replica_sets, pods, events).judge(replica_sets)
}

// === impl Causes ===

impl<'a> Causes<'a> {
    fn new(
        workload: &'a ObjectVersion,
        severity: State,
        replica_sets: &'a ObservedObjects<Item<ReplicaSet>>,
        pods: &'a ObservedObjects<Item<Pod>>,
        events: &'a ObservedObjects<Item<Event>>,
    ) -> Self {
        let mut sets: Vec<&Item<ReplicaSet>> = replica_sets.objects.iter().collect();
        sets.sort_by(|a, b| (b.revision(), *b).cmp(&(a.revision(), *a)));
        Self {
            workload,
            severity,
            sets,
            pods,
            events,
            is_dim: replica_sets.sight != Sight::Clear,
        }
    }

    fn judge(&self, replica_sets: &ObservedObjects<Item<ReplicaSet>>) -> Vec<Fact> {
        let mut facts: Vec<Fact> = self
            .sets
            .first()
            .and_then(|set| set.failure())
            .into_iter()
            .collect();
        facts.extend(self.pods());
        facts.extend(self.unseen(Kind::ReplicaSet, &replica_sets.sight));
        facts.extend(self.unseen(Kind::Pod, &self.pods.sight));
        let what = format!("Events about {}", self.workload.object);
        facts.extend(unseen_as(
            &what,
            self.workload,
            &self.events.sight,
            State::Yes,
        ));
        facts
    }

    fn unseen(&self, kind: Kind, sight: &Sight) -> Option<Fact> {
        let namespace = &self.workload.object.namespace;
        unseen(
            &Object::new(kind, namespace, "").absent(),
            sight,
            State::NotYet,
        )
    }

    /// Returns the Pods of the newest ReplicaSet that has Pods. If no ReplicaSet has Pods, returns
    /// the Pods that belong directly to the workload.
    fn relevant(&self) -> Vec<&'a Item<Pod>> {
        let pods = &self.pods.objects;
        let of = |uid: &String| -> Vec<&'a Item<Pod>> {
            pods.iter()
                .filter(|pod| !uid.is_empty() && pod.owner_uid() == Some(uid))
                .collect()
        };
        // Only a Deployment has ReplicaSets. Other workloads own their Pods directly.
        let owners = self.sets.iter().map(|set| &set.observed);
        let owners = owners.chain([self.workload]).map(|owner| &owner.uid);
        let newest = owners.map(of).find(|pods| !pods.is_empty());
        match newest {
            Some(pods) => pods,
            None if self.is_dim => pods.iter().collect(),
            None => Vec::new(),
        }
    }

    /// Returns the problems of Pods. If several Pods have the same problem, returns one fact for
    /// all of them.
    fn pods(&self) -> Vec<Fact> {
        let mut pods = self.relevant();
        pods.sort();
        let mut alike: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for pod in pods {
            for trouble in pod.troubles(self.severity, Events(&self.events.objects)) {
                let key = (trouble.code, trouble.container.clone());
                alike.entry(key).or_default().push((pod, trouble));
            }
        }
        alike.into_values().filter_map(one_of).collect()
    }
}

/// Returns one fact for all Pods that have the same problem. The fact is about the Pod with the
/// worst state. If several Pods have this state, the fact is about the first of them by name.
fn one_of(mut alike: Vec<(&Item<Pod>, Trouble)>) -> Option<Fact> {
    let others = alike.len().saturating_sub(1);
    alike.sort_by_key(|(_, trouble)| Reverse(trouble.state));
    let (pod, trouble) = alike.into_iter().next()?;
    let mut details = vec![trouble.detail];
    if others > 0 {
        let count = counted(i64::try_from(others).unwrap_or(i64::MAX), "other Pod");
        details.push(format!("the same of {count}"));
    }
    details.retain(|detail| !detail.is_empty());
    let fact = Fact::new(&pod.observed, trouble.state, trouble.code, &trouble.message);
    Some(fact.with_detail(&details.join("; ")).quoting(trouble.quote))
}
