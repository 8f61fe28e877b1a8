//! A world to which proposed policies and Operators are added. Templates in policies are resolved.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use kube::core::object::{HasSpec, HasStatus};
use portolan_api::OperatorPolicy;
use portolan_api::operator::Operator;
use portolan_world::{
    Area, Dialer, Ended, Key, Kind, Objects, RawWorld, State, View, World, resolved,
};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

/// A world with additional, proposed policies and Operators. An existing object keeps its uid and
/// its status, and gets the spec, labels and annotations of its proposal.
#[derive(Debug, Clone)]
pub struct Proposed<W> {
    under: W,
    policies: Objects<OperatorPolicy>,
    operators: Objects<Operator>,
}

/// A kind whose objects may be proposed.
trait Applied: Kind + HasSpec<Spec: PartialEq> + HasStatus<Status: Clone> {
    /// Returns the metadata of the object after an apply. `live` is the metadata of the existing
    /// object. None if the apply would create the object.
    fn applied(&self, live: Option<&ObjectMeta>) -> ObjectMeta;
}

// === impl Proposed ===

impl<W: RawWorld> Proposed<W> {
    /// Adds these proposed policies and Operators to a world.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn to(
        under: W,
        policies: Vec<Objects<OperatorPolicy>>,
        operators: Vec<Objects<Operator>>,
    ) -> Self {
        Self {
            policies: resolved(merging(policies, under.objects()), &under),
            operators: if operators.is_empty() {
                under.objects()
            } else {
                merging(operators, under.objects())
            },
            under,
        }
    }
}

impl<W> Proposed<W> {
    /// Returns the world without the proposed objects.
    pub fn under(&self) -> &W {
        &self.under
    }
}

impl<W: World> World for Proposed<W> {
    fn objects_in<K: Kind>(&self, area: Area) -> Objects<K> {
        let policies: Box<dyn Any> = Box::new(self.policies.clone());
        let operators: Box<dyn Any> = Box::new(self.operators.clone());
        let mut proposed = [policies, operators].into_iter();
        let proposed = proposed.find_map(|it| it.downcast::<Objects<K>>().ok());
        proposed.map_or_else(|| self.under.objects_in(area), |proposed| *proposed)
    }

    fn kubernetes(&self) -> impl Future<Output = Option<String>> + Send {
        self.under.kubernetes()
    }

    fn dialer(&self) -> Dialer {
        self.under.dialer()
    }

    fn folder(&self) -> Option<&Path> {
        self.under.folder()
    }

    fn is_partial(&self) -> bool {
        self.under.is_partial()
    }
}

fn merging<K: Applied>(proposals: Vec<Objects<K>>, under: Objects<K>) -> Objects<K> {
    let (sender, views) = watch::channel(View::default());
    let merging = tokio::spawn(follow(proposals, under, sender));
    Objects::from_views(views, AbortOnDropHandle::new(merging))
}

async fn follow<K: Applied>(
    mut proposals: Vec<Objects<K>>,
    mut under: Objects<K>,
    sender: watch::Sender<View<K>>,
) -> Result<Infallible, Ended> {
    loop {
        let views: Vec<_> = proposals.iter_mut().map(Objects::now).collect();
        sender.send_replace(merged(&views, &under.now()));
        let news = proposals.iter_mut().map(|each| Box::pin(each.changed()));
        let mut news: FuturesUnordered<_> = news.collect();
        tokio::select! {
            changed = under.changed() => changed?,
            Some(changed) = news.next() => changed?,
        }
    }
}

/// Adds proposed objects to a view. If an object is proposed several times, the first proposal is
/// used.
fn merged<K: Applied>(proposals: &[View<K>], under: &View<K>) -> View<K> {
    let there = under.objects.iter();
    let there = there.map(|(key, object)| (key.clone(), known(key, object)));
    let mut objects: BTreeMap<Key, Arc<K>> = there.collect();
    let mut seen = BTreeSet::new();
    for (key, object) in proposals.iter().flat_map(|view| view.objects.iter()) {
        if seen.insert(key) {
            let proposed = proposed(&**object, under.objects.get(key));
            objects.insert(key.clone(), known(key, &Arc::new(proposed)));
        }
    }
    let faults = proposals.iter().chain([under]);
    let faults = faults.flat_map(|view| view.faults.iter().cloned());
    let unread = proposals.iter().find(|view| view.state != State::Synced);
    View {
        state: match (unread, &under.state) {
            (Some(unread), _) => unread.state.clone(),
            // A proposed object requires that the kind is served, so the kind counts as served.
            (None, State::NotServed) => State::Synced,
            (None, state) => state.clone(),
        },
        objects: Arc::new(objects),
        faults: Arc::new(faults.collect()),
    }
}

/// Sets the uid and the generation of an object as the API server would, so that the object can be
/// identified later. Authors do not set these fields.
fn known<K: Applied>(key: &Key, object: &Arc<K>) -> Arc<K> {
    let metadata = object.meta();
    if metadata.uid.is_some() && metadata.generation.is_some() {
        return object.clone();
    }
    let mut metadata = metadata.clone();
    metadata
        .uid
        .get_or_insert_with(|| format!("uid-of-{}.{}", key.namespace, key.name));
    metadata.generation.get_or_insert(1);
    Arc::new(with(object, metadata, Some(object)))
}

/// Returns the object after an apply of its proposal.
fn proposed<K: Applied>(object: &K, live: Option<&Arc<K>>) -> K {
    let Some(live) = live else {
        return with(object, object.applied(None), None);
    };
    let mut metadata = object.applied(Some(live.meta()));
    let is_other = object.spec() != live.spec();
    let generation = live.meta().generation;
    metadata.generation = generation.map(|generation| generation + i64::from(is_other));
    with(object, metadata, Some(live))
}

/// Returns the object with this metadata. Its status comes from the existing object.
fn with<K: Applied>(object: &K, metadata: ObjectMeta, live: Option<&K>) -> K {
    let mut object = object.clone();
    *object.meta_mut() = metadata;
    *object.status_mut() = live.and_then(|live| live.status().cloned());
    object
}

/// Returns the metadata of a new object.
fn new(written: &ObjectMeta) -> ObjectMeta {
    ObjectMeta {
        name: written.name.clone(),
        namespace: written.namespace.clone(),
        labels: written.labels.clone(),
        annotations: written.annotations.clone(),
        generation: Some(1),
        ..ObjectMeta::default()
    }
}

// === impl Applied ===

impl Applied for OperatorPolicy {
    fn applied(&self, live: Option<&ObjectMeta>) -> ObjectMeta {
        let written = &self.metadata;
        let Some(live) = live else {
            return new(written);
        };
        ObjectMeta {
            labels: written.labels.clone(),
            annotations: written.annotations.clone(),
            ..live.clone()
        }
    }
}

impl Applied for Operator {
    /// Combines the labels and annotations of the existing object with those of the proposal, so
    /// that annotations with which a user has permitted something are kept. A new Operator gets the
    /// current time as its creation time, because the oldest Operator for a package takes
    /// precedence.
    fn applied(&self, live: Option<&ObjectMeta>) -> ObjectMeta {
        let written = &self.metadata;
        let Some(live) = live else {
            return ObjectMeta {
                creation_timestamp: Some(Time(Timestamp::now())),
                ..new(written)
            };
        };
        let (mut labels, mut annotations) = (live.labels.clone(), live.annotations.clone());
        if let Some(written) = &written.labels {
            labels.get_or_insert_default().extend(written.clone());
        }
        if let Some(written) = &written.annotations {
            annotations.get_or_insert_default().extend(written.clone());
        }
        ObjectMeta {
            labels,
            annotations,
            ..live.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use portolan_world::Trouble;
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    fn policy(edit: impl FnOnce(&mut Value)) -> OperatorPolicy {
        let mut json = json!({
            "apiVersion": "policy.open-cluster-management.io/v1beta1",
            "kind": "OperatorPolicy",
            "metadata": {"name": "ferry", "namespace": "west"},
            "spec": {"allowedCSVs": ["*"]},
        });
        edit(&mut json);
        serde_json::from_value(json).expect("a policy")
    }

    fn live() -> OperatorPolicy {
        policy(|json| {
            json["metadata"]["uid"] = json!("1");
            json["metadata"]["generation"] = json!(3);
            json["metadata"]["labels"] = json!({"old": "yes"});
            json["status"] = json!({"compliant": "Compliant"});
        })
    }

    fn view(state: State, policies: &[OperatorPolicy]) -> View<OperatorPolicy> {
        let objects = policies.iter().map(|policy| {
            let metadata = &policy.metadata;
            let text = |text: &Option<String>| text.clone().unwrap_or_default();
            let key = Key::new(&text(&metadata.namespace), &text(&metadata.name));
            (key, Arc::new(policy.clone()))
        });
        View {
            state,
            objects: Arc::new(objects.collect()),
            faults: Arc::default(),
        }
    }

    #[test]
    fn proposed_policy_keeps_the_identity_of_the_live_policy() {
        let written = policy(|json| {
            json["spec"] = json!({"allowedCSVs": ["ferry.v1.0.0"]});
            json["metadata"]["labels"] = json!({"new": "yes"});
            json["metadata"]["uid"] = json!("of another cluster");
        });
        let expected = policy(|json| {
            json["spec"] = json!({"allowedCSVs": ["ferry.v1.0.0"]});
            json["metadata"]["uid"] = json!("1");
            json["metadata"]["generation"] = json!(4);
            json["metadata"]["labels"] = json!({"new": "yes"});
            json["status"] = json!({"compliant": "Compliant"});
        });
        let synced = |policy| view(State::Synced, &[policy]);
        let merged = merged(&[synced(written)], &synced(live()));
        assert_eq!(merged, synced(expected));
    }

    #[test]
    fn equal_proposed_policy_keeps_its_generation() {
        let same = proposed(&policy(|_| ()), Some(&Arc::new(live())));
        assert_eq!(same.metadata.generation, Some(3));
    }

    #[test]
    fn new_policy_has_no_status() {
        let expected = policy(|json| json["metadata"]["generation"] = json!(1));
        assert_eq!(proposed(&live(), None).spec, expected.spec);
        let stripped = policy(|json| {
            json["metadata"]["labels"] = json!({"old": "yes"});
            json["metadata"]["generation"] = json!(1);
        });
        assert_eq!(proposed(&live(), None), stripped);
    }

    #[test]
    fn first_of_duplicate_proposed_policies_is_used() {
        let second = policy(|json| json["spec"] = json!({}));
        let views = [policy(|_| ()), second].map(|policy| view(State::Synced, &[policy]));
        let merged = merged(&views, &view(State::Synced, &[]));
        let expected = policy(|json| {
            json["metadata"]["generation"] = json!(1);
            json["metadata"]["uid"] = json!("uid-of-west.ferry");
        });
        assert_eq!(merged, view(State::Synced, &[expected]));
    }

    #[test]
    fn policy_from_files_has_the_fields_of_a_stored_policy() {
        let expected = policy(|json| {
            json["metadata"]["generation"] = json!(1);
            json["metadata"]["uid"] = json!("uid-of-west.ferry");
        });
        let merged = merged(&[], &view(State::Synced, &[policy(|_| ())]));
        assert_eq!(merged, view(State::Synced, &[expected]));
    }

    fn missing() -> State {
        State::Unknown {
            trouble: Trouble::Missing("here".into()),
            since: jiff::Timestamp::UNIX_EPOCH,
        }
    }

    #[rstest]
    #[case::where_the_kind_is_not_known(State::Synced, State::NotServed, State::Synced)]
    #[case::unreadable_policy(missing(), State::Synced, missing())]
    #[case::unobserved_world(State::Synced, missing(), missing())]
    fn state_of_proposed_policies_combines_files_and_world(
        #[case] of_files: State,
        #[case] of_world: State,
        #[case] expected: State,
    ) {
        let merged = merged(&[view(of_files, &[])], &view(of_world, &[]));
        assert_eq!(merged.state, expected);
    }
}
