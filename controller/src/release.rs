//! Removes Portolan's finalizers from all objects, so that the objects can be deleted without a
//! controller.
//!
//! Users do this first when they uninstall Portolan, after they have stopped the controller. A
//! running controller would add the finalizers again. Running operators and the objects of
//! InstallPlans do not change.

mod policies;
#[cfg(test)]
mod tests;

use std::time::Duration;

use kube::api::{
    ApiResource, DynamicObject, ListParams, ObjectMeta, PartialObjectMeta, Patch, PatchParams,
};
use kube::core::{GroupVersionKind, Status};
use kube::{Api, Client};
use portolan_api::installs::{self, Install};
use portolan_api::operator::{self, Operator};
use portolan_api::plan::{self, InstallPlan};
use portolan_api::{FINALIZER, MANAGER, OperatorPolicy, components};
use portolan_shell::with_causes;
use serde_json::{Value, json};
use thiserror::Error;
use tokio::time::timeout;

use crate::crd::schema_of;
use crate::observe::Schema;

/// The message if no object has a finalizer of Portolan.
pub const NOTHING_HELD: &str = "no object has a finalizer of Portolan";
/// The maximum number of objects in one page of a list.
const PAGE: u32 = 500;
/// The maximum number of attempts for an object that other clients change at the same time.
const TRIES: usize = 5;
/// The maximum time for a response of the API server.
const DEADLINE: Duration = Duration::from_secs(10);

/// The result of removing the finalizers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Freed {
    /// The number of objects from which finalizers were removed.
    pub count: usize,
    /// A sentence for each object whose finalizers could not be removed, with the reason.
    pub failures: Vec<String>,
}

/// The reason why the objects of a kind cannot be listed.
#[derive(Debug, Error)]
pub enum ReleaseFailure {
    /// The API server does not respond in time.
    #[error("the API server did not list the {0} within {limit} s", limit = DEADLINE.as_secs())]
    Silent(&'static str),
    /// The API server rejects the list, or cannot be reached.
    #[error("cannot list the {kind}")]
    List {
        kind: &'static str,
        source: kube::Error,
    },
}

/// A kind whose objects may have a finalizer of Portolan.
struct HeldKind {
    /// The plural for messages.
    plural: &'static str,
    /// The text before the names of objects in messages.
    prefix: &'static str,
    resource: ApiResource,
    finalizer: &'static str,
}

/// An object that has a finalizer of Portolan.
struct HeldObject<'k> {
    kind: &'k HeldKind,
    metadata: ObjectMeta,
}

fn kinds() -> [HeldKind; 6] {
    let of_olm = |version: &str, kind: &str, plural: &str| {
        let kind = GroupVersionKind::gvk(components::GROUP, version, kind);
        ApiResource::from_gvk_with_plural(&kind, plural)
    };
    [
        HeldKind {
            plural: "OperatorPolicies",
            prefix: "",
            resource: ApiResource::erase::<OperatorPolicy>(&()),
            finalizer: FINALIZER,
        },
        HeldKind {
            plural: "InstallPlans of plans.portolan.dev",
            prefix: "plan ",
            resource: ApiResource::erase::<InstallPlan>(&()),
            finalizer: plan::FINALIZER,
        },
        HeldKind {
            plural: "Operators of operators.operatorframework.io",
            prefix: "operator ",
            resource: ApiResource::erase::<Operator>(&()),
            finalizer: operator::FINALIZER,
        },
        HeldKind {
            plural: "ClusterServiceVersions",
            prefix: "clusterserviceversion ",
            resource: of_olm(
                "v1alpha1",
                "ClusterServiceVersion",
                "clusterserviceversions",
            ),
            finalizer: operator::ADOPTED,
        },
        HeldKind {
            plural: "Installs",
            prefix: "install ",
            resource: ApiResource::erase::<Install>(&()),
            finalizer: installs::FINALIZER,
        },
        HeldKind {
            plural: "Operators of operators.coreos.com",
            prefix: "operator.v1.operators.coreos.com ",
            resource: of_olm(components::STORAGE, "Operator", "operators"),
            finalizer: components::FINALIZER,
        },
    ]
}

/// Returns the names of all objects from which [`release_finalizers`] would remove finalizers.
///
/// # Errors
/// Returns an error if the objects cannot be listed.
pub async fn held_objects(client: &Client) -> Result<Vec<String>, ReleaseFailure> {
    let kinds = kinds();
    let all = all_held(client, &kinds).await?;
    Ok(all.iter().map(HeldObject::name).collect())
}

/// Removes Portolan's finalizer from every object that has it. Calls `report` for each object.
///
/// # Errors
/// Returns an error if the objects cannot be listed. If the finalizer of an object cannot be
/// removed, the result contains the object.
pub async fn release_finalizers(
    client: &Client,
    mut tell: impl FnMut(&str),
) -> Result<Freed, ReleaseFailure> {
    let mut freed = Freed::default();
    let kinds = kinds();
    let all = all_held(client, &kinds).await?;
    if all.is_empty() {
        tell(NOTHING_HELD);
    }
    let schema = schema_of(Some(client.clone()))().await;
    let schema = schema.unwrap_or_else(Schema::Unreadable);
    for held in all {
        let name = held.name();
        match release(client, held, &schema).await {
            Ok(true) => {
                freed.count += 1;
                tell(&format!("{name}: finalizer removed"));
            }
            Ok(false) => tell(&format!("{name} is gone")),
            Err(why) => {
                let failure = format!("{name}: finalizer not removed: {why}");
                tell(&failure);
                freed.failures.push(failure);
            }
        }
    }
    Ok(freed)
}

async fn all_held<'k>(
    client: &Client,
    kinds: &'k [HeldKind],
) -> Result<Vec<HeldObject<'k>>, ReleaseFailure> {
    let mut all = Vec::new();
    for kind in kinds {
        let held = held(client, kind).await?.into_iter();
        all.extend(held.map(|metadata| HeldObject { kind, metadata }));
    }
    Ok(all)
}

/// Returns the objects of a kind that have Portolan's finalizer. Returns no objects if the kind is
/// not served.
async fn held(client: &Client, kind: &HeldKind) -> Result<Vec<ObjectMeta>, ReleaseFailure> {
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &kind.resource);
    let mut params = ListParams::default().limit(PAGE);
    let mut held = Vec::new();
    loop {
        let page = match timeout(DEADLINE, api.list_metadata(&params)).await {
            Err(_) => return Err(ReleaseFailure::Silent(kind.plural)),
            Ok(Err(kube::Error::Api(status))) if status.code == 404 => return Ok(Vec::new()),
            // The continue token has expired, so the list starts again. The objects that were found
            // so far are kept.
            Ok(Err(kube::Error::Api(status)))
                if status.code == 410 && params.continue_token.is_some() =>
            {
                params = ListParams::default().limit(PAGE);
                held.clear();
                continue;
            }
            Ok(Err(source)) => {
                let kind = kind.plural;
                return Err(ReleaseFailure::List { kind, source });
            }
            Ok(Ok(page)) => page,
        };
        let metadata = page.items.into_iter().map(|object| object.metadata);
        held.extend(metadata.filter(|metadata| place(metadata, kind.finalizer).is_some()));
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => return Ok(held),
        }
    }
}

/// Removes the finalizer from an object. Returns false if the object does not exist any more.
async fn release(client: &Client, held: HeldObject<'_>, schema: &Schema) -> Result<bool, String> {
    let HeldObject { kind, metadata } = held;
    let seen = metadata;
    let api: Api<DynamicObject> = match &seen.namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &kind.resource),
        None => Api::all_with(client.clone(), &kind.resource),
    };
    let name = seen.name.clone().unwrap_or_default();
    let uid = seen.uid.clone();
    let mut live = seen;
    let mut why = String::new();
    let mut is_invalid = false;
    for _ in 0..TRIES {
        let Some(patch) = patch(&live, kind.finalizer) else {
            return Ok(true);
        };
        let spec = match kind.spec(&api, &live, is_invalid, schema).await {
            Ok(spec) => spec,
            Err(Trouble::Gone) => return Ok(false),
            Err(trouble) => return Err(trouble.sentence()),
        };
        match answer(api.patch_metadata(&name, &params(), &joined(spec, patch)?)).await {
            Ok(_) => return Ok(true),
            Err(Trouble::Gone) => return Ok(false),
            Err(Trouble::Changed(sentence)) => why = sentence,
            Err(Trouble::Invalid(sentence)) if !is_invalid => {
                is_invalid = true;
                why = sentence;
            }
            Err(Trouble::Invalid(sentence) | Trouble::Other(sentence)) => return Err(sentence),
        }
        live = match answer(api.get_metadata(&name)).await {
            Ok(PartialObjectMeta { metadata, .. }) => metadata,
            Err(Trouble::Gone) => return Ok(false),
            Err(trouble) => return Err(trouble.sentence()),
        };
        if live.uid != uid {
            return Ok(false);
        }
    }
    Err(why)
}

/// Creates a patch that contains the operations on the spec first, followed by the other
/// operations.
fn joined(spec: Vec<Value>, rest: Vec<Value>) -> Result<Patch<()>, String> {
    let all = Value::Array([spec, rest].concat());
    let patch = serde_json::from_value(all).map_err(|error| error.to_string())?;
    Ok(Patch::Json(patch))
}

fn params() -> PatchParams {
    PatchParams {
        field_manager: Some(MANAGER.to_owned()),
        ..PatchParams::default()
    }
}

/// The reason why a finalizer was not removed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Trouble {
    Gone,
    /// The object has changed since it was read.
    Changed(String),
    /// The object is invalid according to the CRD in the cluster.
    Invalid(String),
    Other(String),
}

impl Trouble {
    fn sentence(self) -> String {
        match self {
            Self::Gone => "it is gone".to_owned(),
            Self::Changed(sentence) | Self::Invalid(sentence) | Self::Other(sentence) => sentence,
        }
    }
}

async fn answer<T>(request: impl Future<Output = kube::Result<T>>) -> Result<T, Trouble> {
    match timeout(DEADLINE, request).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(kube::Error::Api(status))) => Err(trouble(&status)),
        Ok(Err(error)) => Err(Trouble::Other(with_causes(&error))),
        Err(_) => Err(Trouble::Other(format!(
            "the API server did not answer within {} s",
            DEADLINE.as_secs()
        ))),
    }
}

fn trouble(status: &Status) -> Trouble {
    let sentence = status.message.trim_end_matches('.').to_owned();
    match status.code {
        404 => Trouble::Gone,
        // If the object is invalid, the error contains its kind and the invalid fields. If the JSON
        // patch cannot be applied, the error contains no kind.
        422 if status
            .details
            .as_ref()
            .is_some_and(|it| !it.kind.is_empty()) =>
        {
            Trouble::Invalid(sentence)
        }
        // A failed test of the JSON patch means that the object has changed.
        409 | 422 => Trouble::Changed(sentence),
        _ => Trouble::Other(sentence),
    }
}

/// Returns the patch that removes Portolan's finalizer. The patch fails if the object has changed
/// since it was read. Returns None if the object does not have the finalizer.
fn patch(seen: &ObjectMeta, finalizer: &str) -> Option<Vec<Value>> {
    let path = format!("/metadata/finalizers/{}", place(seen, finalizer)?);
    Some(vec![
        json!({"op": "test", "path": "/metadata/uid", "value": seen.uid}),
        json!({"op": "test", "path": "/metadata/resourceVersion", "value": seen.resource_version}),
        json!({"op": "test", "path": path, "value": finalizer}),
        json!({"op": "remove", "path": path}),
    ])
}

fn place(metadata: &ObjectMeta, finalizer: &str) -> Option<usize> {
    let mut finalizers = metadata.finalizers.iter().flatten();
    finalizers.position(|each| each == finalizer)
}

impl HeldObject<'_> {
    fn name(&self) -> String {
        let name = self.metadata.name.as_deref().unwrap_or_default();
        let prefix = self.kind.prefix;
        match &self.metadata.namespace {
            Some(namespace) => format!("{prefix}{namespace}/{name}"),
            None => format!("{prefix}{name}"),
        }
    }
}
