//! Accesses objects of a cluster by the apiVersion and kind of their manifests.

use kube::Client;
use kube::api::{Api, ApiResource, DynamicObject, ListParams, PostParams};
use kube::core::{GroupVersionKind, TypeMeta};
use portolan_rig::{Failure, until_object};
use serde_json::Value;

/// Returns the resource of an apiVersion and kind.
pub(crate) fn kind([api_version, kind]: [&str; 2]) -> ApiResource {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind))
}

/// Returns the API for an apiVersion and a kind, in a namespace. An empty namespace means that the
/// kind is cluster-scoped.
pub(crate) fn api(
    client: &Client,
    [api_version, name, namespace]: [&str; 3],
) -> Api<DynamicObject> {
    let kind = kind([api_version, name]);
    match namespace {
        "" => Api::all_with(client.clone(), &kind),
        namespace => Api::namespaced_with(client.clone(), namespace, &kind),
    }
}

/// Returns the API for the kind and the namespace of a manifest.
pub(crate) fn api_of(client: &Client, manifest: &Value) -> Api<DynamicObject> {
    let text = |at: &str| manifest.pointer(at).and_then(Value::as_str);
    let place = ["/apiVersion", "/kind", "/metadata/namespace"];
    api(client, place.map(|at| text(at).unwrap_or_default()))
}

/// Creates the object of a manifest.
pub(crate) async fn make(client: &Client, manifest: &Value) -> Result<(), Failure> {
    let object = serde_json::from_value(manifest.clone()).map_err(Failure::read("a manifest"))?;
    let api = api_of(client, manifest);
    api.create(&PostParams::default(), &object).await?;
    Ok(())
}

/// Returns all objects of a kind in a namespace. Adds the kind, which lists omit in their items.
pub(crate) async fn listed(
    client: &Client,
    place: [&str; 3],
) -> Result<Vec<DynamicObject>, Failure> {
    let [api_version, kind, _] = place.map(str::to_owned);
    let mut items = api(client, place).list(&ListParams::default()).await?.items;
    let types = Some(TypeMeta { api_version, kind });
    for item in &mut items {
        item.types.clone_from(&types);
    }
    Ok(items)
}

/// Waits until an object satisfies a condition. Returns the object.
pub(crate) async fn until_whole(
    objects: &Api<DynamicObject>,
    name: &str,
    what: &str,
    is_so: impl Fn(&Value) -> bool,
) -> Result<Value, Failure> {
    let whole = |it: &DynamicObject| serde_json::to_value(it).expect("JSON");
    let found = until_object(objects, name, what, |it| is_so(&whole(it))).await?;
    Ok(whole(&found))
}
