//! Reads the custom resources of CRDs that a policy must remove.
//!
//! Custom resources are listed and not watched. They are read only while a removal deletes CRDs.
//! Only the metadata of a few custom resources is read, as examples.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use kube::api::{DynamicObject, ListParams, ObjectList, PartialObjectMeta};
use kube::core::{ApiResource, Status};
use kube::{Api, Client};
use portolan_core_olm::{CustomResourceDefinition, DefinedVersion};
use portolan_core_operatorpolicy::{Instance, Instances};
use portolan_shell::with_causes;
use tokio::time::timeout;

/// The maximum number of custom resources that are reported.
const MOST: usize = 50;
/// The maximum number of custom resources in one page of a list.
const PAGE: u32 = 100;
/// The maximum number of pages that are requested.
const PAGES: usize = 10;
/// The maximum time for a response of the API server.
const DEADLINE: Duration = Duration::from_secs(10);

/// Reads objects that are not watched. Without a client, these objects are unknown.
#[derive(Clone)]
pub(crate) struct LiveReader(pub(crate) Option<Client>);

/// Reads the custom resources of each CRD. Custom resources with finalizers come first, because
/// they delay the removal.
async fn instances(client: &Client, crds: &[Arc<CustomResourceDefinition>]) -> Vec<Instances> {
    let mut all = Vec::new();
    for crd in crds {
        let name = crd.metadata.name.clone().unwrap_or_default();
        let found = match ServedResource::of(crd) {
            Ok(resource) => found(client, resource).await,
            Err(why) => Err(why),
        };
        all.push(match found {
            Ok(found) => found.into_instances(name),
            Err(why) => Instances {
                crd: name,
                found: Err(why),
                has_more: false,
            },
        });
    }
    all
}

/// The resource under which the API server serves the custom resources of a CRD.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ServedResource {
    group: String,
    version: String,
    plural: String,
    /// The kind. Empty while it is unknown, because reading custom resources does not require it.
    kind: String,
}

/// The custom resources that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct FoundInstances {
    held: Vec<Instance>,
    free: Vec<Instance>,
    has_more: bool,
}

// === impl LiveReader ===

impl LiveReader {
    /// Returns the custom resources of CRDs that a policy must remove.
    pub(crate) async fn instances(&self, crds: &[Arc<CustomResourceDefinition>]) -> Vec<Instances> {
        match &self.0 {
            Some(client) => instances(client, crds).await,
            None => crds.iter().map(|each| unknown_instances(each)).collect(),
        }
    }
}

/// Returns the result for a CRD whose custom resources are unknown, because files do not show which
/// custom resources exist.
fn unknown_instances(crd: &CustomResourceDefinition) -> Instances {
    Instances {
        crd: crd.metadata.name.clone().unwrap_or_default(),
        found: Err("files do not contain the custom resources of the cluster".to_owned()),
        has_more: false,
    }
}

// The client does not implement `Debug`.
impl std::fmt::Debug for LiveReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LiveReader").finish_non_exhaustive()
    }
}

// === impl ServedResource ===

impl ServedResource {
    /// Derives the resource from the name of a CRD, such as `ferries.demo.example`.
    fn of(crd: &CustomResourceDefinition) -> Result<Self, String> {
        let name = crd.metadata.name.as_deref().unwrap_or_default();
        let Some((plural, group)) = name.split_once('.') else {
            return Err(format!("{name:?} is not the name of a CRD"));
        };
        let versions = crd.spec.versions.iter();
        let served = versions.filter(|version| version.served);
        let version = served.max_by_key(|version: &&DefinedVersion| version.storage);
        let Some(version) = version else {
            return Err(format!(
                "no version of {name} is served; serve at least one version"
            ));
        };
        Ok(Self {
            group: group.to_owned(),
            version: version.name.clone(),
            plural: plural.to_owned(),
            kind: String::new(),
        })
    }

    fn api_version(&self) -> String {
        format!("{}/{}", self.group, self.version)
    }

    fn api(&self, client: &Client) -> Api<DynamicObject> {
        let resource = ApiResource {
            group: self.group.clone(),
            version: self.version.clone(),
            api_version: self.api_version(),
            kind: self.kind.clone(),
            plural: self.plural.clone(),
        };
        Api::all_with(client.clone(), &resource)
    }

    /// Returns the reason why the API server rejects the list of custom resources, with a remedy.
    fn refusal(&self, status: &Status) -> String {
        let Self { group, plural, .. } = self;
        let sentence = status.message.trim_end_matches('.');
        match status.code {
            403 => format!(
                "the permission to list {plural} of the API group {group} in all namespaces is \
                 missing; grant it to the ServiceAccount of the controller"
            ),
            _ => format!("{plural} of the API group {group} cannot be listed: {sentence}"),
        }
    }
}

// === impl FoundInstances ===

impl FoundInstances {
    /// Adds a page of custom resources. Returns the parameters of the next page.
    fn add(
        &mut self,
        resource: &ServedResource,
        page: ObjectList<PartialObjectMeta<DynamicObject>>,
    ) -> Option<String> {
        for object in page.items {
            let metadata = object.metadata;
            let instance = Instance {
                api_version: resource.api_version(),
                kind: resource.kind.clone(),
                namespace: metadata.namespace,
                name: metadata.name.unwrap_or_default(),
                finalizers: metadata.finalizers.unwrap_or_default(),
            };
            if instance.finalizers.is_empty() {
                self.free.push(instance)
            } else {
                self.held.push(instance)
            }
        }
        page.metadata.continue_.filter(|token| !token.is_empty())
    }

    fn into_instances(self, crd: String) -> Instances {
        let Self {
            held,
            free,
            has_more,
        } = self;
        let mut found = held;
        found.extend(free);
        let is_cut = found.len() > MOST;
        found.truncate(MOST);
        Instances {
            crd,
            found: Ok(found),
            has_more: has_more || is_cut,
        }
    }
}

async fn found(client: &Client, mut resource: ServedResource) -> Result<FoundInstances, String> {
    resource.kind = kind(client, &resource).await?;
    let api = resource.api(client);
    let mut params = ListParams::default().limit(PAGE);
    let mut found = FoundInstances::default();
    for _ in 0..PAGES {
        let Some(page) = answer(&resource, api.list_metadata(&params)).await? else {
            return Ok(found);
        };
        match found.add(&resource, page) {
            Some(token) if found.held.len() < MOST => params = params.continue_token(&token),
            next => {
                found.has_more = next.is_some();
                return Ok(found);
            }
        }
    }
    found.has_more = true;
    Ok(found)
}

/// Returns the kind according to the discovery of the API server. If the kind is no longer served,
/// returns the plural.
async fn kind(client: &Client, resource: &ServedResource) -> Result<String, String> {
    let api_version = resource.api_version();
    let known = answer(resource, client.list_api_group_resources(&api_version)).await?;
    let resources = known.into_iter().flat_map(|known| known.resources);
    let mut kinds = resources.filter(|known| known.name == resource.plural);
    let kind = kinds.next().map(|resource| resource.kind);
    Ok(kind.unwrap_or_else(|| resource.plural.clone()))
}

/// Returns the response of the API server. Returns None if the API server does not know the kind.
async fn answer<T>(
    resource: &ServedResource,
    request: impl Future<Output = kube::Result<T>>,
) -> Result<Option<T>, String> {
    match timeout(DEADLINE, request).await {
        Ok(Ok(answer)) => Ok(Some(answer)),
        Ok(Err(kube::Error::Api(status))) if status.code == 404 => Ok(None),
        Ok(Err(kube::Error::Api(status))) => Err(resource.refusal(&status)),
        Ok(Err(error)) => Err(with_causes(&error)),
        Err(_) => Err(format!(
            "the API server did not list {} within {} s",
            resource.plural,
            DEADLINE.as_secs()
        )),
    }
}
