//! Looks at what OLM holds, as the ServiceAccount that is to take it over.

use std::collections::BTreeSet;

use futures::{FutureExt, StreamExt, TryStreamExt};
use kube::api::ObjectMeta;
use portolan_core_operator::{Answer, CsvId, Knowledge, LiveQuery, ObjectId, is_of};
use portolan_runtime::{FencedClient, ObjectRef, User, WriteFailure};
use serde_json::{Value, json};

/// How many objects are asked for at once.
const AT_ONCE: usize = 8;
/// The kinds of which OLM makes objects for an operator in its namespace.
const IN_NAMESPACE: [(&str, &str); 5] = [
    ("apps/v1", "Deployment"),
    ("v1", "ConfigMap"),
    ("v1", "Secret"),
    ("v1", "Service"),
    ("v1", "ServiceAccount"),
];
/// Those of which it makes some in the namespaces that the operator watches, or in none.
const EVERYWHERE: [(&str, &str); 7] = [
    (
        "admissionregistration.k8s.io/v1",
        "MutatingWebhookConfiguration",
    ),
    (
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
    ),
    ("apiregistration.k8s.io/v1", "APIService"),
    ("rbac.authorization.k8s.io/v1", "ClusterRole"),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
    ("rbac.authorization.k8s.io/v1", "Role"),
    ("rbac.authorization.k8s.io/v1", "RoleBinding"),
];

/// The objects of a query that are there.
pub(crate) async fn look(client: &FencedClient, query: &LiveQuery) -> Knowledge {
    let account = User::service_account(&query.account.namespace, &query.account.name);
    let client = client.impersonating(account);
    Knowledge::Live(match find(&client, query).await {
        Ok(objects) => Answer::Known(objects),
        Err(WriteFailure::Refused(sentence)) => Answer::Refused(sentence),
        Err(failure) => Answer::Unavailable(failure.to_string()),
    })
}

async fn find(client: &FencedClient, query: &LiveQuery) -> Result<Vec<Value>, WriteFailure> {
    let mut ids = query.objects.clone();
    if let Some(csv) = &query.owner {
        ids.extend(owned(client, csv).await?);
    }
    let found = ids.into_iter().map(|id| one(client, id).boxed());
    let found = futures::stream::iter(found).buffered(AT_ONCE);
    let found: Vec<_> = found.try_collect().await?;
    Ok(found.into_iter().flatten().collect())
}

async fn one(client: &FencedClient, id: ObjectId) -> Result<Option<Value>, WriteFailure> {
    let object = client.find(&object_ref(&id)).await?;
    Ok(object.and_then(|object| serde_json::to_value(object).ok()))
}

/// What OLM has made for a ClusterServiceVersion.
async fn owned(client: &FencedClient, csv: &CsvId) -> Result<BTreeSet<ObjectId>, WriteFailure> {
    let lists = kinds(&csv.namespace).map(|kind| owned_of(client, csv, kind).boxed());
    let lists = futures::stream::iter(lists).buffered(AT_ONCE);
    let lists: Vec<_> = lists.try_collect().await?;
    Ok(lists.into_iter().flatten().collect())
}

/// The kinds of which OLM makes objects for an operator of a namespace, each with where that is.
pub(crate) fn kinds(namespace: &str) -> impl Iterator<Item = ObjectId> {
    let kind = |(api_version, kind), namespace| ObjectId::new(api_version, kind, namespace, "");
    let inside = IN_NAMESPACE.map(|it| kind(it, Some(namespace)));
    inside
        .into_iter()
        .chain(EVERYWHERE.map(|it| kind(it, None)))
}

/// Of the kind of definitions.
pub(crate) fn definitions() -> ObjectId {
    let kind = "CustomResourceDefinition";
    ObjectId::new("apiextensions.k8s.io/v1", kind, None, "")
}

async fn owned_of(
    client: &FencedClient,
    csv: &CsvId,
    kind: ObjectId,
) -> Result<Vec<ObjectId>, WriteFailure> {
    let all = client.list(&object_ref(&kind)).await?;
    Ok(of(csv, &kind, all))
}

/// The objects of a kind that OLM has made for a ClusterServiceVersion.
fn of(csv: &CsvId, kind: &ObjectId, all: Vec<ObjectMeta>) -> Vec<ObjectId> {
    let own = all
        .into_iter()
        .filter(|metadata| is_of(csv, &json!(metadata)));
    let ids = own.map(|metadata| ObjectId {
        name: metadata.name.unwrap_or_default(),
        namespace: metadata.namespace,
        ..kind.clone()
    });
    ids.collect()
}

pub(crate) fn object_ref(id: &ObjectId) -> ObjectRef {
    ObjectRef {
        api_version: id.api_version.clone(),
        kind: id.kind.clone(),
        plural: None,
        namespace: id.namespace.clone(),
        name: id.name.clone(),
    }
}
