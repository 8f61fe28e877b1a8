//! Reads objects that OLM has installed, with the permissions of the ServiceAccount that will adopt
//! them.

use std::collections::BTreeSet;

use futures::{FutureExt, StreamExt, TryStreamExt};
use kube::api::ObjectMeta;
use portolan_core_names::{Gvk, ObjectRef};
use portolan_core_operator::{
    Answer, CsvId, CustomResources, Knowledge, LiveQuery, ResourceQuery, is_of,
};
use portolan_runtime::{FencedClient, ResourceRef, User, WriteFailure};
use serde_json::{Value, json};

/// The maximum number of concurrent requests.
const AT_ONCE: usize = 8;
/// The maximum number of custom resources of a kind that a message names.
const NAMED: usize = 3;
/// The kinds of objects that OLM creates in the namespace of an operator.
const IN_NAMESPACE: [(&str, &str); 5] = [
    ("apps/v1", "Deployment"),
    ("v1", "ConfigMap"),
    ("v1", "Secret"),
    ("v1", "Service"),
    ("v1", "ServiceAccount"),
];
/// The kinds of objects that OLM creates in the namespaces that the operator watches, or
/// cluster-scoped.
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

/// Returns the objects of a query that exist.
pub(crate) async fn look(client: &FencedClient, query: &LiveQuery) -> Knowledge {
    let account = User::service_account(&query.account.namespace, &query.account.name);
    let client = client.impersonating(account);
    Knowledge::Live(match find(&client, query).await {
        Ok(objects) => Answer::Known(objects),
        Err(WriteFailure::Refused(sentence)) => Answer::Refused(sentence),
        Err(failure) => Answer::Unavailable(failure.to_string()),
    })
}

/// Counts the existing custom resources.
pub(crate) async fn count(client: &FencedClient, query: &ResourceQuery) -> Knowledge {
    let account = User::service_account(&query.account.namespace, &query.account.name);
    let client = client.impersonating(account);
    Knowledge::Resources(match counted(&client, query).await {
        Ok(resources) => Answer::Known(resources),
        Err(WriteFailure::Refused(sentence)) => Answer::Refused(sentence),
        Err(failure) => Answer::Unavailable(failure.to_string()),
    })
}

async fn counted(
    client: &FencedClient,
    query: &ResourceQuery,
) -> Result<Vec<CustomResources>, WriteFailure> {
    let all = client.list(&definitions().into()).await?;
    let names = all.into_iter().filter_map(|metadata| metadata.name);
    // The name of a CRD has the form PLURAL.GROUP.
    let names = names.filter(|name| {
        let group = name.split_once('.').map(|(_, group)| group);
        query.apis.iter().any(|api| group == Some(&api.group))
    });
    let ids: BTreeSet<_> = names
        .map(|name| ObjectRef {
            name,
            ..definitions()
        })
        .collect();
    let mut resources = Vec::new();
    for id in ids {
        if let Some(definition) = one(client, id).await?
            && let Some(kind) = kind_of(&definition, query)
        {
            let all = client.list(&kind).await?;
            resources.push(resources_of(&definition, &all));
        }
    }
    Ok(resources)
}

/// Returns the kind that a CRD defines. Returns None if the query does not request this kind.
fn kind_of(definition: &Value, query: &ResourceQuery) -> Option<ResourceRef> {
    let text = |pointer| definition.pointer(pointer).and_then(Value::as_str);
    let (group, kind) = (text("/spec/group")?, text("/spec/names/kind")?);
    let mut apis = query.apis.iter();
    apis.find(|api| api.group == group && api.kind == kind)?;
    let versions = definition["spec"]["versions"].as_array()?;
    let served = versions.iter().find(|version| version["served"] == true)?;
    let kind = Gvk {
        group: group.to_owned(),
        version: served["name"].as_str()?.to_owned(),
        kind: kind.to_owned(),
    };
    Some(ResourceRef {
        object: ObjectRef::new(kind, None, ""),
        plural: text("/spec/names/plural").map(str::to_owned),
    })
}

fn resources_of(definition: &Value, all: &[ObjectMeta]) -> CustomResources {
    let name = |metadata: &ObjectMeta| {
        let name = metadata.name.as_deref().unwrap_or_default();
        match &metadata.namespace {
            Some(namespace) => format!("{namespace}/{name}"),
            None => name.to_owned(),
        }
    };
    let definition = definition["metadata"]["name"].as_str();
    CustomResources {
        definition: definition.unwrap_or_default().to_owned(),
        count: all.len(),
        first: all.iter().take(NAMED).map(name).collect(),
    }
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

async fn one(client: &FencedClient, id: ObjectRef<Gvk>) -> Result<Option<Value>, WriteFailure> {
    let object = client.find(&id.into()).await?;
    Ok(object.and_then(|object| serde_json::to_value(object).ok()))
}

/// Returns the objects that OLM created for a ClusterServiceVersion.
async fn owned(
    client: &FencedClient,
    csv: &CsvId,
) -> Result<BTreeSet<ObjectRef<Gvk>>, WriteFailure> {
    let lists = kinds(&csv.namespace).map(|kind| owned_of(client, csv, kind).boxed());
    let lists = futures::stream::iter(lists).buffered(AT_ONCE);
    let lists: Vec<_> = lists.try_collect().await?;
    Ok(lists.into_iter().flatten().collect())
}

/// Returns the kinds of objects that OLM creates for an operator in this namespace. Each kind is an
/// object reference with the namespace in which the objects are.
pub(crate) fn kinds(namespace: &str) -> impl Iterator<Item = ObjectRef<Gvk>> {
    let kind =
        |(api_version, kind), namespace| ObjectRef::new(Gvk::new(api_version, kind), namespace, "");
    let inside = IN_NAMESPACE.map(|it| kind(it, Some(namespace)));
    inside
        .into_iter()
        .chain(EVERYWHERE.map(|it| kind(it, None)))
}

/// Returns the reference to the kind of CRDs.
pub(crate) fn definitions() -> ObjectRef<Gvk> {
    let kind = "CustomResourceDefinition";
    ObjectRef::new(Gvk::new("apiextensions.k8s.io/v1", kind), None, "")
}

async fn owned_of(
    client: &FencedClient,
    csv: &CsvId,
    kind: ObjectRef<Gvk>,
) -> Result<Vec<ObjectRef<Gvk>>, WriteFailure> {
    let all = client.list(&kind.clone().into()).await?;
    Ok(of(csv, &kind, all))
}

/// Returns the objects of a kind that OLM created for a ClusterServiceVersion.
fn of(csv: &CsvId, kind: &ObjectRef<Gvk>, all: Vec<ObjectMeta>) -> Vec<ObjectRef<Gvk>> {
    let own = all
        .into_iter()
        .filter(|metadata| is_of(csv, &json!(metadata)));
    let ids = own.map(|metadata| ObjectRef {
        name: metadata.name.unwrap_or_default(),
        namespace: metadata.namespace,
        ..kind.clone()
    });
    ids.collect()
}
