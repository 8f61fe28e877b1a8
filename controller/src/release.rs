//! Frees all policies of what holds them back, so that they can be deleted without a controller.
//!
//! It is the first command of uninstalling, after the controller was stopped: one that runs would hold
//! them again. Operators stay as they are.

#[cfg(test)]
mod tests;

use std::time::Duration;

use kube::api::{ListParams, ObjectMeta, PartialObjectMeta, Patch, PatchParams};
use kube::core::Status;
use kube::{Api, Client};
use portolan_api::{FINALIZER, MANAGER, OperatorPolicy};
use portolan_shell::with_causes;
use serde_json::{Value, json};
use thiserror::Error;
use tokio::time::timeout;

/// How many are asked for at once.
const PAGE: u32 = 500;
/// How often one that changes meanwhile is tried.
const TRIES: usize = 5;
/// How long one answer may take.
const DEADLINE: Duration = Duration::from_secs(10);

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Freed {
    /// How many policies were freed.
    pub count: usize,
    /// Those that were not, with the reason, one sentence each.
    pub failures: Vec<String>,
}

/// The policies cannot be listed.
#[derive(Debug, Error)]
pub enum ReleaseFailure {
    /// The API server does not answer in time.
    #[error("the API server did not list the OperatorPolicies within {} s", DEADLINE.as_secs())]
    Silent,
    /// The API server refuses, or is not there.
    #[error("list the OperatorPolicies")]
    List(#[source] kube::Error),
}

/// The names of all policies that [`release_finalizers`] would free.
///
/// # Errors
/// The policies cannot be listed.
pub async fn held_policies(client: &Client) -> Result<Vec<String>, ReleaseFailure> {
    Ok(held(client).await?.iter().map(name).collect())
}

/// Takes our finalizer, and no other, from every policy, and tells each that it was on.
///
/// # Errors
/// The policies cannot be listed. One that cannot be freed is among the failures.
pub async fn release_finalizers(
    client: &Client,
    mut tell: impl FnMut(&str),
) -> Result<Freed, ReleaseFailure> {
    let mut freed = Freed::default();
    let policies = held(client).await?;
    if policies.is_empty() {
        tell("no OperatorPolicy is held back: nothing to do");
    }
    for metadata in policies {
        let name = name(&metadata);
        match release(client, metadata).await {
            Ok(true) => {
                freed.count += 1;
                tell(&format!("{name} is free"));
            }
            Ok(false) => tell(&format!("{name} is gone")),
            Err(why) => {
                let failure = format!("{name} is still held back: {why}");
                tell(&failure);
                freed.failures.push(failure);
            }
        }
    }
    Ok(freed)
}

/// All policies that are held back; none where there are no policies at all.
async fn held(client: &Client) -> Result<Vec<ObjectMeta>, ReleaseFailure> {
    let api: Api<OperatorPolicy> = Api::all(client.clone());
    let mut params = ListParams::default().limit(PAGE);
    let mut held = Vec::new();
    loop {
        let page = match timeout(DEADLINE, api.list_metadata(&params)).await {
            Err(_) => return Err(ReleaseFailure::Silent),
            Ok(Err(kube::Error::Api(status))) if status.code == 404 => return Ok(Vec::new()),
            // The pages have grown too old to go on: begin again, what was found is still true.
            Ok(Err(kube::Error::Api(status)))
                if status.code == 410 && params.continue_token.is_some() =>
            {
                params = ListParams::default().limit(PAGE);
                held.clear();
                continue;
            }
            Ok(Err(error)) => return Err(ReleaseFailure::List(error)),
            Ok(Ok(page)) => page,
        };
        let metadata = page.items.into_iter().map(|policy| policy.metadata);
        held.extend(metadata.filter(|metadata| place(metadata).is_some()));
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => return Ok(held),
        }
    }
}

/// Whether the policy was freed; not if it is gone.
async fn release(client: &Client, seen: ObjectMeta) -> Result<bool, String> {
    let namespace = seen.namespace.clone().unwrap_or_default();
    let api: Api<OperatorPolicy> = Api::namespaced(client.clone(), &namespace);
    let name = seen.name.clone().unwrap_or_default();
    let uid = seen.uid.clone();
    let mut live = seen;
    let mut why = String::new();
    for _ in 0..TRIES {
        let Some(patch) = patch(&live) else {
            return Ok(true);
        };
        let patch = serde_json::from_value(patch).map_err(|error| error.to_string())?;
        let patch = Patch::Json::<()>(patch);
        let params = PatchParams::default();
        let params = PatchParams {
            field_manager: Some(MANAGER.to_owned()),
            ..params
        };
        match answer(api.patch_metadata(&name, &params, &patch)).await {
            Ok(_) => return Ok(true),
            Err(Trouble::Gone) => return Ok(false),
            Err(Trouble::Changed(sentence)) => why = sentence,
            Err(Trouble::Other(sentence)) => return Err(sentence),
        }
        live = match answer(api.get_metadata(&name)).await {
            Ok(PartialObjectMeta { metadata, .. }) => metadata,
            Err(Trouble::Gone) => return Ok(false),
            Err(Trouble::Changed(sentence) | Trouble::Other(sentence)) => return Err(sentence),
        };
        if live.uid != uid {
            return Ok(false);
        }
    }
    Err(why)
}

/// Why a policy was not freed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Trouble {
    Gone,
    /// It is not as it was seen.
    Changed(String),
    Other(String),
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
        // A JSON patch whose tests fail does not fit what is there.
        409 | 422 => Trouble::Changed(sentence),
        _ => Trouble::Other(sentence),
    }
}

/// Takes our finalizer off, only if the policy is as it was seen. None if it is not on.
fn patch(seen: &ObjectMeta) -> Option<Value> {
    let path = format!("/metadata/finalizers/{}", place(seen)?);
    Some(json!([
        {"op": "test", "path": "/metadata/uid", "value": seen.uid},
        {"op": "test", "path": "/metadata/resourceVersion", "value": seen.resource_version},
        {"op": "test", "path": path, "value": FINALIZER},
        {"op": "remove", "path": path},
    ]))
}

fn place(metadata: &ObjectMeta) -> Option<usize> {
    let mut finalizers = metadata.finalizers.iter().flatten();
    finalizers.position(|each| each == FINALIZER)
}

fn name(metadata: &ObjectMeta) -> String {
    let namespace = metadata.namespace.as_deref().unwrap_or_default();
    let name = metadata.name.as_deref().unwrap_or_default();
    format!("{namespace}/{name}")
}
