//! Sends dry-run requests to an API server.

use futures::{StreamExt as _, TryStreamExt as _, stream};
use kube::Client;
use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams, ValidationDirective};
use kube::core::GroupVersionKind;
use kube::discovery::{Discovery, Scope};
use portolan_rig::Failure;
use serde_json::Value;

/// The number of requests that run at the same time.
const AT_A_TIME: usize = 16;

pub(super) struct Server {
    client: Client,
    known: Discovery,
}

/// The response of the API server to a dry run of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// The API server accepts the object. Contains the object in the form in which it would be
    /// stored.
    Taken(Value),
    /// The API server rejects the object. Contains the message.
    Refused(String),
    /// The API server does not know the API group, because the CRD is not part of the bundle.
    Unknown,
}

// === impl Server ===

impl Server {
    pub(super) async fn of(client: Client) -> Result<Self, Failure> {
        let known = Discovery::new(client.clone()).run().await?;
        Ok(Self { client, known })
    }

    /// Returns the response for each object, in the same order.
    pub(super) async fn answers(&self, objects: &[Value]) -> Result<Vec<Answer>, Failure> {
        let answers = stream::iter(objects).map(|object| self.answer(object));
        answers.buffered(AT_A_TIME).try_collect().await
    }

    /// Applies an object in a dry run, with strict validation, as the controller for InstallPlans
    /// does.
    pub(super) async fn answer(&self, object: &Value) -> Result<Answer, Failure> {
        let text = |at: &str| object.pointer(at).and_then(Value::as_str);
        let kind = text("/kind").unwrap_or_default();
        let (group, version) = match text("/apiVersion") {
            Some(version) => version.split_once('/').unwrap_or(("", version)),
            None => self.group_of(kind),
        };
        if !self.known.has_group(group) {
            return Ok(Answer::Unknown);
        }
        let kind = GroupVersionKind::gvk(group, version, kind);
        let (resource, is_namespaced) = match self.known.resolve_gvk(&kind) {
            Some((known, can)) => (known, can.scope == Scope::Namespaced),
            // Sends the request even if the kind is not served, so that the API server reports the
            // error.
            None => (ApiResource::from_gvk(&kind), false),
        };
        let objects: Api<DynamicObject> = match text("/metadata/namespace") {
            Some(namespace) if is_namespaced => {
                Api::namespaced_with(self.client.clone(), namespace, &resource)
            }
            _ => Api::all_with(self.client.clone(), &resource),
        };
        let params = PatchParams {
            dry_run: true,
            field_manager: Some("portolan".to_owned()),
            field_validation: Some(ValidationDirective::Strict),
            ..PatchParams::default()
        };
        let name = text("/metadata/name").unwrap_or_default();
        match objects.patch(name, &params, &Patch::Apply(object)).await {
            Ok(kept) => {
                let kept = serde_json::to_value(kept).map_err(Failure::read("an object"))?;
                Ok(Answer::Taken(kept))
            }
            Err(kube::Error::Api(status)) => Ok(Answer::Refused(status.message.clone())),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the API group that serves the kind, and the version v1.
    fn group_of(&self, kind: &str) -> (&str, &str) {
        let mut served = self.known.groups().flat_map(|group| {
            let resources = group.recommended_resources();
            resources
                .into_iter()
                .map(|(resource, _)| (group.name(), resource))
        });
        let found = served.find(|(_, resource)| resource.kind == kind);
        let version = found.map(|(group, _)| (group, "v1"));
        version.unwrap_or_else(|| panic!("no API has a kind {kind}"))
    }
}
