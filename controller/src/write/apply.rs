//! Fields that are owned.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube::Api;
use kube::api::{DynamicObject, Patch, PatchParams};
use portolan_api::MANAGER;
use portolan_core_operatorpolicy::Outcome;
use serde_json::Value;

use super::act::{as_us_patching, parse, version};
use super::course::Course;
use super::line::{About, Deed, WriteFailure};
use super::patch::Sight;
use super::place::Place;
use super::{Reviewer, Writer, Written, contest, ownership};

/// How often who owns what is written anew where somebody else writes at the same time.
const TRIES: usize = 3;

impl<R: Reviewer> Writer<R> {
    pub(super) async fn apply(
        &self,
        manifest: &Value,
        course: &mut Course<'_>,
    ) -> Result<Written, Outcome> {
        let place = Place::of(manifest)?;
        let live = self.live(&place).await;
        let (manifest, seen) = course.up_to_date(manifest, &place);
        let before = manifest.pointer("/metadata/resourceVersion");
        let before = before.and_then(Value::as_str).map(str::to_owned);
        let api = place.api(self.line.client());
        let forced = PatchParams::apply(MANAGER).force();
        let patch = Patch::Apply(&manifest);
        let applied = api.patch(&place.name, &forced, &patch);
        let deed = Deed("apply", &place.kind);
        let applied = self.line.write(deed, About::Known, applied).await?;
        let applied = self.transfer(&api, applied, ownership::take_over).await;
        self.note(&place, contest::fields(&manifest), live.as_ref());
        if let Some(seen) = seen {
            course.trail.wrote(place.key(), &seen, &version(&applied));
        }
        let is_known = manifest.pointer("/metadata/uid").is_some();
        let uid = applied.metadata.uid.clone().filter(|_| !is_known);
        Ok(Written {
            outcome: Outcome::Done { uid },
            pending: place.pending(before.as_deref(), version(&applied)),
            policy: None,
        })
    }

    /// Makes applied fields of what an object was created with.
    pub(super) async fn adopt(
        &self,
        api: &Api<DynamicObject>,
        object: DynamicObject,
        manifest: &Value,
    ) -> DynamicObject {
        let adopt = |entries: &[ManagedFieldsEntry]| ownership::adopt(entries, manifest);
        self.transfer(api, object, adopt).await
    }

    /// Changes who owns what, as `transfer` says of the field sets of an object. What was to be written is written, so a failure is only told: the
    /// next apply tries again, or the fields stay until then.
    async fn transfer(
        &self,
        api: &Api<DynamicObject>,
        mut object: DynamicObject,
        transfer: impl Fn(&[ManagedFieldsEntry]) -> Option<Vec<Value>>,
    ) -> DynamicObject {
        let name = object.metadata.name.clone().unwrap_or_default();
        for _ in 0..TRIES {
            let entries = object.metadata.managed_fields.as_deref().unwrap_or(&[]);
            let Some(operations) = transfer(entries) else {
                break;
            };
            match self.amend(api, &object, operations).await {
                Ok(amended) => return amended,
                Err(WriteFailure::Changed(_)) => {
                    match self.line.read(About::Known, api.get(&name)).await {
                        Ok(read) if read.metadata.uid == object.metadata.uid => object = read,
                        Ok(_) | Err(_) => break,
                    }
                }
                Err(failure) => {
                    tracing::warn!(error = %failure, object = name, "its fields keep their owners");
                    break;
                }
            }
        }
        object
    }

    async fn amend(
        &self,
        api: &Api<DynamicObject>,
        object: &DynamicObject,
        operations: Vec<Value>,
    ) -> Result<DynamicObject, WriteFailure> {
        let metadata = &object.metadata;
        let sight = Sight {
            uid: metadata.uid.as_deref().unwrap_or_default(),
            version: metadata.resource_version.as_deref().unwrap_or_default(),
        };
        let patch = Patch::Json::<()>(parse(sight.patch(operations))?);
        let name = metadata.name.as_deref().unwrap_or_default();
        let kind = object.types.as_ref().map_or("", |types| &types.kind);
        let us = as_us_patching();
        let patched = api.patch(name, &us, &patch);
        let deed = Deed("own", kind);
        self.line.write(deed, About::Known, patched).await
    }
}
