//! Lists the objects that a decision requests.

use futures::{StreamExt, TryStreamExt};
use kube::api::ObjectMeta;
use portolan_core_install::{
    Discovery, GroupKind, ObjectRef, Observation, Others, Resident, SelectableObject, Selected,
};
use portolan_runtime::WriteFailure;

use super::{AT_ONCE, Looker, identity};
use crate::write::object_ref;

/// Returns all kinds of objects that can exist in a namespace. Each kind is an object reference
/// without a name.
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

fn resident(kind: &GroupKind, metadata: ObjectMeta) -> Resident {
    let owners = metadata.owner_references.iter().flatten();
    Resident {
        identity: identity(kind, &metadata),
        owners: owners.map(|owner| owner.uid.clone()).collect(),
        uid: metadata.uid.unwrap_or_default(),
    }
}

impl Looker<'_> {
    /// Lists the objects of a kind in the whole cluster.
    pub(super) async fn of_kind(
        &self,
        seen: &Observation,
        kind: &GroupKind,
    ) -> Result<Others, WriteFailure> {
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

    /// Lists the objects of a kind in a namespace, with their labels. None lists all namespaces.
    pub(super) async fn selected(
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
        let candidates = listed.into_iter().map(|metadata| SelectableObject {
            identity: identity(kind, &metadata),
            uid: metadata.uid.unwrap_or_default(),
            labels: metadata.labels.unwrap_or_default(),
        });
        Ok(Selected::All(candidates.collect()))
    }

    /// Lists the objects that a deletion of the namespace would delete.
    pub(super) async fn in_namespace(
        &self,
        seen: &Observation,
        name: &str,
    ) -> Result<Others, WriteFailure> {
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

    /// Lists the metadata of the objects of a kind. Returns an empty list if the kind is not served
    /// any more.
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
            // The kind was served a moment ago, so the failure must not look like an empty list.
            Err(WriteFailure::Conflict(conflict)) => Err(WriteFailure::Lost(conflict.to_string())),
            listed => listed,
        }
    }
}
