//! Reads the facts that a decision requests. Each request uses the permissions of the controller or
//! of the plan's ServiceAccount.

mod account;
mod lists;
mod many;
mod olm;
mod pods;
mod rules;
mod trial;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::{StreamExt, TryFutureExt, TryStreamExt};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::api::ObjectMeta;
use portolan_api::plan::{GROUP, ResourceManifest};
use portolan_core_install::{
    Access, Account, Ask, Discovery, Drift, Forced, GroupKind, Member, Members, ObjectRead,
    ObjectRef, Observation, OlmDefinitions, Others, OwnedField, PodsSeen, SECRET_KEY,
    SecretContent, Selected, Trial,
};
use portolan_core_olm::messages::is_of_other_server;
use portolan_runtime::{FencedClient, ResourceRef, WriteFailure};
use serde_json::{Value, json};

pub(crate) use self::trial::Preview;
use crate::discovery::DiscoveryCache;
use crate::write::object_ref;
pub(crate) use account::{may, reviewed, role_of};

/// The maximum number of concurrent reads. More concurrent reads would slow down the API server.
const AT_ONCE: usize = 8;

/// Reads the facts about one plan from the cluster.
pub(crate) struct Looker<'a> {
    /// The client with the identity of the controller.
    pub(crate) own: &'a FencedClient,
    /// The client with the identity of the plan's ServiceAccount. Its field manager belongs to the
    /// lineage of the plan.
    pub(crate) theirs: &'a FencedClient,
    pub(crate) discovery: &'a DiscoveryCache,
    pub(crate) namespace: &'a str,
    pub(crate) account: &'a str,
    /// True if an object whose server does not respond must not block the other objects.
    pub(crate) continues_unseen: bool,
}

/// The result of reading one fact.
enum ReadResult {
    Account(Account),
    Discovery(Arc<Discovery>),
    ResourceManifest(String, Option<Box<ResourceManifest>>),
    Secret(String, Result<Option<SecretContent>, String>),
    Review(Access, bool),
    Role(ObjectRef, Option<Value>),
    Object(ObjectRef, ObjectRead),
    /// The result of a dry run. The third value contains the fields that other managers own with
    /// other values, if there are such fields.
    Trial(ObjectRef, Trial, Option<Vec<OwnedField>>),
    ForcedTrial(ObjectRef, Forced),
    Drift(ObjectRef, Drift),
    OfKind(GroupKind, Others),
    InNamespace(String, Others),
    Pods(ObjectRef, PodsSeen),
    OlmDefinitions(OlmDefinitions),
    Selected((GroupKind, Option<String>), Selected),
    /// The object has changed since the decision requested the fact.
    Moved(ObjectRef),
}

impl Looker<'_> {
    /// Reads all facts that a decision has requested into the observation.
    ///
    /// # Errors
    /// Returns an error if a read fails or its response is invalid.
    pub(crate) async fn look(
        &self,
        mut asks: BTreeSet<Ask>,
        observed: &mut Observation,
        members: &Members,
    ) -> Result<(), WriteFailure> {
        let seen = &*observed;
        let places: BTreeMap<_, _> = members
            .iter()
            .enumerate()
            .map(|(place, member)| (&member.identity, place))
            .collect();
        let listed = self.many(seen, &asks, members).await?;
        asks.retain(|ask| !matches!(ask, Ask::Object(object) if listed.contains_key(object)));
        let answers = rules::answer(self.theirs, &mut asks).await?;
        let looks = asks.into_iter().map(|ask| {
            let object = member_of(&ask);
            let place = object.and_then(|object| places.get(object).copied());
            let is_read = matches!(ask, Ask::Object(_));
            let about = object.map(|object| {
                if is_read {
                    object.to_string()
                } else {
                    format!("the dry run of {object}")
                }
            });
            let looked = self.one(ask, seen, (members, place.map(|place| &members[place])));
            looked.map_err(|failure| with_object(about, failure))
        });
        let found: Vec<_> = futures::stream::iter(looks)
            .buffer_unordered(AT_ONCE)
            .try_collect()
            .await?;
        let listed = listed.into_iter();
        let listed = listed.map(|(object, object_read)| ReadResult::Object(object, object_read));
        for each in listed.chain(found) {
            put(observed, each);
        }
        observed.answers.extend(answers);
        Ok(())
    }

    async fn one(
        &self,
        ask: Ask,
        seen: &Observation,
        (members, member): (&Members, Option<&Member>),
    ) -> Result<ReadResult, WriteFailure> {
        Ok(match ask {
            Ask::Account => ReadResult::Account(self.account().await?),
            Ask::Discovery => {
                // If the decision may delete objects, an earlier result of the discovery must not
                // be reused.
                let is_now = seen.discovery.is_some()
                    || seen.plan.terminating_since.is_some()
                    || !seen.succession.predecessors.is_empty();
                ReadResult::Discovery(self.discovery.read(self.own, is_now).await?)
            }
            Ask::ResourceManifest(name) => {
                let found = self.resource_manifest(&name).await?;
                ReadResult::ResourceManifest(name, found.map(Box::new))
            }
            Ask::Secret(name) => {
                let found = self.secret(&name).await?;
                ReadResult::Secret(name, found)
            }
            Ask::Review(access) => {
                let is_allowed = may(self.own, (self.namespace, self.account), &access).await?;
                ReadResult::Review(access, is_allowed)
            }
            Ask::Role(role) => {
                let found = role_of(self.own, &role).await?;
                ReadResult::Role(role, found)
            }
            Ask::Object(identity) => {
                let version = member.map(|member| member.version.as_str());
                let object_read = self.object(seen, &identity, version).await?;
                ReadResult::Object(identity, object_read)
            }
            Ask::Trial(identity) => match member {
                Some(member) => {
                    let (trial, conflicts) = self.trial(seen, member).await?;
                    ReadResult::Trial(identity, trial, conflicts)
                }
                None => ReadResult::Moved(identity),
            },
            Ask::JobTrial(place) => self.job_trial(seen, members, place).await?,
            Ask::ForcedTrial(identity) => match member {
                Some(member) => self.forced_trial(seen, member).await?,
                None => ReadResult::Moved(identity),
            },
            Ask::Drift(identity) => match member {
                Some(member) => self.drift(seen, member).await?,
                None => ReadResult::Moved(identity),
            },
            Ask::OfKind(kind) => {
                let others = self.of_kind(seen, &kind).await?;
                ReadResult::OfKind(kind, others)
            }
            Ask::Selected(kind, namespace) => {
                let selected = self.selected(seen, &kind, namespace.clone()).await?;
                ReadResult::Selected((kind, namespace), selected)
            }
            Ask::OlmDefinitions => ReadResult::OlmDefinitions(self.olm_definitions().await?),
            Ask::InNamespace(name) => {
                let others = self.in_namespace(seen, &name).await?;
                ReadResult::InNamespace(name, others)
            }
            Ask::Pods(workload) => {
                let pods = self.pods(seen, &workload).await;
                ReadResult::Pods(workload, pods)
            }
        })
    }

    // --- with the permissions of the controller ---

    async fn resource_manifest(
        &self,
        name: &str,
    ) -> Result<Option<ResourceManifest>, WriteFailure> {
        let version = format!("{GROUP}/v1alpha1");
        let at = ResourceRef::new(&version, "ResourceManifest", Some(self.namespace), name);
        let found = self.own.find(&at).await?;
        let found = found.map(|found| parse::<ResourceManifest>(&json!(found)));
        found.transpose()
    }

    // --- with the permissions of the ServiceAccount ---

    async fn secret(
        &self,
        name: &str,
    ) -> Result<Result<Option<SecretContent>, String>, WriteFailure> {
        let at = ResourceRef::new("v1", "Secret", Some(self.namespace), name);
        match self.theirs.find(&at).await {
            Ok(Some(found)) => Ok(Ok(Some(content(parse(&json!(found))?)))),
            Ok(None) => Ok(Ok(None)),
            Err(WriteFailure::Refused(sentence)) => Ok(Err(sentence)),
            Err(failure) => Err(failure),
        }
    }

    async fn object(
        &self,
        seen: &Observation,
        member: &ObjectRef,
        version: Option<&str>,
    ) -> Result<ObjectRead, WriteFailure> {
        let discovery = seen.discovery.as_ref();
        let Some(at) = discovery.and_then(|all| object_ref(all, member, version)) else {
            return Ok(ObjectRead::Absent);
        };
        match self.theirs.find(&at).await {
            Ok(Some(object)) => Ok(ObjectRead::Present(json!(object))),
            Ok(None) => Ok(ObjectRead::Absent),
            Err(WriteFailure::Refused(sentence)) => Ok(ObjectRead::Unreadable(sentence)),
            Err(WriteFailure::Lost(sentence)) if self.continues_without(&sentence) => {
                Ok(ObjectRead::Unanswered(sentence))
            }
            Err(failure) => Err(failure),
        }
    }

    /// Returns true if the plan continues without an object when the API server returns this
    /// message for it.
    fn continues_without(&self, sentence: &str) -> bool {
        self.continues_unseen && is_of_other_server(sentence)
    }
}

/// Returns the object that a fact is about. Returns None if the fact is not about an object.
fn member_of(ask: &Ask) -> Option<&ObjectRef> {
    match ask {
        Ask::Object(object)
        | Ask::Trial(object)
        | Ask::ForcedTrial(object)
        | Ask::Drift(object) => Some(object),
        Ask::Account
        | Ask::Discovery
        | Ask::JobTrial(_)
        | Ask::ResourceManifest(_)
        | Ask::Secret(_)
        | Ask::Review(_)
        | Ask::Role(_)
        | Ask::OfKind(_)
        | Ask::Selected(..)
        | Ask::InNamespace(_)
        | Ask::Pods(_)
        | Ask::OlmDefinitions => None,
    }
}

/// Adds the object to the error of a failed read.
fn with_object(about: Option<String>, failure: WriteFailure) -> WriteFailure {
    match (about, failure) {
        (Some(about), WriteFailure::Lost(sentence)) => {
            WriteFailure::Lost(format!("{about}: {sentence}"))
        }
        (_, failure) => failure,
    }
}

fn put(observed: &mut Observation, found: ReadResult) {
    match found {
        ReadResult::Account(account) => observed.account = Some(account),
        ReadResult::Discovery(discovery) => {
            observed.is_discovery_fresh = observed.discovery.is_some();
            observed.discovery = Some((*discovery).clone());
        }
        ReadResult::ResourceManifest(name, found) => {
            let found = found.map(|found| *found);
            observed.contents.resource_manifests.insert(name, found);
            observed.members = None;
        }
        ReadResult::Secret(name, found) => {
            observed.contents.secrets.insert(name, found);
            observed.members = None;
        }
        ReadResult::Review(access, is_allowed) => drop(observed.answers.insert(access, is_allowed)),
        ReadResult::Role(role, found) => observed.roles.insert(role, found.as_ref()),
        ReadResult::Object(member, object_read) => observed.saw(member, object_read),
        ReadResult::Trial(member, trial, conflicts) => {
            if let Some(conflicts) = conflicts {
                observed.conflicted(&member, conflicts);
            }
            observed.tried(member, trial);
        }
        ReadResult::ForcedTrial(member, forced) => {
            if let Some(attempt) = observed.attempts.get_mut(&member) {
                attempt.forced = Some(forced);
            }
        }
        ReadResult::Drift(member, drift) => observed.compared(member, drift),
        ReadResult::OfKind(kind, others) => drop(observed.of_kinds.insert(kind, others)),
        ReadResult::Selected(place, selected) => drop(observed.selected.insert(place, selected)),
        ReadResult::OlmDefinitions(owned) => observed.olm_definitions = Some(owned),
        ReadResult::InNamespace(name, others) => drop(observed.in_namespaces.insert(name, others)),
        ReadResult::Pods(workload, pods) => drop(observed.pods.insert(workload, pods)),
        ReadResult::Moved(member) => {
            observed.objects.remove(&member);
            observed.attempts.remove(&member);
        }
    }
}

fn identity(kind: &GroupKind, metadata: &ObjectMeta) -> ObjectRef {
    ObjectRef {
        kind: kind.clone(),
        namespace: metadata.namespace.clone(),
        name: metadata.name.clone().unwrap_or_default(),
    }
}

fn content(secret: Secret) -> SecretContent {
    let manifest = secret.data.unwrap_or_default().remove(SECRET_KEY);
    SecretContent {
        is_immutable: secret.immutable == Some(true),
        manifest: manifest.map(|ByteString(bytes)| bytes),
    }
}

fn parse<T: serde::de::DeserializeOwned>(object: &Value) -> Result<T, WriteFailure> {
    serde_json::from_value(object.clone())
        .map_err(|error| WriteFailure::Refused(portolan_shell::with_causes(&error)))
}
