//! Reads what a decision asks for, with the permissions of the user who may see it.

mod many;
mod olm;
mod pods;
mod rules;
mod trial;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::{StreamExt, TryFutureExt, TryStreamExt};
use k8s_openapi::ByteString;
use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec, SubjectAccessReview,
    SubjectAccessReviewSpec,
};
use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use kube::api::{ObjectMeta, PostParams};
use portolan_api::plan::{ENABLED, GROUP, ResourceManifest};
use portolan_core_install::{
    Access, Account, Ask, Candidate, Conflict, Discovery, Drift, Forced, GroupKind, Member,
    Members, ObjectRef, Observation, OlmDefinitions, Others, PodsSeen, Resident, SECRET_KEY,
    SecretContent, Selected, Sight, Trial,
};
use portolan_core_olm::messages::is_of_other_server;
use portolan_runtime::{FencedClient, ResourceRef, User, WriteFailure};
use serde_json::{Value, json};

pub(crate) use self::trial::Preview;
use crate::discovery::DiscoveryCache;
use crate::write::object_ref;

/// The maximum number of concurrent reads. An API server answers more slowly if there are more.
const AT_ONCE: usize = 8;

/// Reads the cluster for one plan.
pub(crate) struct Looker<'a> {
    /// Uses the identity of the controller.
    pub(crate) own: &'a FencedClient,
    /// Uses the ServiceAccount, with the field manager of the lineage.
    pub(crate) theirs: &'a FencedClient,
    pub(crate) discovery: &'a DiscoveryCache,
    pub(crate) namespace: &'a str,
    pub(crate) account: &'a str,
    /// True if objects whose server does not answer do not block others.
    pub(crate) goes_on_unseen: bool,
}

/// The result of a read.
enum ReadResult {
    Account(Account),
    Discovery(Arc<Discovery>),
    ResourceManifest(String, Option<Box<ResourceManifest>>),
    Secret(String, Result<Option<SecretContent>, String>),
    Review(Access, bool),
    Role(ObjectRef, Option<Value>),
    Object(ObjectRef, Sight),
    /// The third value holds the fields that other managers own, if there are any.
    Trial(ObjectRef, Trial, Option<Vec<Conflict>>),
    ForcedTrial(ObjectRef, Forced),
    Drift(ObjectRef, Drift),
    OfKind(GroupKind, Others),
    InNamespace(String, Others),
    Pods(ObjectRef, PodsSeen),
    OlmDefinitions(OlmDefinitions),
    Selected((GroupKind, Option<String>), Selected),
    /// The object changed since it was asked for.
    Moved(ObjectRef),
}

impl Looker<'_> {
    /// Reads everything that is asked for into the observation.
    ///
    /// # Errors
    /// Returns an error if one of the reads fails or its response is invalid.
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
            looked.map_err(|failure| told(about, failure))
        });
        let found: Vec<_> = futures::stream::iter(looks)
            .buffer_unordered(AT_ONCE)
            .try_collect()
            .await?;
        let listed = listed.into_iter();
        let listed = listed.map(|(object, sight)| ReadResult::Object(object, sight));
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
                // If something may be deleted, an earlier discovery is too old.
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
                let sight = self.object(seen, &identity, version).await?;
                ReadResult::Object(identity, sight)
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

    // --- as the controller ---

    async fn account(&self) -> Result<Account, WriteFailure> {
        let namespace = ResourceRef::new("v1", "Namespace", None, self.namespace);
        let namespace = self.own.find(&namespace).await?;
        let metadata = namespace.map(|namespace| namespace.metadata);
        let metadata = metadata.unwrap_or_default();
        let account = self.account_in(&metadata).await?;
        // While the account is being deleted, its permissions may disappear in any order.
        let leaves = metadata.deletion_timestamp.is_some() && account != Account::There;
        Ok(if leaves { Account::Leaving } else { account })
    }

    async fn account_in(&self, namespace: &ObjectMeta) -> Result<Account, WriteFailure> {
        let enabled = namespace
            .labels
            .as_ref()
            .and_then(|labels| labels.get(ENABLED.name()));
        if enabled.is_none_or(|word| word != "true") {
            return Ok(Account::NotEnabled);
        }
        if !self.may_impersonate().await? {
            return Ok(Account::NotGranted);
        }
        let account = ResourceRef::new("v1", "ServiceAccount", Some(self.namespace), self.account);
        match self.own.find(&account).await {
            Ok(Some(account)) if account.metadata.deletion_timestamp.is_none() => {
                Ok(Account::There)
            }
            Ok(_) => Ok(Account::Missing),
            Err(WriteFailure::Refused(_)) => Ok(Account::NotGranted),
            Err(failure) => Err(failure),
        }
    }

    async fn may_impersonate(&self) -> Result<bool, WriteFailure> {
        let review = SelfSubjectAccessReview {
            spec: SelfSubjectAccessReviewSpec {
                resource_attributes: Some(ResourceAttributes {
                    verb: Some("impersonate".to_owned()),
                    resource: Some("serviceaccounts".to_owned()),
                    namespace: Some(self.namespace.to_owned()),
                    name: Some(self.account.to_owned()),
                    ..ResourceAttributes::default()
                }),
                ..SelfSubjectAccessReviewSpec::default()
            },
            ..SelfSubjectAccessReview::default()
        };
        let reviews = Api::all(self.own.client());
        let params = PostParams::default();
        let answer = self.own.read(reviews.create(&params, &review)).await?;
        Ok(answer.status.is_some_and(|status| status.allowed))
    }

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

    // --- as the ServiceAccount ---

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
    ) -> Result<Sight, WriteFailure> {
        let discovery = seen.discovery.as_ref();
        let Some(at) = discovery.and_then(|all| object_ref(all, member, version)) else {
            return Ok(Sight::Absent);
        };
        match self.theirs.find(&at).await {
            Ok(Some(object)) => Ok(Sight::Present(json!(object))),
            Ok(None) => Ok(Sight::Absent),
            Err(WriteFailure::Refused(sentence)) => Ok(Sight::Unreadable(sentence)),
            Err(WriteFailure::Lost(sentence)) if self.goes_on_without(&sentence) => {
                Ok(Sight::Unanswered(sentence))
            }
            Err(failure) => Err(failure),
        }
    }

    /// Returns true if the plan continues without objects for which the API server reports this.
    fn goes_on_without(&self, sentence: &str) -> bool {
        self.goes_on_unseen && is_of_other_server(sentence)
    }

    /// Lists the objects of a kind in the whole cluster.
    async fn of_kind(&self, seen: &Observation, kind: &GroupKind) -> Result<Others, WriteFailure> {
        let any = ObjectRef {
            kind: kind.clone(),
            ..ObjectRef::default()
        };
        let listed = match self.list(seen, &any).await {
            Ok(listed) => listed,
            Err(WriteFailure::Refused(sentence)) => return Ok(Others::Unreadable(sentence)),
            Err(failure) => return Err(failure),
        };
        let objects = listed.into_iter().map(|metadata| identity(kind, &metadata));
        Ok(Others::of_kind(objects))
    }

    /// Lists the objects of a kind in a namespace, or in all, with their labels.
    async fn selected(
        &self,
        seen: &Observation,
        kind: &GroupKind,
        namespace: Option<String>,
    ) -> Result<Selected, WriteFailure> {
        let any = ObjectRef {
            kind: kind.clone(),
            namespace,
            name: String::new(),
        };
        let listed = match self.list(seen, &any).await {
            Ok(listed) => listed,
            Err(WriteFailure::Refused(sentence)) => return Ok(Selected::Unreadable(sentence)),
            Err(failure) => return Err(failure),
        };
        let candidates = listed.into_iter().map(|metadata| Candidate {
            identity: identity(kind, &metadata),
            uid: metadata.uid.unwrap_or_default(),
            labels: metadata.labels.unwrap_or_default(),
        });
        Ok(Selected::All(candidates.collect()))
    }

    /// Lists the objects that would be deleted with a namespace.
    async fn in_namespace(&self, seen: &Observation, name: &str) -> Result<Others, WriteFailure> {
        let lists = kinds_inside(seen, name)
            .into_iter()
            .map(|inside| self.residents(seen, inside));
        let listed: Result<Vec<_>, _> = futures::stream::iter(lists)
            .buffer_unordered(AT_ONCE)
            .try_collect()
            .await;
        match listed {
            Ok(residents) => Ok(Others::in_namespace(&residents.concat())),
            Err(WriteFailure::Refused(sentence)) => Ok(Others::Unreadable(sentence)),
            Err(failure) => Err(failure),
        }
    }

    async fn residents(
        &self,
        seen: &Observation,
        inside: ObjectRef,
    ) -> Result<Vec<Resident>, WriteFailure> {
        let listed = self.list(seen, &inside).await?.into_iter();
        Ok(listed
            .map(|metadata| resident(&inside.kind, metadata))
            .collect())
    }

    /// Lists the metadata of the objects of a kind. Returns an empty list if the kind is no longer
    /// served.
    async fn list(
        &self,
        seen: &Observation,
        any: &ObjectRef,
    ) -> Result<Vec<ObjectMeta>, WriteFailure> {
        let discovery = seen.discovery.as_ref();
        let Some(at) = discovery.and_then(|all| object_ref(all, any, None)) else {
            return Ok(Vec::new());
        };
        match self.theirs.list(&at).await {
            // The kind was served a moment ago. A failed list must not be treated as an empty one.
            Err(WriteFailure::Conflict(conflict)) => Err(WriteFailure::Lost(conflict.to_string())),
            listed => listed,
        }
    }
}

/// Returns the object of the plan that is read or tried, if there is one.
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
fn told(about: Option<String>, failure: WriteFailure) -> WriteFailure {
    match (about, failure) {
        (Some(about), WriteFailure::Lost(sentence)) => {
            WriteFailure::Lost(format!("{about}: {sentence}"))
        }
        (_, failure) => failure,
    }
}

/// Returns true if a ServiceAccount, given by namespace and name, has a permission.
///
/// # Errors
/// Returns an error if the API server does not answer.
pub(crate) async fn may(
    client: &FencedClient,
    (namespace, account): (&str, &str),
    access: &Access,
) -> Result<bool, WriteFailure> {
    let User { name, .. } = User::service_account(namespace, account);
    let groups = User::groups_of_service_account(namespace);
    reviewed(client, access.review(&name, &groups)).await
}

/// Returns true if a user has a permission.
///
/// # Errors
/// Returns an error if the API server does not answer.
pub(crate) async fn reviewed(
    client: &FencedClient,
    spec: SubjectAccessReviewSpec,
) -> Result<bool, WriteFailure> {
    let review = SubjectAccessReview {
        spec,
        ..SubjectAccessReview::default()
    };
    let reviews = Api::all(client.client());
    let params = PostParams::default();
    let answer = client.read(reviews.create(&params, &review)).await?;
    Ok(answer.status.is_some_and(|status| status.allowed))
}

/// Reads a role; None if the role is missing or the controller may not read it.
///
/// # Errors
/// Returns an error if the API server does not answer.
pub(crate) async fn role_of(
    client: &FencedClient,
    role: &ObjectRef,
) -> Result<Option<Value>, WriteFailure> {
    let version = format!("{}/v1", role.kind.group);
    let at = ResourceRef::new(
        &version,
        &role.kind.kind,
        role.namespace.as_deref(),
        &role.name,
    );
    match client.find(&at).await {
        Ok(found) => Ok(found.map(|role| json!(role))),
        Err(WriteFailure::Refused(_)) => Ok(None),
        Err(failure) => Err(failure),
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
        ReadResult::Object(member, sight) => observed.saw(member, sight),
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

/// Returns all kinds that objects in a namespace may have, each as an identity without a name.
fn kinds_inside(seen: &Observation, namespace: &str) -> Vec<ObjectRef> {
    let kinds = seen.discovery.iter().flat_map(Discovery::iter);
    let inside = kinds.filter(|(_, served)| served.is_namespaced && served.is_listed);
    inside
        .map(|(kind, _)| ObjectRef {
            kind: kind.clone(),
            namespace: Some(namespace.to_owned()),
            name: String::new(),
        })
        .collect()
}

fn identity(kind: &GroupKind, metadata: &ObjectMeta) -> ObjectRef {
    ObjectRef {
        kind: kind.clone(),
        namespace: metadata.namespace.clone(),
        name: metadata.name.clone().unwrap_or_default(),
    }
}

fn resident(kind: &GroupKind, metadata: ObjectMeta) -> Resident {
    let owners = metadata.owner_references.iter().flatten();
    Resident {
        identity: identity(kind, &metadata),
        owners: owners.map(|owner| owner.uid.clone()).collect(),
        uid: metadata.uid.unwrap_or_default(),
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
